/** Which process an agent is, in a form that can be stored as JSON. */

export interface RuntimeIdentity {
  /** Identity of the boot; null = not known, and then pid and start decide alone. */
  readonly bootId: string | null;
  readonly pid: number;
  /** Start in the kernel's own unit, in decimal. */
  readonly startKey: string;
  /** The image as it was last seen. It may change while the process lives and is never compared. */
  readonly executable: string | null;
}

/** An identity from a store; null = none, or one of an older or unreadable form, which names no process. */
export function readIdentity(value: unknown): RuntimeIdentity | null {
  if (typeof value !== 'object' || value === null) return null;
  const { bootId = null, pid, startKey, executable = null } = value as Readonly<Record<string, unknown>>;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof startKey !== 'string' || !/^\d{1,20}$/.test(startKey)) return null;
  if (bootId !== null && typeof bootId !== 'string') return null;
  return { bootId, pid, startKey, executable: typeof executable === 'string' ? executable : null };
}

export function sameRuntime(a: RuntimeIdentity, b: RuntimeIdentity): boolean {
  if (a.pid !== b.pid || a.startKey !== b.startKey) return false;
  return a.bootId === null || b.bootId === null || a.bootId === b.bootId;
}

/** Have two launcher chains a process in common? */
export function sharesProcess(a: readonly RuntimeIdentity[], b: readonly RuntimeIdentity[]): boolean {
  return a.some((one) => b.some((other) => sameRuntime(one, other)));
}

export function describeIdentity({ pid, startKey }: RuntimeIdentity): string {
  return `pid ${pid} (start ${startKey})`;
}
