import type { LinkVerdict } from './link.js';

export type StateValue = 'starting' | 'idle' | 'busy' | 'waiting' | 'unknown';

export interface AgentState {
  readonly value: StateValue;
  /** The engine's own word, kept also where no rule knows it. */
  readonly raw: string | null;
  /** What said it: `pid-record`; null = nothing did. */
  readonly source: string | null;
  /** Milliseconds since the epoch at which it was set; null = not known. */
  readonly at: number | null;
  /** What the engine waits for, in its own words. */
  readonly waitingFor: string | null;
  /** The kernel has stopped the process (Ctrl-Z, SIGSTOP, a debugger). */
  readonly suspended: boolean;
  /** Idle, while a shell of its own goes on in the background; null = not known. */
  readonly background: boolean | null;
}

/** States that the record of an engine uses. Measured: claude 2.1.332 and 2.1.197, 2026-11-30. */
const RECORD_STATES: Readonly<Record<string, { value: StateValue; background: boolean }>> = {
  idle: { value: 'idle', background: false },
  busy: { value: 'busy', background: false },
  waiting: { value: 'waiting', background: false },
  shell: { value: 'idle', background: true },
};

/** The age of a record says nothing: a turn may take an hour, and the record stays as it is. */
export function stateOf(
  kernelState: string | undefined,
  link: LinkVerdict,
  gap: string,
): { readonly state: AgentState; readonly because: readonly string[] } {
  const suspended = kernelState === 'T' || kernelState === 't';
  const record = link.record;
  const raw = record?.status ?? null;
  if (record === null || raw === null) {
    return {
      state: {
        value: 'unknown',
        raw: null,
        source: null,
        at: null,
        waitingFor: null,
        suspended,
        background: null,
      },
      because: [`state unknown: ${record === null ? gap : 'the record has no status yet'}`],
    };
  }
  const known = Object.hasOwn(RECORD_STATES, raw) ? RECORD_STATES[raw] : undefined;
  const because: string[] = [];
  let value = known?.value ?? 'unknown';
  if (known === undefined) because.push(`state unknown: no rule knows the status ${JSON.stringify(raw)}`);
  if (suspended && value === 'busy') {
    value = 'unknown';
    because.push('state: the process is stopped, so it is not busy whatever its record says');
  }
  return {
    state: {
      value,
      raw,
      source: 'pid-record',
      at: record.statusAt,
      waitingFor: value === 'waiting' ? record.waitingFor : null,
      suspended,
      background: known?.background ?? null,
    },
    because,
  };
}
