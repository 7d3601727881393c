import type { LinkVerdict } from './link.js';
import type { PidRecord } from './record.js';
import type { TurnVerdict } from './turns/verdict.js';

export type StateValue = 'starting' | 'idle' | 'busy' | 'waiting' | 'unknown';

export interface AgentState {
  readonly value: StateValue;
  /** The engine's own word, kept also where no rule knows it. */
  readonly raw: string | null;
  /** What said it: `pid-record`, `transcript`, `log`, `database` or `screen`; null = nothing did. */
  readonly source: string | null;
  /** Milliseconds since the epoch at which it was set; null = not known. */
  readonly at: number | null;
  /** What the engine waits for, in its own words, or `permission: <tool>`. */
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

interface Judgement {
  readonly state: AgentState;
  readonly because: readonly string[];
}

const NOTHING_KNOWN = {
  value: 'unknown',
  raw: null,
  source: null,
  at: null,
  waitingFor: null,
  background: null,
} as const;

/** A stopped process does nothing, whatever was written down before. */
function withStop(
  state: Omit<AgentState, 'suspended'>,
  because: readonly string[],
  suspended: boolean,
): Judgement {
  if (!suspended || state.value !== 'busy') return { state: { ...state, suspended }, because };
  const what = state.source === 'pid-record' ? 'record' : state.source;
  const why = `state: the process is stopped, so it is not busy whatever its ${what} says`;
  return { state: { ...state, value: 'unknown', suspended }, because: [...because, why] };
}

/** The age of a record says nothing: a turn may take an hour, and the record stays as it is. */
function byRecord(record: PidRecord, raw: string, suspended: boolean): Judgement {
  const known = Object.hasOwn(RECORD_STATES, raw) ? RECORD_STATES[raw] : undefined;
  const value = known?.value ?? 'unknown';
  const waitingFor = value === 'waiting' ? record.waitingFor : null;
  const background = known?.background ?? null;
  const because =
    known === undefined ? [`state unknown: no rule knows the status ${JSON.stringify(raw)}`] : [];
  const state = { value, raw, source: 'pid-record', at: record.statusAt, waitingFor, background };
  return withStop(state, because, suspended);
}

/** The engine's own status goes before its turns. */
export function stateOf(
  kernelState: string | undefined,
  { record }: LinkVerdict,
  gap: string,
  turn: TurnVerdict | null = null,
): Judgement {
  const suspended = kernelState === 'T' || kernelState === 't';
  const raw = record?.status ?? null;
  if (record !== null && raw !== null) return byRecord(record, raw, suspended);
  if (turn !== null) {
    const { why, ...told } = turn;
    const because = [told.value === 'unknown' ? `state unknown: ${why}` : `state: ${why}`];
    return withStop({ ...NOTHING_KNOWN, ...told }, because, suspended);
  }
  const why = `state unknown: ${record === null ? gap : 'the record has no status yet'}`;
  return { state: { ...NOTHING_KNOWN, suspended }, because: [why] };
}
