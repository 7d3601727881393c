import { inspect } from 'node:util';
import type { Decoder } from '../native/decode.js';
import type { Fault } from '../native/fault.js';
import {
  type FILE_COLUMNS,
  FILE_FIELDS,
  FILE_ROLES,
  type FileField,
  type FileRole,
  type NumberOf,
  type TextOf,
} from '../native/layout.js';
import { kindOf, kindOfMapped } from './kinds/index.js';
import type { KindDetails } from './kinds/kind.js';
import type { LockMark } from './lock-rows.js';
import type { OpenFileTable } from './open-files.js';
import { shownAs } from './row.js';

const BIT = Object.fromEntries(FILE_FIELDS.map((name, index) => [name, 1 << index])) as Record<
  FileField,
  number
>;
const DELETED = ' (deleted)';
/** O_ACCMODE of open(2), and O_PATH, with which a descriptor has no access at all. */
const ACCESS_MASK = 0o3;
const O_PATH = 0o10000000;

/**
 * One file that one process holds. Three values: a value; `null` = looked, and there is none;
 * `undefined` = not asked for, or could not be read (then `fault(field)` says why).
 */
export class OpenFile {
  readonly #table: OpenFileTable;
  readonly #decoder: Decoder<typeof FILE_COLUMNS>;
  readonly #index: number;
  readonly #present: number;

  /** Rows are made by their table. */
  constructor(table: OpenFileTable, decoder: Decoder<typeof FILE_COLUMNS>, index: number) {
    this.#table = table;
    this.#decoder = decoder;
    this.#index = index;
    this.#present = (decoder.column('present') as Uint32Array)[index] as number;
  }

  get pid(): number {
    return this.#cell('pid') as number;
  }

