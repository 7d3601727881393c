import type { Fault } from '../native/fault.js';
import type { ProcessRow } from './row.js';
import { Tree } from './tree.js';

/** What every table of processes answers from its rows. */
export abstract class Relatives implements Iterable<ProcessRow> {
  abstract readonly faults: readonly Fault[];
  abstract readonly bootId: string | undefined;
  #tree: Tree<ProcessRow> | undefined;

  abstract [Symbol.iterator](): IterableIterator<ProcessRow>;

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

  /** For tables whose rows change. */
  protected forgetTree(): void {
    this.#tree = undefined;
  }

  #ensureTree(): Tree<ProcessRow> {
    this.#tree ??= new Tree(this);
    return this.#tree;
  }
}
