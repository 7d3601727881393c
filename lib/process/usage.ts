import type { UsageRequest } from '../native/binding.js';
import { Decoder } from '../native/decode.js';
import { type Fault, OptionError } from '../native/fault.js';
import { load } from '../native/load.js';
import { USAGE_COLUMNS, usageBit } from '../native/usage-layout.js';
import { type CgroupUsage, cgroupUsage } from './cgroup.js';
import { pidOf, procRootOf, requireKnown, shown, wholeNumber } from './options.js';
import { snapshotAsync } from './snapshot.js';
import { type ProcessUsage, totalOf, type UsageTotal, usageRow } from './usage-row.js';

/** What costs a read of its own, beside the one read of `stat` that every row has. */
export const USAGE_EXTRAS = ['runtime', 'peakRss', 'swap', 'io', 'switches', 'pss', 'cgroup'] as const;

export type UsageField = (typeof USAGE_EXTRAS)[number];

export interface UsageOptions {
  /** The process and all below it. Default false. */
  readonly tree?: boolean;
  /**
   * What to read beside cpu, rss, vsize, threads and page faults. Default: `runtime`, `peakRss`, `swap`, `io`
   * and `switches`. `pss` makes the kernel walk the whole memory map of the process (milliseconds for a large
   * one); `switches` reads a file of every thread; `cgroup` reads the numbers of the group, see `Usage.cgroup`.
   */
  readonly fields?: readonly UsageField[];
  /** Where the process file system is mounted. Default `/proc`. */
  readonly procRoot?: string;
  /** How long to wait for calls that do not return, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
}

export interface Usage {
  readonly pid: number;
  /** The process that was asked for, then all below it, parents before children. Empty if it is not there. */
  readonly processes: readonly ProcessUsage[];
  /** Over all rows; undefined where there is none. */
  readonly total: UsageTotal | undefined;
  /**
   * Numbers of the cgroup (v2) that holds exactly these processes; null = they are not alone in one.
   * Undefined: not asked for, or could not be read.
   */
  readonly cgroup: CgroupUsage | null | undefined;
  /** False when a process of the tree ended during the look, so that its time may be in no row. */
  readonly complete: boolean;
  /** What kept the answer from being whole: `gone` when there is no such process. */
  readonly faults: readonly Fault[];
}

const KNOWN = ['tree', 'fields', 'procRoot', 'deadlineMs'];
const DEFAULT_FIELDS: readonly UsageField[] = ['runtime', 'peakRss', 'swap', 'io', 'switches'];
const DEFAULT_DEADLINE_MS = 1_000;
const MAX_DEADLINE_MS = 600_000;
/** A tree in which something ended meanwhile is looked at again, so often in all. */
const MOST_LOOKS = 3;

interface Asked extends Omit<UsageRequest, 'pids'> {
  readonly pid: number;
  readonly tree: boolean;
  readonly cgroup: boolean;
}

/** @throws OptionError that names the option */
export function usageFields(value: unknown, known: readonly string[], fallback: readonly string[]): string[] {
  if (value === undefined) return [...fallback];
  if (!Array.isArray(value)) throw new OptionError('fields', 'must be a list of field names');
  for (const field of value as unknown[]) {
    if (typeof field !== 'string' || !known.includes(field)) {
      throw new OptionError('fields', `no field ${shown(field)}; known are ${known.join(', ')}`);
    }
  }
  return value as string[];
}

export function flag(name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new OptionError(name, 'must be true or false');
  return value === true;
}

function askedFor(pid: unknown, options: UsageOptions): Asked {
  requireKnown(options, KNOWN, 'options');
  const fields = usageFields(options.fields, USAGE_EXTRAS, DEFAULT_FIELDS) as UsageField[];
  let mask = usageBit('base');
  for (const field of fields) if (field !== 'cgroup') mask |= usageBit(field);
  return {
    pid: pidOf('pid', pid),
    tree: flag('tree', options.tree),
    cgroup: fields.includes('cgroup'),
    fields: mask,
    procRoot: procRootOf(options.procRoot),
    deadlineMs: wholeNumber('deadlineMs', options.deadlineMs, 1, MAX_DEADLINE_MS, DEFAULT_DEADLINE_MS),
  };
}

