import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { OptionError } from '../native/fault.js';
import { requireKnown } from './options.js';

export interface WatchOptions {
  /** Milliseconds from the start of one poll to the start of the next. Default 1,000. */
  readonly intervalMs?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

const DEFAULT_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 3_600_000;

/** A real one: what only has its prototype throws when it is asked. */
export function isSignal(value: unknown): value is AbortSignal {
  try {
    return value instanceof AbortSignal && typeof value.aborted === 'boolean';
  } catch {
    return false;
  }
}

/** A signal that any number of watches may listen to. */
export function closingSignal(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

/**
 * Checks the options of a watch.
 * @throws OptionError that names the option
 */
export function watchOptions(options: WatchOptions): { intervalMs: number; signals: AbortSignal[] } {
  requireKnown(options, ['intervalMs', 'signal'], 'options');
  const { intervalMs = DEFAULT_INTERVAL_MS, signal } = options;
  if (typeof intervalMs !== 'number' || !(intervalMs >= 1 && intervalMs <= MAX_INTERVAL_MS)) {
    throw new OptionError('intervalMs', `must be a number from 1 to ${MAX_INTERVAL_MS}`);
  }
  if (signal !== undefined && !isSignal(signal)) throw new OptionError('signal', 'must be an AbortSignal');
  return { intervalMs, signals: signal === undefined ? [] : [signal] };
}

/** Waits `firstMs`, or that and any number of `intervalMs` more, but no longer than until one of the signals. */
export type Rest = (firstMs: number, intervalMs: number, signals: readonly AbortSignal[]) => Promise<void>;

/** Calls `stop` at the first of the signals, while `work` is under way. */
export async function stoppable(
  signals: readonly AbortSignal[],
  stop: () => void,
  work: Promise<void>,
): Promise<void> {
  for (const signal of signals) signal.addEventListener('abort', stop);
  await work;
  for (const signal of signals) signal.removeEventListener('abort', stop);
}

export const restByTimer: Rest = (firstMs, _, signals) => {
  let stop = (): void => {};
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, firstMs);
    stop = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return stoppable(signals, stop, over);
};

/**
 * The moments `intervalMs` apart, until one of the signals; those that a slow consumer or a long rest ran over are
 * left out.
 */
export async function* ticks(
  intervalMs: number,
  signals: readonly AbortSignal[],
  rest: Rest = restByTimer,
): AsyncGenerator<void, void, undefined> {
  const isOver = (): boolean => signals.some((signal) => signal.aborted);
  let next = performance.now();
  while (!isOver()) {
    yield;
    if (isOver()) return;
    const now = performance.now();
    next = Math.max(next + intervalMs, now);
    await rest(next - now, intervalMs, signals);
    const late = performance.now() - next;
    if (late > 0) next += Math.floor(late / intervalMs) * intervalMs;
  }
}
