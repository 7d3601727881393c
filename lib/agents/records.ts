/**
 * Reads the records that engines keep of their processes. Whoever owns a process decides what lies
 * there, so each file is met as if it were a trap: regular files only, of a bounded size, not
 * reached through a link that leads out of the home, and (in engines/link.ts) of the same owner.
 */
import type { Judged } from '../engines/judge.js';
import type { FoundRecord } from '../engines/link.js';
import { isBelow, joinPath } from '../engines/path.js';
import type { PidRecordRule } from '../engines/rule.js';
import type { Fault } from '../process/fault.js';
import type { Look, LookAnswer, LookRequest } from '../process/look.js';
import { groupOf } from './scripts.js';

/** `found`: the record; null = there is none; undefined = nobody could look, and `fault` says why. */
export interface RecordLook {
  readonly found: FoundRecord | null | undefined;
  readonly fault?: Fault;
  /** Where it lies or would lie, for a look that only asks whether it changed. */
  readonly spot?: LookRequest;
  /** What such a look would find now, see `signOf`. */
  readonly sign?: string;
}

export interface RecordQuery {
  readonly judged: Judged;
  readonly rule: PidRecordRule;
  /** Every path is resolved below it: the root of a process that does not see our files. Usually empty. */
  readonly root: string;
}

interface Place extends RecordQuery {
  /** The engine's folder as the process names it. */
  readonly config: string;
  /** The folder out of which no link may lead. */
  readonly anchor: string;
}

const REQUESTS_A_PLACE = 3;

function pathsOf(place: Place): { folder: string; file: string } {
  const { facts } = place.judged;
  const folder = joinPath(place.config, place.rule.folder);
  return { folder, file: joinPath(folder, place.rule.fileName(facts.nspid?.at(-1) ?? facts.pid)) };
}

function requestsOf(place: Place): LookRequest[] {
  const { root, anchor, rule } = place;
  const { folder, file } = pathsOf(place);
  const group = groupOf(root + anchor);
  // Below another root the kernel resolves every link inside it, so that none leads to a file of ours.
  const from = { group, ...(root === '' ? {} : { root }) };
  return [
    { op: 'realpath', path: anchor, ...from },
    { op: 'realpath', path: folder, ...from },
    { op: 'read', path: file, follow: false, maxBytes: rule.maxBytes, ...from },
  ];
}

/** The same file as in `requestsOf`, its status alone. */
function spotOf(place: Place): LookRequest {
  const { root, anchor } = place;
  const path = pathsOf(place).file;
  const from = { group: groupOf(root + anchor), ...(root === '' ? {} : { root }) };
  return { op: 'stat', path, follow: false, ...from };
}

function leadsOut(outer: LookAnswer | undefined, inner: LookAnswer | undefined): boolean {
  if (outer?.realpath === undefined || inner?.realpath === undefined) return true;
  return !isBelow(inner.realpath, outer.realpath);
}

/** Differs as soon as the file was written, replaced, removed, or can no longer be looked at. */
export function signOf({ fault, stat }: LookAnswer): string {
  if (stat === undefined) return fault?.kind ?? 'nothing';
  return `${stat.dev}:${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function readAnswer(place: Place, answers: readonly LookAnswer[]): Omit<RecordLook, 'spot' | 'sign'> {
  const [outer, inner, file] = answers;
  if (file?.fault?.kind === 'gone') return { found: null };
  if (file?.fault) return { found: undefined, fault: file.fault };
  if (file === undefined) return { found: undefined };
  const path = pathsOf(place).file;
  const uid = process.platform === 'win32' ? undefined : file.stat?.uid;
  if (leadsOut(outer, inner)) {
    return { found: { path, uid, reading: { problem: 'lies behind a link that leads out of the home' } } };
  }
  if (file.truncated) {
    return { found: { path, uid, reading: { problem: `is larger than ${place.rule.maxBytes} bytes` } } };
  }
  return { found: { path, uid, reading: place.rule.read(file.bytes?.toString('utf8') ?? '') } };
}

async function lookAt(places: readonly Place[], look: Look): Promise<RecordLook[]> {
  const answers = await look(places.flatMap(requestsOf));
  return places.map((place, index) => {
    const own = answers.slice(index * REQUESTS_A_PLACE, (index + 1) * REQUESTS_A_PLACE);
    return { ...readAnswer(place, own), spot: spotOf(place), sign: signOf(own.at(-1) ?? {}) };
  });
}

function ownPlace(query: RecordQuery): Place | null {
  const { config, user, from } = query.judged.home;
  if (config === null) return null;
  return { ...query, config, anchor: from === 'variable' || user === null ? config : user };
}

function placeIn(query: RecordQuery, home: string): Place {
  const config = joinPath(home, ...query.judged.rule.home.folder);
  return { ...query, root: '', config, anchor: home };
}

const unfinished = ({ found }: RecordLook): boolean =>
  found !== null && found !== undefined && 'problem' in found.reading;

/**
 * The records of processes, by pid. `homes` are further homes, asked where a process's own home holds
 * no record of it.
 */
export async function readRecords(
  queries: readonly RecordQuery[],
  homes: readonly string[],
  look: Look,
): Promise<ReadonlyMap<number, RecordLook>> {
  const found = new Map<number, RecordLook>();
  const rounds: ((query: RecordQuery) => Place | null)[] = [
    ownPlace,
    ...homes.map((home) => (query: RecordQuery) => placeIn(query, home)),
  ];
  for (const placeOf of rounds) {
    const places = queries
      .filter(({ judged }) => !found.get(judged.facts.pid)?.found)
      .map(placeOf)
      .filter((place) => place !== null);
    const looks = await lookAt(places, look);
    // A record is rewritten in place: what is half written now is whole a moment later.
    const again = places.filter((_, index) => unfinished(looks[index] as RecordLook));
    const second = await lookAt(again, look);
    for (const [index, place] of places.entries()) {
      const retried = again.indexOf(place);
      const answer = (retried < 0 ? looks[index] : second[retried]) as RecordLook;
      const earlier = found.get(place.judged.facts.pid);
      if (answer.found || !earlier) found.set(place.judged.facts.pid, answer);
    }
  }
  return found;
}
