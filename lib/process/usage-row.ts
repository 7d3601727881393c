import type { Decoder } from '../native/decode.js';
import type { Fault } from '../native/fault.js';
import { RUNTIME_SOURCE, type USAGE_COLUMNS, USAGE_FIELDS, usageBit } from '../native/usage-layout.js';

/** Milliseconds of processor time. */
export interface CpuTime {
  readonly user: number;
  readonly system: number;
}

export interface PageFaults {
  /** Served from memory. */
  readonly minor: number;
  /** That waited for storage. */
  readonly major: number;
}

/** proc_pid_io(5). */
export interface IoUsage {
  /** Bytes that read(2) and its like gave, from whatever source. */
  readonly readChars: number;
  readonly writeChars: number;
  /** System calls. */
  readonly readCalls: number;
  readonly writeCalls: number;
  /** Bytes that came from storage, and that were sent towards it. */
  readonly readBytes: number;
  readonly writeBytes: number;
  /** Of `writeBytes`: what was dropped from memory before it was written. */
  readonly cancelledWriteBytes: number;
}

export interface Switches {
  readonly voluntary: number;
  readonly involuntary: number;
}

export type UsageFaults = Partial<Readonly<Record<(typeof USAGE_FIELDS)[number], Fault>>>;

/**
 * What one process has used. A property is a value, `null` = looked, and there is none (a zombie and a kernel
 * thread have no memory), or `undefined` = not asked for, or could not be read: then `faults` says why.
 * Times are milliseconds, sizes are bytes.
 */
export interface ProcessUsage {
  readonly pid: number;
  /** Start in the kernel's own unit: with the pid, what identifies the process. */
  readonly startKey: bigint | undefined;
  readonly ppid: number | undefined;
  readonly name: string | undefined;
  /** Kernel state letter. */
  readonly state: string | undefined;
  readonly kernelThread: boolean | undefined;
  readonly threads: number | undefined;
  /** Of the process itself, threads that ended included. */
  readonly cpu: CpuTime | undefined;
  /** Of ended children that were waited for, and of those that these had waited for. */
  readonly waitedCpu: CpuTime | undefined;
  /** `cpu` as one number, finer than a clock tick. */
  readonly runtime: number | undefined;
  /** `clock`: every thread that the process has or had. `threads`: those that live. */
  readonly runtimeSource: 'clock' | 'threads' | undefined;
  /** Resident memory. Exact where `peakRss` or `swap` is read too (`status`), else as `stat` has it: approximate. */
  readonly rss: number | undefined;
  readonly vsize: number | undefined;
  /** The most that was ever resident. */
  readonly peakRss: number | null | undefined;
  readonly swap: number | null | undefined;
  /** Resident memory with each shared page divided among those that share it. */
  readonly pss: number | null | undefined;
  readonly pageFaults: PageFaults | undefined;
  readonly waitedPageFaults: PageFaults | undefined;
  /** Ended children that were waited for are in these numbers: the kernel adds them. */
  readonly io: IoUsage | undefined;
  /** Over the threads that live (`status` of the process itself tells of its main thread only). */
  readonly switches: Switches | undefined;
  readonly faults: UsageFaults;
}

/**
 * Over all rows. Undefined where a row lacks the value: a sum that leaves somebody out is none. `peakRss` has no
 * sum, for peaks of different moments add up to nothing.
 */
export interface UsageTotal {
  readonly processes: number;
  readonly threads: number | undefined;
  /** Own and waited-for time. */
  readonly cpu: CpuTime | undefined;
  /** The same as one number: `runtime` where it was read, and waited-for time in clock ticks. */
  readonly cpuTime: number | undefined;
  readonly rss: number | undefined;
  readonly vsize: number | undefined;
  readonly swap: number | undefined;
  readonly pss: number | undefined;
  /** Own ones and those of waited-for children. */
  readonly pageFaults: PageFaults | undefined;
  readonly io: IoUsage | undefined;
  readonly switches: Switches | undefined;
}

/** The file below the process's folder that a field comes from. */
const FILES: Readonly<Record<(typeof USAGE_FIELDS)[number], string>> = {
  base: 'stat',
  runtime: 'task/*/schedstat',
  peakRss: 'status',
  swap: 'status',
  pss: 'smaps_rollup',
  io: 'io',
  switches: 'task/*/status',
};

type UsageDecoder = Decoder<typeof USAGE_COLUMNS>;

