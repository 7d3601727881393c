import { isDeepStrictEqual } from 'node:util';
import type { AgentPoller, TableDelta } from '../../../lib/agents/poller.js';
import type { AgentRow, AgentTable } from '../../../lib/agents/table.js';
import type { Fault } from '../../../lib/process/fault.js';
import { type FakeRow, tableOf } from './fakes.js';

/** What the poller of the monitor follows; all else is read for candidates only. */
const FOLLOWED = ['ppid', 'tty', 'state', 'name', 'argv', 'exe'] as const;

/** A machine whose processes come and go by hand, a poller over it, and a clock that is moved by hand. */
export class FakeMachine implements AgentPoller {
  readonly tracked = new Set<number>();
  /** Pids whose facts were read, read by read. */
  readonly read: (readonly number[])[] = [];
  now = 1_000;
  /** Of every poll, until it is undefined again: the table cannot be read. */
  failure: Fault | undefined;
  #rows: Readonly<Record<number, FakeRow>> = {};
  #known: AgentTable = tableOf({});

  constructor(rows: Readonly<Record<number, FakeRow>> = {}) {
    this.#rows = rows;
  }

  /** Adds processes, or changes what is known of them. */
  set(rows: Readonly<Record<number, FakeRow>>): void {
    const merged = Object.entries(rows).map(([pid, row]) => [pid, { ...this.#rows[Number(pid)], ...row }]);
    this.#rows = { ...this.#rows, ...Object.fromEntries(merged) };
  }

  /** Another process has the pid from now on. */
  replace(pid: number, row: FakeRow): void {
    this.#rows = { ...this.#rows, [pid]: row };
  }

  end(pid: number): void {
    this.#rows = Object.fromEntries(Object.entries(this.#rows).filter(([key]) => Number(key) !== pid));
  }

  /** As `agents()` would read it. */
  get table(): AgentTable {
    return tableOf(this.#rows);
  }

  readonly readProcesses = async (pids: readonly number[]): Promise<AgentTable> => {
    this.read.push(pids);
    const asked = Object.entries(this.#rows).filter(([pid]) => pids.includes(Number(pid)));
    return tableOf(Object.fromEntries(asked));
  };

  poll(): TableDelta {
    const before = this.#known;
    if (this.failure !== undefined) {
      const faults = [this.failure];
      return { started: [], exited: [], changed: [], table: before, faults, failed: true };
    }
    const rows = [...this.table].map((row) => {
      const known = before.get(row.pid);
      const same = known?.startKey === row.startKey;
      const fields = FOLLOWED.filter((field) => !isDeepStrictEqual(known?.[field], row[field]));
      return { row: same && fields.length === 0 && known ? known : row, fields, same };
    });
    const byPid = new Map<number, AgentRow>(rows.map(({ row }) => [row.pid, row]));
    this.#known = {
      size: byPid.size,
      faults: [],
      get: (pid) => byPid.get(pid),
      [Symbol.iterator]: () => byPid.values(),
    };
    return {
      started: rows.filter(({ same }) => !same).map(({ row }) => row),
      exited: [...before].filter(({ pid, startKey }) => byPid.get(pid)?.startKey !== startKey),
      changed: rows.filter(({ same, fields }) => same && fields.length > 0),
      table: this.#known,
      faults: [],
      failed: false,
    };
  }

  track(pid: number): void {
    this.tracked.add(pid);
  }

  untrack(pid: number): void {
    this.tracked.delete(pid);
  }
}
