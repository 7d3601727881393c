/**
 * The shape of a rule that finds a session by a file of the engine's store: where such files lie, and
 * what one of them says. Data and pure functions, like the rest of a rule.
 */
import type { Source } from './rule.js';

/** What a rule may know of the process whose session is looked for. */
export interface StoreSubject {
  /** As the process itself sees it. */
  readonly pid: number;
  /** With every link resolved; null = not known. */
  readonly cwd: string | null;
  /** MD5 of `cwd`, in hex. */
  readonly cwdMd5: string | null;
  /** Milliseconds since the epoch; undefined = not known. */
  readonly startTime: number | undefined;
  /** When the look was made, in milliseconds since the epoch: for the names of folders alone. */
  readonly now: number;
  /** The id in the arguments, where it is the session's own. */
  readonly argvId: string | null;
}

/**
 * One part of a path below the engine's home. A text is the name itself, an expression fits the names of
 * a folder that has to be listed, a function gives either for one process: names are tried without a
 * listing, and may have several parts. No names: the rule does not speak of this process.
 */
export type StorePart = string | RegExp | ((subject: StoreSubject) => readonly string[] | RegExp);

/** A session as a file of the store tells it. */
export interface StoredSession {
  readonly id: string;
  /** The process that writes it, as that process sees itself. */
  readonly pid?: number | null;
  /** As it stands in the file: never read off the name of a folder, which many paths share. */
  readonly cwd?: string | null;
  /** When it began, in milliseconds since the epoch. */
  readonly begunAt?: number | null;
}

/** `problem` completes "the <what> <path> ...": the file may speak of a session that nobody could read. */
export type StoreReading =
  | { readonly sessions: readonly StoredSession[] }
  | { readonly problem: string; readonly sessions?: undefined };

/**
 * What makes a session the one of a process:
 * - `pid`: the file names the pid, and was written since the process started.
 * - `folder`: the only session that was written since, of the folder in which only this process works.
 * - `start`: the only one that began together with the process.
 * - `id`: nothing does; the file is that of the session in the arguments.
 * - `sign`: nothing does; the file says something else of the process, and is never opened.
 */
export type StoreProof = 'pid' | 'folder' | 'start' | 'id' | 'sign';

export interface StoreRule {
  readonly proof: StoreProof;
  /** What the file is, in a few words. */
  readonly what: string;
  /** Where it lies, for people: a path below the engine's home. */
  readonly place: string;
  readonly parts: readonly StorePart[];
  /** Read of its beginning: 0 = it is not opened, its path says all. */
  readonly maxBytes: number;
  /** The file only grows, so that its beginning, once whole, stays as it is. */
  readonly appended?: boolean;
  /** `names`: what stands for each part. */
  readonly read: (text: string, names: readonly string[], subject: StoreSubject) => StoreReading;
  /** A file in the same folder that is written as long as the session goes on. */
  readonly beside?: string;
  /** With `sign`: completes "session: <path> is there: ...". */
  readonly says?: string;
  readonly source: Source;
}
