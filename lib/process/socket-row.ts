import type { Decoder } from '../native/decode.js';
import { type SOCKET_COLUMNS, SOCKET_FIELDS, SOCKET_KINDS, type SocketKind } from '../native/layout.js';
import { type SocketState, stateName } from './socket-states.js';

export type { SocketState } from './socket-states.js';

export type SocketFamily = 'unix' | 'inet' | 'inet6' | 'netlink' | 'packet' | 'vsock';

export const FAMILY_NAMES: Readonly<Record<number, SocketFamily>> = {
  1: 'unix',
  2: 'inet',
  10: 'inet6',
  16: 'netlink',
  17: 'packet',
  40: 'vsock',
};

const TYPE_NAMES: Readonly<Record<number, string>> = {
  1: 'stream',
  2: 'dgram',
  3: 'raw',
  5: 'seqpacket',
  10: 'packet',
};

const TIMERS = ['none', 'retransmit', 'keepalive', 'time-wait', 'probe'] as const;

export interface SocketOwner {
  readonly pid: number;
  readonly fd: number;
}

export interface SocketTimer {
  readonly name: Exclude<(typeof TIMERS)[number], 'none'>;
  /** Milliseconds until it runs. */
  readonly expiresMs: number;
  /** How often it has run without an answer. */
  readonly retransmits: number;
}

const BIT = Object.fromEntries(SOCKET_FIELDS.map((name, at) => [name, 1 << at])) as Readonly<
  Record<(typeof SOCKET_FIELDS)[number], number>
>;

type Columns = typeof SOCKET_COLUMNS;
const NUL = 0;

/**
 * One socket, as the kernel has it. A value is undefined where the source does not tell it, null where there is
 * none. Rows are views over the packed table: texts are made when they are asked for.
 */
export class SocketRow {
  readonly kind: SocketKind;
  readonly family: SocketFamily;
  /**
   * Inode number in the kernel's file system of sockets, which is one for all namespaces. 0 = no descriptor leads
   * here: TIME_WAIT, a connection that nobody has accepted, one that outlives its process.
   */
  readonly inode: number;

  readonly #decoder: Decoder<Columns>;
  readonly #index: number;
  readonly #present: number;

