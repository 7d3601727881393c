import type { Fault } from '../native/fault.js';
import { FILE_FIELDS, FILE_ROLES } from '../native/layout.js';
import { load } from '../native/load.js';
import { type LockLine, type LockMark, lockKey, lockLines, markOf } from './lock-rows.js';
import { maskOf, type OpenFileTable, readFiles } from './open-files.js';
import { deadlineOf, procRootOf, requireKnown } from './options.js';
import { sightOf } from './sight.js';

export interface LocksOptions {
  readonly procRoot?: string;
  /** How long to wait for calls that do not return, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
}

/**
 * A process and its descriptor through which it holds a lock. `fd` null = only the kernel's table names it: its
 * descriptors could not be read, or none of them leads to the lock (it may lie behind a mapping or in a message).
 */
export interface LockHolder {
  readonly pid: number;
  readonly fd: number | null;
}

/** Who waits; `pid` null where the kernel does not say (OFD locks, other pid namespaces). */
export interface LockWaiter extends LockMark {
  readonly pid: number | null;
}

export interface Lock extends LockMark {
  /** Device of the file system (s_dev, which on overlay and btrfs is not st_dev), and its inode. */
  readonly major: number;
  readonly minor: number;
  readonly ino: bigint;
  /** A path under which a holder has it open; null where no holder's descriptors could be read. */
  readonly path: string | null;
  /** The pid that took it, if the kernel shows it. It may have ended since: a flock outlives its taker. */
  readonly taker: number | null;
  /** Every process that holds it, also those that share it through fork. */
  readonly holders: readonly LockHolder[];
  readonly waiters: readonly LockWaiter[];
}

export interface LocksAnswer {
  readonly locks: readonly Lock[];
  /**
   * Whether every process's descriptors could be looked at: else holders may be missing. Never in a pid namespace
   * or where hidepid= hides processes.
   */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

const OPTIONS = ['procRoot', 'deadlineMs'];

/**
 * The file locks of the system with all their holders and waiters: FLOCK, POSIX, OFDLCK, LEASE.
 * /proc/locks names only the process that took a lock, which may have ended while others share the
 * lock through fork, or may be in another pid namespace; the descriptors of each process tell the rest.
 * Locks that the kernel shows alike (OFD read locks of two processes on one range) are one row.
 *
 * Sources: proc_locks(5), proc_pid_fdinfo(5).
 * Rejects with OptionError or LoadError, never for what the system answered.
 */
export async function locks(options: LocksOptions = {}): Promise<LocksAnswer> {
  requireKnown(options, OPTIONS, 'options');
  const procRoot = procRootOf(options.procRoot);
  const deadlineMs = deadlineOf(options.deadlineMs);
  const [table, sight] = await Promise.all([
    load().locks(procRoot, deadlineMs),
    sightOf(procRoot, deadlineMs),
  ]);
  const lines = lockLines(table);
  // Elsewhere /proc/locks leaves out the locks whose taker is not visible, and only descriptors show them.
  const inodes = sight.firstNamespace
    ? BigUint64Array.from(new Set(lines.map((line) => line.ino)))
    : undefined;
  const files = await readFiles({
    procRoot,
    fields: maskOf('fields', ['path', 'locks'], FILE_FIELDS),
    roles: maskOf('roles', ['fd'], FILE_ROLES),
    pids: inodes?.length === 0 ? new Int32Array() : undefined,
    inodes,
    maxRows: 1_000_000,
    deadlineMs,
  });
  const faults = [...table.faults, ...files.faults, ...unreadFaults(files)];
  const found = joinLocks(lines, files);
  const named = found.flatMap(({ holders }) => holders.filter(({ fd }) => fd === null));
  const dead = await sight.deadAmong(named.map(({ pid }) => pid));
  return {
    locks: found.map((lock) => ({ ...lock, holders: lock.holders.filter(({ pid }) => !dead.has(pid)) })),
    complete: sight.everybody && faults.length === 0,
    faults,
  };
}

/** One fault a process, so that a table of refusals does not drown the answer. */
export function unreadFaults(files: OpenFileTable): Fault[] {
  const byPid = new Map<number, Fault>();
  for (const file of files) {
    if (byPid.has(file.pid)) continue;
    const fault = FILE_FIELDS.map((field) => file.fault(field)).find(
      (each) => each && each.kind !== 'gone' && each.kind !== 'truncated',
    );
    if (fault !== undefined) byPid.set(file.pid, fault);
  }
  return [...byPid.values()];
}

/** The values of a list by key, in their order. */
function grouped<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

function joinLocks(lines: readonly LockLine[], files: OpenFileTable): Lock[] {
  const held = grouped(files.lockLines, lockKey);
  const paths = new Map([...files].map((file) => [`${file.pid} ${file.fd}`, file.path]));
  const waiters = grouped(
    lines.filter(({ waiting }) => waiting),
    ({ id }) => id,
  );
  const taken = grouped(
    lines.filter(({ waiting }) => !waiting),
    lockKey,
  );
  const owners = new Map<string, LockLine>();
  for (const [key, [line]] of [...taken, ...held]) if (line && !owners.has(key)) owners.set(key, line);
  return [...owners].map(([key, line]) => {
    const holding = held.get(key) ?? [];
    const [first] = holding;
    return {
      ...markOf(line),
      major: line.major,
      minor: line.minor,
      ino: line.ino,
      path: (first && paths.get(`${first.holder} ${first.fd}`)) ?? null,
      taker: line.taker > 0 ? line.taker : null,
      holders: holdersOf(line, holding),
      waiters: (taken.get(key) ?? []).flatMap(({ id }) => waiters.get(id) ?? []).map(waiterOf),
    };
  });
}

/** Where no descriptor shows the lock, the taker is all that is known. */
export function holdersOf(line: LockLine, holding: readonly LockLine[]): LockHolder[] {
  if (holding.length > 0) return holding.map(({ holder, fd }) => ({ pid: holder, fd }));
  return line.taker > 0 ? [{ pid: line.taker, fd: null }] : [];
}

export function waiterOf(line: LockLine): LockWaiter {
  return { ...markOf(line), pid: line.taker > 0 ? line.taker : null };
}
