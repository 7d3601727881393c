/**
 * From the parts of a rule to the files that fit them: folder by folder, for all processes together. The
 * owner of a process decides what lies there: no link leads out of the home, nothing is listed without end.
 */
import { isBelow, joinPath } from '../engines/path.js';
import type { StoreRule, StoreSubject } from '../engines/store-rule.js';
import { writtenAt } from '../engines/stored.js';
import type { Fault } from '../process/fault.js';
import type { DirectoryEntry, Look, LookAnswer, LookRequest } from '../process/look.js';
import type { ListRequest, StoreMemory } from './store-memory.js';

/** A folder with more entries is listed in part. */
const MOST_ENTRIES = 8_192;
/** Folders of one rule and one process. */
const MOST_FOLDERS = 128;

export type EntryStat = NonNullable<DirectoryEntry['stat']>;

/** A file that fits, by its folder. `path`: as it is opened; `shown`: as the process names it. */
export interface Spot {
  readonly path: string;
  readonly shown: string;
  readonly names: readonly string[];
  readonly stat: EntryStat | undefined;
}

interface Branch {
  readonly folder: string;
  readonly shown: string;
  readonly names: readonly string[];
  readonly resolved: boolean;
}

/** The way of one rule for one process and one home. */
export interface Walk {
  readonly rule: StoreRule;
  readonly subject: StoreSubject;
  /** Resolved: out of these no link may lead. Empty = no home. */
  readonly limits: readonly string[];
  /** What every request has: the root of a process that sees other files, and the group of its home. */
  readonly from: Pick<LookRequest, 'root' | 'group'>;
  branches: readonly Branch[];
  spots: Spot[];
  readonly notes: string[];
  partly: boolean;
  fault: Fault | undefined;
}

export function startWalk(
  rule: StoreRule,
  subject: StoreSubject,
  home: { readonly config: string; readonly limits: readonly string[]; readonly from: Walk['from'] },
): Walk {
  const { config, limits, from } = home;
  const branches = [{ folder: config, shown: config, names: [], resolved: false }];
  return { rule, subject, limits, from, branches, spots: [], notes: [], partly: false, fault: undefined };
}

export function failed(walk: Walk, fault: Fault): void {
  walk.partly = true;
  walk.fault ??= fault;
}

/** Asks each question once, whoever asks it. */
export async function lookOnce(requests: readonly LookRequest[], look: Look): Promise<LookAnswer[]> {
  const keys = requests.map(({ op, path, root = '' }) => `${op} ${root}\0${path}`);
  const distinct = new Map(requests.map((request, index) => [keys[index], request]));
  const answers = await look([...distinct.values()]);
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, answers[index] ?? {}]));
  return keys.map((key) => byKey.get(key) ?? {});
}

type Names = readonly string[] | RegExp;

function namesOf({ rule, subject }: Walk, index: number): Names {
  const part = rule.parts[index];
  if (typeof part === 'string') return [part];
  if (part instanceof RegExp) return part;
  return part?.(subject) ?? [];
}

/** Every folder that is listed or that holds a file is resolved first, and lies in the home after that. */
async function resolve(walks: readonly Walk[], look: Look): Promise<void> {
  const asked = walks.flatMap((walk) => walk.branches.map((branch) => ({ walk, branch })));
  const answers = await lookOnce(
    asked.map(({ walk, branch }) => ({ op: 'realpath', path: branch.folder, ...walk.from })),
    look,
  );
  const resolved = new Map<Walk, Branch[]>(walks.map((walk) => [walk, []]));
  for (const [index, { walk, branch }] of asked.entries()) {
    const { fault, realpath, stat } = answers[index] ?? {};
    if (fault?.kind === 'gone' || (fault === undefined && stat?.kind !== 'directory')) continue;
    if (fault || realpath === undefined) {
      if (fault) failed(walk, fault);
    } else if (!walk.limits.some((limit) => realpath === limit || isBelow(realpath, limit))) {
      walk.notes.push(`session: ${branch.shown} lies behind a link that leads out of the home: refused`);
    } else {
      // Below another root the kernel resolves each time, and keeps every link inside.
      const folder = walk.from.root === undefined ? realpath : branch.folder;
      resolved.get(walk)?.push({ ...branch, folder, resolved: true });
    }
  }
  for (const [walk, branches] of resolved) walk.branches = branches;
}

/**
 * Nothing that was written before the process can be the only session since, and a folder that got no file
 * since holds none that is newer.
 */
function isPast({ rule, subject }: Walk, stat: EntryStat | undefined, index: number): boolean {
  const { proof, parts } = rule;
  const isLastFolder = index === parts.length - 2 && stat?.kind === 'directory' && proof !== 'id';
  const isFile = index === parts.length - 1 && (proof === 'folder' || proof === 'start');
  if (stat === undefined || !(isLastFolder || isFile)) return false;
  return writtenAt(stat.mtimeMs, subject.startTime, subject.now) === 'before';
}