  constructor(decoder: Decoder<Columns>, index: number) {
    this.#decoder = decoder;
    this.#index = index;
    this.#present = this.#number('present');
    this.kind = SOCKET_KINDS[this.#number('kind')] as SocketKind;
    this.family = FAMILY_NAMES[this.#number('family')] as SocketFamily;
    this.inode = Number((decoder.column('inode') as BigUint64Array)[index]);
  }

  /** `stream`, `dgram`, `raw`, `seqpacket` or the number of another one. socket(2). */
  get type(): string {
    const type = this.#number('type');
    return TYPE_NAMES[type] ?? String(type);
  }

  /** IP protocol (6 = TCP), of netlink its protocol, of packet the Ethernet protocol (0 = none yet); else null. */
  get protocol(): number | null {
    return this.family === 'unix' || this.family === 'vsock' ? null : this.#number('protocol');
  }

  /** IP: address in canonical text (RFC 5952), `0.0.0.0` and `::` = any. vsock: context id. Else null. */
  get localAddress(): string | null {
    return this.#text('local');
  }

  /** Port; netlink: port id, which for the first socket of a process is its pid. Null for kinds without. */
  get localPort(): number | null {
    return this.#hasPorts || this.family === 'netlink' ? this.#number('localPort') : null;
  }

  /** As localAddress; null where nobody is at the other end. */
  get remoteAddress(): string | null {
    return this.#text('remote');
  }

  get remotePort(): number | null {
    return this.#hasPorts && this.remoteAddress !== null ? this.#number('remotePort') : null;
  }

  /** An IPv6 socket that talks IPv4: its addresses are `::ffff:a.b.c.d`, as the kernel stores them. */
  get v4Mapped(): boolean {
    return this.#number('v4Mapped') !== 0;
  }

  /** TCP: as in the kernel (`ESTABLISHED`, `LISTEN`, ...). Others: `UNCONNECTED`, over IP `ESTABLISHED`, else `CONNECTED`. */
  get state(): SocketState | null | undefined {
    if (this.kind === 'packet') return null;
    if (!this.#has('state')) return undefined;
    const kind = this.kind === 'tcp' ? 'tcp' : this.family.startsWith('inet') ? 'ip' : 'other';
    return stateName(kind, this.#number('state'));
  }

  /** Bytes not read yet; of a listening socket the connections that wait to be accepted. */
  get receiveQueue(): number | undefined {
    return this.#has('receiveQueue') ? this.#number('receiveQueue') : undefined;
  }

  /** Bytes not acknowledged yet; of a listening socket how many connections may wait. */
  get sendQueue(): number | undefined {
    return this.#has('sendQueue') ? this.#number('sendQueue') : undefined;
  }

  /** User that made it. */
  get uid(): number | undefined {
    return this.#has('uid') ? this.#number('uid') : undefined;
  }

  /** Index of the interface that it is bound to (scope of a link-local address); null = any. */
  get interface(): number | null | undefined {
    return this.#has('interface') ? this.#number('interface') || null : undefined;
  }

  /** TCP: the timer that runs; null = none. */
  get timer(): SocketTimer | null | undefined {
    if (this.kind !== 'tcp') return null;
    if (!this.#has('timer')) return undefined;
    const name = TIMERS[this.#number('timer')];
    if (name === undefined || name === 'none') return null;
    return { name, expiresMs: this.#number('timerMs'), retransmits: this.#number('retransmits') };
  }

  /** unix: the path it is bound to, an abstract name as `@name`; null = none. U+FFFD for what is no UTF-8. */
  get path(): string | null {
    const bytes = this.pathBytes;
    if (bytes === null) return null;
    return bytes[0] === NUL ? `@${bytes.toString('utf8', 1)}` : bytes.toString('utf8');
  }

  /**
   * unix: the exact bytes of the path; an abstract name starts with NUL. /proc/net/unix shows each NUL as `@`, and
   * then so do these.
   */
  get pathBytes(): Buffer | null {
    const bytes = this.#decoder.bytes('path', this.#index) as Buffer;
    return bytes.length === 0 ? null : bytes;
  }

  /** unix: inode of the socket at the other end; null = none. */
  get peerInode(): number | null | undefined {
    if (this.kind !== 'unix') return null;
    if (!this.#has('peer')) return undefined;
    return Number((this.#decoder.column('peer') as BigUint64Array)[this.#index]) || null;
  }

  /** netlink: multicast groups it has joined, from 1 (/proc shows the first 32 of them); null for other kinds. */
  get groups(): readonly number[] | null | undefined {
    if (this.kind !== 'netlink') return null;
    if (!this.#has('groups')) return undefined;
    const bytes = this.#decoder.bytes('groups', this.#index) as Buffer;
    const groups: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      if (((bytes[bit >> 3] as number) >> (bit & 7)) & 1) groups.push(bit + 1);
    }
    return groups;
  }

  /**
   * Every descriptor that leads here, ascending by pid. Undefined: not asked for, or none was found and not everybody
   * could be looked at. Empty: nobody has it open (it may be on its way inside a message, or the kernel's own).
   */
  get owners(): readonly SocketOwner[] | undefined {
    if (!this.#has('owners')) return undefined;
    const bytes = this.#decoder.bytes('owners', this.#index) as Buffer;
    const owners: SocketOwner[] = [];
    for (let at = 0; at < bytes.length; at += 8) {
      owners.push({ pid: bytes.readInt32LE(at), fd: bytes.readInt32LE(at + 4) });
    }
    return owners;
  }

  /** Pids of the owners, ascending, each once. */
  get pids(): readonly number[] | undefined {
    const { owners } = this;
    return owners && [...new Set(owners.map(({ pid }) => pid))];
  }

  /** Every value; what is undefined becomes null. */
  toJSON(): Record<string, unknown> {
    const { kind, family, type, protocol, localAddress, localPort, remoteAddress, remotePort, v4Mapped } =
      this;
    const { state, receiveQueue, sendQueue, inode, uid, timer, path, peerInode, groups, owners } = this;
    const values = {
      ...{ kind, family, type, protocol, localAddress, localPort, remoteAddress, remotePort, v4Mapped },
      ...{ state, receiveQueue, sendQueue, inode, uid, interface: this.interface, timer },
      ...{ path, peerInode, groups, owners },
    };
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null]));
  }

  get #hasPorts(): boolean {
    return (
      this.kind === 'tcp' ||
      this.kind === 'udp' ||
      this.kind === 'udplite' ||
      this.kind === 'icmp' ||
      this.kind === 'vsock'
    );
  }

  #has(field: keyof typeof BIT): boolean {
    return (this.#present & BIT[field]) !== 0;
  }

  #number(
    column: Exclude<keyof Columns, 'inode' | 'peer' | 'local' | 'remote' | 'path' | 'groups' | 'owners'>,
  ): number {
    return (this.#decoder.column(column) as Uint32Array | Uint8Array)[this.#index] as number;
  }

  #text(column: 'local' | 'remote'): string | null {
    return this.#decoder.text(column, this.#index) || null;
  }
}
