/** What this program sends to one pane goes one after the other: two texts at once would end up in one line. */
import type { PaneRef } from './pane.js';

const last = new Map<string, Promise<unknown>>();

function aborted(signal: AbortSignal): { readonly promise: Promise<void>; forget(): void } {
  let forget = (): void => {};
  const promise = new Promise<void>((resolve) => {
    const listener = (): void => resolve();
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', listener, { once: true });
    forget = () => signal.removeEventListener('abort', listener);
  });
  return { promise, forget };
}

/** Waits for what is under way, or for the signal: then `work` is called at once, and must itself see to it that nothing is sent. */
async function turn(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await before;
    return;
  }
  const end = aborted(signal);
  await Promise.race([before, end.promise]);
  end.forget();
}

/** Does `work` once all that was begun before for the same pane is over, whatever came of it. */
export async function inTurn<T>(
  { socket, id }: PaneRef,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const name = `${socket} ${id}`;
  const before = last.get(name) ?? Promise.resolve();
  const mine = turn(before, signal).then(work);
  const over = Promise.allSettled([before, mine]);
  last.set(name, over);
  try {
    return await mine;
  } finally {
    // Not awaited: who was aborted does not wait for those before.
    void over.then(() => {
      if (last.get(name) === over) last.delete(name);
    });
  }
}
