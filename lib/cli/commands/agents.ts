import { isAbsolute } from 'node:path';
import type { Agent, AgentFault, AgentsEnvelope, AgentsOptions } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { TMUX_OPTIONS, tmuxSockets } from '../pane-of.js';
import { type Cell, columns, cut, plural, printable, type Style } from '../text.js';
import { show, type View, WATCH_OPTIONS } from '../watch.js';
import { explanationLines } from './explain.js';

const STATE_STYLES: Readonly<Record<string, readonly Style[]>> = {
  busy: ['green'],
  waiting: ['yellow', 'bold'],
  idle: [],
  starting: ['cyan'],
  unknown: ['dim'],
};
const FAULTS_SHOWN = 5;
/** Widest cell and longest path in a line; --json has them whole. */
export const CELL_WIDTH = 60;
const PATH_WIDTH = 120;
/** What only `--all` shows. */
const SERVING: readonly Agent['kind'][] = ['service', 'helper', 'launcher'];

function stateText({ state }: Agent): string {
  const details = [
    state.value === 'waiting' ? state.waitingFor : null,
    state.value === 'unknown' ? state.raw : null,
    state.suspended ? 'suspended' : null,
    state.background ? 'shell in the background' : null,
  ].filter((detail) => detail !== null);
  return details.length === 0 ? state.value : `${state.value} (${details.join(', ')})`;
}

function sessionText({ session }: Agent): string {
  if (session.id === null) return '-';
  const marks = [session.grade === 'exact' ? null : session.grade, session.shared ? 'shared' : null];
  const shown = marks.filter((mark) => mark !== null);
  return shown.length === 0 ? session.id : `${session.id} (${shown.join(', ')})`;
}

function headOf(withPanes: boolean): Cell[] {
  const names = ['PID', 'ENGINE', 'KIND', 'STATE', 'TTY', ...(withPanes ? ['PANE'] : []), 'SESSION', 'CWD'];
  return names.map((text) => ({ text, styles: ['bold'] }));
}

/** `%3 work`: the pane and the session of tmux that shows it. */
function paneText({ pane }: Agent): string {
  return pane === null ? '-' : cut(`${pane.id} ${pane.sessionName}`, CELL_WIDTH);
}

function cellsOf(agent: Agent, withPanes: boolean): Cell[] {
  return [
    { text: String(agent.pid) },
    { text: agent.evidence.confidence === 'low' ? `${agent.engine}?` : agent.engine, styles: ['cyan'] },
    { text: agent.kind },
    { text: cut(stateText(agent), CELL_WIDTH), styles: STATE_STYLES[agent.state.value] ?? [] },
    { text: agent.tty ?? '-' },
    ...(withPanes ? [{ text: paneText(agent) }] : []),
    { text: sessionText(agent) },
    { text: cut(agent.cwd ?? '?', CELL_WIDTH, 'tail') },
  ];
}

function ambiguousLines({ ambiguousPanes }: AgentsEnvelope, { paint }: Run): string[] {
  if (ambiguousPanes.length === 0) return [];
  return [
    paint('Nobody can be said to own:', 'yellow'),
    ...ambiguousPanes.map(({ pane, reason, override }) =>
      printable(`  ${pane.id} ${pane.sessionName}: ${reason}${override === null ? '' : `; set ${override}`}`),
    ),
  ];
}

function faultText({ pid, field, kind, code, call, path }: AgentFault): string {
  const about = pid === null ? 'the table' : `pid ${pid}${field === null ? '' : `, ${field}`}`;
  return (
    printable(`${about}: ${kind}${code === 0 ? '' : ` (errno ${code})`}, ${call} `) +
    printable(cut(path, PATH_WIDTH, 'tail'))
  );
}

/** The doctor for the same root, as it is typed into a shell. */
function doctorCommand(values: Run['values']): string {
  const root = values['proc-root'];
  if (typeof root !== 'string') return 'procscope doctor';
  const plain = /^[\w./-]+$/.test(root);
  const shown = plain ? root : `'${printable(root).replaceAll("'", "'\\''")}'`;
  return `procscope doctor --proc-root ${shown}`;
}

function faultLines(faults: readonly AgentFault[], whole: boolean, { paint, values }: Run): string[] {
  if (faults.length === 0) return [];
  const shown = whole ? faults : faults.slice(0, FAULTS_SHOWN);
  const more = faults.length - shown.length;
  return [
    paint(`Could not be read (${doctorCommand(values)} says why):`, 'yellow'),
    ...shown.map((fault) => `  ${faultText(fault)}`),
    ...(more > 0 ? [`  and ${more} more (--why shows all)`] : []),
  ];
}

