import type { Fault } from './fault.js';

/** The functions of the `.node` file, as native/napi/addon.cc exports them. */
export interface Binding {
  snapshot(request: SnapshotRequest): PackedProcesses;
  snapshotAsync(request: SnapshotRequest): Promise<PackedProcesses>;
  files(request: FilesRequest): Promise<{ readonly files: PackedTable; readonly locks: PackedTable }>;
  locks(procRoot: string, deadlineMs: number): Promise<PackedTable>;
  look(requests: readonly RawLookRequest[], deadlineMs: number): Promise<RawLookAnswer[]>;
  sockets(request: SocketsRequest): Promise<PackedSockets>;
  usage(request: UsageRequest): Promise<PackedTable>;
  samplerStart(request: SamplerRequest): SamplerHandle;
  samplerStop(sampler: SamplerHandle): void;
  samplerDrain(sampler: SamplerHandle): RawBatch;
  /** Resolves when there is a sample to take, or there will never be one. */
  samplerWait(sampler: SamplerHandle): Promise<void>;
  samplerState(sampler: SamplerHandle): RawSamplerState;
  pollerOpen(request: PollRequest): PollerHandle;
  /** Undefined = nothing happened since the last poll. `fields` as in the request. */
  pollerPoll(poller: PollerHandle, fields: number): RawDelta | undefined;
  pollerPollAsync(poller: PollerHandle, fields: number): Promise<RawDelta | undefined>;
  /** Whether a poll would find nothing, told without a look at any process. False = poll. */
  pollerIdle(poller: PollerHandle): boolean;
  /**
   * `over` resolves when the poller would find something, looked at after `firstMs` and then each `intervalMs`, or when
   * the wait is stopped. Null = the system gives no thread for it.
   */
  pollerWait(poller: PollerHandle, firstMs: number, intervalMs: number): RawWait | null;
  pollerStopWait(wait: RawWait['handle']): void;
  /** Holds from the next poll on. */
  pollerTrack(poller: PollerHandle, pid: number, on: boolean): void;
  pollerClose(poller: PollerHandle): void;
  pollerState(poller: PollerHandle): RawPollerState;
  /** Why this program does not get a source of events; null = it does. */
  eventSources(): { readonly connector: Fault | null; readonly pidfd: Fault | null };
  /** Descriptors that a poller may keep unless told otherwise. */
  descriptorBudget(): number;
  layout(): Layout;
  /** Mask of the fields that this build can read at all. */
  supported(): number;
  /** What a fault of one field of one row speaks of. */
  faultPath(procRoot: string, pid: number, field: number): string;
  /** Threads of this process that wait for a call that does not return. */
  parked(): number;
}

export interface SnapshotRequest {
  readonly procRoot: string;
  /** One bit a field, in the order of FIELDS in layout.ts. */
  readonly fields: number;
  readonly env: readonly string[];
  /** Only these; undefined = all. */
  readonly pids: Int32Array | undefined;
  readonly maxFieldBytes: number;
  readonly deadlineMs: number;
}

export interface FilesRequest {
  readonly procRoot: string;
  /** One bit a field of FILE_FIELDS. */
  readonly fields: number;
  /** One bit a role of FILE_ROLES. */
  readonly roles: number;
  readonly pids: Int32Array | undefined;
  /** Only files with one of these inode numbers; undefined = all. */
  readonly inodes: BigUint64Array | undefined;
  readonly maxRows: number;
  readonly deadlineMs: number;
}

export interface SocketsRequest {
  readonly procRoot: string;
  /** One bit a kind of SOCKET_KINDS. */
  readonly kinds: number;
  readonly byState: boolean;
  /** One bit a state by its number in TCP: of tcp, of other kinds of IP, of all else. */
  readonly tcpStates: number;
  readonly ipStates: number;
  readonly otherStates: number;
  /** Empty = all. */
  readonly ports: Uint32Array;
  /** 0 = netlink or else the files, 1 = netlink, 2 = the files. */
  readonly way: number;
  /** 0 = our own network namespace. */
  readonly netnsOf: number;
  readonly owners: boolean;
  /** Only sockets that these hold; undefined = all. */
  readonly pids: Int32Array | undefined;
  readonly maxRows: number;
  readonly deadlineMs: number;
}

export interface PackedTable {
  /** native/model/packing.h describes it. */
  readonly buffer: ArrayBuffer;
  /** What is said about the table as a whole. */
  readonly faults: readonly Fault[];
}

