/**
 * Looks into the stores of engines for the sessions of processes that nothing cheaper settled. Each file is
 * met as if it were a trap: of the owner of the process, no link, a bounded beginning of it.
 */
import { createHash } from 'node:crypto';
import type { Judged } from '../engines/judge.js';
import { canBePath, isAbsolute, joinPath } from '../engines/path.js';
import type { StoredSession, StoreReading, StoreRule, StoreSubject } from '../engines/store-rule.js';
import { type StoredFile, type StoreFindings, type StoreLook, writtenAt } from '../engines/stored.js';
import type { Fault } from '../process/fault.js';
import type { Look, LookAnswer, LookRequest } from '../process/look.js';
import { groupOf } from './scripts.js';
import type { StoreMemory } from './store-memory.js';
import { type EntryStat, failed, goWalks, lookOnce, type Spot, startWalk, type Walk } from './store-walk.js';

/** Files of one rule and one process that are looked into, the latest first. */
const MOST_FILES = 64;
/** Reasons of one kind that a row tells. */
const MOST_NOTES = 4;

export interface StoreQuery {
  readonly judged: Judged;
  readonly rules: readonly StoreRule[];
  readonly argvId: string | null;
  /** As in `RecordQuery`. */
  readonly root: string;
}

export interface StoreAnswer extends StoreFindings {
  readonly fault?: Fault;
}

