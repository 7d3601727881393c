import type { Fault } from '../process/fault.js';
import type { AgentRow } from './table.js';

/** What the monitor needs of a poller of the process table: a `Poller` that reads argv and exe has it. */
export interface AgentPoller {
  poll(): TableDelta;
  /** From now on this process is looked at in each poll. */
  track(pid: number): unknown;
  untrack(pid: number): unknown;
}

export interface TableDelta {
  readonly started: readonly AgentRow[];
  readonly exited: readonly AgentRow[];
  readonly changed: readonly { readonly row: AgentRow; readonly fields: readonly string[] }[];
  /** As it stands after this poll. */
  readonly table: Iterable<AgentRow> & {
    readonly size: number;
    get(pid: number): AgentRow | undefined;
  };
  readonly faults: readonly Fault[];
  /** The table could not be read: it stands as it was, and nothing is reported. */
  readonly failed: boolean;
}
