/**
 * Follows the files in which engines write down turns: of each the end at first, and from then on what was
 * added. They belong to whoever owns the process, so they are met like records: regular files of the same
 * owner, not reached through a link that leads out of the home, and never more than a bounded part at once.
 */
import type { Judged } from '../engines/judge.js';
import type { SessionClaim } from '../engines/link.js';
import { isBelow, joinPath } from '../engines/path.js';
import {
  type LineState,
  LONGEST_LINE,
  NO_LINES,
  withoutHalfLine,
  withPiece,
} from '../engines/turns/lines.js';
import type { LinesRule, TurnCandidate, TurnPlace, TurnRule } from '../engines/turns/turn.js';
import type { TurnFinding } from '../engines/turns/verdict.js';
import { describeFault } from '../process/fault.js';
import type { FileStat, Look, LookAnswer, LookRequest } from '../process/look.js';
import { type DatabaseAnswer, readDatabase } from './databases.js';
import { groupOf } from './scripts.js';

/** Most that is read of one file in one look: the end of a new one, or what was added to a known one. */
export const MOST_READ = 2 * LONGEST_LINE;
/** A folder with more entries is not searched. */
const MOST_ENTRIES = 4_096;

export interface TurnQuery {
  readonly judged: Judged;
  readonly claim: SessionClaim;
  /** Open files of the process. */
  readonly open: readonly string[];
  /** Every path is resolved below it; usually empty. */
  readonly root: string;
}

interface From {
  readonly group: string;
  readonly root?: string;
}

/** One rule for one process. */
interface Question {
  readonly key: string;
  readonly rule: TurnRule;
  readonly place: TurnPlace;
  readonly candidates: readonly TurnCandidate[];
  /** The folder out of which no link may lead. */
  readonly anchor: string;
  readonly uid: number | undefined;
  readonly from: From;
}

/** A file that was found, as far as it was read. */
interface Followed {
  /** With every link resolved, as the process names it below another root. */
  readonly path: string;
  readonly stat: FileStat;
  /** Bytes of the file up to which `lines` tells. */
  readonly end: number;
  readonly lines: LineState;
}

type Found = { readonly path: string; readonly stat: FileStat } | { readonly problem: string } | null;

/** Same file, and nothing was written to it. */
function isSame(a: FileStat, b: FileStat): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function questionsOf({ judged, claim, open, root }: TurnQuery): Question[] {
  const { facts, rule, home } = judged;
  if (home.config === null) return [];
  const anchor = home.from === 'variable' || home.user === null ? home.config : home.user;
  const place = {
    home: home.config,
    sessionId: claim.id,
    linkPath: claim.path,
    cwd: facts.cwd ?? null,
    open,
  };
  const from = { group: groupOf(root + anchor), ...(root === '' ? {} : { root }) };
  // Windows has no owner numbers.
  const uid = process.platform === 'win32' ? undefined : facts.uid;
  return rule.turns.map((each, index) => {
    const candidates = each.candidates(place);
    const where = JSON.stringify([claim.id, root, candidates]);
    const key = `${facts.pid}:${facts.startKey} ${rule.engine} ${index} ${where}`;
    return { key, rule: each, place, candidates, anchor, uid, from };
  });
}

/** The file that one look at a candidate shows; `insides` are the folders in which it has to lie. */
function fileOf(
  question: Question,
  asked: string,
  answer: LookAnswer | undefined,
  insides: readonly string[],
): Found {
  const { fault, realpath, stat } = answer ?? {};
  if (fault?.kind === 'gone') return null;
  const { what } = question.rule;
  if (fault || realpath === undefined || stat === undefined) {
    return { problem: `its ${what} could not be looked at${fault ? `: ${describeFault(fault)}` : ''}` };
  }
  if (!insides.some((folder) => isBelow(realpath, folder))) {
    return { problem: `its ${what} lies behind a link that leads out of the home` };
  }
  if (stat.kind !== 'file') return { problem: `its ${what} is no regular file` };
  if (question.uid !== undefined && stat.uid !== question.uid) {
    return { problem: `its ${what} belongs to uid ${stat.uid}, the process to uid ${question.uid}` };
  }
  // Below another root its own path leads to it, and nowhere else.
  return { path: question.from.root === undefined ? realpath : asked, stat };
}

const unpacked = (path: string): boolean => !/\.zst$/i.test(path);

export class Transcripts {
  readonly #look: Look;
  readonly #clock: () => number;
  readonly #retryMs: number;
  #followed = new Map<string, Followed>();
  #databases = new Map<string, DatabaseAnswer>();
  /** What was not found, and when it is looked for again. */
  #missing = new Map<string, { readonly found: Found; readonly until: number }>();

