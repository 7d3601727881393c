/**
 * From a process to its session. A claim says which session a process writes and how well that is
 * proven; the arbiter settles the claims of all processes together.
 */
import { type ArgvId, sameId } from './argv-id.js';
import type { ProcessFacts } from './facts.js';
import type { PidRecord, RecordReading } from './record.js';
import { NOTHING_STORED, type StoredVerdict } from './stored.js';

/**
 * `exact`: a pid record with the start of the process, an open session file, or a held lock.
 * `strong`: the id stands in argv, or in a file that names the pid and is no older than the process.
 * `inferred`: the only candidate. `none`: no session is known.
 */
export type LinkGrade = 'exact' | 'strong' | 'inferred' | 'none';

export interface RefusedSession {
  readonly id: string;
  readonly why: string;
}

export interface SessionClaim {
  readonly id: string;
  readonly grade: Exclude<LinkGrade, 'none'>;
  /** `pid-record`, `lock`, `open-file`, `pid-file`, `argv`, `folder` or `start`. */
  readonly source: string;
  /**
   * The file that proves it, with a lock the session's own file where that is open, with an id in argv
   * the session's own file where that was found; null = no file does.
   */
  readonly path: string | null;
}

/** What the open files of a process say of its session. */
export interface HeldVerdict {
  readonly claim: SessionClaim | null;
  readonly refused: readonly RefusedSession[];
  /** One of these is its session, and nothing here tells which. */
  readonly contested: readonly string[];
  readonly because: readonly string[];
  /** Completes "session unknown: ..."; null = `because` says it. */
  readonly gap: string | null;
}

export const NOTHING_HELD: HeldVerdict = { claim: null, refused: [], contested: [], because: [], gap: null };

export interface LinkVerdict {
  readonly claim: SessionClaim | null;
  readonly refused: readonly RefusedSession[];
  readonly because: readonly string[];
  /** The record, when it is about this very process: its status may be trusted. */
  readonly record: PidRecord | null;
}

/** A record file as it was found. */
export interface FoundRecord {
  readonly path: string;
  /** `uid` of the file; undefined where files have no owner numbers. */
  readonly uid: number | undefined;
  readonly reading: RecordReading;
}

/** Process start as this system's records write it. */
export type StartForm = 'ticks' | 'text' | 'filetime';

function innerPid(facts: ProcessFacts): number {
  return facts.nspid?.at(-1) ?? facts.pid;
}

