/**
 * Gathers what the descriptors of agents show of their sessions: one read of all of them, and one look
 * at the folders in which session files would lie. Another user's process and a file system that no
 * longer answers leave a fault, and "could not look" is kept apart from "nothing there".
 */
import type { ProcessFacts } from '../engines/facts.js';
import { type HeldFile, type HeldFolder, type HeldLook, type HeldPlace, placesOf } from '../engines/held.js';
import type { Judged } from '../engines/judge.js';
import { isBelow, joinPath } from '../engines/path.js';
import type { Fault } from '../process/fault.js';
import type { Look, LookAnswer, LookRequest } from '../process/look.js';
import { openFiles } from '../process/open-files.js';
import { snapshotAsync } from '../process/snapshot.js';
import { groupOf } from './scripts.js';

const FIELDS = ['path', 'stat', 'locks'] as const;

/** What discovery needs of an open file: the rows of `openFiles()` have it. */
export interface AgentFile {
  readonly pid: number;
  /** Null = the row that says why the descriptors of its process are missing. */
  readonly fd: number | null;
  readonly kind: string | undefined;
  readonly path: string | undefined;
  readonly deleted: boolean | undefined;
  readonly locks: readonly { readonly type: string; readonly mode: string }[] | undefined;
  fault(field: (typeof FIELDS)[number]): Fault | undefined;
}

export interface AgentFiles extends Iterable<AgentFile> {
  readonly faults: readonly Fault[];
  /** Pids that belonged to another process, or to none, by the time that they were read. */
  readonly changed?: ReadonlySet<number>;
}

/** Reads the descriptors of processes. */
export type ReadFiles = (processes: readonly ProcessFacts[]) => Promise<AgentFiles>;

/** The descriptors of these very processes: what a pid holds that was given out anew is left out. */
export function fileReader(procRoot: string, deadlineMs: number): ReadFiles {
  return async (processes) => {
    const pids = processes.map(({ pid }) => pid);
    const kinds = ['file', 'directory'];
    const files = await openFiles(pids, { fields: FIELDS, roles: ['fd'], kinds, procRoot, deadlineMs });
    const after = await snapshotAsync({ pids, procRoot, deadlineMs });
    const changed = new Set(
      processes.filter(({ pid, startKey }) => after.get(pid)?.startKey !== startKey).map(({ pid }) => pid),
    );
    const own = changed.size === 0 ? files : [...files].filter(({ pid }) => !changed.has(pid));
    return { faults: files.faults, changed, [Symbol.iterator]: () => own[Symbol.iterator]() };
  };
}

export interface HeldQuery {
  readonly judged: Judged;
  /** Stands before every path: the root of a process that does not see our files. Usually empty. */
  readonly root: string;
}

export interface HeldAnswer extends HeldLook {
  readonly fault?: Fault;
}

interface RootedPlace extends HeldPlace {
  readonly root: string;
  readonly facts: ProcessFacts;
}

function placesFor({ judged, root }: HeldQuery, homes: readonly string[]): RootedPlace[] {
  const { facts, rule } = judged;
  const { config, user, from } = judged.home;
  const own =
    config === null ? [] : [{ config, anchor: from === 'variable' || user === null ? config : user }];
  const added = root === '' ? homes : [];
  const further = added.map((anchor) => ({ anchor, config: joinPath(anchor, ...rule.home.folder) }));
  return placesOf(rule.held, facts, [...own, ...further]).map((place) => ({ ...place, root, facts }));
}

/** Asked of a place, in this order. A link inside another root would be followed to a file of ours: none there. */
function requestsOf({ root, anchor, config, folder }: RootedPlace): LookRequest[] {
  const group = groupOf(root + anchor);
  return root === ''
    ? [anchor, config, folder].map((path) => ({ op: 'realpath', path, group }))
    : [anchor, config, folder].map((path) => ({ op: 'stat', path: root + path, follow: false, group }));
}

const keyOf = ({ op, path }: LookRequest): string => `${op} ${path}`;

interface FolderAnswer extends HeldFolder {
  readonly fault?: Fault;
  readonly note?: string;
}

