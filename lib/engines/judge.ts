/**
 * All processes together: which are agents, which only serve or launch one, and which are one agent
 * in several processes.
 */
import { type Arguments, readArguments } from './args.js';
import type { ProcessFacts } from './facts.js';
import { ancestorsOf, type Lookup, parentOf, wrapperAbove } from './family.js';
import type { Evidence } from './findings.js';
import { canBeHinted, hintedAs } from './hint.js';
import { type EngineHome, homeOf } from './homes.js';
import { type MatchContext, type MatchVerdict, matchProcess } from './match.js';
import { type Program, programOf } from './program.js';
import type { AgentKind, EngineRule, KindRule, Source, Subject } from './rule.js';

export interface JudgeContext extends MatchContext {
  /** Every process that a candidate may descend from. */
  readonly lookup: Lookup;
  /** Home of the account that owns a process; null = not known. */
  readonly ownerHome: (facts: ProcessFacts) => string | null;
  /** What earlier judgements under the same rules and installs concluded. */
  readonly memory?: JudgeMemory;
  /** Engines that the caller names for programs called `agent` of which nothing else tells whose they are, by pid. */
  readonly hints?: ReadonlyMap<number, string>;
}

/**
 * Conclusions from the facts of one process, for whoever judges again and again: the same facts object
 * is matched once. Good for one set of rules, installs and overrides.
 */
export class JudgeMemory {
  /** Processes that were held against the rules. */
  matched = 0;
  readonly #verdicts = new WeakMap<ProcessFacts, MatchVerdict>();
  readonly #readings = new WeakMap<ProcessFacts, { readonly key: string; readonly reading: Reading }>();

  verdict(facts: ProcessFacts, make: () => MatchVerdict): MatchVerdict {
    let verdict = this.#verdicts.get(facts);
    if (verdict === undefined) {
      verdict = make();
      this.#verdicts.set(facts, verdict);
      this.matched++;
    }
    return verdict;
  }

  /** `key`: what else the reading depends on. */
  reading(facts: ProcessFacts, key: string, make: () => Reading): Reading {
    const known = this.#readings.get(facts);
    if (known?.key === key) return known.reading;
    const reading = make();
    this.#readings.set(facts, { key, reading });
    return reading;
  }
}

/** What decided the kind. `default`: no rule fits, so it is a session that a person sees. */
export interface KindReason {
  readonly by: 'rule' | 'place' | 'family' | 'default';
  readonly why: string;
  readonly source: Source | null;
}

export interface Judged {
  readonly facts: ProcessFacts;
  readonly program: Program;
  readonly args: Arguments;
  readonly rule: EngineRule;
  readonly evidence: Evidence;
  readonly home: EngineHome;
  readonly kind: AgentKind;
  readonly kindReason: KindReason;
  readonly because: readonly string[];
  /** The process of the same agent that this one launched. */
  readonly worker: number | null;
  /** The process of the same agent that launched this one. */
  readonly launcher: number | null;
  /** Outermost runner or wrapper above the agent (npx, sudo, script). */
  readonly wrapper: number | null;
}

export interface Judgement {
  readonly judged: ReadonlyMap<number, Judged>;
  /** Programs called `agent` that no proof settled: whatever runs below may be a sub-agent of theirs. */
  readonly barriers: ReadonlyMap<number, readonly string[]>;
  /** Processes with evidence for more than one engine. */
  readonly refused: ReadonlyMap<number, readonly string[]>;
}

type Found = Extract<MatchVerdict, { outcome: 'engine' }>;

/** What one process and its parent's engine tell: nothing here changes when others come and go. */
interface Reading extends Omit<Judged, 'kind' | 'worker' | 'launcher' | 'wrapper'> {
  readonly ownKind: AgentKind;
}

interface Draft extends Omit<Reading, 'because' | 'kindReason'> {
  kind: AgentKind;
  kindReason: KindReason;
  because: string[];
  worker: number | null;
  launcher: number | null;
  wrapper: number | null;
}