type Entries = readonly DirectoryEntry[];

/** By the listing, which is one and the same object as long as its folder was not written. */
const fitting = new WeakMap<Entries, Map<string, Entries>>();

/** The entries that count: gone through once a listing, for a folder may have thousands. */
function thatFit(walk: Walk, entries: Entries, fits: RegExp, index: number): Entries {
  const known = fitting.get(entries) ?? new Map<string, Entries>();
  fitting.set(entries, known);
  const { proof, parts } = walk.rule;
  const key = `${proof} ${parts.length - index} ${walk.subject.startTime} ${fits}`;
  let found = known.get(key);
  if (found === undefined) {
    found = entries.filter(({ name, stat }) => fits.test(name) && !isPast(walk, stat, index));
    known.set(key, found);
  }
  return found;
}

function step(branch: Branch, name: string): Branch {
  return {
    folder: joinPath(branch.folder, name),
    shown: joinPath(branch.shown, name),
    names: [...branch.names, name],
    resolved: false,
  };
}

function spotOf(branch: Branch, name: string, stat: EntryStat | undefined): Spot {
  const { folder, shown, names } = step(branch, name);
  return { path: folder, shown, names, stat };
}

function listRequest({ from }: Walk, { folder }: Branch): ListRequest {
  return { op: 'list', path: folder, maxEntries: MOST_ENTRIES, stats: true, links: false, ...from };
}

function takeListing(walk: Walk, branch: Branch, answer: LookAnswer, fits: RegExp, index: number): Branch[] {
  const { fault, entries = [], truncated } = answer;
  if (fault && fault.kind !== 'gone') failed(walk, fault);
  if (truncated) {
    walk.partly = true;
    walk.notes.push(
      `session: ${branch.shown} has more than ${MOST_ENTRIES} entries: the others were left out`,
    );
  }
  const found = thatFit(walk, entries, fits, index);
  if (index === walk.rule.parts.length - 1) {
    walk.spots.push(...found.map(({ name, stat }) => spotOf(branch, name, stat)));
    return [];
  }
  return found
    .filter(({ stat }) => stat === undefined || stat.kind === 'directory' || stat.kind === 'symlink')
    .map(({ name }) => step(branch, name));
}

function setBranches(walk: Walk, branches: readonly Branch[]): void {
  walk.branches = branches.slice(0, MOST_FOLDERS);
  if (branches.length <= MOST_FOLDERS) return;
  walk.partly = true;
  walk.notes.push(
    `session: more than ${MOST_FOLDERS} folders may hold its ${walk.rule.what}: the others were left out`,
  );
}

/** One part further for each walk that has one. */
async function advance(
  walks: readonly Walk[],
  index: number,
  look: Look,
  memory: StoreMemory,
): Promise<void> {
  const names = new Map(walks.map((walk) => [walk, namesOf(walk, index)]));
  const isLast = (walk: Walk) => index === walk.rule.parts.length - 1;
  const opening = walks.filter((walk) => names.get(walk) instanceof RegExp || isLast(walk));
  await resolve(opening, look);
  const listed = walks.flatMap((walk) =>
    names.get(walk) instanceof RegExp ? walk.branches.map((branch) => ({ walk, branch })) : [],
  );
  const requests = listed.map(({ walk, branch }) => listRequest(walk, branch));
  const distinct = [...new Map(requests.map((each) => [`${each.root ?? ''}\0${each.path}`, each])).entries()];
  const answers = await memory.list(
    distinct.map(([, request]) => request),
    look,
  );
  const byKey = new Map(distinct.map(([key], at) => [key, answers[at] ?? {}]));
  const next = new Map<Walk, Branch[]>(walks.map((walk) => [walk, []]));
  for (const [at, { walk, branch }] of listed.entries()) {
    const { root = '', path } = requests[at] as ListRequest;
    const answer = byKey.get(`${root}\0${path}`) ?? {};
    next.get(walk)?.push(...takeListing(walk, branch, answer, names.get(walk) as RegExp, index));
  }
  for (const walk of walks) {
    const tried = names.get(walk);
    if (tried === undefined || tried instanceof RegExp) continue;
    for (const branch of walk.branches) {
      if (isLast(walk)) walk.spots.push(...tried.map((name) => spotOf(branch, name, undefined)));
      else next.get(walk)?.push(...tried.map((name) => step(branch, name)));
    }
  }
  for (const walk of walks) setBranches(walk, next.get(walk) ?? []);
}

/** Goes all ways to their ends; `spots` of each then are the files that fit, or may be there. */
export async function goWalks(walks: readonly Walk[], look: Look, memory: StoreMemory): Promise<void> {
  const longest = Math.max(0, ...walks.map(({ rule }) => rule.parts.length));
  for (let index = 0; index < longest; index++) {
    const going = walks.filter((walk) => index < walk.rule.parts.length && walk.branches.length > 0);
    if (going.length > 0) await advance(going, index, look, memory);
  }
}
