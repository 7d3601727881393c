import { constants } from 'node:os';
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
import { sightOf } from './sight.js';
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
  /**
   * Whether every process could be looked at: else holders may be missing. Never in a pid namespace or where
   * hidepid= hides processes.
   */
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
 * deleted files do not matter. A path that is no UTF-8 can be given as its bytes.
 *
 * Rejects with FaultError where the path cannot be looked at, OptionError for an argument of another
 * form, LoadError when no binary loads.
 */
export async function holders(
  file: string | Buffer | { readonly dev: bigint; readonly ino: bigint },
  options: LocksOptions = {},
): Promise<HoldersAnswer> {
  requireKnown(options, ['procRoot', 'deadlineMs'], 'options');
  const procRoot = procRootOf(options.procRoot);
  const deadlineMs = deadlineOf(options.deadlineMs);
  const target = await targetOf(file, deadlineMs);
  const [table, sight, files] = await Promise.all([
    load().locks(procRoot, deadlineMs),
    sightOf(procRoot, deadlineMs),
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
  const places = new Set(found.map(({ pid, fd }) => `${pid} ${fd}`));
  const marks = files.lockLines.filter(({ holder, fd }) => places.has(`${holder} ${fd}`));
  const lines = linesOn(target, marks, lockLines(table));
  const takers = takersOnly(lines, marks);
  const dead = await sight.deadAmong(takers.map(({ pid }) => pid));
  const byTable = takers.filter(({ pid }) => !dead.has(pid));
  const faults = [...table.faults, ...files.faults, ...unreadFaults(files)];
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
    complete: sight.everybody && faults.length === 0,
    faults,
  };
}

async function targetOf(file: unknown, deadlineMs: number): Promise<Target> {
  if (typeof file === 'object' && file !== null && !Buffer.isBuffer(file)) {
    const { dev, ino } = file as Partial<FileStat>;
    if (!isWord(dev) || !isWord(ino)) {
      throw new OptionError('file', 'must be a path, or { dev, ino } as bigint of 64 bits');
    }
    return { dev, ino, realpath: undefined };
  }
  if ((typeof file !== 'string' && !Buffer.isBuffer(file)) || file.length === 0 || file.includes('\0')) {
    throw new OptionError('file', 'must be a path: not empty and without NUL');
  }
  const lookAs = (op: 'stat' | 'realpath') => look([{ op, path: file }], deadlineMs);
  let [answer] = await lookAs('realpath');
  // Below a directory that is very deep a file has no path that the kernel takes, but it can be looked at.
  if (answer?.fault?.code === constants.errno.ENAMETOOLONG) {
    [answer] = await lookAs('stat');
  }
  if (answer?.stat === undefined) throw new FaultError(answer?.fault as Fault);
  return { dev: answer.stat.dev, ino: answer.stat.ino, realpath: answer.realpath };
}

const isWord = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value === BigInt.asUintN(64, value);

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
  const held = new Set(lines.filter((line) => places.has(place(line))));
  // Who breaks a lease waits without naming the file; the number in front says for which lock.
  const numbers = new Set([...held].map((line) => line.id));
  return lines.filter((line) => held.has(line) || (line.waiting && numbers.has(line.id)));
}

/** Locks that no descriptor shows: see LockHolder. */
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
