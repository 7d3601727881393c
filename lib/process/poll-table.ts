import { inspect } from 'node:util';
import type { Fault } from '../native/fault.js';
import type { ProcessRow } from './row.js';
import { Tree } from './tree.js';

/**
 * The processes of a poller as its last poll left them. One object for the life of the poller: what it
 * answers changes with each poll, while its rows never do (a process that changed has a new row).
 * Iteration is in the order in which the processes were first seen.
 */
export class PollTable implements Iterable<ProcessRow> {
  /** What kept the last poll from seeing everything. */
  faults: readonly Fault[] = [];
  /** Identity of the boot; undefined where the system gives none. */
  bootId: string | undefined;
  readonly procRoot: string;
  readonly #rows = new Map<number, ProcessRow>();
  #tree: Tree<ProcessRow> | undefined;

  /** Made by a poller, which alone changes it. */
  constructor(procRoot: string) {
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

  /** Direct children in the table. */
  children(pid: number): readonly ProcessRow[] {
    return this.#ensureTree().children(pid);
  }

  /** All below `pid`, breadth first, without itself. */
  descendants(pid: number): readonly ProcessRow[] {
    return this.#ensureTree().descendants(pid);
  }

  /** From the parent upward. */
  ancestors(pid: number): readonly ProcessRow[] {
    return this.#ensureTree().ancestors(pid);
  }

  /** Rows as plain objects. */
  toJSON(): Record<string, unknown> {
    return {
      bootId: this.bootId ?? null,
      faults: this.faults,
      processes: [...this].map((row) => row.toJSON()),
    };
  }

  [inspect.custom](): string {
    return `PollTable { ${this.size} processes }`;
  }

  /** Internal to the poller. */
  put(row: ProcessRow): void {
    this.#tree = undefined;
    this.#rows.set(row.pid, row);
  }

  /** Internal to the poller. */
  remove(pid: number): ProcessRow | undefined {
    const row = this.#rows.get(pid);
    if (row !== undefined) {
      this.#tree = undefined;
      this.#rows.delete(pid);
    }
    return row;
  }

  #ensureTree(): Tree<ProcessRow> {
    this.#tree ??= new Tree(this);
    return this.#tree;
  }
}
