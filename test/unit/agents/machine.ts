import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { AgentEvent } from '../../../lib/agents/events.js';
import { AgentMonitor } from '../../../lib/agents/monitor.js';
import type { MonitorOptions } from '../../../lib/agents/monitor-options.js';
import type { AgentPoller, TableDelta } from '../../../lib/agents/poller.js';
import type { AgentRow, AgentTable } from '../../../lib/agents/table.js';
import type { Fault } from '../../../lib/process/fault.js';
import { FakeFiles, type FakeRow, tableOf } from './fakes.js';

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

export const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
export const OTHER = '11a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
export const CLAUDE = { argv: ['claude'], exe: '/home/user/.local/bin/claude', name: 'claude' } as const;
export const CODEX = { argv: ['codex'], exe: '/x/codex', name: 'codex' } as const;
export const SHELL = { argv: ['bash'], exe: '/usr/bin/bash', name: 'bash' } as const;
export const recordPath = (pid: number): string => `/home/user/.claude/sessions/${pid}.json`;

/** The record of a claude that the machine gave the start `pid * 100`. */
export function record(pid: number, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ pid, sessionId: UUID, procStart: `${pid * 100}`, status: 'idle', ...more });
}

export interface Scene {
  readonly machine: FakeMachine;
  readonly files: FakeFiles;
  readonly monitor: AgentMonitor;
  /** `type pid` of what a poll reported. */
  poll(): Promise<string[]>;
  events(): Promise<readonly AgentEvent[]>;
}

export function scene(
  rows: Readonly<Record<number, FakeRow>>,
  options: Partial<MonitorOptions> = {},
  files = new FakeFiles(),
): Scene {
  const machine = new FakeMachine(rows);
  const monitor = new AgentMonitor({
    poller: machine,
    readProcesses: machine.readProcesses,
    openFiles: async () => Object.assign([], { faults: [] }),
    look: files.look,
    clock: () => machine.now,
    pathEnv: '',
    overrides: {},
    recordAgeMs: 100,
    ...options,
  });
  const events = async () => (await monitor.poll()).events;
  const poll = async () => (await events()).map(({ type, agent }) => `${type} ${agent.pid}`);
  return { machine, files, monitor, poll, events };
}

/** Lets every age pass, and polls. */
export async function later({ machine, poll }: Scene, ms = 2_000): Promise<string[]> {
  machine.now += ms;
  return poll();
}

export async function expectSameAsAgents({ machine, files, monitor }: Scene, all = false): Promise<void> {
  const { agents: rows } = await agents({
    table: machine.table,
    openFiles: async () => Object.assign([], { faults: [] }),
    look: files.look,
    pathEnv: '',
    overrides: {},
    all,
  });
  expect(monitor.agents).toEqual(rows);
}
