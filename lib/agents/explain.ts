/**
 * The whole reasoning about one process. Nothing is decided here: a look is taken as `agents()` takes it,
 * and what its steps concluded is laid side by side.
 */
import type { ProcessFacts } from '../engines/facts.js';
import { ancestorsOf } from '../engines/family.js';
import type { EngineHome } from '../engines/homes.js';
import type { Judged, KindReason } from '../engines/judge.js';
import { type Considered, matchProcess } from '../engines/match.js';
import { bypassFlagsOf } from '../engines/probes.js';
import { type Program, programOf } from '../engines/program.js';
import type { AgentKind } from '../engines/rule.js';
import { OptionError } from '../process/fault.js';
import { hidingFaults, wholeFaults } from './answer.js';
import { type Discovery, discover } from './discover.js';
import type { Agent, AgentFault } from './envelope.js';
import { fieldFaults } from './gather.js';
import { type LinkStep, linkSteps } from './link-steps.js';
import { type AgentsOptions, checkOptions } from './options.js';
import type { Entry } from './rows.js';
import { shownOf } from './shown.js';

/**
 * `agent`: it has a row of its own. `folded`: it is a part of another row's agent. `none`: no engine's.
 * `barrier`: a program called `agent` of unknown origin. `refused`: evidence for several engines. `ended`:
 * it runs nothing any more. `kernel`: a thread of the kernel. `gone`: nobody has the pid. `unread`: the
 * process table could not be read.
 */
export type ExplainOutcome =
  | 'agent'
  | 'folded'
  | 'none'
  | 'barrier'
  | 'refused'
  | 'ended'
  | 'kernel'
  | 'gone'
  | 'unread';

/**
 * What the rules saw of the process: of its environment the keys that they name, of its arguments what
 * they read. Of the rest its length stands there, for it may be a prompt or a secret.
 */
export interface ExplainedFacts extends Omit<ProcessFacts, 'startKey'> {
  /** In decimal. */
  readonly startKey: string | null;
}

export interface ExplainedKind {
  readonly kind: AgentKind;
  readonly reason: KindReason;
}

export interface ArbiterDecision {
  /** More than one live process writes the session. */
  readonly shared: boolean;
  /** Who owns it first. */
  readonly primary: number;
  readonly claimants: readonly number[];
}

/** What is not known, or has no meaning for this outcome, is null. */
export interface Explanation {
  readonly pid: number;
  readonly outcome: ExplainOutcome;
  /** Why, in sentences. */
  readonly because: readonly string[];
  readonly facts: ExplainedFacts | null;
  readonly program: Program | null;
  /** Engines that came near, strongest first. */
  readonly engines: readonly Considered[];
  readonly kind: ExplainedKind | null;
  /** Pid of the row that shows the agent of this process. */
  readonly rowPid: number | null;
  /** Processes of that agent, from the launcher down to the worker. */
  readonly chain: readonly number[];
  /** Nearest agent above it. */
  readonly below: number | null;
  readonly home: EngineHome | null;
  readonly links: readonly LinkStep[];
  /** Null = it claims no session. */
  readonly arbiter: ArbiterDecision | null;
  readonly bypassFlags: readonly string[] | null;
  /** The row: its session, state, version and probes. */
  readonly agent: Agent | null;
  readonly faults: readonly AgentFault[];
}

function shown(facts: ProcessFacts, judged?: Judged): Pick<Explanation, 'facts' | 'program'> {
  const seen = shownOf(facts, judged?.rule ?? null, judged?.args.command ?? null);
  return { program: seen.program, facts: { ...seen.facts, startKey: facts.startKey?.toString() ?? null } };
}

/** Pid of the nearest agent above. */
function agentAbove(facts: ProcessFacts, { judgement, context }: Discovery): number | null {
  for (const { pid } of ancestorsOf(facts, context.lookup)) if (judgement.judged.has(pid)) return pid;
  return null;
}

const NOBODY = {
  facts: null,
  program: null,
  engines: [],
  kind: null,
  rowPid: null,
  chain: [],
  below: null,
  home: null,
  links: [],
  arbiter: null,
  bypassFlags: null,
  agent: null,
} as const;

function faultsOf(pid: number, { cheap, findings, faults }: Discovery): AgentFault[] {
  const row = cheap.get(pid);
  const own = findings.faults.get(pid) ?? (row ? fieldFaults(row) : []);
  const hiding = row
    ? hidingFaults(row).filter(({ field }) => own.every((each) => each.field !== field))
    : [];
  return [...wholeFaults(faults), ...own, ...hiding];
}

