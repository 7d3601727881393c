import type { FilesRequest, PackedTable } from '../native/binding.js';
import { Decoder } from '../native/decode.js';
import { type Fault, OptionError } from '../native/fault.js';
import { FILE_COLUMNS, FILE_FIELDS, FILE_ROLES, type FileField, type FileRole } from '../native/layout.js';
import { load } from '../native/load.js';
import { KINDS } from './kinds/index.js';
import { type LockLine, type LockMark, lockLines, markOf } from './lock-rows.js';
import { OpenFile } from './open-file.js';
import { deadlineOf, pidList, procRootOf, requireKnown, shown, wholeNumber } from './options.js';

export interface OpenFilesOptions {
  /** What to read of each file: `path` (the link), `info` (offset, flags, mount), `stat`, `locks`. Default: all. */
  readonly fields?: readonly FileField[];
  /** How the process holds it: `fd cwd root exe map`. Default: all. */
  readonly roles?: readonly FileRole[];
  /** Only files of these kinds, such as `file` or `socket`; what could not be told stays in. Default: all. */
  readonly kinds?: readonly string[];
  readonly procRoot?: string;
  /** How long to wait for calls that do not return, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
  /** Most rows of the answer; what is left out is a `limit` fault. Default 1,000,000. */
  readonly maxRows?: number;
}

const KNOWN = ['fields', 'roles', 'kinds', 'procRoot', 'deadlineMs', 'maxRows'];
const MOST_ROWS = 1_000_000;
const KIND_NAMES = KINDS.map((kind) => kind.name);

/** The files that processes hold, as they were at one look. */
export class OpenFileTable implements Iterable<OpenFile> {
  /** What kept the table as a whole from being complete. */
  readonly faults: readonly Fault[];
  /** Processes that ended before anything of them was read. */
  readonly vanished: number;
  readonly procRoot: string;

  readonly #rows: readonly OpenFile[];
  readonly #packedLocks: PackedTable;
  #locks: ReadonlyMap<string, readonly LockLine[]> | undefined;

  constructor(
    packed: { readonly files: PackedTable; readonly locks: PackedTable },
    procRoot: string,
    kinds: ReadonlySet<string> | undefined,
  ) {
    const decoder = new Decoder(packed.files, FILE_COLUMNS);
    this.faults = packed.files.faults;
    this.vanished = decoder.extra;
    this.procRoot = procRoot;
    this.#packedLocks = packed.locks;
    const rows = Array.from({ length: decoder.rows }, (_, index) => new OpenFile(this, decoder, index));
    this.#rows =
      kinds === undefined ? rows : rows.filter(({ kind }) => kind === undefined || kinds.has(kind));
  }

  get size(): number {
    return this.#rows.length;
  }

  [Symbol.iterator](): IterableIterator<OpenFile> {
    return this.#rows[Symbol.iterator]();
  }

  /** Every line about locks that stands in the fdinfo of these files. */
  get lockLines(): readonly LockLine[] {
    return [...this.#lockIndex().values()].flat();
  }

  /** Internal to rows. */
  locksOf(pid: number, fd: number): readonly LockMark[] {
    return (this.#lockIndex().get(`${pid} ${fd}`) ?? []).map(markOf);
  }

  #lockIndex(): ReadonlyMap<string, readonly LockLine[]> {
    if (this.#locks !== undefined) return this.#locks;
    const index = new Map<string, LockLine[]>();
    for (const line of lockLines(this.#packedLocks)) {
      const key = `${line.holder} ${line.fd}`;
      const list = index.get(key);
      if (list === undefined) index.set(key, [line]);
      else list.push(line);
    }
    this.#locks = index;
    return index;
  }
}

/**
 * The files that one process, some, or all hold: descriptors of every kind, cwd, root, exe and mapped
 * files. What could not be looked at is a row with its fault.
 *
 * Sources: proc_pid_fd(5), proc_pid_fdinfo(5), proc_pid_maps(5), statx(2).
 * Rejects with OptionError or LoadError, never for what the system answered.
 */
export async function openFiles(
  target: number | Iterable<number> | 'all',
  options: OpenFilesOptions = {},
): Promise<OpenFileTable> {
  requireKnown(options, KNOWN, 'options');
  const kinds = options.kinds === undefined ? undefined : namesOf('kinds', options.kinds, KIND_NAMES);
  return readFiles(
    {
      procRoot: procRootOf(options.procRoot),
      fields: maskOf('fields', options.fields, FILE_FIELDS),
      roles: maskOf('roles', options.roles, FILE_ROLES),
      pids: targetPids(target),
      inodes: undefined,
      maxRows: wholeNumber('maxRows', options.maxRows, 1, MOST_ROWS, MOST_ROWS),
      deadlineMs: deadlineOf(options.deadlineMs),
    },
    kinds,
  );
}

/** The same for callers that made the request themselves. */
export async function readFiles(request: FilesRequest, kinds?: ReadonlySet<string>): Promise<OpenFileTable> {
  return new OpenFileTable(await load().files(request), request.procRoot, kinds);
}

function targetPids(target: unknown): Int32Array | undefined {
  if (target === 'all') return undefined;
  return pidList('pid', typeof target === 'number' ? [target] : target);
}

function namesOf(option: string, names: unknown, known: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(names)) throw new OptionError(option, 'must be a list of names');
  for (const name of names as unknown[]) {
    if (!known.includes(name as string)) {
      throw new OptionError(option, `no ${shown(name)}; known are ${known.join(', ')}`);
    }
  }
  return new Set(names as string[]);
}

/** One bit a name, by its position; all of them where nothing was named. */
export function maskOf(option: string, names: unknown, known: readonly string[]): number {
  if (names === undefined) return (1 << known.length) - 1;
  return [...namesOf(option, names, known)].reduce((mask, name) => mask | (1 << known.indexOf(name)), 0);
}
