import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type PaneRef,
  pasteRaw,
  type SendKeyOptions,
  type SendResult,
  sendKey,
  sendLiteral,
  sendText,
} from '../../../lib/index.js';
import { missingTmux, ownServers, readerIn, Server, until } from './start.js';

const missing = missingTmux();
const { servers } = ownServers();
const reader = (mode?: 'plain' | 'bracketed') => readerIn(servers, mode);

const buffers = (tmux: Server): string => tmux.run('list-buffers', '-F', '#{buffer_name}');
const way = { way: 'protocol', timeoutMs: 20_000 } as const;
/** How many clients the server has not taken in yet: unix(7) lists them without an inode. */
function waiting({ socket }: Server): number {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return lines.filter((line) => line.endsWith(` 02     0 ${socket}`)).length;
}
const sent = (result: SendResult) => expect(result).toMatchObject({ ok: true });

describe.skipIf(missing !== undefined)('what a pane gets', () => {
  it.each([
    ['28 KB', 28 * 1024],
    ['1 MB', 1 << 20],
  ])('is a paste of %s byte for byte', async (_, size) => {
    const { tmux, pane, got } = await reader();
    // Every byte that there is, again and again; and no end of a paste.
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, at) => at)),
      randomBytes(size - 256),
    ]);
    sent(await pasteRaw(pane, bytes, way));
    expect((await got(size)).equals(bytes)).toBe(true);
    expect(buffers(tmux)).toBe('');
  });

  it('is a paste in brackets where the program asked for that', async () => {
    const { pane, got } = await reader('bracketed');
    sent(await pasteRaw(pane, 'one\ntwo\tthree 😀', way));
    const whole = '\x1b[200~one\ntwo\tthree 😀\x1b[201~';
    expect((await got(Buffer.byteLength(whole))).toString()).toBe(whole);
  });

  it('is one text after the other, each with its Enter, also when all are sent at once', async () => {
    const { pane, got } = await reader();
    const texts = ['one', 'two', 'three', 'four'];
    const all = texts.map((text) => sendText(pane, text, { ...way, enterDelayMs: 50 }));
    for (const result of await Promise.all([...all, sendKey(pane, 'Tab', way)])) sent(result);
    const whole = 'one\rtwo\rthree\rfour\r\t';
    expect((await got(whole.length)).toString()).toBe(whole);
  });

  it('is nothing of a text that waits for its turn and is aborted, which does not wait on', async () => {
    const { pane, got } = await reader();
    const [first, second] = [new AbortController(), new AbortController()];
    let over = false;
    const sending = sendText(pane, 'one', { ...way, signal: first.signal, enterDelayMs: 60_000 });
    void sending.then(() => {
      over = true;
    });
    await got(3);
    const waiting = sendText(pane, 'two', { ...way, signal: second.signal });
    second.abort();
    expect(await waiting).toMatchObject({ ok: false, failure: { kind: 'aborted' }, delivered: 'nothing' });
    expect(over).toBe(false);
    const last = sendLiteral(pane, 'end', way);
    first.abort();
    expect(await sending).toMatchObject({ ok: false, delivered: 'text' });
    sent(await last);
    expect((await got(6)).toString()).toBe('oneend');
  });

  it('is a short text as keys, and Enter', async () => {
    const { tmux, pane, got } = await reader('bracketed');
    sent(await sendText(pane, "it's $HOME; #{pane_id} %H `x` \\ ü;\n\n", { ...way, enterDelayMs: 1 }));
    const whole = "it's $HOME; #{pane_id} %H `x` \\ ü;\r";
    expect((await got(Buffer.byteLength(whole))).toString()).toBe(whole);
    expect(buffers(tmux)).toBe('');
  });

  it.each([
    ['several lines', 'one\ntwo'],
    ['a long line', 'x'.repeat(501)],
    ['28 KB', `${'line of a long text\n'.repeat(1434)}end`],
  ])('is %s in brackets, and Enter', async (_, text) => {
    const { pane, got } = await reader('bracketed');
    sent(await sendText(pane, `${text}\n`, { ...way, enterDelayMs: 1 }));
    const whole = `\x1b[200~${text}\x1b[201~\r`;
    expect((await got(whole.length)).toString()).toBe(whole);
  });

  it('is a literal text without Enter', async () => {
    const { pane, got } = await reader('bracketed');
    sent(await sendLiteral(pane, 'Enter', way));
    sent(await sendLiteral(pane, ' a\r\nb', { ...way, lineEnds: 'send' }));
    expect((await got(10)).toString()).toBe('Enter a\r\nb');
    expect(await sendLiteral(pane, 'a\nb', way)).toMatchObject({
      ok: false,
      reason: 'line-end',
      delivered: 'nothing',
    });
  });

  it('is each key', async () => {
    const { pane, got } = await reader();
    const keys: readonly (readonly [string, string])[] = [
      ['Enter', '\r'],
      ['escape', '\x1b'],
      ['C-c', '\x03'],
      ['Up', '\x1b[A'],
      ["'", "'"],
      ['"', '"'],
      ['\\', '\\'],
      ['C-\\', '\x1c'],
      ['-', '-'],
      ['$', '$'],
      ['#', '#'],
      ['%', '%'],
      ['{', '{'],
      ['~', '~'],
      ['M-x', '\x1bx'],
      ['BSpace', '\x7f'],
      ['F5', '\x1b[15~'],
    ];
    for (const [key] of keys) sent(await sendKey(pane, key, way));
    const whole = keys.map(([, bytes]) => bytes).join('');
    expect((await got(whole.length)).toString()).toBe(whole);
    for (const wrong of ['Enterr', '', 'ab', ';', 'C-', 'é', "x' kill-server '"]) {
      await expect(sendKey(pane, wrong)).rejects.toThrow(/key/);
    }
  });

  it('is the same by the binary', async () => {
    const { pane, got, tmux } = await reader('bracketed');
    const result = await sendText(pane, 'one\ntwo', { way: 'binary', enterDelayMs: 1 });
    expect(result).toMatchObject({ ok: true, way: 'binary' });
    expect((await got(20)).toString()).toBe('\x1b[200~one\ntwo\x1b[201~\r');
    expect(buffers(tmux)).toBe('');
  });
});