export interface StoreContext {
  readonly homes: readonly string[];
  readonly look: Look;
  readonly memory: StoreMemory;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

function subjectOf({ judged: { facts }, argvId }: StoreQuery, now: number): StoreSubject {
  const { cwd = null, startTime } = facts;
  const cwdMd5 = cwd === null ? null : createHash('md5').update(cwd).digest('hex');
  return { pid: facts.nspid?.at(-1) ?? facts.pid, cwd, cwdMd5, startTime, now, argvId };
}

interface Home {
  readonly config: string;
  readonly anchor: string;
  readonly root: string;
}

function homesOf({ judged, root }: StoreQuery, added: readonly string[]): Home[] {
  const { config, user, from } = judged.home;
  const own =
    config === null ? [] : [{ config, anchor: from === 'variable' || user === null ? config : user, root }];
  const further = added.map((anchor) => ({
    config: joinPath(anchor, ...judged.rule.home.folder),
    anchor,
    root: '',
  }));
  return [...own, ...further.filter(({ config: each }) => each !== config)];
}

function fromOf({ anchor, root }: Home): Walk['from'] {
  return { group: groupOf(root + anchor), ...(root === '' ? {} : { root }) };
}

/** Ways of a query with the file of it they are for. */
interface Errand {
  readonly query: StoreQuery;
  readonly walk: Walk;
}

async function setOut(queries: readonly StoreQuery[], context: StoreContext): Promise<Errand[]> {
  const homes = queries.flatMap((query) => homesOf(query, context.homes).map((home) => ({ query, home })));
  const requests = homes.flatMap(({ home }): LookRequest[] =>
    [home.anchor, home.config].map((path) => ({ op: 'realpath', path, ...fromOf(home) })),
  );
  const answers = await lookOnce(requests, context.look);
  return homes.flatMap(({ query, home }, index): Errand[] => {
    const [anchor, config] = [answers[2 * index], answers[2 * index + 1]];
    const limits = [anchor, config].flatMap((answer) => answer?.realpath ?? []);
    const way = { config: home.config, limits, from: fromOf(home) };
    const subject = subjectOf(query, context.now);
    const walks = query.rules.map((rule) => startWalk(rule, subject, way));
    const fault = config?.fault ?? anchor?.fault;
    if (fault) {
      for (const walk of walks) {
        walk.branches = [];
        if (fault.kind !== 'gone') failed(walk, fault);
      }
    }
    return walks.map((walk) => ({ query, walk }));
  });
}

/** A spot whose file is there, is one, and is of the right owner. */
type Present = Spot & { readonly stat: EntryStat };

function objection(spot: Present, uid: number | undefined): string | null {
  const { kind, uid: owner } = spot.stat;
  if (kind === 'symlink') return 'is a symbolic link: refused';
  if (kind !== 'file') return 'is no file: refused';
  if (process.platform === 'win32' || uid === undefined || uid === owner) return null;
  return `belongs to uid ${owner}, the process to uid ${uid}: refused`;
}

async function statSpots(errands: readonly Errand[], look: Look): Promise<void> {
  const unknown = errands.flatMap(({ walk }) =>
    walk.spots.filter(({ stat }) => stat === undefined).map((spot) => ({ walk, spot })),
  );
  const answers = await lookOnce(
    unknown.map(({ walk, spot }) => ({ op: 'stat', path: spot.path, follow: false, ...walk.from })),
    look,
  );
  const stats = new Map(unknown.map(({ spot }, index) => [spot, answers[index] ?? {}]));
  for (const { walk } of errands) {
    walk.spots = walk.spots.flatMap((spot) => {
      const { fault, stat } = stats.get(spot) ?? {};
      if (fault && fault.kind !== 'gone') failed(walk, fault);
      const own = spot.stat ?? stat;
      return own === undefined ? [] : [{ ...spot, stat: own }];
    });
  }
}

/** Which of the files that are there deserve a look into them. */
function pick({ walk, query }: Errand): Present[] {
  const { rule, subject } = walk;
  const old = ({ stat }: Present) => writtenAt(stat.mtimeMs, subject.startTime, subject.now) === 'before';
  const newOnly = rule.proof === 'folder' || rule.proof === 'start';
  const there = (walk.spots as Present[]).filter((spot) => !(newOnly && old(spot)));
  const fit = there.filter((spot) => {
    const why = objection(spot, query.judged.facts.uid);
    if (why !== null) walk.notes.push(`session: ${spot.shown} ${why}`);
    return why === null;
  });
  const latest = fit.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
  const rest = latest.slice(MOST_FILES);
  if (rest.some((spot) => !old(spot))) {
    walk.partly = true;
    walk.notes.push(
      `session: more than ${MOST_FILES} files may be its ${rule.what}: the others were left out`,
    );
  }
  return latest.slice(0, MOST_FILES);
}

interface Opened {
  readonly errand: Errand;
  readonly spot: Present;
  reading: StoreReading | undefined;
}

const memoryKey = ({ errand: { walk }, spot }: Opened): string =>
  `${walk.from.root ?? ''}\0${walk.subject.pid} ${spot.path}`;

function readRequest({ errand: { walk }, spot }: Opened): LookRequest {
  const { maxBytes } = walk.rule;
  return { op: 'read', path: spot.path, follow: false, links: false, maxBytes, ...walk.from };
}

/** What the beginning of a file says; of one that was replaced meanwhile nothing is believed. */
function readingOf({ errand: { walk }, spot }: Opened, answer: LookAnswer): StoreReading {
  const { rule, subject } = walk;
  const { fault, bytes, stat, truncated } = answer;
  if (fault) {
    if (fault.kind !== 'gone') failed(walk, fault);
    return { sessions: [] };
  }
  if (stat?.ino !== spot.stat.ino || stat.uid !== spot.stat.uid) {
    walk.partly = true;
    return { problem: 'was replaced while it was looked at' };
  }
  if (truncated && rule.appended !== true) return { problem: `is larger than ${rule.maxBytes} bytes` };
  return rule.read(bytes?.toString('utf8') ?? '', spot.names, subject);
}

async function open(files: readonly Opened[], { look, memory }: StoreContext): Promise<void> {
  for (const file of files) {
    const { walk } = file.errand;
    const { rule, subject } = walk;
    file.reading =
      rule.maxBytes === 0
        ? rule.read('', file.spot.names, subject)
        : memory.recall(rule, memoryKey(file), file.spot.stat);
  }
  const unread = files.filter(({ reading }) => reading === undefined);
  const answers = await look(unread.map(readRequest));
  for (const [index, file] of unread.entries()) {
    const answer = answers[index] ?? {};
    file.reading = readingOf(file, answer);
    if (answer.fault === undefined) {
      memory.keep(file.errand.walk.rule, memoryKey(file), file.spot.stat, file.reading);
    }
  }
  for (const { errand, spot, reading } of files) {
    if (reading?.sessions !== undefined) continue;
    errand.walk.notes.push(`session: the ${errand.walk.rule.what} ${spot.shown} ${reading?.problem}`);
    errand.walk.partly = true;
  }
}

/** The folder that a file names, as the kernel would name it: a folder may have been entered by a link. */
async function resolveFolders(files: readonly Opened[], look: Look): Promise<void> {
  const named = files.flatMap((file) => {
    const { cwd } = file.errand.walk.subject;
    const sessions = file.reading?.sessions ?? [];
    return sessions.flatMap((session) => {
      const other = typeof session.cwd === 'string' && session.cwd !== cwd ? session.cwd : null;
      return other !== null && cwd !== null && isPlainPath(other) ? [{ file, session, cwd: other }] : [];
    });
  });
  const wanted = named.slice(0, MOST_FOLDER_NAMES);
  const answers = await lookOnce(
    wanted.map(({ file, cwd }) => ({ op: 'realpath', path: cwd, ...file.errand.walk.from, group: cwd })),
    look,
  );
  const real = new Map<StoredSession, string>();
  for (const [index, { session }] of wanted.entries()) {
    const { realpath } = answers[index] ?? {};
    if (realpath !== undefined) real.set(session, realpath);
  }
  for (const file of files) {
    const sessions = file.reading?.sessions;
    if (!sessions?.some((session) => real.has(session))) continue;
    file.reading = {
      sessions: sessions.map((each) => ({ ...each, cwd: real.get(each) ?? each.cwd ?? null })),
    };
  }
}

const MOST_FOLDER_NAMES = 256;

const isPlainPath = (path: string): boolean => canBePath(path) && isAbsolute(path) && !path.includes('\0');

async function lookBeside(
  files: readonly Opened[],
  look: Look,
): Promise<ReadonlyMap<Opened, EntryStat | undefined>> {
  const wanted = files.filter(({ errand }) => errand.walk.rule.beside !== undefined);
  const requests = wanted.map(({ errand: { walk }, spot }): LookRequest => {
    const folder = spot.path.slice(0, spot.path.length - (spot.names.at(-1)?.length ?? 0) - 1);
    return { op: 'stat', path: joinPath(folder, walk.rule.beside ?? ''), follow: false, ...walk.from };
  });
  const answers = await lookOnce(requests, look);
  return new Map(wanted.map((file, index) => [file, answers[index]?.stat]));
}

function fileOf({ errand: { walk }, spot, reading }: Opened, beside: EntryStat | undefined): StoredFile {
  const { startTime, now } = walk.subject;
  const when = (at: number) => writtenAt(at, startTime, now);
  return {
    path: spot.shown,
    written: when(spot.stat.mtimeMs),
    ...(beside === undefined ? {} : { beside: when(beside.mtimeMs) }),
    reading: reading ?? { sessions: [] },
  };
}

function fewNotes(notes: readonly string[]): string[] {
  const distinct = [...new Set(notes)];
  if (distinct.length <= MOST_NOTES) return distinct;
  return [...distinct.slice(0, MOST_NOTES), `session: ${distinct.length - MOST_NOTES} more like these`];
}

/** Of the homes of a process together: what one rule found. */
function lookOf(rule: StoreRule, walks: readonly Walk[], files: readonly StoredFile[]): StoreLook {
  const partly = walks.some((walk) => walk.partly);
  return { rule, files, notes: fewNotes(walks.flatMap(({ notes }) => notes)), partly };
}

/** What the stores hold for each process, by pid. */
export async function readStores(
  queries: readonly StoreQuery[],
  context: StoreContext,
): Promise<ReadonlyMap<number, StoreAnswer>> {
  if (queries.length === 0) return new Map();
  const { look, memory } = context;
  const errands = await setOut(queries, context);
  await goWalks(
    errands.map(({ walk }) => walk),
    look,
    memory,
  );
  await statSpots(errands, look);
  const files = errands.flatMap((errand) =>
    pick(errand).map((spot): Opened => ({ errand, spot, reading: undefined })),
  );
  await open(files, context);
  await resolveFolders(files, look);
  const beside = await lookBeside(files, look);
  const answers = new Map<number, StoreAnswer>();
  for (const query of queries) {
    const walks = errands.filter((errand) => errand.query === query).map(({ walk }) => walk);
    const looks = query.rules.map((rule) => {
      const own = files.filter(({ errand }) => errand.query === query && errand.walk.rule === rule);
      return lookOf(
        rule,
        walks.filter((walk) => walk.rule === rule),
        own.map((file) => fileOf(file, beside.get(file))),
      );
    });
    const fault = walks.find((walk) => walk.fault)?.fault;
    const { now: _, ...subject } = subjectOf(query, context.now);
    answers.set(query.judged.facts.pid, { subject, looks, ...(fault ? { fault } : {}) });
  }
  return answers;
}
