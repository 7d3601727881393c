import { inspect } from 'node:util';
import type { Fault } from '../native/fault.js';
import { Relatives } from './relatives.js';
import type { ProcessRow } from './row.js';

/**
 * The processes of a poller as its last poll left them. One object for the life of the poller: what it
 * answers changes with each poll, while its rows never do (a process that changed has a new row).
 * Iteration is in the order in which the processes were first seen.
 */
export class PollTable extends Relatives {
  /** What kept the last poll from seeing everything. */
  faults: readonly Fault[] = [];
  /** Identity of the boot; undefined where the system gives none. */
  bootId: string | undefined;
  readonly procRoot: string;
  readonly #rows = new Map<number, ProcessRow>();

  /** Made by a poller, which alone changes it. */
  constructor(procRoot: string) {
    super();
    this.procRoot = procRoot;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(pid: number): ProcessRow | undefined {
    return this.#rows.get(pid);
  }

  has(pid: number): boolean {
    return this.#rows.has(pid);
  }

  [Symbol.iterator](): IterableIterator<ProcessRow> {
    return this.#rows.values();
  }

  [inspect.custom](): string {
    return `PollTable { ${this.size} processes }`;
  }

  /** Internal to the poller. */
  put(row: ProcessRow): void {
    this.forgetTree();
    this.#rows.set(row.pid, row);
  }

  /** Internal to the poller. */
  remove(pid: number): ProcessRow | undefined {
    const row = this.#rows.get(pid);
    if (row !== undefined) {
      this.forgetTree();
      this.#rows.delete(pid);
    }
    return row;
  }
}
