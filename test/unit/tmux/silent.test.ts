import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../../lib/tmux/failure.js';
import type { FailedPanes, ServerPanes } from '../../../lib/tmux/panes.js';
import { SilentServers } from '../../../lib/tmux/silent.js';

const socket = '/tmp/s';
const failure = failureOf('timeout', { path: socket, call: 'read', message: 'no answer' });
const failed: FailedPanes = { state: 'failed', socket, failure, panes: [], at: 1 };
const absent: ServerPanes = { state: 'absent', socket, panes: [], at: 2 };

/** Questions that are answered by hand. */
function questions() {
  const open: ((answer: ServerPanes) => void)[] = [];
  const ask = () => new Promise<ServerPanes>((resolve) => open.push(resolve));
  return { ask, open, silent: new SilentServers() };
}

/** However long that may take. */
async function settled<T>(answer: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(60_000);
  return answer;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a server that did not answer the last time', () => {
  it('is not waited for, and asked once at a time', async () => {
    const { ask, open, silent } = questions();
    expect(await settled(silent.answer(failed, ask))).toBe(failed);
    expect(await settled(silent.answer(failed, ask))).toBe(failed);
    expect(open).toHaveLength(1);
    open[0]?.(failed);
    await vi.advanceTimersByTimeAsync(0);
    expect(await settled(silent.answer(failed, ask))).toBe(failed);
    expect(open).toHaveLength(2);
  });

  it('is back when it answers at once', async () => {
    const { silent } = questions();
    expect(await silent.answer(failed, async () => absent)).toBe(absent);
  });

  it('is asked anew and waited for when it answered late, and only then', async () => {
    const { ask, open, silent } = questions();
    expect(await settled(silent.answer(failed, ask))).toBe(failed);
    open[0]?.(absent);
    await vi.advanceTimersByTimeAsync(0);
    const later = silent.answer(failed, ask);
    expect(open).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(60_000);
    open[1]?.(failed);
    expect(await later).toBe(failed);
    expect(await settled(silent.answer(failed, ask))).toBe(failed);
    expect(open).toHaveLength(3);
  });

  it('is waited for as long as it did answer, or was never asked', async () => {
    for (const before of [undefined, absent]) {
      const { ask, open, silent } = questions();
      const answer = silent.answer(before, ask);
      await vi.advanceTimersByTimeAsync(60_000);
      open[0]?.(absent);
      expect(await answer).toBe(absent);
    }
  });
});
