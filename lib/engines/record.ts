/**
 * Records that an engine writes for each of its processes. They are rewritten in place, so a reader
 * meets empty files, half files, and a new text with the tail of an older, longer one behind it.
 */

export interface PidRecord {
  readonly pid: number | null;
  readonly sessionId: string | null;
  /** The record names a session, but not in the form of the engine's ids. */
  readonly sessionIdOdd: boolean;
  /** Start of the process in the kernel's own unit; null = the record has none or no number. */
  readonly procStart: string | null;
  /** The record has a start, but not in a form that can be compared. */
  readonly procStartOdd: boolean;
  /** Inode of the pid namespace that the record names. */
  readonly pidNamespace: number | null;
  readonly headless: boolean;
  readonly status: string | null;
  /** Milliseconds since the epoch at which the status was set. */
  readonly statusAt: number | null;
  readonly waitingFor: string | null;
  readonly version: string | null;
}

/** `problem` completes "the record ...". `unfinished`: as of a file that is being written. */
export type RecordReading =
  | { readonly record: PidRecord }
  | { readonly problem: string; readonly unfinished?: boolean };

/** Index after the first complete JSON object; -1 when none is complete. */
function endOfObject(text: string): number {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{' || letter === '[') depth++;
    else if (letter === '}' || letter === ']') {
      depth--;
      if (depth === 0) return at + 1;
      if (depth < 0) return -1;
    }
  }
  return -1;
}

/** The first JSON object of a text, whatever follows it; null when there is none that is whole. */
export function firstObject(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.trimStart().startsWith('{')) return null;
  const end = endOfObject(text);
  if (end < 0) return null;
  try {
    const value: unknown = JSON.parse(text.slice(0, end));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

// Control characters drive a terminal, the others reorder or hide the text around them; U+FFFD stands
// where the file held no text at all.
const UNFIT = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd\u{e0000}-\u{e007f}]/u;

/** A text from a foreign file, if it is one that can be shown and compared. */
export function plainText(value: unknown, maxLength = 256): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !UNFIT.test(value)
    ? value
    : null;
}

export function wholeNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