/**
 * What one process, or a whole tree, has used since it started.
 *
 * **Time.** `cpu` and `waitedCpu` come from `stat`: milliseconds in steps of a clock tick (10 ms on
 * usual systems), each rounded down; the kernel measures their sum and estimates the split between
 * user and system. `runtime` is the sum in steps of a nanosecond, with every thread that the process
 * had; with another `procRoot` than `/proc` it is the sum over the threads that live
 * (`runtimeSource` says which).
 *
 * **A tree** is the process and its descendants by parent, in one look at the process table. Each
 * row tells what the process used itself (`cpu`) and what ended children that were waited for used,
 * with all that these had waited for (`waitedCpu`). `total` adds both over all rows. The kernel adds
 * a child to its parent's sum at the moment in which it takes it from the table, and parents are read
 * before their children: so no time is counted twice. A child that ends between the two reads is in
 * neither row; such a look is made again, up to three times, then `complete` is false. From one
 * complete look to the next the total grows, except for time that the kernel itself drops or moves out
 * of the tree: of a child whose parent ignores SIGCHLD, or was dead, so that somebody outside waited
 * for it. The kernel adds `io` of children that were waited for to the parent's own numbers, and keeps
 * no context switches of threads that ended.
 *
 * Sources: proc_pid_stat(5), proc_pid_status(5), proc_pid_io(5), proc_pid_smaps(5),
 * clock_getcpuclockid(3), times(2).
 * Rejects with OptionError or LoadError, never for what the system answered: a process that is not
 * there gives no row and a `gone` fault.
 */
export async function usage(pid: number, options: UsageOptions = {}): Promise<Usage> {
  const asked = askedFor(pid, options);
  let look = await lookOnce(asked);
  for (let looks = 1; !look.complete && look.processes.length > 0 && looks < MOST_LOOKS; looks++) {
    look = await lookOnce(asked);
  }
  const faults = [...look.faults];
  if (look.processes.length === 0 && faults.length === 0) {
    faults.push({ kind: 'gone', code: 0, call: 'open', path: `${asked.procRoot}/${pid}` });
  }
  let cgroup: CgroupUsage | null | undefined;
  if (asked.cgroup && look.processes.length > 0) {
    const group = await cgroupUsage(look.processes, asked);
    cgroup = group.value;
    faults.push(...group.faults);
  }
  return {
    pid,
    processes: look.processes,
    total: look.processes.length === 0 ? undefined : totalOf(look.processes),
    cgroup,
    complete: look.complete,
    faults,
  };
}

interface OneLook {
  readonly processes: readonly ProcessUsage[];
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

async function lookOnce(asked: Asked): Promise<OneLook> {
  const keys = new Map<number, bigint | undefined>([[asked.pid, undefined]]);
  const faults: Fault[] = [];
  if (asked.tree) {
    const { procRoot, deadlineMs } = asked;
    const table = await snapshotAsync({ procRoot, deadlineMs });
    faults.push(...table.faults);
    keys.set(asked.pid, table.get(asked.pid)?.startKey);
    for (const row of table.descendants(asked.pid)) keys.set(row.pid, row.startKey);
  }
  const { procRoot, fields, deadlineMs } = asked;
  const request: UsageRequest = { procRoot, fields, deadlineMs, pids: Int32Array.from(keys.keys()) };
  const packed = await load().usage(request);
  const decoder = new Decoder(packed, USAGE_COLUMNS);
  const rows = Array.from({ length: decoder.rows }, (_, row) => usageRow(decoder, row, procRoot));
  // Whoever got the pid of one that ended in between is not of this tree.
  const processes = rows.filter(({ pid, startKey }) => {
    const expected = keys.get(pid);
    return expected === undefined || startKey === undefined || startKey === expected;
  });
  const root = processes.some(({ pid }) => pid === asked.pid);
  return {
    processes: root ? processes : [],
    complete: root && processes.length === keys.size,
    faults: [...faults, ...packed.faults],
  };
}
