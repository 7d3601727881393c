/**
 * From files of an engine's store to the session of a process. Pure: what was found in, a verdict out.
 * The age of a file is told against the start of the process when it is looked at, so that a verdict
 * does not change with the clock.
 */
import { sameId } from './argv-id.js';
import type { RefusedSession, SessionClaim } from './link.js';
import type { StoredSession, StoreReading, StoreRule, StoreSubject } from './store-rule.js';

/**
 * When a file was written, seen from the start of the process. `future`: at a time that has not come
 * yet, so that the clocks differ and nothing can be compared.
 */
export type Written = 'before' | 'since' | 'future' | 'unknown';

export interface StoredFile {
  readonly path: string;
  readonly written: Written;
  /** Of the file beside it; undefined = there is none. */
  readonly beside?: Written;
  /** Folders of its sessions are resolved. */
  readonly reading: StoreReading;
}

/** What one rule found for one process. */
export interface StoreLook {
  readonly rule: StoreRule;
  readonly files: readonly StoredFile[];
  /** What was refused or could not be read, in words. */
  readonly notes: readonly string[];
  /** Something could not be looked at, or there was too much: what was found may not be all. */
  readonly partly: boolean;
}

export interface StoreFindings {
  readonly subject: Omit<StoreSubject, 'now'>;
  readonly looks: readonly StoreLook[];
}

export interface StoredVerdict {
  /** By a file that names the pid. */
  readonly byPid: SessionClaim | null;
  /** The only candidate. */
  readonly only: SessionClaim | null;
  /** The file of the session that the arguments name. */
  readonly argvPath: string | null;
  readonly refused: readonly RefusedSession[];
  /** Several that name the pid, and nothing tells which of them is its session. */
  readonly contested: readonly string[];
  readonly because: readonly string[];
  /** Completes "session unknown: ..."; null = nothing to add. */
  readonly gap: string | null;
}

export const NOTHING_STORED: StoredVerdict = {
  byPid: null,
  only: null,
  argvPath: null,
  refused: [],
  contested: [],
  because: [],
  gap: null,
};

/** A start is known to about a second: the kernel counts it from a boot time that has no fractions. */
export const START_SLACK_MS = 2_000;
/** Two clocks that differ by less are one clock. */
export const CLOCK_SLACK_MS = 60_000;
/** What begins together with a process begins within this time. */
const TOGETHER_MS = 10_000;

/** When a time was, seen from the start of a process. */
export function writtenAt(at: number, startTime: number | undefined, now: number): Written {
  if (at > now + CLOCK_SLACK_MS) return 'future';
  if (startTime === undefined) return 'unknown';
  return at >= startTime - START_SLACK_MS ? 'since' : 'before';
}

interface Finding {
  readonly rule: StoreRule;
  readonly file: StoredFile;
  readonly session: StoredSession;
}

interface Gathered {
  readonly refused: RefusedSession[];
  readonly contested: string[];
  readonly because: string[];
}

function findingsOf({ rule, files }: StoreLook): Finding[] {
  return files.flatMap((file) => (file.reading.sessions ?? []).map((session) => ({ rule, file, session })));
}

function refuse({ refused, because }: Gathered, findings: readonly Finding[], why: string): void {
  for (const { id } of distinct(findings)) {
    refused.push({ id, why });
    because.push(`session: ${id} is not taken: ${why}`);
  }
}

/** The sessions of findings, each once. */
function distinct(findings: readonly Finding[]): StoredSession[] {
  const seen = new Map<string, StoredSession>();
  for (const { session } of findings) {
    const key = session.id.toLowerCase();
    if (!seen.has(key)) seen.set(key, session);
  }
  return [...seen.values()];
}

const isOf = ({ rule }: Finding): string => `the ${rule.what}`;

/** A pid is given out again and again: what names it counts if it was written since this process began. */
function ageOf({ file, session }: Finding, startTime: number | undefined): Written {
  const { begunAt } = session;
  if (typeof begunAt === 'number' && startTime !== undefined) {
    if (begunAt < startTime - START_SLACK_MS) return 'before';
    return file.written === 'future' ? 'future' : 'since';
  }
  if (file.written === 'before' && file.beside === 'since') return 'since';
  return file.written;
}

function byPid({ subject, looks }: StoreFindings, out: Gathered): SessionClaim | null {
  const named = looks
    .filter(({ rule }) => rule.proof === 'pid')
    .flatMap(findingsOf)
    .filter(({ session }) => session.pid === subject.pid);
  const age = (finding: Finding) => ageOf(finding, subject.startTime);
  const stale = named.filter((finding) => age(finding) === 'before');
  refuse(out, stale, 'the file that names this pid is older than the process: the pid was used before');
  const live = named.filter((finding) => age(finding) !== 'before');
  const used = live.filter(({ file }) => file.beside === 'since');
  const idle = live.filter((finding) => !used.some(({ session }) => sameId(session.id, finding.session.id)));
  const candidates = distinct(live).length > 1 && used.length > 0 ? used : live;
  if (candidates === used) {
    refuse(out, idle, 'it names this pid too, but nothing was written there since the process started');
  }
  const sessions = distinct(candidates);
  if (sessions.length > 1) {
    out.contested.push(...sessions.map(({ id }) => id));
    refuse(
      out,
      candidates,
      `${sessions.length} sessions name this pid, and nothing tells which one it writes`,
    );
    return null;
  }
  const [first] = candidates;
  if (first === undefined) return null;
  const proven = candidates.find((finding) => age(finding) === 'since');
  const { file, session } = proven ?? first;
  const grade = proven ? 'strong' : 'inferred';
  const when =
    age(proven ?? first) === 'future'
      ? 'but was written at a time that has not come yet: the clocks differ'
      : 'but the start of the process is not known';
  out.because.push(
    `session: ${isOf(first)} ${file.path} names this pid, ${proven ? 'and is no older than the process' : when}`,
  );
  return { id: session.id, grade, source: 'pid-file', path: file.path };
}

