import type { Log } from './compare.mjs';

export interface Churn {
  /** Forks a second, and in all. */
  rate: number;
  total: number;
  /** Milliseconds; the lives of children are measured in it. */
  spanMs: number;
  /** Milliseconds between polls. */
  intervalMs: number;
  /** The option of the poller; default 10,000. */
  maxAgeMs?: number;
  /** Other options of the poller. */
  options?: object;
  /** Highest pid, in a namespace. Undefined: outside, where ended children give their pids to new ones. */
  pids?: number;
  /** pollAsync() instead of poll(). */
  async?: boolean;
  /** Whole snapshots instead of the poller. */
  plain?: boolean;
  /** RLIMIT_NOFILE of the program that polls. */
  descriptors?: number;
}

/** The flags with which unshare(1) makes a pid namespace here; null where the system refuses one. */
export function namespaceFlags(): string[] | null;

/** Polls beside the maker `lives` until all children are reaped. */
export function churn(asked: Churn): Promise<{ ledger: string; log: Log }>;