export function usageRow(decoder: UsageDecoder, row: number, procRoot: string): ProcessUsage {
  type Name = Parameters<UsageDecoder['column']>[0];
  const raw = (name: Name): number => Number(decoder.column(name)?.[row]);
  const pid = raw('pid');
  const present = raw('present');
  const none = raw('none');
  const has = (field: (typeof USAGE_FIELDS)[number]): boolean => (present & usageBit(field)) !== 0;
  const base = has('base');
  const number = (name: Name): number | undefined => (base ? raw(name) : undefined);
  const nullable = (field: 'peakRss' | 'swap' | 'pss'): number | null | undefined => {
    if (!has(field)) return undefined;
    return (none & usageBit(field)) === 0 ? raw(field) : null;
  };
  const faults = decoder.rowFaults(row).map(({ field, ...fault }) => {
    const name = USAGE_FIELDS[field] as (typeof USAGE_FIELDS)[number];
    return [name, { ...fault, path: `${procRoot}/${pid}/${FILES[name]}` }] as const;
  });
  return {
    pid,
    startKey: base ? decoder.column('startKey')?.[row] : undefined,
    ppid: number('ppid'),
    name: base ? decoder.text('name', row) : undefined,
    state: base ? String.fromCharCode(raw('state')) : undefined,
    kernelThread: base ? raw('kernelThread') === 1 : undefined,
    threads: number('threads'),
    cpu: base ? { user: raw('user'), system: raw('system') } : undefined,
    waitedCpu: base ? { user: raw('waitedUser'), system: raw('waitedSystem') } : undefined,
    runtime: has('runtime') ? raw('runtime') : undefined,
    runtimeSource: has('runtime')
      ? raw('runtimeSource') === RUNTIME_SOURCE.clock
        ? 'clock'
        : 'threads'
      : undefined,
    rss: number('rss'),
    vsize: number('vsize'),
    peakRss: nullable('peakRss'),
    swap: nullable('swap'),
    pss: nullable('pss'),
    pageFaults: base ? { minor: raw('minorFaults'), major: raw('majorFaults') } : undefined,
    waitedPageFaults: base ? { minor: raw('waitedMinorFaults'), major: raw('waitedMajorFaults') } : undefined,
    io: has('io') ? ioOf(raw) : undefined,
    switches: has('switches') ? { voluntary: raw('voluntary'), involuntary: raw('involuntary') } : undefined,
    faults: Object.fromEntries(faults),
  };
}

/** The io columns of a row, whatever kind of row it is. */
export function ioOf(raw: (name: keyof IoUsage) => number): IoUsage {
  return {
    readChars: raw('readChars'),
    writeChars: raw('writeChars'),
    readCalls: raw('readCalls'),
    writeCalls: raw('writeCalls'),
    readBytes: raw('readBytes'),
    writeBytes: raw('writeBytes'),
    cancelledWriteBytes: raw('cancelledWriteBytes'),
  };
}

/** The sum of one value over all rows; undefined if a row lacks it. */
function sum(
  rows: readonly ProcessUsage[],
  value: (row: ProcessUsage) => number | null | undefined,
): number | undefined {
  let total = 0;
  for (const row of rows) {
    const one = value(row);
    if (one === undefined) return undefined;
    total += one ?? 0;
  }
  return total;
}

/** The sums of the members of one value; undefined if a row lacks the value. */
function sums<T extends object>(
  rows: readonly ProcessUsage[],
  values: (row: ProcessUsage) => readonly (T | undefined)[],
): T | undefined {
  const all = rows.flatMap(values);
  const parts = all.filter((part) => part !== undefined);
  const [first] = parts;
  if (first === undefined || parts.length < all.length) return undefined;
  const keys = Object.keys(first) as (keyof T)[];
  const added = keys.map((key) => [key, parts.reduce((total, part) => total + (part[key] as number), 0)]);
  return Object.fromEntries(added) as T;
}

export function totalOf(rows: readonly ProcessUsage[]): UsageTotal {
  return {
    processes: rows.length,
    threads: sum(rows, ({ threads }) => threads),
    cpu: sums(rows, ({ cpu, waitedCpu }) => [cpu, waitedCpu]),
    cpuTime: sum(rows, ({ cpu, waitedCpu, runtime }) => {
      if (cpu === undefined || waitedCpu === undefined) return undefined;
      return (runtime ?? cpu.user + cpu.system) + waitedCpu.user + waitedCpu.system;
    }),
    rss: sum(rows, ({ rss }) => rss),
    vsize: sum(rows, ({ vsize }) => vsize),
    swap: sum(rows, ({ swap }) => swap),
    pss: sum(rows, ({ pss }) => pss),
    pageFaults: sums(rows, ({ pageFaults, waitedPageFaults }) => [pageFaults, waitedPageFaults]),
    io: sums(rows, ({ io }) => [io]),
    switches: sums(rows, ({ switches }) => [switches]),
  };
}