export interface PackedProcesses extends PackedTable {
  /** Empty where the system gives none. */
  readonly bootId: string;
}

export interface PackedSockets extends PackedTable {
  /** Numbers of SocketKind, SocketFamily and SocketSource of native/model/socket.h. */
  readonly sources: readonly { readonly kind: number; readonly family: number; readonly source: number }[];
  /** pid, fault kind, call and code of each process that could not be looked at. */
  readonly unseen: Int32Array;
}

export interface UsageRequest {
  readonly procRoot: string;
  /** One bit a field, in the order of USAGE_FIELDS. */
  readonly fields: number;
  /** In the order in which they are to be read. */
  readonly pids: Int32Array;
  readonly deadlineMs: number;
}

export interface SamplerRequest {
  readonly pid: number;
  readonly tree: boolean;
  readonly memory: boolean;
  readonly io: boolean;
  readonly members: boolean;
  readonly capacity: number;
  readonly intervalMs: number;
}

declare const HANDLE: unique symbol;
/** A native sampler; stopped when nobody holds it any more. */
export interface SamplerHandle {
  readonly [HANDLE]: true;
}

export interface RawBatch {
  readonly samples: PackedTable;
  readonly members: PackedTable;
  readonly dropped: number;
}

export interface RawSamplerState {
  readonly end: 'running' | 'stopped' | 'ended' | 'fault';
  readonly fault?: Fault;
  readonly taken: number;
  readonly missed: number;
  readonly dropped: number;
  /** Milliseconds. */
  readonly ownCpu: number;
}

export interface PollRequest extends SnapshotRequest {
  /** Mask of the volatile fields that are read of every process at each poll. */
  readonly everyPoll: number;
  /** Milliseconds; 0 = any age. */
  readonly maxAgeMs: number;
  readonly factsAgeMs: number;
  readonly trackedAgeMs: number;
  /** Milliseconds; 0 = each poll. */
  readonly trackedLookMs: number;
  /** The best source of events that may be used: 0 = none, 1 = pidfd, 2 = connector. */
  readonly events: number;
  readonly maxDescriptors: number;
}

/** A native poller; its descriptors are given back when nobody holds it any more. */
export interface PollerHandle {
  readonly [HANDLE]: true;
}

/** Ends also when nobody holds its handle any more. */
export interface RawWait {
  readonly over: Promise<void>;
  readonly handle: { readonly [HANDLE]: true };
}

/** Rows of what started and of what changed; those that changed in no text have none. */
export interface RawDelta extends PackedProcesses {
  /** For each row the mask of the fields that changed; 0 = it started. */
  readonly changed: Uint32Array;
  readonly exited: Int32Array;
  readonly failed: boolean;
}

export interface RawPollerState {
  readonly events: 'none' | 'pidfd' | 'connector';
  readonly descriptors: number;
  readonly polls: number;
  readonly lists: number;
  readonly glances: number;
  readonly reads: number;
}

export interface RawLookRequest {
  readonly op: 'stat' | 'realpath' | 'read' | 'list';
  readonly path: string | Buffer;
  readonly group?: string;
  readonly root?: string;
  readonly follow?: boolean;
  readonly offset?: number;
  readonly fromEnd?: boolean;
  readonly maxBytes?: number;
  readonly maxEntries?: number;
  readonly links?: boolean;
  readonly stats?: boolean;
}

export interface RawFileStat {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: number;
  readonly mtimeMs: number;
  readonly uid: number;
  readonly mode: number;
  readonly nlink: number;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
}

export interface RawLookAnswer {
  readonly fault?: Fault;
  readonly stat?: RawFileStat;
  readonly realpath?: string;
  readonly bytes?: Buffer;
  readonly offset?: number;
  readonly names?: readonly string[];
  /** Per name: mode (NaN = it went away), uid, size, mtime in ms, and the halves of its inode number. */
  readonly entryStats?: Float64Array;
  readonly truncated?: boolean;
}

export type ColumnType = 'i32' | 'u32' | 'u8' | 'f64' | 'u64' | 'text';

type ColumnList = readonly { readonly name: string; readonly type: ColumnType }[];

export interface Layout {
  readonly magic: number;
  readonly version: number;
  readonly headerWords: number;
  readonly faultWords: number;
  /** By kind of row. */
  readonly columns: Readonly<Record<string, ColumnList>>;
  readonly fields: readonly string[];
  readonly usageFields: readonly string[];
  readonly faultKinds: readonly string[];
  readonly calls: readonly string[];
}