  /** `retryMs`: how long a file that is not there is not looked for again, on `clock`. */
  constructor(look: Look, clock: () => number = () => 0, retryMs = 0) {
    this.#look = look;
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /** What is written down of each session, by pid. What is not asked for any more is forgotten. */
  async read(queries: readonly TurnQuery[]): Promise<ReadonlyMap<number, readonly TurnFinding[]>> {
    const asked = queries.map((query) => ({ pid: query.judged.facts.pid, questions: questionsOf(query) }));
    const questions = asked.flatMap((each) => each.questions);
    this.#forget(new Set(questions.map(({ key }) => key)));
    const lines = questions.filter(({ rule }) => rule.what !== 'database');
    const stats = await this.#statuses(lines);
    const found = await this.#find(questions.filter(({ key }) => !this.#followed.has(key)));
    const findings = new Map<string, TurnFinding | null>();
    await this.#readLines(lines, stats, found, findings);
    for (const question of questions) {
      if (question.rule.what === 'database') findings.set(question.key, await this.#query(question, found));
    }
    return new Map(
      asked.map((each) => [each.pid, each.questions.flatMap(({ key }) => findings.get(key) ?? [])]),
    );
  }

  #forget(keys: ReadonlySet<string>): void {
    const kept = <T>(map: Map<string, T>) => new Map([...map].filter(([key]) => keys.has(key)));
    this.#followed = kept(this.#followed);
    this.#databases = kept(this.#databases);
    this.#missing = kept(this.#missing);
  }

  /** How the files that are followed look now. One that is no longer what it was is looked for anew. */
  async #statuses(questions: readonly Question[]): Promise<ReadonlyMap<string, FileStat>> {
    const known = questions.flatMap((question) => {
      const followed = this.#followed.get(question.key);
      return followed ? [{ question, followed }] : [];
    });
    const requests = known.map(
      ({ question, followed }): LookRequest => ({
        op: 'stat',
        path: followed.path,
        follow: false,
        ...question.from,
      }),
    );
    const answers = requests.length === 0 ? [] : await this.#look(requests);
    const stats = new Map<string, FileStat>();
    for (const [index, { question, followed }] of known.entries()) {
      const { stat, fault } = answers[index] ?? {};
      // A link may get the number of the file in whose place it stands.
      const same = stat?.kind === 'file' && stat.ino === followed.stat.ino && stat.dev === followed.stat.dev;
      const replaced = stat !== undefined && !same;
      if (replaced || fault?.kind === 'gone') this.#followed.delete(question.key);
      else if (stat) stats.set(question.key, stat);
    }
    return stats;
  }

