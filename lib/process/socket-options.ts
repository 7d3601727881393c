import type { SocketsRequest } from '../native/binding.js';
import { OptionError } from '../native/fault.js';
import { SOCKET_KINDS, type SocketKind } from '../native/layout.js';
import {
  DEFAULT_PROC_ROOT,
  deadlineOf,
  pidList,
  pidOf,
  procRootOf,
  requireKnown,
  shown,
  wholeNumber,
} from './options.js';
import { SOCKET_STATES, type SocketState, stateMask } from './socket-states.js';

export interface SocketsOptions {
  /** Default: every kind. `tcp`, `udp` and their like stand for IPv4 and IPv6 alike. */
  readonly kinds?: readonly SocketKind[];
  /** Only sockets in one of these states. Kinds that have none (`packet`) are then left out. */
  readonly states?: readonly SocketState[];
  /** Only sockets with one of these ports at either end, as `lsof -i:PORT` has it. */
  readonly ports?: Iterable<number>;
  /** Only sockets that one of these processes holds; `owners` then names these alone. */
  readonly pids?: Iterable<number>;
  /** Find who holds each socket, by one look at the descriptors of every process. Default true. */
  readonly owners?: boolean;
  /**
   * Where the list comes from. `netlink` (sock_diag) knows more and cannot be deceived by names; `proc` are
   * the files of /proc/net; `auto` (default) takes netlink where the kernel has it, for each kind.
   */
  readonly source?: 'auto' | 'netlink' | 'proc';
  /** The network namespace of this process instead of our own: read from /proc/PID/net, never by entering it. */
  readonly netnsOf?: number;
  /** Where the process file system is mounted. Default `/proc`. Another one is read from its files. */
  readonly procRoot?: string;
  /** How long to wait for calls that do not return, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
  /** Most sockets in the table; what is left out has a `limit` fault. Default 1,000,000. */
  readonly maxRows?: number;
}

const KNOWN = [
  'kinds',
  'states',
  'ports',
  'pids',
  'owners',
  'source',
  'netnsOf',
  'procRoot',
  'deadlineMs',
  'maxRows',
];

const WAYS = ['auto', 'netlink', 'proc'] as const;
const MOST_ROWS = 1_000_000;
const MAX_PORT = 0xffff_ffff; // vsock has ports of 32 bits.

/**
 * Checks the options of sockets() and makes the request of them.
 * @throws OptionError that names the option
 */
export function socketsRequest(options: SocketsOptions): SocketsRequest {
  requireKnown(options, KNOWN, 'options');
  const procRoot = procRootOf(options.procRoot);
  const netnsOf = options.netnsOf === undefined ? 0 : pidOf('netnsOf', options.netnsOf);
  const owners = flagOf('owners', options.owners, true);
  if (!owners && options.pids !== undefined) {
    throw new OptionError('pids', 'cannot be told without looking for owners');
  }
  const way = wayOf(options.source);
  if (way === 'netlink' && (netnsOf !== 0 || procRoot !== DEFAULT_PROC_ROOT)) {
    throw new OptionError('source', 'netlink answers for our own network namespace only');
  }
  const states = listOf<SocketState>('states', options.states, SOCKET_STATES);
  return {
    procRoot,
    kinds: kindMask(options.kinds),
    byState: states !== undefined,
    tcpStates: stateMask('tcp', states),
    ipStates: stateMask('ip', states),
    otherStates: stateMask('other', states),
    ports: portList(options.ports),
    way: WAYS.indexOf(way),
    netnsOf,
    owners,
    pids: options.pids === undefined ? undefined : pidList('pids', options.pids),
    maxRows: wholeNumber('maxRows', options.maxRows, 1, MOST_ROWS, MOST_ROWS),
    deadlineMs: deadlineOf(options.deadlineMs),
  };
}

function flagOf(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw new OptionError(name, 'must be true or false');
  return value;
}

function wayOf(value: unknown): (typeof WAYS)[number] {
  if (value === undefined) return 'auto';
  const way = WAYS.find((known) => known === value);
  if (way === undefined) throw new OptionError('source', `must be one of ${WAYS.join(', ')}`);
  return way;
}

/** A list of known names; undefined where the option was not given. */
function listOf<T extends string>(
  name: string,
  value: unknown,
  known: readonly T[],
): readonly T[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw new OptionError(name, 'must be a list');
  for (const item of value as unknown[]) {
    if (!known.includes(item as T)) {
      throw new OptionError(name, `no ${shown(item)}; known are ${known.join(', ')}`);
    }
  }
  return value as T[];
}

function kindMask(value: unknown): number {
  const kinds = listOf<SocketKind>('kinds', value, SOCKET_KINDS) ?? SOCKET_KINDS;
  return kinds.reduce((mask, kind) => mask | (1 << SOCKET_KINDS.indexOf(kind)), 0);
}

function portList(value: unknown): Uint32Array {
  if (value === undefined) return new Uint32Array(0);
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) {
    throw new OptionError('ports', 'must be a list of ports');
  }
  const ports = [...(value as Iterable<unknown>)].map((port) => wholeNumber('ports', port, 1, MAX_PORT, 0));
  if (ports.length === 0 || ports.includes(0)) throw new OptionError('ports', 'must name a port');
  return Uint32Array.from(ports);
}
