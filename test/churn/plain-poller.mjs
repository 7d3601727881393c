// The answers of a Poller from whole snapshots and nothing else: slow, and right for plain reasons. The
// churn runs against it as well, so that a failure tells on which side of the comparison it lies.
const ENDED = new Set(['Z', 'X']);

export class PlainPoller {
  #snapshot;
  #fields;
  #rows = new Map();

  constructor(snapshot, { fields }) {
    this.#snapshot = snapshot;
    this.#fields = fields;
  }

  poll() {
    const rows = new Map();
    for (const row of this.#snapshot({ fields: this.#fields })) {
      if (!ENDED.has(row.state)) rows.set(`${row.pid}:${row.startKey}`, row);
    }
    const before = this.#rows;
    this.#rows = rows;
    return {
      failed: false,
      table: rows,
      started: [...rows].filter(([identity]) => !before.has(identity)).map(([, row]) => row),
      exited: [...before].filter(([identity]) => !rows.has(identity)).map(([, row]) => row),
      changed: [...rows]
        .map(([identity, row]) => ({ row, before: before.get(identity) }))
        .filter((pair) => pair.before !== undefined && differs(pair)),
    };
  }

  async pollAsync() {
    return this.poll();
  }

  close() {}
}

const differs = ({ row, before }) =>
  row.name !== before.name || String(row.argv?.slice(0, 2)) !== String(before.argv?.slice(0, 2));
