/**
 * Which processes could be agents, from poll to poll, and the facts of those. Only what started and what
 * changed is looked at here; the rest stands as it was.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ProcessFacts } from '../engines/facts.js';
import { ancestorsOf, type Lookup } from '../engines/family.js';
import type { Judged } from '../engines/judge.js';
import { programOf } from '../engines/program.js';
import { hidingFaults } from './answer.js';
import { type Candidates, candidacyOf } from './candidates.js';
import type { AgentFault } from './envelope.js';
import type { Gathered, Installs } from './gather.js';
import type { TableDelta } from './poller.js';
import { MOVING } from './setting.js';
import { type AgentRow, type AgentTable, factsOf } from './table.js';

export interface Candidate {
  readonly pid: number;
  /** Facts that the poller gives. */
  cheap: ProcessFacts;
  /** All facts, once they were read; until then those of the program that it ran before. */
  facts: ProcessFacts | undefined;
  /** Whether `facts` are of the program that it runs now. */
  read: boolean;
  faults: readonly AgentFault[];
  /** Fields that could not be read again: an earlier value stands. */
  kept: ReadonlySet<string>;
  /** When the program that it runs was first seen, by the monitor's clock. */
  since: number;
  /** When its facts are to be read. */
  askAt: number;
  tries: number;
  script: string | null;
  /** How it came to be looked at. */
  readonly origin: string;
}

/** Fields that change with the program, and only they make it another candidate. */
const PROGRAM = ['argv', 'exe', 'name', 'exeFile'];
/** A first retry comes soon, later ones each second. */
const RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;

/** Of who is there at the first poll. */
export const RAN_BEFORE = 'it ran before the first look';

export function retryMs(tries: number): number {
  return Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(tries, 10));
}

/** The facts of `later`, and those of `now` that the poller follows. */
function withNews(later: ProcessFacts, now: ProcessFacts): ProcessFacts {
  const { ppid, pgid, sid, tty, tpgid, state, startTime } = now;
  return { ...later, ppid, pgid, sid, tty, tpgid, state, startTime };
}

/** Puts earlier values in the place of what could not be read again. */
function keeping(
  earlier: ProcessFacts | undefined,
  now: ProcessFacts,
  faults: readonly AgentFault[],
): { facts: ProcessFacts; kept: ReadonlySet<string> } {
  const values: Partial<Record<string, unknown>> = { ...now };
  const kept = new Set<string>();
  for (const { field } of faults) {
    const name = field as keyof ProcessFacts;
    if (earlier?.[name] === undefined || now[name] !== undefined) continue;
    values[name] = earlier[name];
    kept.add(name);
  }
  return { facts: kept.size === 0 ? now : (values as unknown as ProcessFacts), kept };
}

/**
 * The same image whose arguments are a title now that says nothing: an exec of an interpreter calls it by
 * its name. What the arguments told before still holds.
 */
function hidesBehindTitle(before: ProcessFacts, now: ProcessFacts, filter: Installs['filter']): boolean {
  return before.exe === now.exe && programOf(now).retitled && candidacyOf(now, filter) === null;
}

/**
 * No exec leaves a program without argv[0]: the process has given its memory back on its way out. The end
 * itself is for the poller to tell.
 */
function isLeaving({ argv }: Pick<AgentRow, 'argv'>): boolean {
  return argv?.length === 0;
}

export const keyOf = (pid: number, startKey: bigint | undefined | null): string =>
  `${pid} ${startKey ?? '?'}`;

export class Population {
  readonly #candidates = new Map<number, Candidate>();
  readonly #factsOfRow = new WeakMap<AgentRow, ProcessFacts>();
  readonly #hiding = new Map<number, readonly AgentFault[]>();
  readonly #ended = new Map<string, string>();
  #table: TableDelta['table'] | undefined;
  /** Candidates and those above them: who of these changes may change a verdict. */
  relatives: ReadonlySet<number> = new Set();
  /** Something changed that a verdict may rest on. */
  dirty = false;

  get scanned(): number {
    return this.#table?.size ?? 0;
  }

