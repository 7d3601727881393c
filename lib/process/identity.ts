/**
 * What one process is, for as long as the machine runs: its pid is given out again, the pair of pid
 * and start is not.
 */
export interface ProcessKey {
  /** Identity of the boot; undefined where the system gives none. */
  readonly bootId: string | undefined;
  readonly pid: number;
  /** Start in the kernel's own unit (Linux: clock ticks since boot, field 22 of proc_pid_stat(5)). */
  readonly startKey: bigint | undefined;
}

export type Sameness = 'same' | 'different' | 'unknown';

/**
 * Whether two keys name one process. `unknown` when what would decide it could not be read: never
 * take that for either answer.
 */
export function sameProcess(a: ProcessKey, b: ProcessKey): Sameness {
  if (a.pid !== b.pid) return 'different';
  if (a.startKey !== undefined && b.startKey !== undefined && a.startKey !== b.startKey) return 'different';
  if (a.bootId !== undefined && b.bootId !== undefined && a.bootId !== b.bootId) return 'different';
  const decided = [a.startKey, b.startKey, a.bootId, b.bootId].every((part) => part !== undefined);
  return decided ? 'same' : 'unknown';
}