const SESSION_KINDS: readonly AgentKind[] = ['tui', 'headless', 'ide'];

export function isSessionKind(kind: AgentKind): boolean {
  return SESSION_KINDS.includes(kind);
}

function readingOf(
  facts: ProcessFacts,
  found: Found,
  parent: Subject['parent'],
  ownerHome: string | null,
): Reading {
  const { rule } = found;
  const program = programOf(facts);
  const args = readArguments(program.args, rule.options);
  const home = homeOf(facts, rule.home, ownerHome);
  const subject: Subject = { facts, program, args, home: home.config, parent };
  const byRule = rule.kinds.find((each) => each.when(subject));
  const because = [...found.because];
  // What serves a session is none, wherever it lies; of the kinds of sessions the place decides.
  const serves = byRule !== undefined && !isSessionKind(byRule.kind);
  const kind = serves ? byRule.kind : (found.placeKind ?? byRule?.kind ?? 'tui');
  const kindReason = kindReasonOf(kind, byRule, found.placeKind);
  if (kindReason.by !== 'default') because.push(`${kind}: ${kindReason.why}`);
  return { facts, program, args, rule, evidence: found.evidence, home, ownKind: kind, kindReason, because };
}

function kindReasonOf(kind: AgentKind, byRule: KindRule | undefined, place: AgentKind | null): KindReason {
  if (byRule && kind === byRule.kind) return { by: 'rule', why: byRule.why, source: byRule.source };
  if (place) return { by: 'place', why: 'by the place of its program', source: null };
  return { by: 'default', why: 'no rule makes it anything else', source: null };
}

function draftOf(facts: ProcessFacts, found: Found, parent: Subject['parent'], context: JudgeContext): Draft {
  const ownerHome = context.ownerHome(facts);
  const make = () => readingOf(facts, found, parent, ownerHome);
  const seen = parent === undefined ? '?' : `${parent?.engine} ${parent?.interpreted}`;
  const reading = context.memory?.reading(facts, `${seen} ${ownerHome}`, make) ?? make();
  const { ownKind: kind, because } = reading;
  return { ...reading, kind, because: [...because], worker: null, launcher: null, wrapper: null };
}

/** Does `parent` only carry the agent that runs in `child`? */
function launches(parent: Draft, child: Draft): boolean {
  return (
    parent.rule === child.rule &&
    parent.program.interpreter !== null &&
    parent.worker === null &&
    parent.facts.tty === child.facts.tty &&
    (parent.ownKind === child.ownKind || parent.ownKind === 'launcher') &&
    mayCarry(parent.kind)
  );
}

/** A session, or what stands before one: where it runs says what it is a part of. */
function mayCarry(kind: AgentKind): boolean {
  return isSessionKind(kind) || kind === 'launcher';
}

function hasOwnTerminal(child: Draft, other: Draft): boolean {
  return typeof child.facts.tty === 'string' && child.facts.tty !== other.facts.tty;
}

/** The agent above `draft` whose tool or sub-agent it is. */
function agentAbove(draft: Draft, drafts: ReadonlyMap<number, Draft>, lookup: Lookup): Draft | null {
  for (const ancestor of ancestorsOf(draft.facts, lookup)) {
    const other = drafts.get(ancestor.pid);
    if (!other) continue;
    // A service starts the background sessions of its engine itself: it is not their agent.
    const ownService = other.rule === draft.rule && !mayCarry(other.ownKind);
    return ownService && draft.facts.ppid === other.facts.pid ? null : other;
  }
  return null;
}

