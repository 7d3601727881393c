/** What several engines' files have in common. All of it comes from files of somebody else. */
import { firstObject, plainText } from './record.js';
import { timeOf } from './store-keys.js';
import type { StoredSession, StoreReading } from './store-rule.js';

export const UUID_TEXT = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
export const UUID = new RegExp(`^${UUID_TEXT}$`, 'i');

export type Fields = Readonly<Record<string, unknown>>;

/** Lines of a beginning that are looked at. */
const MOST_LINES = 200;
/** Longest path of Linux in bytes: a longer text is none. */
const LONGEST_FOLDER = 4_096;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A folder as it stands in a file, if it can be shown and compared. */
export function folderText(value: unknown): string | null {
  return plainText(value, LONGEST_FOLDER);
}

/** The JSON objects at the beginning of a file of lines; one that is cut or is none is left out. */
export function headLines(text: string): Fields[] {
  const lines = text.split('\n', MOST_LINES);
  return lines.flatMap((line): Fields[] => {
    const fields = firstObject(line);
    return fields === null ? [] : [fields];
  });
}

/** A file of lines of which the first tells the session: `{"type":"session","id","cwd","timestamp"}`. */
export function readSessionHeader(id: RegExp): (text: string) => StoreReading {
  return (text) => {
    const [header] = headLines(text.split('\n', 1)[0] ?? '');
    if (header?.['type'] !== 'session') return { problem: 'does not begin with a whole session header' };
    const own = header['id'];
    if (typeof own !== 'string' || !id.test(own))
      return { problem: 'names a session by no id of this engine' };
    const begunAt = timeOf(header['timestamp']);
    return { sessions: [{ id: own, cwd: folderText(header['cwd']), begunAt }] };
  };
}

export const NO_SESSIONS: { readonly sessions: readonly StoredSession[] } = { sessions: [] };