/** Nobody of whom rules could know anything. */
function absent(pid: number, found: Discovery): Explanation {
  const faults = faultsOf(pid, found);
  const base = { pid, ...NOBODY, faults };
  if (found.cheap.get(pid)?.kernelThread === true) {
    return { ...base, outcome: 'kernel', because: ['a thread of the kernel: it runs no program'] };
  }
  if (found.cheap.size === 0) {
    const why = 'the process table could not be read: whether the process is there is not known';
    return { ...base, outcome: 'unread', because: [why] };
  }
  const why = found.cheap.get(pid)
    ? 'it ended, or its pid was given out anew, while it was looked at'
    : `no process has the pid: ${found.cheap.size} others were read`;
  return { ...base, outcome: 'gone', because: [why] };
}

/** A process that is there, and no agent. */
function stranger(facts: ProcessFacts, found: Discovery): Explanation {
  const { pid } = facts;
  const verdict = matchProcess(facts, found.context);
  const below = agentAbove(facts, found);
  const because = [...verdict.because];
  let outcome: ExplainOutcome = verdict.outcome === 'engine' ? 'none' : verdict.outcome;
  if (facts.state === 'Z' || facts.state === 'X' || facts.state === 'x') {
    outcome = 'ended';
    because.push('it has ended and waits for its parent (a zombie): it runs nothing any more');
  } else if (outcome === 'none') {
    because.push(...noneBecause(facts, found, verdict.considered.length > 0));
  }
  if (below !== null) because.push(`it runs below the agent ${below}: a child of an agent is none for that`);
  return {
    pid,
    ...NOBODY,
    outcome,
    because,
    ...shown(facts),
    engines: verdict.considered,
    below,
    faults: faultsOf(pid, found),
  };
}

function noneBecause(facts: ProcessFacts, found: Discovery, near: boolean): string[] {
  const { entry } = programOf(facts);
  const because = [
    near
      ? 'engines came near, and none of their rules fits'
      : 'neither its image, nor the word it was called by, nor comm, nor what it runs is a name or a place of an engine; other arguments are no evidence',
  ];
  if (facts.exe === undefined) because.push('its image could not be read');
  if (facts.argv === undefined) because.push('its arguments could not be read');
  if (entry?.form === 'script' && !found.candidates.has(facts.pid)) {
    because.push('the links of its script lead to no program of an engine, or could not be followed');
  }
  return because;
}

function arbiterOf(entry: Entry | undefined, { answer }: Discovery): ArbiterDecision | null {
  const settlement = entry?.settlement;
  if (!entry || !settlement) return null;
  const { engine, session } = entry.agent;
  const id = session.id?.toLowerCase();
  const claimants = answer.entries
    .filter(
      ({ agent, settlement: other }) =>
        other && agent.engine === engine && agent.session.id?.toLowerCase() === id,
    )
    .map(({ agent }) => agent.pid);
  return { ...settlement, claimants };
}

/** A process with an engine, whether or not it has a row of its own. */
function member(judged: Judged, found: Discovery): Explanation {
  const { facts, args, rule } = judged;
  const { pid } = facts;
  const { entries } = found.answer;
  const host = entries.find(
    ({ chain, agent }) => chain.length > 1 && chain.includes(pid) && agent.pid !== pid,
  );
  const own = entries.find(({ agent }) => agent.pid === pid);
  const entry = host ?? own;
  const { records, held, stores } = found.findings;
  const folded = host ? [`one agent with pid ${host.agent.pid}, whose row stands for both`] : [];
  return {
    pid,
    outcome: host ? 'folded' : 'agent',
    because: [...(own?.agent.because ?? judged.because), ...folded],
    ...shown(facts, judged),
    engines: matchProcess(facts, found.context).considered,
    kind: { kind: own?.agent.kind ?? judged.kind, reason: judged.kindReason },
    rowPid: entry?.agent.pid ?? null,
    chain: entry?.chain ?? [pid],
    below: agentAbove(facts, found),
    home: judged.home,
    links: linkSteps(judged, records.get(pid), held.get(pid), stores.get(pid)),
    arbiter: arbiterOf(entry, found),
    bypassFlags: facts.argv === undefined ? null : bypassFlagsOf(args, rule),
    agent: entry?.agent ?? null,
    faults: faultsOf(pid, found),
  };
}

/**
 * Why a process is an agent, or is none: the facts that rules used, the engines that came near, and each
 * decision from there to its session and state. A pid that nobody has gets an answer too.
 *
 * @throws OptionError for a pid or an option that cannot be used, LoadError when no binary loads
 */
export async function explainAgent(pid: number, options: AgentsOptions = {}): Promise<Explanation> {
  if (!Number.isSafeInteger(pid) || pid < 1) throw new OptionError('pid', 'must be a whole number from 1');
  const found = await discover(checkOptions({ ...options, all: true }));
  const facts = found.factsOf(pid);
  if (facts === undefined) return absent(pid, found);
  const judged = found.judgement.judged.get(pid);
  if (judged !== undefined) return member(judged, found);
  // Asked for as a candidate, and not there any more when its facts were read.
  const lost = found.candidates.has(pid) && !found.findings.faults.has(pid) && facts.state !== 'Z';
  return lost ? absent(pid, found) : stranger(facts, found);
}
