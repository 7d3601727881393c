/** Whose pane is it? The programs below the pane's first process, weighed against each other. */
import type { ProcessFacts } from './facts.js';
import { ancestorsOf, type Lookup } from './family.js';
import { SCORES } from './findings.js';
import { isSessionKind, type Judged, type Judgement } from './judge.js';
import { needsProof } from './match.js';
import type { EngineRule } from './rule.js';

/** What is asked about: the process that the multiplexer started. */
export interface PaneRoot {
  readonly pid: number;
  /** The multiplexer's own pid, which is the parent of the first process of each pane; 0 = not known. */
  readonly serverPid: number;
}

export interface Contender {
  readonly pid: number;
  /** Null = a program called `agent` of which nobody knows whose it is. */
  readonly engine: string | null;
  /** Steps below the first process of the pane, which itself is at 0. */
  readonly depth: number;
  readonly score: number;
}

export type Ownership =
  | { readonly outcome: 'owner'; readonly owner: Judged; readonly depth: number }
  | { readonly outcome: 'none' }
  | {
      readonly outcome: 'ambiguous';
      readonly reason: string;
      /** What the user could set to settle it, in words; null = nothing would. */
      readonly override: string | null;
      readonly contenders: readonly Contender[];
      /** The unresolved program that a hint for the pane would settle. */
      readonly hintable: number | null;
    };

export interface OwnerContext {
  readonly rules: readonly EngineRule[];
  readonly judgement: Judgement;
  readonly lookup: Lookup;
  /** The caller's own programs: neither they nor what runs below them own a pane. */
  readonly excluded: ReadonlySet<number>;
}

/** One program that stands somewhere below the first process of a pane. */
interface Standing {
  readonly facts: ProcessFacts;
  readonly depth: number;
  /** Undefined = unresolved. */
  readonly judged: Judged | undefined;
}

const NOBODY: Ownership = { outcome: 'none' };

function runsAgent({ kind }: Judged): boolean {
  return isSessionKind(kind) || kind === 'launcher';
}

/** Programs called `agent` of unknown or of conflicting owners. */
function unresolved({ rules, judgement, lookup }: OwnerContext): Set<number> {
  const found = new Set(judgement.barriers.keys());
  for (const pid of judgement.refused.keys()) {
    const facts = lookup(pid);
    if (facts && needsProof(facts, rules)) found.add(pid);
  }
  return found;
}

/** The first process of a pane, unless its pid belongs to somebody else by now. */
function isRoot(facts: ProcessFacts, { serverPid }: PaneRoot): boolean {
  return serverPid === 0 || facts.ppid === undefined || facts.ppid === serverPid;
}

/**
 * Which pane a process stands in: found from the process upwards, since agents are few and processes many.
 * A service or a helper keeps what runs below it to itself.
 */
function standingOf(
  facts: ProcessFacts,
  roots: ReadonlyMap<number, PaneRoot>,
  context: OwnerContext,
): { root: number; depth: number } | null {
  let depth = 0;
  const line = [facts, ...ancestorsOf(facts, context.lookup)];
  const own = line.findIndex(({ pid }) => context.excluded.has(pid));
  for (const at of line) {
    const judged = context.judgement.judged.get(at.pid);
    if (judged && at !== facts && !runsAgent(judged)) return null;
    const root = roots.get(at.pid);
    if (root && isRoot(at, root)) return own >= 0 && own <= depth ? null : { root: at.pid, depth };
    depth++;
  }
  return null;
}

/** `CURSOR_PATH or GROK_PATH`. */
function variables(engines: readonly string[]): string {
  const names = [...new Set(engines)].map((engine) => `${engine.toUpperCase()}_PATH`);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function contenderOf({ facts, depth, judged }: Standing): Contender {
  const engine = judged?.rule.engine ?? null;
  return { pid: facts.pid, engine, depth, score: judged?.evidence.score ?? 0 };
}

function behindBarrier(barriers: readonly Standing[], context: OwnerContext): Ownership {
  const { rules, judgement } = context;
  const pids = barriers.map(({ facts }) => facts.pid);
  const conflicting = pids.filter((pid) => !judgement.barriers.has(pid));
  const engines = rules.filter((rule) => rule.namesWithProof.length > 0).map(({ engine }) => engine);
  const why = conflicting.length > 0 ? 'belongs to several engines' : 'belongs to nobody knows whom';
  return {
    outcome: 'ambiguous',
    reason: `pid ${pids.join(' and pid ')}, a program named agent, ${why}`,
    // Neither an override nor a hint speaks against the files of two engines.
    override: conflicting.length > 0 ? null : `${variables(engines)} with the path of the program`,
    contenders: barriers.map(contenderOf),
    hintable: pids.length === 1 && conflicting.length === 0 ? (pids[0] as number) : null,
  };
}

function tied(best: readonly Standing[]): Ownership {
  const contenders = best.map(contenderOf);
  const engines = contenders.map(({ engine }) => engine ?? '');
  const names = contenders.map(({ pid, engine }) => `${engine} (pid ${pid})`);
  const { depth, score } = contenders[0] as Contender;
  // An override lifts all programs of its engine, so it cannot part two of one engine.
  const partable = engines.filter((engine) => engines.filter((each) => each === engine).length === 1);
  const settles = score < SCORES['explicit-override'] && partable.length > 0;
  return {
    outcome: 'ambiguous',
    reason: `${names.join(' and ')} have the same claim: depth ${depth}, score ${score}`,
    override: settles ? `${variables(partable)} with the path of the program` : null,
    contenders,
    hintable: null,
  };
}

function weigh(standings: readonly Standing[], context: OwnerContext): Ownership {
  const matches = standings.filter(({ judged }) => judged !== undefined);
  const shallowest = Math.min(...matches.map(({ depth }) => depth));
  const barriers = standings.filter(({ judged, depth }) => judged === undefined && depth <= shallowest);
  if (barriers.length > 0) return behindBarrier(barriers, context);
  const level = matches.filter(({ depth }) => depth === shallowest);
  const most = Math.max(...level.map(({ judged }) => judged?.evidence.score ?? 0));
  const best = level.filter(({ judged }) => judged?.evidence.score === most);
  const owner = best[0]?.judged;
  if (owner === undefined) return NOBODY;
  return best.length > 1 ? tied(best) : { outcome: 'owner', owner, depth: shallowest };
}

/**
 * The owner of each pane, by the pid of its first process. Depth goes before score: what runs below an agent
 * is its tool. Score parts programs of one depth; where it does not, nobody owns the pane.
 */
export function ownersOf(roots: Iterable<PaneRoot>, context: OwnerContext): ReadonlyMap<number, Ownership> {
  const byPid = new Map([...roots].map((root) => [root.pid, root]));
  const standings = new Map<number, Standing[]>([...byPid.keys()].map((pid) => [pid, []]));
  const add = (facts: ProcessFacts | undefined, judged: Judged | undefined): void => {
    const at = facts && standingOf(facts, byPid, context);
    if (facts && at) standings.get(at.root)?.push({ facts, depth: at.depth, judged });
  };
  for (const judged of context.judgement.judged.values()) {
    if (runsAgent(judged)) add(judged.facts, judged);
  }
  for (const pid of unresolved(context)) add(context.lookup(pid), undefined);
  return new Map([...standings].map(([pid, each]) => [pid, weigh(each, context)]));
}
