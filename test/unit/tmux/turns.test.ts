import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { paneState, sendKey, sendText } from '../../../lib/index.js';
import { aheadOfAll, inTurn } from '../../../lib/tmux/turns.js';
import { FakeServer, frames, type Peer } from './fake.js';

const fakes: FakeServer[] = [];
afterEach(async () => {
  for (const each of fakes.splice(0)) await each.end();
});

interface Scripted {
  readonly socket: string;
  /** What was asked, in the order in which it came. */
  readonly asked: string[];
  /** Resolves with the client that pastes, which gets no answer by itself. */
  readonly pasting: Promise<Peer>;
  answer(peer: Peer): Promise<void>;
}

/** A server with a living pane %0, and %1, that answers everything but a paste. */
async function scripted(): Promise<Scripted> {
  const asked: string[] = [];
  let told = (_: Peer): void => {};
  const pasting = new Promise<Peer>((resolve) => {
    told = resolve;
  });
  const answer = async (peer: Peer): Promise<void> => {
    const words = peer.argv?.join(' ') ?? '';
    const mark = /<[0-9a-f]+>/.exec(words)?.[0] ?? '';
    const id = /-t (%\d)/.exec(words)?.[1] ?? '';
    const values = ['1', '2', '3.3a', id, '0', '', '', 'sh', '0', '0', '0', ''];
    const record = (last: string) => `${mark}${[...values, last].join(mark)}${mark}\n`;
    peer.send(frames.writeOpen(1, 1));
    await peer.frame(305);
    peer.send(frames.write(1, record(words.includes('pane_pid') ? '9' : '')));
    if (words.includes('load-buffer')) {
      peer.send(frames.readOpen(2, 0));
      await peer.frame(302);
      peer.send(frames.write(1, record('9')));
    }
    peer.send(frames.exit(0));
  };
  const fake = await FakeServer.start(async (peer) => {
    await peer.frame(200);
    const words = peer.argv?.join(' ') ?? '';
    const [name = 'look'] = /load-buffer|paste-buffer|send-keys -t '%0' '[^']+'/.exec(words) ?? [];
    asked.push(words.includes('-t %1') ? 'other' : name);
    if (name === 'paste-buffer') told(peer);
    else await answer(peer);
  });
  fakes.push(fake);
  return { socket: fake.socket, asked, pasting, answer };
}

const INTERRUPT = "send-keys -t '%0' 'C-c'";

describe('an interrupt', () => {
  it('does not overtake a paste that is under way, and takes its Enter away', async () => {
    const { socket, asked, pasting, answer } = await scripted();
    const pane = { socket, id: '%0' };
    const text = sendText(pane, 'text', { way: 'protocol', enterDelayMs: 0, timeoutMs: 60_000 });
    const peer = await pasting;
    const interrupt = sendKey(pane, 'C-c', { way: 'protocol', timeoutMs: 60_000 });
    // By the time that this was asked and answered, the interrupt would have come if it were not to wait.
    expect(await paneState({ socket, id: '%1' })).toMatchObject({ ok: true });
    expect(asked).toEqual(['look', 'load-buffer', 'paste-buffer', 'other']);
    await answer(peer);
    expect(await text).toMatchObject({ ok: false, reason: 'interrupted', delivered: 'text' });
    expect(await interrupt).toMatchObject({ ok: true });
    expect(asked.slice(4)).toEqual(['look', INTERRUPT]);
  });

  it('goes all the same when the paste gets no answer for as long as it would wait for its own', async () => {
    const { socket, asked, pasting } = await scripted();
    const pane = { socket, id: '%0' };
    const end = new AbortController();
    const options = { way: 'protocol', enterDelayMs: 0, timeoutMs: 60_000, signal: end.signal } as const;
    const text = sendText(pane, 'text', options);
    await pasting;
    expect(await sendKey(pane, 'C-c', { way: 'protocol', timeoutMs: 300 })).toMatchObject({ ok: true });
    expect(asked).toEqual(['look', 'load-buffer', 'paste-buffer', 'look', INTERRUPT]);
    end.abort();
    expect(await text).toMatchObject({ ok: false, failure: { kind: 'aborted' }, delivered: 'unknown' });
  });

  it('that is aborted itself has ended what it would have gone ahead of', async () => {
    const { socket, asked, pasting, answer } = await scripted();
    const pane = { socket, id: '%0' };
    const text = sendText(pane, 'text', { way: 'protocol', enterDelayMs: 0, timeoutMs: 60_000 });
    const peer = await pasting;
    const signal = AbortSignal.abort();
    expect(await sendKey(pane, 'C-c', { way: 'protocol', signal })).toMatchObject({
      ok: false,
      failure: { kind: 'aborted' },
      delivered: 'nothing',
    });
    await answer(peer);
    expect(await text).toMatchObject({ ok: false, reason: 'interrupted', delivered: 'text' });
    expect(asked).toEqual(['look', 'load-buffer', 'paste-buffer']);
  });
});

const ticks = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
};

type Step = { readonly interrupts: boolean; readonly takes: number; readonly after: number };

/** Begins the steps one after the other, each some ticks after the last; answers what was sent, in order. */
async function play(steps: readonly Step[], socket: string): Promise<string[]> {
  const log: string[] = [];
  const pane = { socket, id: '%0' };
  const all: Promise<unknown>[] = [];
  for (const [index, { interrupts, takes, after }] of steps.entries()) {
    await ticks(after);
    if (interrupts) {
      log.push(`begin ${index}`);
      all.push(aheadOfAll(pane, undefined, 60_000, async () => log.push(`sent ${index}`)));
    } else {
      const work = async (interrupted: AbortSignal): Promise<void> => {
        if (interrupted.aborted) return;
        log.push(`sent ${index}`);
        await ticks(takes);
        // As Enter after its text.
        if (!interrupted.aborted) log.push(`end ${index}`);
      };
      all.push(inTurn(pane, undefined, work));
    }
  }
  await Promise.all(all);
  return log;
}

describe('turns', () => {
  it('keep their order, and an interrupt lets nothing through that was begun before it', async () => {
    const number = fc.nat({ max: 4 });
    const step = fc.record({
      interrupts: fc.boolean(),
      takes: number,
      after: number,
    });
    let plays = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const log = await play(steps, `/none/${plays++}`);
        const at = (what: string) => log.indexOf(what);
        const order = log.filter((line) => line.startsWith('sent ')).map((line) => Number(line.slice(5)));
        expect(order).toEqual([...order].sort((a, b) => a - b));
        for (const [index, { interrupts }] of steps.entries()) {
          if (!interrupts) continue;
          expect(at(`sent ${index}`)).toBeGreaterThanOrEqual(0);
          const later = log.slice(at(`begin ${index}`));
          for (let before = 0; before < index; before++) {
            if (steps[before]?.interrupts) continue;
            expect(later).not.toContain(`sent ${before}`);
            expect(later).not.toContain(`end ${before}`);
          }
        }
        const last = steps.map(({ interrupts }) => interrupts).lastIndexOf(true);
        for (let index = last + 1; index < steps.length; index++) {
          expect(log).toContain(`end ${index}`);
          // Whole: nothing of another comes between.
          expect(at(`end ${index}`)).toBe(at(`sent ${index}`) + 1);
        }
      }),
      { numRuns: 100 },
    );
  });
});