describe.skipIf(missing !== undefined)('nothing is sent', () => {
  const refused = async (result: Promise<SendResult>, reason: string) =>
    expect(await result).toMatchObject({ ok: false, reason, delivered: 'nothing', failure: null });

  it('to a dead pane, one in copy mode, with its input off, of another server, or that is not there', async () => {
    const { tmux, pane, got } = await reader();
    tmux.run('set-option', '-g', 'remain-on-exit', 'on');
    const dead = { ...pane, id: tmux.pane('exit 0') };
    await until(
      'it is dead',
      () => tmux.run('display-message', '-p', '-t', dead.id, '#{pane_dead}') === '1\n',
    );
    const all = (target: PaneRef, reason: string) =>
      Promise.all([
        refused(sendText(target, 'text'), reason),
        refused(sendLiteral(target, 'text'), reason),
        refused(pasteRaw(target, 'text'), reason),
        refused(sendKey(target, 'Enter'), reason),
      ]);
    await all(dead, 'dead');
    await all({ ...pane, id: '%99' }, 'no-pane');
    await all({ ...pane, server: { pid: tmux.pid + 1, start: 1 } }, 'other-server');
    tmux.run('copy-mode', '-t', pane.id);
    await all(pane, 'mode');
    tmux.run('send-keys', '-t', pane.id, '-X', 'cancel');
    tmux.run('select-pane', '-d', '-t', pane.id);
    await all(pane, 'input-off');
    tmux.run('select-pane', '-e', '-t', pane.id);
    expect(buffers(tmux)).toBe('');
    // A mark proves that nothing came before it.
    sent(await sendLiteral(pane, 'mark'));
    expect((await got(4)).toString()).toBe('mark');
  });

  it('of a text that would end its brackets, or press Enter by itself', async () => {
    const { pane, got } = await reader('bracketed');
    const end = '\x1b[201~';
    await refused(pasteRaw(pane, `a${end}b`), 'paste-end');
    await refused(sendText(pane, `a${end}rm -r x`), 'paste-end');
    await refused(sendText(pane, 'a\rb'), 'carriage-return');
    await refused(sendText(pane, '\n\n'), 'empty');
    const result = await pasteRaw(pane, `a\x1b[20${end}1~b`, { pasteEnd: 'strip' });
    expect(result).toMatchObject({ ok: true, stripped: 2 });
    expect((await got(14)).toString()).toBe(`\x1b[200~ab${end}`);
  });

  it('where no server is, and it says so', async () => {
    const { tmux, pane } = await reader();
    await tmux.kill();
    const result = await sendText(pane, 'secret words');
    expect(result).toMatchObject({
      ok: false,
      reason: 'failed',
      failure: { kind: 'no-server' },
      delivered: 'nothing',
    });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('to a stopped server, not even later', async () => {
    const { tmux, pane, got } = await reader();
    const { pid } = tmux;
    process.kill(pid, 'SIGSTOP');
    try {
      const sends = [
        (options: SendKeyOptions) => sendText(pane, 'text', options),
        (options: SendKeyOptions) => pasteRaw(pane, 'text', options),
        (options: SendKeyOptions) => sendKey(pane, 'x', options),
      ];
      for (const [at, send] of sends.entries()) {
        const end = new AbortController();
        const sending = send({ ...way, timeoutMs: 600_000, signal: end.signal });
        await until('the request waits for the server', () => waiting(tmux) === at + 1);
        end.abort();
        expect(await sending).toMatchObject({
          ok: false,
          failure: { kind: 'aborted' },
          delivered: 'nothing',
        });
      }
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the server has taken all of them', () => waiting(tmux) === 0);
    sent(await sendLiteral(pane, 'mark', way));
    expect((await got(4)).toString()).toBe('mark');
    expect(buffers(tmux)).toBe('');
  });

  it('that tmux keeps: no text in its log of messages', async () => {
    const { tmux, pane } = await reader();
    // Messages are shown to a client only: one that is attached in a pane of another server.
    const terminal = new Server();
    servers.push(terminal);
    terminal.start(
      `exec env -i PATH="$PATH" TERM=screen LC_ALL=C.UTF-8 tmux -S ${tmux.socket} -f /dev/null attach-session`,
    );
    await until('a client is attached', () => tmux.run('list-clients') !== '');
    sent(await sendText(pane, 'secret words', { enterDelayMs: 1 }));
    const log = tmux.run('show-messages');
    expect(log).toContain('load-buffer');
    expect(log).not.toContain('secret');
  });

  it('and says where it goes further: synchronized panes', async () => {
    const { tmux, pane } = await reader();
    expect(await sendKey(pane, 'x')).toMatchObject({ ok: true, synchronized: false });
    tmux.run('split-window', '-d', '-t', pane.id, 'exec sleep 600');
    tmux.run('set-option', '-w', '-t', pane.id, 'synchronize-panes', 'on');
    expect(await sendKey(pane, 'x')).toMatchObject({ ok: true, synchronized: true });
  });
});
