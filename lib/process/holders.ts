import { type Fault, FaultError, OptionError } from '../native/fault.js';
import { FILE_FIELDS, FILE_ROLES, type FileRole } from '../native/layout.js';
import { load } from '../native/load.js';
import { type LockLine, type LockMark, lockKey, lockLines } from './lock-rows.js';
import { holdersOf, type LocksOptions, type LockWaiter, unreadFaults, waiterOf } from './locks.js';
import type { FileStat } from './look.js';
import { look } from './look-files.js';
import type { OpenFile } from './open-file.js';
import { maskOf, readFiles } from './open-files.js';
import { deadlineOf, procRootOf, requireKnown } from './options.js';
import { snapshotAsync } from './snapshot.js';

/** One way in which one process has the file. */
export interface Holder {
  readonly pid: number;
  /** Start in the kernel's unit; with pid the identity. Undefined where the process ended meanwhile. */
  readonly startKey: bigint | undefined;
  /** comm. */
  readonly name: string | undefined;
  readonly role: FileRole | 'lock';
  /** Number of the descriptor; null for other roles, and where only the lock table names the process. */
  readonly fd: number | null;
  readonly access: 'r' | 'w' | 'rw' | null | undefined;
  /** The path as that process has it. */
  readonly path: string | undefined;
  readonly locks: readonly LockMark[];
}

export interface HoldersAnswer {
  /** st_dev and st_ino of the file. */
  readonly dev: bigint;
  readonly ino: bigint;
  readonly holders: readonly Holder[];
  readonly waiters: readonly LockWaiter[];
  /** Whether every process could be looked at: else holders may be missing. */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

interface Target {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly realpath: string | undefined;
}

/**
 * Every process that has a file open, mapped, as its cwd, root or exe, or that holds a lock on it, and
 * who waits for one. Files are compared by device and inode, so other names, other mount namespaces and
 * deleted files do not matter.
 *
 * Rejects with FaultError where the path cannot be looked at, OptionError for an argument of another
 * form, LoadError when no binary loads.
 */
export async function holders(
  file: string | { readonly dev: bigint; readonly ino: bigint },
  options: LocksOptions = {},
): Promise<HoldersAnswer> {
  requireKnown(options, ['procRoot', 'deadlineMs'], 'options');
  const procRoot = procRootOf(options.procRoot);
  const deadlineMs = deadlineOf(options.deadlineMs);
  const target = await targetOf(file, deadlineMs);
  const [table, files] = await Promise.all([
    load().locks(procRoot, deadlineMs),
    readFiles({
      procRoot,
      fields: maskOf('fields', undefined, FILE_FIELDS),
      roles: maskOf('roles', undefined, FILE_ROLES),
      pids: undefined,
      inodes: BigUint64Array.of(target.ino),
      maxRows: 1_000_000,
      deadlineMs,
    }),
  ]);
  const found = [...files].filter((row) => isTarget(row, target));
  const marks = files.lockLines.filter((line) =>
    found.some((row) => row.pid === line.holder && row.fd === line.fd),
  );
  const lines = linesOn(target, marks, lockLines(table));
  const byTable = takersOnly(lines, marks);
  const unread = unreadFaults(files);
  const processes = await snapshotAsync({
    pids: [...found.map((row) => row.pid), ...byTable.map(({ pid }) => pid)],
    procRoot,
    deadlineMs,
  });
  const named = <T extends { readonly pid: number }>(holder: T) => {
    const row = processes.get(holder.pid);
    return { ...holder, startKey: row?.startKey, name: row?.name };
  };
  return {
    dev: target.dev,
    ino: target.ino,
    holders: [...found.map((row) => named(holderOf(row))), ...byTable.map(named)],
    waiters: lines.filter((line) => line.waiting).map(waiterOf),
    complete: unread.length === 0 && table.faults.length === 0 && files.faults.length === 0,
    faults: [...table.faults, ...files.faults, ...unread],
  };
}

async function targetOf(file: unknown, deadlineMs: number): Promise<Target> {
  if (typeof file === 'object' && file !== null) {
    const { dev, ino } = file as Partial<FileStat>;
    if (typeof dev !== 'bigint' || typeof ino !== 'bigint' || dev < 0n || ino < 0n) {
      throw new OptionError('file', 'must be a path, or { dev, ino } as bigint');
    }
    return { dev, ino, realpath: undefined };
  }
  if (typeof file !== 'string' || file === '' || file.includes('\0')) {
    throw new OptionError('file', 'must be a path: not empty and without NUL');
  }
  const [answer] = await look([{ op: 'realpath', path: file }], deadlineMs);
  if (answer?.stat === undefined) throw new FaultError(answer?.fault as Fault);
  return { dev: answer.stat.dev, ino: answer.stat.ino, realpath: answer.realpath };
}

/** The device of a mapping is that of the file system, which on overlay and btrfs is not st_dev. */
function isTarget(row: OpenFile, { dev, ino, realpath }: Target): boolean {
  if (row.ino !== ino) return false;
  return row.dev === dev || (row.role === 'map' && realpath !== undefined && row.path === realpath);
}

function holderOf(row: OpenFile): Omit<Holder, 'startKey' | 'name'> {
  const { pid, role, fd, access, path } = row;
  return { pid, role, fd, access, path, locks: row.locks ?? [] };
}

/** Lines of the lock table on the file: found through a holder's own marks, else by device and inode. */
function linesOn(target: Target, marks: readonly LockLine[], lines: readonly LockLine[]): LockLine[] {
  const place = (line: LockLine): string => `${line.major}:${line.minor}:${line.ino}`;
  const places = new Set(marks.map(place));
  // makedev(3): the minor is in bits 0 to 7 and 20 to 43, the major in 8 to 19 and 44 to 63.
  const major = Number(((target.dev >> 8n) & 0xfffn) | ((target.dev >> 32n) & 0xffff_f000n));
  const minor = Number((target.dev & 0xffn) | ((target.dev >> 12n) & 0xffff_ff00n));
  places.add(`${major}:${minor}:${target.ino}`);
  const held = lines.filter((line) => places.has(place(line)));
  // Who breaks a lease waits without naming the file; the number in front says for which lock.
  const numbers = new Set(held.map((line) => line.id));
  return lines.filter((line) => held.includes(line) || (line.waiting && numbers.has(line.id)));
}

/** Locks that no descriptor shows: of processes that could not be looked at, or of the kernel itself. */
function takersOnly(
  lines: readonly LockLine[],
  marks: readonly LockLine[],
): Omit<Holder, 'startKey' | 'name'>[] {
  const shown = new Set(marks.map(lockKey));
  return lines
    .filter((line) => !line.waiting && !shown.has(lockKey(line)))
    .flatMap((line) =>
      holdersOf(line, []).map(({ pid, fd }) => ({
        pid,
        fd,
        role: 'lock' as const,
        access: null,
        path: undefined,
        locks: [{ type: line.type, mode: line.mode, state: line.state, start: line.start, end: line.end }],
      })),
    );
}
