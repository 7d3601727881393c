/**
 * Turns as an engine writes them down: what one record says, and what all of them together say. Pure;
 * the files behind it are read in agents/transcripts.ts.
 */
import { plainText } from '../record.js';
import type { Source } from '../rule.js';
import type { StateValue } from '../state.js';

/** What one record says of the turn. */
export interface TurnMark {
  readonly value: Exclude<StateValue, 'starting'>;
  /** The engine's own word for it. */
  readonly raw: string;
  /** Milliseconds since the epoch by the record itself, never by its file; null = it does not tell. */
  readonly at: number | null;
  readonly waitingFor: string | null;
  /** A question that stays open whatever else is recorded, until one of the same name is answered. */
  readonly asks?: string;
  /** The question that this record answers. */
  readonly answers?: string;
  /** A turn begins or ends here: questions of an earlier one are over, also without an answer. */
  readonly boundary?: boolean;
}

export interface TurnState {
  /** The record since which it is so: later ones that say the same leave it; null = none said anything. */
  readonly since: TurnMark | null;
  /** Time of the latest event; null = none is known. */
  readonly latest: number | null;
  /** Questions without an answer, oldest first. */
  readonly asked: readonly TurnMark[];
  /** Bytes of a record behind the latest, which was too long to be read; 0 = there is none. */
  readonly skipped: number;
}

export const NO_TURN: TurnState = { since: null, latest: null, asked: [], skipped: 0 };

/** Hooks write late: a record that is older than the latest by more than that comes from a clock that was set. */
const LATE_MS = 300_000;
const MOST_ASKED = 32;

/** Written after a later one: it tells of the past. */
function isLate({ at }: TurnMark, latest: number | null): boolean {
  return at !== null && latest !== null && at < latest && latest - at <= LATE_MS;
}

function saysTheSame(mark: TurnMark, since: TurnMark | null): boolean {
  return mark.boundary !== true && mark.value === since?.value && mark.waitingFor === since.waitingFor;
}

/** The turn after one more record. By the time of the event: what arrives late changes nothing. */
export function withMark({ since, latest, asked, skipped }: TurnState, mark: TurnMark): TurnState {
  const open = asked.filter(({ asks }) => asks !== mark.answers);
  if (isLate(mark, latest)) return { since, latest, asked: open, skipped };
  const still = mark.boundary === true ? [] : open;
  return {
    // What no rule knows is told by its latest word.
    since: mark.value !== 'unknown' && saysTheSame(mark, since) ? since : mark,
    latest: mark.at ?? latest,
    asked: mark.asks === undefined ? still : [...still, mark].slice(-MOST_ASKED),
    skipped: 0,
  };
}

/** What a turn says now: an open question goes before whatever was recorded since. */
export function currentMark({ since, asked }: TurnState): TurnMark | null {
  return asked[0] ?? since;
}

/** Where the session of one process may be written down. */
export interface TurnPlace {
  /** The engine's own folder. */
  readonly home: string;
  readonly sessionId: string;
  /** The file that proves the link, if one does. */
  readonly linkPath: string | null;
  readonly cwd: string | null;
  /** Its open files. */
  readonly open: readonly string[];
}

/** A file, or the files of a folder whose name says that they are of the session. */
export type TurnCandidate =
  | { readonly path: string }
  | { readonly folder: string; readonly name: (name: string) => boolean };

interface TurnRuleBase {
  /** What it is, in one word, as `AgentState.source` has it. */
  readonly what: 'transcript' | 'log' | 'database';
  /** How the file is told, for people. */
  readonly file: string;
  /** The first that is there counts. */
  readonly candidates: (place: TurnPlace) => readonly TurnCandidate[];
  readonly source: Source;
}

/** A file to which a line is added for every event. */
export interface LinesRule extends TurnRuleBase {
  readonly what: 'transcript' | 'log';
  /** A line with none of these says nothing of the turn, and is not read. */
  readonly needles: readonly string[];
  /** Null = the line says nothing of the turn. Gets whole lines, of any content. */
  readonly read: (line: string) => TurnMark | null;
  /** Why a file of this name cannot be read; null = it can. */
  readonly unreadable?: (path: string) => string | null;
}

/** A SQLite database. */
export interface DatabaseRule extends TurnRuleBase {
  readonly what: 'database';
  /** Answers the latest record of a session, whose id is the one parameter; only from `tables`. */
  readonly query: string;
  readonly tables: readonly string[];
  readonly read: (row: Readonly<Record<string, unknown>>) => TurnMark | null;
}

export type TurnRule = LinesRule | DatabaseRule;

type Json = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one where it is none. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The JSON object that a line is; null where it is none. */
export function jsonLine(line: string): Json | null {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

// The years 2000 to 2200: whatever lies outside is no time of an event.
const EARLIEST_MS = 946_684_800_000;
const LATEST_MS = 7_258_118_400_000;

/** ISO text or milliseconds since the epoch. */
export function timeOf(value: unknown): number | null {
  const iso = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : value;
  if (typeof iso !== 'number' || !(iso >= EARLIEST_MS && iso <= LATEST_MS)) return null;
  return Math.round(iso);
}

export function mark(
  value: TurnMark['value'],
  raw: unknown,
  at: unknown,
  more: Partial<Pick<TurnMark, 'waitingFor' | 'asks' | 'answers' | 'boundary'>> = {},
): TurnMark {
  return { value, raw: plainText(raw) ?? '', at: timeOf(at), waitingFor: null, ...more };
}
