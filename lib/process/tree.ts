/** What a tree needs to know of a process. */
export interface TreeNode {
  readonly pid: number;
  readonly ppid: number | undefined;
  readonly startKey: bigint | undefined;
}

/**
 * Parents and children of one table. The rows were read one after another, and a pid may have been
 * given out anew in between (on some systems a parent's pid outlives the parent), so a parent that
 * started after its child is not its parent, and no walk visits a process twice.
 */
export class Tree<T extends TreeNode> {
  readonly #byPid = new Map<number, T>();
  readonly #children = new Map<number, T[]>();

  constructor(nodes: Iterable<T>) {
    for (const node of nodes) this.#byPid.set(node.pid, node);
    for (const node of this.#byPid.values()) {
      const parent = this.parent(node);
      if (parent === undefined) continue;
      const siblings = this.#children.get(parent.pid);
      if (siblings === undefined) this.#children.set(parent.pid, [node]);
      else siblings.push(node);
    }
  }

  /** The parent, if it is in the table and can be the parent. */
  parent(node: T): T | undefined {
    if (node.ppid === undefined || node.ppid === node.pid) return undefined;
    const parent = this.#byPid.get(node.ppid);
    if (parent === undefined) return undefined;
    const younger =
      parent.startKey !== undefined && node.startKey !== undefined && parent.startKey > node.startKey;
    return younger ? undefined : parent;
  }

  children(pid: number): readonly T[] {
    return this.#children.get(pid) ?? [];
  }

  /** All below `pid`, breadth first, without itself. */
  descendants(pid: number): T[] {
    const found: T[] = [];
    const seen = new Set([pid]);
    let level: readonly number[] = [pid];
    while (level.length > 0) {
      const next: number[] = [];
      for (const child of level.flatMap((parent) => this.children(parent))) {
        if (seen.has(child.pid)) continue;
        seen.add(child.pid);
        found.push(child);
        next.push(child.pid);
      }
      level = next;
    }
    return found;
  }

  /** From the parent upward. */
  ancestors(pid: number): T[] {
    const found: T[] = [];
    const seen = new Set<number>([pid]);
    let node = this.#byPid.get(pid);
    while (node !== undefined) {
      node = this.parent(node);
      if (node === undefined || seen.has(node.pid)) break;
      seen.add(node.pid);
      found.push(node);
    }
    return found;
  }
}