/** The text of `ps -o lstart=` in the C locale and UTC: `Mon Nov 30 16:20:10 2026`. */
export function startText(startTime: number): string {
  const when = new Date(startTime);
  if (Number.isNaN(when.getTime())) return '';
  const [week, day, month, year, time] = when.toUTCString().replace(',', '').split(' ');
  return `${week} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
}

type Match = 'same' | 'other' | 'unsure';

function compareStart(facts: ProcessFacts, record: PidRecord, form: StartForm): Match {
  if (record.procStart === null) return record.procStartOdd && form !== 'text' ? 'other' : 'unsure';
  if (form === 'text') {
    // Public reports only, no measurement: a difference lowers the grade and never refuses.
    if (facts.startTime === undefined) return 'unsure';
    return startText(facts.startTime) === record.procStart.trim() ? 'same' : 'unsure';
  }
  if (!/^\d{1,20}$/.test(record.procStart)) return 'other';
  if (facts.startKey === undefined) return 'unsure';
  return BigInt(record.procStart) === facts.startKey ? 'same' : 'other';
}

/** Why the record is not about this process; null when nothing speaks against it. */
function objection(facts: ProcessFacts, found: FoundRecord, record: PidRecord, start: Match): string | null {
  if (found.uid !== undefined && facts.uid !== undefined && found.uid !== facts.uid) {
    return `its record belongs to uid ${found.uid}, the process to uid ${facts.uid}`;
  }
  if (record.pid !== null && record.pid !== innerPid(facts)) return `its record names pid ${record.pid}`;
  if (start === 'other') return 'its record names another process start: the pid was used before';
  return null;
}

function claimOfRecord(
  facts: ProcessFacts,
  found: FoundRecord,
  form: StartForm,
  because: string[],
  refused: RefusedSession[],
): { claim: SessionClaim | null; record: PidRecord | null } {
  if ('problem' in found.reading) {
    because.push(`session: the record ${found.path} ${found.reading.problem}`);
    return { claim: null, record: null };
  }
  const { record } = found.reading;
  const start = compareStart(facts, record, form);
  const why = objection(facts, found, record, start);
  if (why !== null) {
    because.push(`session: ${why} (${found.path})`);
    if (record.sessionId !== null) refused.push({ id: record.sessionId, why });
    return { claim: null, record: null };
  }
  if (record.sessionId === null) {
    const named = record.sessionIdOdd ? 'a session by no id of this engine: refused' : 'no session';
    because.push(`session: the record ${found.path} names ${named}`);
    return { claim: null, record };
  }
  const elsewhere =
    record.pidNamespace !== null &&
    facts.pidNamespace !== undefined &&
    record.pidNamespace !== facts.pidNamespace;
  const grade = start === 'same' && !elsewhere ? 'exact' : 'inferred';
  because.push(
    grade === 'exact'
      ? `session: the record ${found.path} names this pid and its start`
      : `session: the record ${found.path} names this pid, but ${elsewhere ? 'another pid namespace' : 'no start that could be compared'}`,
  );
  return { claim: { id: record.sessionId, grade, source: 'pid-record', path: found.path }, record };
}

/** The reasons and refusals once a session is taken: it is not refused as well. */
function settledOn(claim: SessionClaim, refused: readonly RefusedSession[]): readonly RefusedSession[] {
  return refused.filter(({ id }) => !sameId(id, claim.id));
}

/**
 * The claim of one process: a record with its start, then its open files, then a file of the store that
 * names its pid, then its arguments, then a record without a start, then the only candidate in the store.
 * `found` is null when it has no record, and undefined when nobody could look; `gap` says why the engine
 * has no further rules.
 */
export function linkOf(
  facts: ProcessFacts,
  found: FoundRecord | null | undefined,
  argvId: ArgvId,
  form: StartForm,
  gap: string,
  held: HeldVerdict = NOTHING_HELD,
  stored: StoredVerdict = NOTHING_STORED,
): LinkVerdict {
  const because: string[] = [];
  const refused: RefusedSession[] = [];
  const byRecord = found
    ? claimOfRecord(facts, found, form, because, refused)
    : { claim: null, record: null };
  because.push(...held.because, ...stored.because);
  refused.push(...held.refused, ...stored.refused);
  const yieldTo = (claim: SessionClaim, other: SessionClaim | null, why: string): void => {
    if (!other || sameId(other.id, claim.id)) return;
    refused.push({ id: other.id, why });
    because.push(`session: ${other.id} is not taken: ${why}`);
  };
  if (byRecord.claim?.grade === 'exact') {
    const { claim } = byRecord;
    yieldTo(claim, held.claim, 'the record with the start of this process names another session');
    return { ...byRecord, refused: settledOn(claim, refused), because };
  }
  if (held.claim !== null) {
    const { claim } = held;
    yieldTo(claim, byRecord.claim, 'an open file is stronger than a record without a start');
    refuseArgument(claim, argvId, refused);
    return { claim, record: byRecord.record, refused: settledOn(claim, refused), because };
  }
  if (stored.byPid?.grade === 'strong') {
    const claim = stored.byPid;
    const why = 'a file that names this pid is stronger';
    yieldTo(claim, byRecord.claim, why);
    refuseArgument(claim, argvId, refused, why);
    return { claim, record: byRecord.record, refused: settledOn(claim, refused), because };
  }
  const named = byArgument(argvId, [...held.contested, ...stored.contested], stored.argvPath, refused);
  if (named !== null) {
    because.push(`session: the argument ${argvId.from} names it`);
    yieldTo(named, byRecord.claim, 'an id in argv is stronger than a record without a start');
    return { claim: named, record: byRecord.record, refused: settledOn(named, refused), because };
  }
  const claim = byRecord.claim ?? stored.byPid ?? stored.only;
  if (claim === null) {
    const own = argvId.id === null ? gap : 'what its arguments name is refused';
    const gaps = [own, held.gap, stored.gap].filter((each) => each !== null);
    because.push(`session unknown: ${gaps.join('; ')}`);
    return { ...byRecord, refused, because };
  }
  for (const other of [stored.byPid, stored.only]) yieldTo(claim, other, 'a record or a pid is stronger');
  return { claim, record: byRecord.record, refused: settledOn(claim, refused), because };
}

/** What the arguments name, unless its files leave a choice between others: then it has gone on since. */
function byArgument(
  argvId: ArgvId,
  contested: readonly string[],
  path: string | null,
  refused: RefusedSession[],
): SessionClaim | null {
  const { id, forked, from } = argvId;
  if (id === null) return null;
  if (forked) refused.push(forkOf(id, argvId));
  else if (contested.length === 0 || contested.some((each) => sameId(each, id))) {
    return { id, grade: 'strong', source: 'argv', path };
  } else refused.push({ id, why: `its files name other sessions than ${from}` });
  return null;
}

function forkOf(id: string, { from }: ArgvId): RefusedSession {
  return { id, why: `${from} forks it: this process writes a new session` };
}

/** The arguments tell how a process began; it may have gone on to another session since. */
function refuseArgument(
  claim: SessionClaim,
  argvId: ArgvId,
  refused: RefusedSession[],
  why = 'an open file is stronger',
): void {
  if (argvId.id === null || sameId(argvId.id, claim.id)) return;
  refused.push(
    argvId.forked ? forkOf(argvId.id, argvId) : { id: argvId.id, why: `${why} than an id in argv` },
  );
}

/** A claim with what the arbiter needs of its process. */
export interface Claimant {
  readonly pid: number;
  readonly engine: string;
  readonly startKey: bigint | undefined;
  /** When the claimed session's status was last set, if a record says so. */
  readonly statusAt: number | null;
  readonly claim: SessionClaim;
}

export interface Settlement {
  /** More than one live process writes the session. */
  readonly shared: boolean;
  /** The claimant that owns the session first. */
  readonly primary: number;
}

const RANK = { exact: 2, strong: 1, inferred: 0 } as const;
/** Among claims of one grade: who holds the lock writes, who has the file open may only read. */
const BY_SOURCE = ['start', 'folder', 'argv', 'pid-file', 'open-file', 'lock', 'pid-record'];

export function strongerClaim(left: SessionClaim, right: SessionClaim): number {
  return (
    RANK[right.grade] - RANK[left.grade] || BY_SOURCE.indexOf(right.source) - BY_SOURCE.indexOf(left.source)
  );
}

function firstOwner(left: Claimant, right: Claimant): number {
  const byProof = strongerClaim(left.claim, right.claim);
  if (byProof !== 0) return byProof;
  const a = left.startKey ?? -1n;
  const b = right.startKey ?? -1n;
  if (a !== b) return a > b ? -1 : 1;
  return (right.statusAt ?? 0) - (left.statusAt ?? 0) || left.pid - right.pid;
}

/**
 * Settles the claims of all processes: who owns each session first, and which sessions several live
 * processes write (two windows resumed the same one). The answer depends on the claims alone, not on
 * their order.
 */
export function arbitrate(claimants: readonly Claimant[]): ReadonlyMap<number, Settlement> {
  const bySession = new Map<string, Claimant[]>();
  for (const claimant of claimants) {
    const key = `${claimant.engine}\n${claimant.claim.id.toLowerCase()}`;
    bySession.set(key, [...(bySession.get(key) ?? []), claimant]);
  }
  const settled = new Map<number, Settlement>();
  for (const group of bySession.values()) {
    const primary = [...group].sort(firstOwner)[0] as Claimant;
    for (const { pid } of group) settled.set(pid, { shared: group.length > 1, primary: primary.pid });
  }
  return settled;
}