  get hiding(): readonly AgentFault[] {
    return [...this.#hiding.values()].flat();
  }

  get candidates(): Iterable<Candidate> {
    return this.#candidates.values();
  }

  get(pid: number): Candidate | undefined {
    return this.#candidates.get(pid);
  }

  /** What could not be read of candidates, and of whom an earlier answer stands: as `pid field`, as in `kept`. */
  troubles(kept: Iterable<string>): {
    faults: ReadonlyMap<number, readonly AgentFault[]>;
    kept: ReadonlySet<string>;
  } {
    const faults = new Map<number, readonly AgentFault[]>();
    const old = new Set(kept);
    for (const candidate of this.#candidates.values()) {
      faults.set(candidate.pid, candidate.faults);
      for (const field of candidate.kept) old.add(`${candidate.pid} ${field}`);
    }
    return { faults, kept: old };
  }

  /** The facts of any process, as far as they are known. */
  readonly lookup = (pid: number): ProcessFacts | undefined => {
    const candidate = this.#candidates.get(pid);
    if (candidate?.facts) return candidate.facts;
    const row = this.#table?.get(pid);
    return row && row.kernelThread !== true ? this.#factsOf(row) : undefined;
  };

  /** Why it is proven that a process has ended; undefined = it has not, as far as anybody knows. */
  endOf(key: string): string | undefined {
    return this.#ended.get(key);
  }

  forgetEnds(): void {
    this.#ended.clear();
  }

  absorb(delta: TableDelta, { filter }: Installs, now: number): void {
    const origin = this.#table === undefined ? RAN_BEFORE : 'its process started';
    this.#table = delta.table;
    for (const row of delta.exited) {
      this.#ended.set(keyOf(row.pid, row.startKey), this.#proofOf(row));
      this.#hiding.delete(row.pid);
      if (this.#candidates.delete(row.pid) || this.relatives.has(row.pid)) this.dirty = true;
    }
    for (const row of delta.started) this.#consider(row, origin, filter, now);
    for (const { row, fields } of delta.changed) this.#change(row, fields, filter, now);
  }

  /** Another set of installs: whoever was no candidate may be one now, and links may lead elsewhere. */
  reconsider({ filter }: Installs, origin: string, now: number): void {
    for (const row of this.#table ?? []) {
      if (!this.#candidates.has(row.pid)) this.#consider(row, origin, filter, now);
    }
    for (const candidate of this.#candidates.values()) {
      if (candidate.facts?.script) candidate.askAt = now;
    }
    this.dirty = true;
  }

  /** Candidates whose facts are to be read now. */
  due(now: number): Candidate[] {
    return [...this.#candidates.values()].filter(({ askAt }) => askAt <= now);
  }

  nextDue(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { askAt } of this.#candidates.values()) next = Math.min(next, askAt);
    return next;
  }

  /** What was read of these candidates. */
  take(asked: readonly Candidate[], gathered: Gathered, now: number): void {
    const found = new Map(gathered.facts.map((facts) => [facts.pid, facts]));
    for (const candidate of asked) {
      const { pid } = candidate;
      if (this.#candidates.get(pid) !== candidate) continue;
      const facts = found.get(pid);
      if (facts && !isLeaving(facts)) this.#learn(candidate, facts, gathered.faults.get(pid) ?? [], now);
      else if (gathered.asked.has(pid)) candidate.askAt = now + retryMs(candidate.tries++);
      else {
        // A script that leads to no agent.
        this.#candidates.delete(pid);
        this.dirty ||= candidate.facts !== undefined;
      }
    }
  }

  /** There will be no answer about these. */
  lost(asked: readonly Candidate[], now: number): void {
    for (const candidate of asked) candidate.askAt = now + retryMs(candidate.tries++);
  }

  /** What may have moved since the facts were read: cwd, root, user. */
  refresh(pids: readonly number[], table: AgentTable): void {
    for (const pid of pids) {
      const candidate = this.#candidates.get(pid);
      const row = table.get(pid);
      if (!candidate?.facts || !row || row.startKey !== candidate.facts.startKey) continue;
      const faults = MOVING.flatMap((field) => {
        const fault = row.fault(field);
        return fault ? [{ pid, field, ...fault }] : [];
      });
      this.#move(candidate, factsOf(row), faults);
    }
  }

  #move(candidate: Candidate, { uid, user, cwd, root }: ProcessFacts, faults: readonly AgentFault[]): void {
    const before = candidate.facts as ProcessFacts;
    const { facts, kept } = keeping(before, { ...before, uid, user, cwd, root }, faults);
    const reported = [
      ...candidate.faults.filter(({ field }) => field !== 'cwd'),
      ...faults.filter(({ field }) => field === 'cwd'),
    ];
    const differs = MOVING.some((name) => facts[name] !== before[name]);
    const old = [...candidate.kept].filter((field) => !MOVING.some((name) => name === field));
    const all = new Set([...old, ...kept]);
    if (!differs && isDeepStrictEqual([reported, all], [candidate.faults, candidate.kept])) return;
    if (differs) candidate.facts = facts;
    candidate.faults = reported;
    candidate.kept = all;
    this.dirty = true;
  }

  #learn(candidate: Candidate, found: ProcessFacts, faults: readonly AgentFault[], now: number): void {
    const { facts, kept } = keeping(candidate.read ? candidate.facts : undefined, found, faults);
    candidate.facts = withNews(facts, candidate.cheap);
    candidate.read = true;
    candidate.faults = faults;
    candidate.kept = kept;
    // What did not come for want of time or room may come later; what is denied stays so.
    const passing = faults.some(({ kind }) => kind === 'timeout' || kind === 'limit' || kind === 'io');
    candidate.askAt = passing ? now + retryMs(candidate.tries++) : Number.POSITIVE_INFINITY;
    candidate.script = null;
    this.dirty = true;
  }

  #factsOf(row: AgentRow): ProcessFacts {
    let facts = this.#factsOfRow.get(row);
    if (facts === undefined) {
      facts = factsOf(row);
      this.#factsOfRow.set(row, facts);
    }
    return facts;
  }

  #proofOf(row: AgentRow): string {
    const now = this.#table?.get(row.pid);
    return now !== undefined && now.startKey !== row.startKey
      ? 'another start under the pid'
      : 'its process has ended, by an exit event or by a table that was read without it';
  }

  #consider(row: AgentRow, origin: string, filter: Installs['filter'], now: number): void {
    const { pid } = row;
    if (row.kernelThread === true) return;
    const hiding = hidingFaults(row);
    if (hiding.length > 0) this.#hiding.set(pid, hiding);
    else this.#hiding.delete(pid);
    const cheap = this.#factsOf(row);
    const candidacy = candidacyOf(cheap, filter);
    const known = this.#candidates.get(pid);
    if (candidacy === null) {
      if (this.#candidates.delete(pid)) this.dirty = true;
      return;
    }
    const script = candidacy === 'named' ? null : candidacy.script;
    // A new object: an answer to what was asked of the earlier program is no answer any more.
    const facts = known?.facts?.startKey === cheap.startKey ? known?.facts : undefined;
    const fresh = { read: false, faults: [], kept: new Set<string>(), since: now, askAt: now, tries: 0 };
    this.#candidates.set(pid, { pid, cheap, facts, script, origin, ...fresh });
  }

  #change(row: AgentRow, fields: readonly string[], filter: Installs['filter'], now: number): void {
    if (this.relatives.has(row.pid)) this.dirty = true;
    const candidate = this.#candidates.get(row.pid);
    if (candidate && isLeaving(row)) return;
    const program = fields.some((field) => PROGRAM.includes(field));
    if (program && !(candidate?.facts && hidesBehindTitle(candidate.facts, this.#factsOf(row), filter))) {
      this.#consider(row, 'its process runs this program now', filter, now);
    } else if (candidate) {
      candidate.cheap = this.#factsOf(row);
      if (!candidate.facts) return;
      candidate.facts = withNews(candidate.facts, candidate.cheap);
      this.dirty = true;
    }
  }
}

/** The shape in which `gather` takes them. */
export function asCandidates(due: readonly Candidate[]): Candidates {
  return {
    named: due.filter(({ script }) => script === null).map(({ cheap }) => cheap),
    scripted: due.flatMap(({ cheap: facts, script }) => (script === null ? [] : [{ facts, script }])),
  };
}

/** Those judged and all above them. */
export function relativesOf(judged: Iterable<Judged>, lookup: Lookup): ReadonlySet<number> {
  const relatives = new Set<number>();
  for (const { facts } of judged) {
    relatives.add(facts.pid);
    if (facts.ppid !== undefined) relatives.add(facts.ppid);
    for (const ancestor of ancestorsOf(facts, lookup)) relatives.add(ancestor.pid);
  }
  return relatives;
}
