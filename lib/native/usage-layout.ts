/**
 * The other half of native/model/usage.h and of its columns in columns.cc: what crosses, and in
 * which order. A test compares the two through the addon.
 */

/** What can be asked for; the position is the bit of the mask. */
export const USAGE_FIELDS = ['base', 'runtime', 'peakRss', 'swap', 'pss', 'io', 'switches'] as const;

export const USAGE_COLUMNS = {
  pid: 'i32',
  present: 'u32',
  none: 'u32',
  ppid: 'i32',
  threads: 'i32',
  state: 'u8',
  kernelThread: 'u8',
  startKey: 'u64',
  user: 'f64',
  system: 'f64',
  waitedUser: 'f64',
  waitedSystem: 'f64',
  rss: 'f64',
  vsize: 'f64',
  minorFaults: 'f64',
  majorFaults: 'f64',
  waitedMinorFaults: 'f64',
  waitedMajorFaults: 'f64',
  name: 'text',
  runtime: 'f64',
  runtimeSource: 'u8',
  peakRss: 'f64',
  swap: 'f64',
  pss: 'f64',
  readChars: 'f64',
  writeChars: 'f64',
  readCalls: 'f64',
  writeCalls: 'f64',
  readBytes: 'f64',
  writeBytes: 'f64',
  cancelledWriteBytes: 'f64',
  voluntary: 'f64',
  involuntary: 'f64',
} as const;

export const SAMPLE_COLUMNS = {
  sequence: 'f64',
  time: 'f64',
  present: 'u32',
  missed: 'u32',
  processes: 'u32',
  started: 'u32',
  ended: 'u32',
  threads: 'u32',
  cpu: 'f64',
  user: 'f64',
  system: 'f64',
  percent: 'f64',
  rss: 'f64',
  vsize: 'f64',
  minorFaults: 'f64',
  majorFaults: 'f64',
  readChars: 'f64',
  writeChars: 'f64',
  readCalls: 'f64',
  writeCalls: 'f64',
  readBytes: 'f64',
  writeBytes: 'f64',
  cancelledWriteBytes: 'f64',
} as const;

export const MEMBER_COLUMNS = {
  sample: 'u32',
  pid: 'i32',
  ppid: 'i32',
  threads: 'i32',
  startKey: 'u64',
  cpu: 'f64',
  percent: 'f64',
  rss: 'f64',
  vsize: 'f64',
} as const;

/** Values of the column `runtimeSource`. */
export const RUNTIME_SOURCE = { none: 0, clock: 1, threads: 2 } as const;

export function usageBit(field: (typeof USAGE_FIELDS)[number]): number {
  return 1 << USAGE_FIELDS.indexOf(field);
}