  /** Where the files of these lie. */
  async #find(questions: readonly Question[]): Promise<ReadonlyMap<string, Found>> {
    const now = this.#clock();
    const found = new Map<string, Found>();
    const due = questions.filter(({ key }) => {
      const missing = this.#missing.get(key);
      if (missing && now < missing.until) found.set(key, missing.found);
      return !missing || now >= missing.until;
    });
    if (due.length === 0) return found;
    const requests = due.map(requestsOf);
    const answers = await this.#look(requests.flat());
    for (const [index, question] of due.entries()) {
      const own = answers.splice(0, requests[index]?.length ?? 0);
      const file = await this.#choose(question, own);
      found.set(question.key, file);
      if (file === null || 'problem' in file) {
        this.#missing.set(question.key, { found: file, until: now + this.#retryMs });
      } else this.#missing.delete(question.key);
    }
    return found;
  }

  async #choose(question: Question, [anchor, home, ...answers]: readonly LookAnswer[]): Promise<Found> {
    const insides = [anchor, home].flatMap((answer) => answer?.realpath ?? []);
    let problem: Found = null;
    for (const [index, candidate] of question.candidates.entries()) {
      const answer = answers[index];
      const file =
        'path' in candidate
          ? fileOf(question, candidate.path, answer, insides)
          : await this.#inFolder(question, candidate, answer, insides);
      if (file !== null && !('problem' in file)) return file;
      problem ??= file;
    }
    return problem;
  }

  /** The one file of a folder whose name is of the session. */
  async #inFolder(
    question: Question,
    { folder, name }: Extract<TurnCandidate, { folder: string }>,
    answer: LookAnswer | undefined,
    insides: readonly string[],
  ): Promise<Found> {
    if (answer?.fault?.kind === 'gone') return null;
    const { what } = question.rule;
    if (answer?.fault)
      return { problem: `the folder of its ${what} could not be listed: ${describeFault(answer.fault)}` };
    if (answer?.truncated)
      return { problem: `the folder of its ${what} has more than ${MOST_ENTRIES} entries` };
    const names = (answer?.entries ?? []).map((entry) => entry.name).filter(name);
    const plain = names.filter(unpacked);
    const fitting = plain.length > 0 ? plain : names;
    const [first] = fitting;
    if (first === undefined) return null;
    if (fitting.length > 1) return { problem: `${fitting.length} files could be its ${what}` };
    const path = joinPath(folder, first);
    const [file] = await this.#look([{ op: 'realpath', path, ...question.from }]);
    return fileOf(question, path, file, insides);
  }

  async #readLines(
    questions: readonly Question[],
    stats: ReadonlyMap<string, FileStat>,
    found: ReadonlyMap<string, Found>,
    findings: Map<string, TurnFinding | null>,
  ): Promise<void> {
    const reads: { readonly question: Question; readonly path: string; readonly before: Followed | null }[] =
      [];
    for (const question of questions) {
      const { key, rule } = question;
      const followed = this.#followed.get(key);
      const stat = stats.get(key);
      const file = found.get(key) ?? null;
      if (followed && stat && isSame(followed.stat, stat)) findings.set(key, findingOf(question, followed));
      else if (followed && !stat) {
        findings.set(key, {
          what: rule.what,
          path: followed.path,
          problem: `its ${rule.what} could not be looked at`,
        });
      } else if (followed) reads.push({ question, path: followed.path, before: followed });
      else if (file === null) findings.set(key, null);
      else if ('problem' in file) findings.set(key, { what: rule.what, path: '', problem: file.problem });
      else {
        const why = (rule as LinesRule).unreadable?.(file.path) ?? null;
        if (why === null) reads.push({ question, path: file.path, before: null });
        else findings.set(key, { what: rule.what, path: file.path, problem: why });
      }
    }
    const answers = reads.length === 0 ? [] : await this.#look(reads.map(readRequest));
    for (const [index, { question, path, before }] of reads.entries()) {
      const finding = await this.#take(question, path, before, answers[index]);
      findings.set(question.key, finding);
    }
  }

  async #take(
    question: Question,
    path: string,
    before: Followed | null,
    answer: LookAnswer | undefined,
  ): Promise<TurnFinding> {
    const rule = question.rule as LinesRule;
    const { stat, bytes, offset = 0, fault } = answer ?? {};
    if (stat === undefined || bytes === undefined) {
      const why = fault ? `: ${describeFault(fault)}` : '';
      return { what: rule.what, path, problem: `its ${rule.what} could not be read${why}` };
    }
    if (question.uid !== undefined && stat.uid !== question.uid) {
      return { what: rule.what, path, problem: `its ${rule.what} belongs to uid ${stat.uid} now` };
    }
    if (before !== null && !goesOn(before, stat)) {
      const [again] = await this.#look([readRequest({ question, path, before: null })]);
      return this.#take(question, path, null, again);
    }
    const piece = before === null && offset > 0 ? withoutHalfLine(bytes) : bytes;
    const lines = withPiece(before?.lines ?? NO_LINES, piece, rule);
    const end = offset + bytes.length;
    const followed = { path, stat: { ...stat, size: end }, end, lines };
    this.#followed.set(question.key, followed);
    return findingOf(question, followed);
  }

  async #query(question: Question, found: ReadonlyMap<string, Found>): Promise<TurnFinding | null> {
    const { key, rule, place } = question;
    const file = found.get(key) ?? null;
    if (rule.what !== 'database' || file === null) return null;
    if ('problem' in file) return { what: rule.what, path: '', problem: file.problem };
    if (question.from.root !== undefined) {
      return { what: rule.what, path: file.path, problem: 'its database lies in another root' };
    }
    const answer = await readDatabase(rule, file.path, place.sessionId, this.#look, this.#databases.get(key));
    this.#databases.set(key, answer);
    return answer.finding;
  }
}

function requestsOf({ anchor, place, from, candidates }: Question): LookRequest[] {
  return [
    { op: 'realpath', path: anchor, ...from },
    { op: 'realpath', path: place.home, ...from },
    ...candidates.map(
      (each): LookRequest =>
        'path' in each
          ? { op: 'realpath', path: each.path, ...from }
          : { op: 'list', path: each.folder, maxEntries: MOST_ENTRIES, ...from },
    ),
  ];
}

/** What was added to a file, or its end. */
function readRequest({
  question: { from },
  path,
  before,
}: {
  readonly question: Question;
  readonly path: string;
  readonly before: Followed | null;
}): LookRequest {
  const range = before === null ? { fromEnd: true } : { offset: before.end };
  return { op: 'read', path, ...range, maxBytes: MOST_READ, follow: false, links: false, ...from };
}

/** Was something added behind what was read, and no more than one look reads? */
function goesOn({ stat: before, end }: Followed, now: FileStat): boolean {
  const same = before.dev === now.dev && before.ino === now.ino;
  // Written to without growing: whatever was read is no longer what stands there.
  return same && now.size > end && now.size - end <= MOST_READ;
}

function findingOf({ rule }: Question, { path, lines }: Followed): TurnFinding {
  return { what: rule.what, path, turn: lines.turn };
}
