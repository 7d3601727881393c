/** The session files of judged processes: their records, and what they have open. */
import { isSessionKind, type Judged } from '../engines/judge.js';
import type { Fault } from '../process/fault.js';
import { isElsewhere } from './gather.js';
import { fileReader, type HeldAnswer, type ReadFiles, readHeld } from './held.js';
import { type RecordLook, type RecordQuery, readRecords } from './records.js';
import type { Setting } from './setting.js';

export interface SessionLooks {
  readonly records: ReadonlyMap<number, RecordLook>;
  readonly held: ReadonlyMap<number, HeldAnswer>;
  /** About the reads as a whole. */
  readonly faults: readonly Fault[];
}

function rootOf({ facts }: Judged, { options }: Setting): string {
  return isElsewhere(facts, options.procRoot) ? `${options.procRoot}/${facts.pid}/root` : '';
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

export async function lookAtSessions(judged: readonly Judged[], setting: Setting): Promise<SessionLooks> {
  const queries = judged.map((each) => recordQuery(each, setting)).filter((query) => query !== null);
  const [records, { held, faults }] = await Promise.all([
    readRecords(queries, setting.options.homes, setting.look),
    heldOf(judged, setting),
  ]);
  return { records, held, faults };
}
