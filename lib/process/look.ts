import type { Fault } from './fault.js';

/**
 * Looks at files that belong to somebody else (session files, scripts, homes). Any of them may lie
 * on a file system that no longer answers, so the calls run on threads of our own under a deadline,
 * never on the thread pool of the runtime. Requests run in order.
 */
export type LookRequest = {
  readonly path: string;
  /**
   * A directory that the path is resolved below, as if it were the root (`/proc/<pid>/root` of a process
   * that sees other files): no link, also no absolute one, leads out of it. Linux 5.6. `realpath` then
   * answers the path as our own root has it.
   */
  readonly root?: string;
  /**
   * Requests of one group are thought to share a file system (a home): after one of them hung, the
   * others answer `timeout` at once. Default: the path itself.
   */
  readonly group?: string;
} & (
  | {
      readonly op: 'stat' /** Follow a symbolic link at the end (default true). */;
      readonly follow?: boolean;
    }
  /** Absolute path with every symbolic link resolved, and the stat of what it names. */
  | { readonly op: 'realpath' }
  /** Bytes of a regular file; anything else is refused with an `unsupported` fault, and not opened. */
  | {
      readonly op: 'read';
      readonly offset?: number;
      /** The last `maxBytes` of the file, whatever `offset` says. */
      readonly fromEnd?: boolean;
      readonly maxBytes: number;
      /** Follow a symbolic link at the end (default true). */
      readonly follow?: boolean;
      /**
       * False: the path was resolved before, and a link anywhere in it is refused (without `root`;
       * before Linux 5.6 one at its end alone).
       */
      readonly links?: boolean;
    }
  /**
   * What is in a directory, without `.` and `..`, in the order of the file system, and the stat of the
   * directory as it was before.
   */
  | {
      readonly op: 'list';
      readonly maxEntries: number;
      /** As with `read`. */
      readonly links?: boolean;
      /** Also the stat of each entry, of a link its own: one more call each (default false). */
      readonly stats?: boolean;
    }
);

/** The same for a path that need not be UTF-8: its exact bytes. */
export interface LookAtBytes {
  readonly op: 'stat' | 'realpath';
  readonly path: string | Buffer;
}

export interface FileStat {
  readonly dev: bigint;
  readonly ino: bigint;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  readonly uid: number;
  /** Permission and type bits as in stat(2). */
  readonly mode: number;
  readonly nlink: number;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
}

/** An entry of a directory; without `stat` where that was not asked for, or where it went away meanwhile. */
export interface DirectoryEntry {
  readonly name: string;
  readonly stat?: Omit<FileStat, 'dev' | 'nlink'>;
}

/** Either `fault`, or what the request asked for. */
export interface LookAnswer {
  readonly fault?: Fault;
  /** For `read` and `list`, of the very file that was opened (fstat). */
  readonly stat?: FileStat;
  readonly realpath?: string;
  readonly bytes?: Buffer;
  /** With `bytes`: where in the file they begin. */
  readonly offset?: number;
  readonly entries?: readonly DirectoryEntry[];
  /** More bytes or entries are there than came. */
  readonly truncated?: boolean;
}

export type Look = (requests: readonly LookRequest[]) => Promise<LookAnswer[]>;
