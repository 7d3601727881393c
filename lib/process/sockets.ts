import type { PackedSockets } from '../native/binding.js';
import { Decoder } from '../native/decode.js';
import type { Fault, FaultKind } from '../native/fault.js';
import {
  CALLS,
  FAULT_KINDS,
  SOCKET_COLUMNS,
  SOCKET_KINDS,
  SOCKET_SOURCES,
  type SocketKind,
} from '../native/layout.js';
import { load } from '../native/load.js';
import { type SocketsOptions, socketsRequest } from './socket-options.js';
import { FAMILY_NAMES, type SocketFamily, SocketRow } from './socket-row.js';

export type { SocketsOptions } from './socket-options.js';
export { SOCKET_STATES } from './socket-states.js';

/** Where the sockets of one kind and family came from. */
export interface SocketSource {
  readonly kind: SocketKind;
  readonly family: SocketFamily;
  /** `absent`: this kernel has no such sockets. Null: they could not be read, and a fault says why. */
  readonly source: (typeof SOCKET_SOURCES)[number];
}

const UNSEEN_WORDS = 4;

/** The sockets of one network namespace at one moment. Rows are views over packed bytes. */
export class SocketTable implements Iterable<SocketRow> {
  readonly sources: readonly SocketSource[];
  /** Whether every process that can hold one of these sockets was looked at. */
  readonly everybodySeen: boolean;

  readonly #decoder: Decoder<typeof SOCKET_COLUMNS>;
  readonly #rows: (SocketRow | undefined)[];
  readonly #packed: PackedSockets;
  readonly #procRoot: string;
  #faults: readonly Fault[] | undefined;

  constructor(packed: PackedSockets, procRoot: string) {
    this.#decoder = new Decoder(packed, SOCKET_COLUMNS);
    this.#rows = new Array<SocketRow | undefined>(this.#decoder.rows);
    this.#packed = packed;
    this.#procRoot = procRoot;
    this.everybodySeen = this.#decoder.extra !== 0;
    this.sources = packed.sources.map(({ kind, family, source }) => ({
      kind: SOCKET_KINDS[kind] as SocketKind,
      family: FAMILY_NAMES[family] as SocketFamily,
      source: SOCKET_SOURCES[source] ?? null,
    }));
  }

  get size(): number {
    return this.#decoder.rows;
  }

  /**
   * What could not be read: lists of sockets, and each process whose descriptors could not be looked at
   * (`/proc/PID/fd`).
   */
  get faults(): readonly Fault[] {
    this.#faults ??= [...this.#packed.faults, ...this.#unseen()];
    return this.#faults;
  }

  /** The row at a position from 0 to size - 1; the same object each time. */
  row(index: number): SocketRow {
    if (!Number.isInteger(index) || index < 0 || index >= this.size) {
      throw new RangeError(`row ${index} of a table of ${this.size}`);
    }
    let row = this.#rows[index];
    if (row === undefined) {
      row = new SocketRow(this.#decoder, index);
      this.#rows[index] = row;
    }
    return row;
  }

  *[Symbol.iterator](): IterableIterator<SocketRow> {
    for (let index = 0; index < this.size; index++) yield this.row(index);
  }

  *#unseen(): IterableIterator<Fault> {
    const words = this.#packed.unseen;
    for (let at = 0; at < words.length; at += UNSEEN_WORDS) {
      const [pid, kind, call, code] = words.subarray(at, at + UNSEEN_WORDS) as unknown as [
        number,
        number,
        number,
        number,
      ];
      yield {
        kind: FAULT_KINDS[kind] as FaultKind,
        code,
        call: CALLS[call] as string,
        path: `${this.#procRoot}/${pid}/fd`,
      };
    }
  }
}

/**
 * Lists the sockets of a network namespace and who holds them, off the main thread.
 *
 * The list comes from netlink (sock_diag(7)) where the kernel has it, else from /proc/net (proc_net(5)); owners by
 * one look at /proc/PID/fd of every process. A socket that is closed between the two looks has no owner.
 * Rejects with OptionError or LoadError, never for what the system answered.
 */
export async function sockets(options: SocketsOptions = {}): Promise<SocketTable> {
  const request = socketsRequest(options);
  return new SocketTable(await load().sockets(request), request.procRoot);
}