/** What a rule that looks for the only candidate found: those that may be it, or why there are none. */
function candidatesOf(look: StoreLook, { subject }: StoreFindings, out: Gathered): Finding[] {
  const findings = findingsOf(look);
  if (look.rule.proof === 'start') {
    return findings.filter(({ session: { begunAt } }) => {
      if (typeof begunAt !== 'number' || subject.startTime === undefined) return false;
      return Math.abs(begunAt - subject.startTime) <= TOGETHER_MS;
    });
  }
  const here = findings.filter(({ session }) => subject.cwd !== null && session.cwd === subject.cwd);
  const ahead = here.filter(({ file }) => file.written === 'future');
  refuse(out, ahead, 'it was written at a time that has not come yet: the clocks differ');
  return here.filter(({ file }) => file.written === 'since');
}

function whyNotOnly(look: StoreLook, found: readonly Finding[], startTime: number): string | null {
  const sessions = distinct(found);
  if (look.partly) return `not every ${look.rule.what} could be looked at, so it may not be the only one`;
  if (sessions.length > 1) {
    return look.rule.proof === 'start'
      ? `${sessions.length} sessions began together with the process, and nothing tells which one it writes`
      : `${sessions.length} sessions of this folder were written since the process started, and the newest is no proof`;
  }
  const old = ({ session: { begunAt } }: Finding) =>
    typeof begunAt === 'number' && begunAt < startTime - START_SLACK_MS;
  if (look.rule.proof === 'folder' && found.some(old)) {
    return 'it began before this process, and another one may have gone on with it';
  }
  return null;
}

function onlyOne(found: StoreFindings, out: Gathered): SessionClaim | null {
  const { startTime } = found.subject;
  if (startTime === undefined) return null;
  const left: Finding[] = [];
  for (const look of found.looks) {
    if (look.rule.proof !== 'folder' && look.rule.proof !== 'start') continue;
    const candidates = candidatesOf(look, found, out);
    if (candidates.length === 0) continue;
    const why = whyNotOnly(look, candidates, startTime);
    if (why === null) left.push(...candidates);
    else refuse(out, candidates, why);
  }
  const [first] = left;
  if (first === undefined) return null;
  if (distinct(left).length > 1) {
    refuse(out, left, 'the folder and the start of the process point to different sessions');
    return null;
  }
  const { file, session, rule } = first;
  const how =
    rule.proof === 'start' ? 'began together with the process' : 'is the only one of its folder since';
  out.because.push(`session: ${isOf(first)} ${file.path} ${how}`);
  return {
    id: session.id,
    grade: 'inferred',
    source: rule.proof === 'start' ? 'start' : 'folder',
    path: file.path,
  };
}

function argvPathOf({ subject, looks }: StoreFindings): string | null {
  const { argvId } = subject;
  if (argvId === null) return null;
  const own = looks
    .filter(({ rule }) => rule.proof === 'id')
    .flatMap(findingsOf)
    .filter(({ session }) => sameId(session.id, argvId));
  const paths = new Set(own.map(({ file }) => file.path));
  return paths.size === 1 ? ([...paths][0] as string) : null;
}

function gapOf({ subject, looks }: StoreFindings): string | null {
  const rules = looks.filter(({ rule }) => rule.proof !== 'id' && rule.proof !== 'sign');
  if (rules.length === 0) return null;
  if (rules.some(({ partly }) => partly)) return 'its store could not be looked at as a whole';
  if (subject.startTime === undefined) return 'the start of the process is not known';
  const byFolder = rules.some(({ rule }) => rule.proof === 'folder');
  if (byFolder && subject.cwd === null) return 'its working directory is not known';
  return `its store has no ${[...new Set(rules.map(({ rule }) => rule.what))].join(' and no ')} for it`;
}

/** What the store of its engine says of the session of a process; undefined = nobody looked. */
export function storedVerdict(found: StoreFindings | undefined): StoredVerdict {
  if (found === undefined || found.looks.length === 0) return NOTHING_STORED;
  const out: Gathered = { refused: [], contested: [], because: found.looks.flatMap(({ notes }) => notes) };
  for (const { rule, files } of found.looks) {
    if (rule.proof !== 'sign') continue;
    out.because.push(...files.map(({ path }) => `session: ${path} is there: ${rule.says}`));
  }
  const claimed = byPid(found, out);
  const only = onlyOne(found, out);
  const several = out.refused.length > 0 ? 'what its store names is refused' : gapOf(found);
  return {
    byPid: claimed,
    only,
    argvPath: argvPathOf(found),
    ...out,
    gap: claimed === null && only === null ? several : null,
  };
}