function settle(draft: Draft, drafts: ReadonlyMap<number, Draft>, lookup: Lookup): void {
  if (!mayCarry(draft.kind)) return;
  const parentFacts = parentOf(draft.facts, lookup);
  const parent = parentFacts && drafts.get(parentFacts.pid);
  if (parent && launches(parent, draft)) {
    draft.launcher = parent.facts.pid;
    draft.wrapper = parent.wrapper;
    parent.worker = draft.facts.pid;
    parent.kind = 'launcher';
    const why = `its worker is its child ${draft.facts.pid}`;
    parent.kindReason = { by: 'family', why, source: null };
    parent.because.push(`launcher: ${why}`);
    draft.because.push(`one agent with its launcher ${parent.facts.pid}`);
    return;
  }
  draft.wrapper = wrapperAbove(draft.facts, lookup);
  const above = agentAbove(draft, drafts, lookup);
  if (!above || hasOwnTerminal(draft, above)) return;
  draft.kind = 'helper';
  const why = `runs below ${above.rule.engine} (pid ${above.facts.pid}) without a terminal of its own`;
  draft.kindReason = { by: 'family', why, source: null };
  draft.because.push(`helper: ${why}`);
}

function older(left: Draft, right: Draft): number {
  const a = left.facts.startKey ?? 0n;
  const b = right.facts.startKey ?? 0n;
  return a < b ? -1 : a > b ? 1 : left.facts.pid - right.facts.pid;
}

/** Ancestors first, so that a process is settled before what it started. Pids and ticks may repeat: depth decides. */
function byDepth(drafts: ReadonlyMap<number, Draft>, lookup: Lookup): Draft[] {
  const depth = new Map<Draft, number>();
  for (const draft of drafts.values()) {
    depth.set(draft, [...ancestorsOf(draft.facts, lookup)].length);
  }
  return [...drafts.values()].sort((a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0) || older(a, b));
}

/** Zombies and dead processes run nothing any more. */
function runs(facts: ProcessFacts): boolean {
  return facts.state !== 'Z' && facts.state !== 'X' && facts.state !== 'x';
}

/** A hint settles what is unresolved; it never speaks against a file or a name. */
function withHint(verdict: MatchVerdict, pid: number, { hints, rules }: JudgeContext): MatchVerdict {
  const engine = verdict.outcome === 'barrier' ? hints?.get(pid) : undefined;
  const rule = engine === undefined ? undefined : rules.find((each) => each.engine === engine);
  return rule && canBeHinted(rule) ? hintedAs(rule, verdict) : verdict;
}

export function judge(candidates: Iterable<ProcessFacts>, context: JudgeContext): Judgement {
  const found = new Map<number, { facts: ProcessFacts; verdict: Found }>();
  const barriers = new Map<number, readonly string[]>();
  const refused = new Map<number, readonly string[]>();
  for (const facts of candidates) {
    if (!runs(facts)) continue;
    const match = () => matchProcess(facts, context);
    const verdict = withHint(context.memory?.verdict(facts, match) ?? match(), facts.pid, context);
    if (verdict.outcome === 'engine') found.set(facts.pid, { facts, verdict });
    else if (verdict.outcome === 'barrier') barriers.set(facts.pid, verdict.because);
    else if (verdict.outcome === 'refused') refused.set(facts.pid, verdict.because);
  }
  const drafts = new Map<number, Draft>();
  for (const [pid, { facts, verdict }] of found) {
    const parent = parentOf(facts, context.lookup);
    const parentEngine = parent && found.get(parent.pid)?.verdict.rule.engine;
    const view = parentEngine
      ? { engine: parentEngine, interpreted: programOf(parent).interpreter !== null }
      : parent && null;
    drafts.set(pid, draftOf(facts, verdict, view, context));
  }
  for (const draft of byDepth(drafts, context.lookup)) settle(draft, drafts, context.lookup);
  for (const draft of drafts.values()) noteBarriers(draft, barriers, context.lookup);
  return { judged: drafts, barriers, refused };
}

function noteBarriers(draft: Draft, barriers: ReadonlyMap<number, readonly string[]>, lookup: Lookup): void {
  if (!isSessionKind(draft.kind) || barriers.size === 0) return;
  for (const ancestor of ancestorsOf(draft.facts, lookup)) {
    if (!barriers.has(ancestor.pid)) continue;
    draft.because.push(`runs below ${ancestor.pid}, a program named agent of unknown origin`);
    return;
  }
}
