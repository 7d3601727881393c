/** Keys that go ahead of what is being sent, and what becomes of that. */
import { describe, expect, it } from 'vitest';
import { type SendResult, sendKey, sendLiteral, sendText } from '../../../lib/index.js';
import { missingTmux, ownServers, readerIn } from './start.js';

const missing = missingTmux();
const { servers } = ownServers();

const way = { way: 'protocol', timeoutMs: 20_000 } as const;
/** Nobody waits so long: only an interrupt ends such a send. */
const LONG = { ...way, enterDelayMs: 60_000 };
const sent = (result: SendResult) => expect(result).toMatchObject({ ok: true });
const interrupted = (delivered: string) => ({ ok: false, reason: 'interrupted', delivered, failure: null });

describe.skipIf(missing !== undefined)('an interrupt', () => {
  it('comes at once, and nothing that was begun before it comes after it, Enter least of all', async () => {
    const { pane, got } = await readerIn(servers);
    const first = sendText(pane, 'one', LONG);
    await got(3);
    const waiting = [sendText(pane, 'two', LONG), sendLiteral(pane, 'x', way), sendKey(pane, 'Tab', way)];
    const interrupt = sendKey(pane, 'C-c', way);
    const later = sendText(pane, 'three', { ...way, enterDelayMs: 0 });
    sent(await interrupt);
    expect(await first).toMatchObject(interrupted('text'));
    for (const result of await Promise.all(waiting)) expect(result).toMatchObject(interrupted('nothing'));
    sent(await later);
    const whole = 'one\x03three\r';
    expect((await got(whole.length)).toString()).toBe(whole);
  });

  it('does not end another, nor what was begun after it', async () => {
    const { pane, got } = await readerIn(servers);
    const text = sendText(pane, 'one', LONG);
    await got(3);
    const keys = [
      sendKey(pane, 'C-c', way),
      sendKey(pane, 'C-\\', way),
      sendKey(pane, 'C-c', way),
      sendKey(pane, 'Up', way),
    ];
    for (const result of await Promise.all(keys)) sent(result);
    expect(await text).toMatchObject(interrupted('text'));
    expect((await got(9)).toString()).toBe('one\x03\x1c\x03\x1b[A');
  });

  it('is what the caller says it is', async () => {
    const { pane, got } = await readerIn(servers);
    const turn = sendText(pane, 'one', { ...way, enterDelayMs: 50 });
    sent(await sendKey(pane, 'C-c', { ...way, interrupt: false }));
    sent(await turn);
    const text = sendText(pane, 'two', LONG);
    await got(8);
    sent(await sendKey(pane, 'Escape', { ...way, interrupt: true }));
    expect(await text).toMatchObject(interrupted('text'));
    expect((await got(9)).toString()).toBe('one\r\x03two\x1b');
    await expect(sendKey(pane, 'C-c', { interrupt: 'yes' as never })).rejects.toMatchObject({
      option: 'interrupt',
    });
  });

  it('ends nothing in another pane', async () => {
    const { pane, got } = await readerIn(servers);
    const other = await readerIn(servers);
    const end = new AbortController();
    const text = sendText(pane, 'one', { ...LONG, signal: end.signal });
    await got(3);
    sent(await sendKey(other.pane, 'C-c', way));
    end.abort();
    expect(await text).toMatchObject({ reason: 'failed', failure: { kind: 'aborted' }, delivered: 'text' });
  });
});
