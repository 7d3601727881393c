/** `procscope agents --explain PID` as text: one line a decision, in the order in which they are made. */
import type { Agent, Considered, Explanation, LinkStep } from '../../index.js';
import type { Run } from '../command.js';
import { cut, printable } from '../text.js';

type Line = readonly [label: string, text: string];

const WIDTH = 12;
const MOST_LETTERS = 200;

/** undefined = could not be read or was not asked, null = there is none. */
function valueText(value: unknown): string {
  if (value === undefined) return '? (not read)';
  if (value === null) return '-';
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item)).join(' ');
  return String(value);
}

function factLines({ facts }: Explanation): Line[] {
  if (facts === null) return [];
  const names = ['name', 'exe', 'argv', 'cwd', 'tty', 'state', 'ppid', 'uid', 'startKey', 'nspid'] as const;
  const lines = names.map((name): Line => [name, valueText(facts[name])]);
  const env = facts.env === undefined ? [['environ', '? (not read)'] as const] : [];
  const set = Object.entries(facts.env ?? {}).filter(([, value]) => value !== null);
  const script =
    facts.script === undefined ? [] : [['script', `${facts.script.arg} is ${facts.script.real}`] as const];
  return [
    ...lines,
    ...script,
    ...env,
    ...set.map(([key, value]): Line => ['environ', `${key}=${valueText(value)}`]),
  ];
}

function programText({ program }: Explanation): string {
  if (program === null) return '-';
  const { interpreter, entry, word, image, through, retitled } = program;
  const what = entry === null ? valueText(word ?? image) : `${entry.form} ${entry.text}`;
  return [
    what,
    interpreter === null ? 'native' : `run by ${interpreter}`,
    ...(through.length > 0 ? [`behind ${through.join(', ')}`] : []),
    ...(retitled ? ['which wrote a title over its arguments'] : []),
    ...(entry?.doubt ? [`unless it is the value of ${entry.doubt}`] : []),
  ].join(', ');
}

function engineText({ engine, evidence, why, refused }: Considered): string {
  const by =
    evidence === null
      ? ''
      : ` (${evidence.rule}, score ${evidence.score}, confidence ${evidence.confidence})`;
  return `${engine}${by}: ${why}${refused === null ? '' : `; refused: ${refused}`}`;
}

const linkText = ({ rule, session, why }: LinkStep): string =>
  `${rule}: ${session ?? 'none'}; ${why.join('; ')}`;

function rowLines({ agent, bypassFlags, arbiter }: Explanation): Line[] {
  if (agent === null) return [];
  const { session, state, version, gateway } = agent;
  return [
    ['session', `${session.id ?? 'unknown'}, grade ${session.grade}, source ${session.source ?? '-'}`],
    ...session.refused.map(({ id, why }): Line => ['refused', `${id}: ${why}`]),
    ['arbiter', arbiterText(arbiter)],
    ['state', stateText(state)],
    ['version', version ?? 'unknown: no path and no record names it'],
    ['gateway', gateway ?? '-'],
    ['bypass', bypassFlags === null ? 'unknown: no arguments were read' : bypassFlags.join(', ') || 'none'],
  ];
}

function arbiterText(arbiter: Explanation['arbiter']): string {
  if (arbiter === null) return 'not asked: it claims no session';
  if (!arbiter.shared) return 'the only claimant';
  return `shared by ${arbiter.claimants.join(', ')}; first owner ${arbiter.primary}`;
}

function stateText({ value, raw, source, at, suspended }: Agent['state']): string {
  const parts = [
    value,
    `source ${source ?? '-'}`,
    ...(raw === null ? [] : [`the engine says ${JSON.stringify(raw)}`]),
    ...(at === null ? [] : [`as of ${new Date(at).toISOString()}`]),
    ...(suspended ? ['stopped by the kernel'] : []),
  ];
  return parts.join(', ');
}

function decisionLines(explanation: Explanation): Line[] {
  const { engines, kind, home, links, rowPid, chain, below } = explanation;
  return [
    ['program', programText(explanation)],
    ...engines.map((each): Line => ['engine', engineText(each)]),
    ...(engines.length === 0 ? [['engine', 'none came near'] as const] : []),
    ...(kind === null ? [] : [['kind', `${kind.kind}, by ${kind.reason.by}: ${kind.reason.why}`] as const]),
    ...(rowPid === null
      ? []
      : [['row', `pid ${rowPid}${chain.length > 1 ? `, one agent: ${chain.join(' > ')}` : ''}`] as const]),
    ...(below === null ? [] : [['below', `agent ${below}`] as const]),
    ...(home === null
      ? []
      : [
          ['home', `${home.config ?? 'unknown'} (${home.variable}), from ${home.from ?? 'nothing'}`] as const,
        ]),
    ...links.map((step): Line => ['link', linkText(step)]),
  ];
}

export function explanationLines(explanation: Explanation, { paint }: Run): string[] {
  const { pid, outcome, agent, because, faults } = explanation;
  const head = agent === null ? outcome : `${outcome}: ${agent.engine} ${agent.kind}`;
  const line = ([label, text]: Line): string =>
    `  ${paint(label.padEnd(WIDTH), 'dim')}${printable(cut(text, MOST_LETTERS))}`;
  const lines: Line[] =
    explanation.program === null
      ? []
      : [...factLines(explanation), ...decisionLines(explanation), ...rowLines(explanation)];
  return [
    paint(`${pid}  ${printable(head)}`, 'bold'),
    ...lines.map(line),
    ...because.map((reason) => line(['because', reason])),
    ...faults.map(({ field, kind, call, path }) =>
      line(['fault', `${field ?? 'the table'}: ${kind}, ${call} ${path}`]),
    ),
  ];
}