  /** How the process holds it: a descriptor, its cwd, root, exe, or a mapping. */
  get role(): FileRole {
    return FILE_ROLES[this.#cell('role') as number] as FileRole;
  }

  /** Number of the descriptor; null for the other roles, and for the row that says why descriptors are missing. */
  get fd(): number | null {
    const fd = this.#cell('fd') as number;
    return fd < 0 ? null : fd;
  }

  /**
   * What the link shows: a path as the process's mount namespace has it, or `socket:[123]`, `pipe:[5]`,
   * `anon_inode:[eventfd]` ... The ` (deleted)` of the kernel is taken off a file that has no name left.
   */
  get path(): string | undefined {
    const link = this.#text('path', BIT.path);
    return link !== undefined && this.deleted === true && link.endsWith(DELETED)
      ? link.slice(0, -DELETED.length)
      : link;
  }

  /** Exact bytes of the link. A view: do not write to it. */
  get pathBytes(): Buffer | undefined {
    return (this.#present & BIT.path) === 0 ? undefined : this.#decoder.bytes('path', this.#index);
  }

  /**
   * `file directory character block fifo pipe socket memfd eventfd epoll ...`; undefined where nothing tells, as for
   * mappings of what lies in /dev.
   */
  get kind(): string | undefined {
    const link = this.#text('path', BIT.path);
    return (this.role === 'map' ? kindOfMapped(link) : kindOf(link, this.mode))?.name;
  }

  /** What only this kind of file has, such as the `pid` that a pidfd names. */
  get details(): KindDetails | undefined {
    const link = this.#text('path', BIT.path);
    const kind = kindOf(link, this.mode);
    if (link === undefined || kind?.details === undefined) return undefined;
    const info = this.#text('details', BIT.info);
    return info === undefined ? undefined : kind.details(link, info);
  }

  /** Whether the file has no name left in its file system. A mapping tells it only of what the kernel names itself. */
  get deleted(): boolean | undefined {
    const link = this.#text('path', BIT.path);
    if (link !== undefined && !link.endsWith(DELETED)) return false;
    if (this.role === 'map' && this.kind === 'memfd') return true;
    return this.nlink === undefined ? undefined : this.nlink === 0;
  }

  /** Device and inode as stat(2) gives them; for a mapping as /proc/pid/maps shows them. */
  get dev(): bigint | undefined {
    return this.#hasIdentity ? (this.#cell('dev') as bigint) : undefined;
  }

  get ino(): bigint | undefined {
    return this.#hasIdentity ? (this.#cell('ino') as bigint) : undefined;
  }

  /** Type and permission bits of st_mode. */
  get mode(): number | undefined {
    return this.#number('mode', BIT.stat);
  }

  /** Device that a device file stands for. */
  get rdev(): bigint | undefined {
    return (this.#present & BIT.stat) === 0 ? undefined : (this.#cell('rdev') as bigint);
  }

  /** Bytes, as the kernel has it at hand: on a network file system it may lag behind. */
  get size(): number | undefined {
    return this.#number('size', BIT.stat);
  }

  get nlink(): number | undefined {
    return this.#number('nlink', BIT.stat);
  }

  /** Position in the file; null for the roles that have none. */
  get offset(): bigint | null | undefined {
    if (this.role !== 'fd') return null;
    return (this.#present & BIT.info) === 0 ? undefined : (this.#cell('offset') as bigint);
  }

  /** Flags of open(2). */
  get flags(): number | null | undefined {
    return this.role === 'fd' ? this.#number('flags', BIT.info) : null;
  }

  /** `r`, `w`, `rw`; null for O_PATH descriptors and for roles without an access mode. */
  get access(): 'r' | 'w' | 'rw' | null | undefined {
    const flags = this.flags;
    if (flags === undefined || flags === null) return flags;
    if ((flags & O_PATH) !== 0) return null;
    return (['r', 'w', 'rw'] as const)[flags & ACCESS_MASK] ?? null;
  }

  /** Mount that it was opened through: the first field of mountinfo. */
  get mountId(): number | null | undefined {
    return this.role === 'fd' ? this.#number('mountId', BIT.info) : null;
  }

  /** Locks that this descriptor holds, also when they were taken by a process that is gone. */
  get locks(): readonly LockMark[] | undefined {
    if (this.role !== 'fd') return [];
    if ((this.#present & BIT.locks) === 0) return undefined;
    return this.#table.locksOf(this.pid, this.fd as number);
  }

  /** Why a field is missing; undefined = it is there, or was not asked for. */
  fault(field: FileField): Fault | undefined {
    const number = FILE_FIELDS.indexOf(field);
    const found = this.#decoder.rowFaults(this.#index).find((fault) => fault.field === number);
    return found && { kind: found.kind, code: found.code, call: found.call, path: this.#faultPath(field) };
  }

  /** All of it as one plain object; numbers that do not fit a double are decimal strings. */
  toJSON(): Record<string, unknown> {
    const faults = Object.fromEntries(
      FILE_FIELDS.flatMap((field) => {
        const fault = this.fault(field);
        return fault === undefined ? [] : [[field, fault]];
      }),
    );
    const { pid, role, fd, kind, path, deleted, mode, size, nlink, flags, access, mountId, details } = this;
    return {
      ...{ pid, role, fd, kind: kind ?? null, path: path ?? null, deleted: deleted ?? null },
      ...{
        dev: this.dev?.toString() ?? null,
        ino: this.ino?.toString() ?? null,
        rdev: this.rdev?.toString() ?? null,
      },
      ...{
        mode: mode ?? null,
        size: size ?? null,
        nlink: nlink ?? null,
        offset: this.offset?.toString() ?? null,
      },
      ...{ flags: flags ?? null, access: access ?? null, mountId: mountId ?? null },
      ...{ locks: this.locks ?? null, details: details ?? null, faults },
    };
  }

  /** console.log() of a row shows the row. */
  [inspect.custom](): unknown {
    return shownAs('OpenFile', this.toJSON());
  }

  get #hasIdentity(): boolean {
    return this.role === 'map'
      ? this.path !== undefined || this.#cell('ino') !== 0n
      : (this.#present & BIT.stat) !== 0;
  }

  #faultPath(field: FileField): string {
    const base = `${this.#table.procRoot}/${this.pid}`;
    if (this.role === 'map') return `${base}/maps`;
    if (this.role !== 'fd') return `${base}/${this.role}`;
    if (this.fd === null) return `${base}/fd`;
    return `${base}/${field === 'info' || field === 'locks' ? 'fdinfo' : 'fd'}/${this.fd}`;
  }

  #cell(column: NumberOf<typeof FILE_COLUMNS>): number | bigint | undefined {
    return this.#decoder.column(column)?.[this.#index];
  }

  #number(column: NumberOf<typeof FILE_COLUMNS>, bit: number): number | undefined {
    return (this.#present & bit) === 0 ? undefined : (this.#cell(column) as number | undefined);
  }

  #text(column: TextOf<typeof FILE_COLUMNS>, bit: number): string | undefined {
    return (this.#present & bit) === 0 ? undefined : this.#decoder.text(column, this.#index);
  }
}
