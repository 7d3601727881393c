/** The session files of judged processes: their records, what they have open, and the store behind that. */
import { isSessionKind, type Judged } from '../engines/judge.js';
import type { Fault } from '../process/fault.js';
import { viewOf } from './gather.js';
import { fileReader, type HeldAnswer, type ReadFiles, readHeld } from './held.js';
import { type RecordLook, type RecordQuery, readRecords } from './records.js';
import { linkJudged } from './rows.js';
import type { Setting } from './setting.js';
import { readStores, type StoreAnswer, type StoreQuery } from './stores.js';

export interface SessionLooks {
  readonly records: ReadonlyMap<number, RecordLook>;
  readonly held: ReadonlyMap<number, HeldAnswer>;
  /** Of those whom neither of the two settled. */
  readonly stores: ReadonlyMap<number, StoreAnswer>;
  /** About the reads as a whole. */
  readonly faults: readonly Fault[];
}

/** Below what the paths of a process lie for us; empty = nothing. */
export function rootOf({ facts }: Judged, { options }: Setting): string {
  return viewOf(facts, options.procRoot);
}

/** Where the record of a process would lie; null where its engine or its kind has none. */
export function recordQuery(judged: Judged, setting: Setting): RecordQuery | null {
  const rule = judged.rule.pidRecord;
  if (!rule || !(isSessionKind(judged.kind) || judged.kind === 'launcher')) return null;
  return { judged, rule, root: rootOf(judged, setting) };
}

function readerOf({ options }: Setting): ReadFiles | undefined {
  const { openFiles, table, procRoot, deadlineMs } = options;
  return openFiles ?? (table ? undefined : fileReader(procRoot, deadlineMs));
}

/** Sessions and what launches them, and the services that hold the files of several. */
async function heldOf(
  judged: readonly Judged[],
  setting: Setting,
): Promise<Pick<SessionLooks, 'held' | 'faults'>> {
  const read = readerOf(setting);
  if (!read) return { held: new Map(), faults: [] };
  const queries = judged
    .filter(({ kind }) => kind !== 'helper')
    .map((each) => ({ judged: each, root: rootOf(each, setting) }));
  return readHeld(queries, setting.options.homes, read, setting.look);
}

/**
 * The rules of the store that may tell more than is known of a process. A listing costs as much as what
 * lies there, so nobody asks for one whose record or open files prove its session; an id in the arguments
 * leaves what names the pid, which goes before it.
 */
function storeQuery(
  judged: Judged,
  record: RecordLook | undefined,
  held: HeldAnswer | undefined,
  setting: Setting,
): StoreQuery | null {
  const { rule, kind } = judged;
  if (rule.stores.length === 0 || !(isSessionKind(kind) || kind === 'launcher')) return null;
  const { link, argvId } = linkJudged(judged, record, held);
  if (link.claim?.grade === 'exact') return null;
  const rules = rule.stores.filter(({ proof }) => {
    if (proof === 'pid') return true;
    // What lies in a folder is its worker's as much as its launcher's.
    if (kind === 'launcher') return false;
    if (proof === 'id') return link.claim?.source === 'argv';
    if (proof === 'sign') return link.claim === null && record?.found === null;
    return link.claim === null;
  });
  const id = argvId.forked ? null : argvId.id;
  return rules.length === 0 ? null : { judged, rules, argvId: id, root: rootOf(judged, setting) };
}

export async function lookAtSessions(judged: readonly Judged[], setting: Setting): Promise<SessionLooks> {
  const queries = judged.map((each) => recordQuery(each, setting)).filter((query) => query !== null);
  const [records, { held, faults }] = await Promise.all([
    readRecords(queries, setting.options.homes, setting.look),
    heldOf(judged, setting),
  ]);
  const { look, memory, options } = setting;
  const further = judged
    .map((each) => storeQuery(each, records.get(each.facts.pid), held.get(each.facts.pid), setting))
    .filter((query) => query !== null);
  const now = (options.now ?? Date.now)();
  const stores = await readStores(further, { homes: options.homes, look, memory, now });
  return { records, held, stores, faults };
}
