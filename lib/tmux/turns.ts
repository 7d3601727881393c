/**
 * What this program sends to one pane goes one after the other: two texts at once would end up in one line. An
 * interrupt does not wait for that. As at a terminal, where it discards what was typed ahead (NOFLSH in termios(3)),
 * it ends the turn of all that was begun before it, and nothing of that is sent after it.
 */
import type { PaneRef } from './pane.js';

interface Line {
  /** Settled once all that was begun is over. */
  last: Promise<unknown>;
  /** Of what an interrupt would end. */
  readonly open: Set<AbortController>;
}

const lines = new Map<string, Line>();

/** Resolves with the first of the signals, or after `ms`. */
export function firstOf(
  signals: readonly (AbortSignal | undefined)[],
  ms?: number,
): { readonly promise: Promise<void>; forget(): void } {
  let forget = (): void => {};
  const promise = new Promise<void>((resolve) => {
    const listener = (): void => resolve();
    const timer = ms === undefined ? undefined : setTimeout(listener, ms);
    for (const signal of signals) {
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', listener, { once: true });
    }
    forget = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', listener);
    };
  });
  return { promise, forget };
}

/** Waits for what is under way, or for a signal or time: then `work` is called at once. */
async function queued<T>(
  { socket, id }: PaneRef,
  until: (line: Line) => ReturnType<typeof firstOf>,
  work: () => Promise<T>,
): Promise<T> {
  const name = `${socket} ${id}`;
  const line = lines.get(name) ?? { last: Promise.resolve(), open: new Set() };
  lines.set(name, line);
  const before = line.last;
  const end = until(line);
  const mine = Promise.race([before, end.promise]).then(() => {
    end.forget();
    return work();
  });
  const over = Promise.allSettled([before, mine]);
  line.last = over;
  // Not awaited: who was aborted does not wait for those before.
  void over.then(() => {
    if (line.last === over) lines.delete(name);
  });
  return mine;
}

/**
 * Does `work` once all that was begun before for the same pane is over, whatever came of it. When `signal` ends or an
 * interrupt comes (which is what `interrupted` tells), it is called at once, and must itself see to it that nothing is
 * sent.
 */
export async function inTurn<T>(
  pane: PaneRef,
  signal: AbortSignal | undefined,
  work: (interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  const turn = new AbortController();
  let open: Set<AbortController> | undefined;
  const until = (line: Line) => {
    open = line.open.add(turn);
    return firstOf([signal, turn.signal]);
  };
  try {
    return await queued(pane, until, () => work(turn.signal));
  } finally {
    open?.delete(turn);
  }
}

/**
 * Ends the turns of all that was begun before for the same pane, but other interrupts, and does `work` as soon as the
 * request that is under way has been answered: a paste is not overtaken. `patienceMs` is the longest wait for that.
 */
export async function aheadOfAll<T>(
  pane: PaneRef,
  signal: AbortSignal | undefined,
  patienceMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const until = (line: Line) => {
    for (const turn of line.open) turn.abort();
    return firstOf([signal], patienceMs);
  };
  return queued(pane, until, work);
}
