import type { ColumnType } from './binding.js';

/**
 * The other half of native/model/packing.h and columns.h: what crosses, and in which order. A test compares the
 * two through the addon.
 */

export const MAGIC = 0x31435350;
export const LAYOUT_VERSION = 2;
export const FAULT_WORDS = 4;

/** Words of the header, by position. */
export const HEADER = {
  magic: 0,
  version: 1,
  rows: 2,
  faults: 3,
  blobOffset: 4,
  blobLength: 5,
  faultOffset: 6,
  columns: 7,
  asked: 8,
  extra: 9,
} as const;
export const HEADER_WORDS = 10;

/** What can be asked for; the position is the bit of the mask. */
export const FIELDS = [
  'ppid',
  'pgid',
  'sid',
  'tty',
  'tpgid',
  'state',
  'name',
  'start',
  'threads',
  'priority',
  'nice',
  'cpu',
  'rss',
  'vsize',
  'kernelThread',
  'uid',
  'euid',
  'gid',
  'egid',
  'nspid',
  'user',
  'argv',
  'exe',
  'exeFile',
  'cwd',
  'root',
  'pidNamespace',
  'cgroup',
  'env',
] as const;

export type ProcessField = (typeof FIELDS)[number];

export const COLUMNS = {
  pid: 'i32',
  present: 'u32',
  flags: 'u8',
  ppid: 'i32',
  pgid: 'i32',
  sid: 'i32',
  tpgid: 'i32',
  ttyDevice: 'u32',
  state: 'u8',
  startKey: 'u64',
  startTime: 'f64',
  threads: 'i32',
  priority: 'i32',
  nice: 'i32',
  userCpu: 'f64',
  systemCpu: 'f64',
  rss: 'f64',
  vsize: 'f64',
  uid: 'u32',
  euid: 'u32',
  gid: 'u32',
  egid: 'u32',
  exeDev: 'u64',
  exeIno: 'u64',
  pidNamespace: 'u64',
  name: 'text',
  tty: 'text',
  user: 'text',
  argv: 'text',
  exe: 'text',
  cwd: 'text',
  root: 'text',
  cgroup: 'text',
  env: 'text',
  nspid: 'text',
} as const;

/** What can be asked about an open file; the position is the bit of the mask. */
export const FILE_FIELDS = ['path', 'info', 'stat', 'locks'] as const;
export type FileField = (typeof FILE_FIELDS)[number];

/** How a process holds a file. */
export const FILE_ROLES = ['fd', 'cwd', 'root', 'exe', 'map'] as const;
export type FileRole = (typeof FILE_ROLES)[number];

export const FILE_COLUMNS = {
  pid: 'i32',
  fd: 'i32',
  role: 'u8',
  present: 'u32',
  path: 'text',
  flags: 'u32',
  mountId: 'i32',
  offset: 'u64',
  details: 'text',
  dev: 'u64',
  ino: 'u64',
  rdev: 'u64',
  mode: 'u32',
  size: 'f64',
  nlink: 'f64',
} as const;

export const LOCK_COLUMNS = {
  id: 'f64',
  type: 'u8',
  mode: 'u8',
  waiting: 'u8',
  holder: 'i32',
  fd: 'i32',
  taker: 'i32',
  major: 'u32',
  minor: 'u32',
  ino: 'u64',
  start: 'u64',
  end: 'u64',
  state: 'text',
} as const;

/** In the order of LockType in native/model/descriptor.h. */
export const LOCK_TYPES = ['FLOCK', 'POSIX', 'OFDLCK', 'LEASE', 'DELEG', 'OTHER'] as const;
export const LOCK_MODES = ['read', 'write', 'none'] as const;

export const SOCKET_COLUMNS = {
  present: 'u32',
  kind: 'u8',
  family: 'u8',
  type: 'u8',
  state: 'u8',
  timer: 'u8',
  retransmits: 'u8',
  v4Mapped: 'u8',
  protocol: 'u32',
  localPort: 'u32',
  remotePort: 'u32',
  receiveQueue: 'u32',
  sendQueue: 'u32',
  uid: 'u32',
  interface: 'u32',
  timerMs: 'u32',
  inode: 'u64',
  peer: 'u64',
  local: 'text',
  remote: 'text',
  path: 'text',
  groups: 'text',
  owners: 'text',
} as const;

/** In the order of SocketKind in native/model/socket.h. */
export const SOCKET_KINDS = [
  'tcp',
  'udp',
  'udplite',
  'icmp',
  'raw',
  'unix',
  'netlink',
  'packet',
  'vsock',
] as const;
export type SocketKind = (typeof SOCKET_KINDS)[number];

/** Fields that a source may leave out: the position is the bit of `present`. */
export const SOCKET_FIELDS = [
  'state',
  'receiveQueue',
  'sendQueue',
  'uid',
  'interface',
  'timer',
  'peer',
  'groups',
  'owners',
] as const;

/** In the order of SocketSource in native/model/socket.h; the first means that a fault says why. */
export const SOCKET_SOURCES = [null, 'netlink', 'proc', 'absent'] as const;

/** The columns of one kind of row, by name, in the order of the native side. */
export type ColumnSet = Readonly<Record<string, ColumnType>>;
export type TextOf<C extends ColumnSet> = { [K in keyof C]: C[K] extends 'text' ? K : never }[keyof C];
export type NumberOf<C extends ColumnSet> = Exclude<keyof C, TextOf<C>>;

export type ColumnName = keyof typeof COLUMNS;
export type TextColumn = TextOf<typeof COLUMNS>;
export type NumberColumn = NumberOf<typeof COLUMNS>;

export const ROW_FLAG = {
  kernelThread: 1,
  exeDeleted: 2,
  cwdDeleted: 4,
  exeDeletedUnknown: 8,
  cwdDeletedUnknown: 16,
} as const;

export const FAULT_KINDS = [
  'none',
  'denied',
  'gone',
  'unsupported',
  'timeout',
  'truncated',
  'malformed',
  'limit',
  'io',
  'internal',
] as const;

export const CALLS = [
  '',
  'open',
  'read',
  'readlink',
  'stat',
  'getdents',
  'parse',
  'getpwuid',
  'realpath',
  'thread',
  'query',
] as const;

const BIT = new Map<string, number>(FIELDS.map((name, index) => [name, index]));

export function isField(name: string): name is ProcessField {
  return BIT.has(name);
}

export function fieldBit(field: ProcessField): number {
  return (1 << (BIT.get(field) as number)) >>> 0;
}

export function maskOf(fields: Iterable<ProcessField>): number {
  let mask = 0;
  for (const field of fields) mask = (mask | fieldBit(field)) >>> 0;
  return mask;
}

/** The fields that one read of `stat` gives: the base of every row. */
export const STAT_FIELDS: readonly ProcessField[] = FIELDS.slice(0, FIELDS.indexOf('uid'));