function folderOf(place: RootedPlace, answers: readonly (LookAnswer | undefined)[]): FolderAnswer {
  const { rule, root, folder, facts } = place;
  const [anchor, config, own] = answers;
  const fault = [own, config].find((answer) => answer?.fault)?.fault;
  if (fault?.kind === 'gone') return { rule, folder: null };
  if (fault) return { rule, folder: undefined, fault };
  const note = (why: string): FolderAnswer => ({ rule, folder: null, note: `session: ${folder} ${why}` });
  if ('tmp' in rule.place && own?.stat?.uid !== facts.uid) return note('belongs to another user');
  if (root !== '') {
    const plain = config?.stat?.kind === 'directory' && own?.stat?.kind === 'directory';
    return plain ? { rule, folder } : note('lies behind a link of another root');
  }
  const real = own?.realpath;
  if (real === undefined) return { rule, folder: undefined };
  const inside = [anchor, config].some(
    ({ realpath } = {}) => realpath !== undefined && isBelow(real, realpath),
  );
  return inside ? { rule, folder: real } : note('lies behind a link that leads out of the home');
}

function heldFile({ path, kind, deleted, locks }: AgentFile): HeldFile[] {
  if (path === undefined) return [];
  const flocked = locks?.some(({ type, mode }) => type === 'FLOCK' && mode === 'write');
  return [{ path, kind, deleted, flocked }];
}

/** A failed look that may have hidden a session file; what vanished meanwhile hides nothing. */
function faultOf(rows: readonly AgentFile[], folders: readonly FolderAnswer[]): Fault | undefined {
  for (const row of rows) {
    const { path } = row;
    const fault = FIELDS.map((field) => row.fault(field)).find((each) => each && each.kind !== 'gone');
    if (!fault) continue;
    if (path === undefined) return fault;
    if (folders.some(({ folder }) => typeof folder === 'string' && isBelow(path, folder))) return fault;
  }
  return folders.find(({ fault }) => fault)?.fault;
}

/** Were the descriptors of the process listed at all? */
function isUnread(rows: readonly AgentFile[]): boolean {
  return rows.some((row) => row.fd === null && FIELDS.some((field) => row.fault(field)?.kind !== undefined));
}

/** What each process holds, by pid; `faults` are about the read as a whole. */
export async function readHeld(
  queries: readonly HeldQuery[],
  homes: readonly string[],
  read: ReadFiles,
  look: Look,
): Promise<{ readonly held: ReadonlyMap<number, HeldAnswer>; readonly faults: readonly Fault[] }> {
  if (queries.length === 0) return { held: new Map(), faults: [] };
  const places = queries.map((query) => placesFor(query, homes));
  const requests = new Map(
    places
      .flat()
      .flatMap(requestsOf)
      .map((request) => [keyOf(request), request]),
  );
  const [table, answers] = await Promise.all([
    read(queries.map(({ judged }) => judged.facts)),
    look([...requests.values()]),
  ]);
  const byKey = new Map([...requests.keys()].map((key, index) => [key, answers[index]]));
  const byPid = new Map<number, AgentFile[]>();
  for (const row of table) byPid.set(row.pid, [...(byPid.get(row.pid) ?? []), row]);
  const held = new Map<number, HeldAnswer>();
  for (const [index, { judged }] of queries.entries()) {
    const { pid } = judged.facts;
    const rows = byPid.get(pid) ?? [];
    const folders = (places[index] ?? []).map((place) =>
      folderOf(
        place,
        requestsOf(place).map((request) => byKey.get(keyOf(request))),
      ),
    );
    // A read that failed or stopped early says nothing of the processes that it has no rows of.
    const missing = table.changed?.has(pid) === true || (rows.length === 0 && table.faults.length > 0);
    const fault = faultOf(rows, folders);
    held.set(pid, {
      files: missing || isUnread(rows) ? undefined : rows.flatMap(heldFile),
      folders,
      notes: folders.flatMap(({ note }) => note ?? []),
      ...(fault ? { fault } : {}),
    });
  }
  return { held, faults: table.faults };
}
