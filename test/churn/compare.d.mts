/** What a poller said of one process: the values that are compared, and the first two arguments. */
export interface LoggedRow {
  pid: number;
  key: string;
  ppid: number;
  name?: string;
  argv?: readonly string[] | null;
}

/** What watch.mjs wrote down. Times are nanoseconds on the clock of the ledger. */
export interface Log {
  begins: number[];
  ends: number[];
  /** Indices of polls that failed. */
  failed: number[];
  /** Polls that reported something. */
  news: {
    poll: number;
    started: LoggedRow[];
    exited: LoggedRow[];
    changed: { row: LoggedRow; before: LoggedRow }[];
    /** Rows of the table after the poll. */
    size: number;
  }[];
  /** Most descriptors that the watching process had open. */
  descriptors: number;
  maker: number;
  /** Processes that are neither the maker nor its children. */
  others: number[];
  /** Whether nobody else can be in the table. */
  alone: boolean;
  maxAgeMs: number;
  /** Forks that the system refused for want of a pid. */
  refused: number;
}

export interface Problem {
  kind: 'missed' | 'doubled' | 'misattributed' | 'table';
  poll: number;
  text: string;
}

export interface Comparison {
  children: number;
  polls: number;
  failedPolls: number;
  /** Statements that followed from the ledger and were looked for in the log. */
  starts: number;
  exits: number;
  names: number;
  /** Children that got the pid of an earlier one, and deltas in which one left and another took a pid. */
  reused: number;
  swaps: number;
  /** Children that share pid and start with another one: nothing can be said of them. */
  unjudged: number;
  problems: Problem[];
}

/** Compares a log of watch.mjs with the ledger of the maker that ran beside it. */
export function compare(ledger: string, log: Log): Comparison;