function tableLines(envelope: AgentsEnvelope, why: boolean, run: Run): string[] {
  const { agents } = envelope;
  const withPanes = agents.some(({ pane }) => pane !== null);
  const [head, ...lines] = columns(
    [headOf(withPanes), ...agents.map((agent) => cellsOf(agent, withPanes))],
    run.paint,
  );
  const reasons = (agent: Agent | undefined): string[] =>
    why ? (agent?.because ?? []).map((reason) => run.paint(`    ${printable(reason)}`, 'dim')) : [];
  return [head as string, ...lines.flatMap((line, at) => [line, ...reasons(agents[at])])];
}

function summary({ agents, scanned, tookMs }: AgentsEnvelope): string {
  if (scanned === 0) return 'The process table could not be read: whether an agent runs here is not known.';
  const read = `${plural(scanned, 'process', 'processes')} read in ${Math.max(1, Math.round(tookMs))} ms`;
  if (agents.length === 0) return `No agent runs here: ${read}.`;
  const serving = agents.filter(({ kind }) => SERVING.includes(kind)).length;
  const others = serving === 0 ? '' : ` and ${plural(serving, 'process', 'processes')} that serve agents`;
  return `${plural(agents.length - serving, 'agent')}${others}: ${read}.`;
}

function optionsOf(run: Run): AgentsOptions {
  const { values } = run;
  const sockets = tmuxSockets(run);
  for (const home of (values['home'] ?? []) as readonly string[]) {
    if (!isAbsolute(home)) throw new UsageError(`--home must be an absolute path: ${home}`);
  }
  return {
    all: values['all'] === true,
    ...(sockets === undefined ? {} : { tmuxSockets: sockets }),
    ...(values['home'] === undefined ? {} : { homes: values['home'] as readonly string[] }),
    ...(values['proc-root'] === undefined ? {} : { procRoot: values['proc-root'] as string }),
  };
}

function viewOf(envelope: AgentsEnvelope, run: Run): View {
  const why = run.values['why'] === true;
  return {
    json: envelope,
    lines: [
      ...(envelope.agents.length > 0 ? [...tableLines(envelope, why, run), ''] : []),
      summary(envelope),
      ...ambiguousLines(envelope, run),
      ...faultLines(envelope.faults, why, run),
    ],
    // A table without a process is a failed look, not an empty machine.
    code: envelope.scanned === 0 ? 1 : 0,
  };
}

function pidOf({ values }: Run): number | undefined {
  const text = values['explain'];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text as string))
    throw new UsageError(`--explain needs a pid: ${text as string}`);
  return Number(text);
}

/** What is captured stands still, and is read from nowhere else. */
async function replayed({ api, values }: Run): Promise<AgentsOptions> {
  const folder = values['replay'];
  if (folder === undefined) return {};
  for (const other of ['watch', 'proc-root', 'home']) {
    if (values[other] !== undefined) throw new UsageError(`--replay cannot be combined with --${other}`);
  }
  return api.readReplay(folder as string);
}

async function explain(pid: number, options: AgentsOptions, run: Run): Promise<View> {
  const explanation = await run.api.explainAgent(pid, options);
  const { outcome } = explanation;
  return {
    json: explanation,
    lines: explanationLines(explanation, run),
    code: outcome === 'agent' || outcome === 'folded' ? 0 : 1,
  };
}

/** A mistyped path would look like a machine without panes. */
async function warnOfAbsent({ api, stderr }: Run, { tmuxSockets: given = [] }: AgentsOptions): Promise<void> {
  if (given.length === 0) return;
  const { servers } = await api.panes({ tmuxSockets: given });
  for (const { state, socket } of servers) {
    if (state === 'absent') stderr.write(`procscope: no tmux server listens on ${printable(socket)}\n`);
  }
}

async function run(run: Run): Promise<number> {
  const { api } = run;
  const options = { ...(await replayed(run)), ...optionsOf(run) };
  await warnOfAbsent(run, options);
  const pid = pidOf(run);
  if (pid !== undefined) return show(run, () => explain(pid, options, run));
  if (run.values['watch'] !== true) return show(run, async () => viewOf(await api.agents(options), run));
  const monitor = new api.AgentMonitor(options);
  try {
    return await show(run, async () => {
      await monitor.poll();
      return viewOf(monitor.envelope, run);
    });
  } finally {
    monitor.close();
  }
}

export const agents: Command = {
  name: 'agents',
  summary: 'coding agents that run on this machine (the default)',
  options: {
    ...WATCH_OPTIONS,
    // -w is older here, and stands for --why.
    watch: { type: 'boolean', help: 'look again and again until interrupted' },
    all: { type: 'boolean', short: 'a', help: 'show services, helpers and launchers too' },
    why: { type: 'boolean', short: 'w', help: 'show the reasons of every answer' },
    explain: { type: 'string', value: 'PID', help: 'show how the answer about one process came about' },
    replay: { type: 'string', value: 'DIR', help: 'judge what scripts/capture.mjs kept, not this machine' },
    home: { type: 'string', multiple: true, value: 'DIR', help: 'a further home with session files' },
    ...TMUX_OPTIONS,
    'proc-root': { type: 'string', value: 'DIR', help: 'where the process files lie (default /proc)' },
  },
  run,
};
