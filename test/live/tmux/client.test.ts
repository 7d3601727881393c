import { chmodSync, chownSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TmuxAnswer, tmuxRequest } from '../../../lib/index.js';
import { encodeRequest } from '../../../lib/tmux/messages.js';
import { missingTmux, ownServers, until } from './start.js';

const missing = missingTmux();
const { server } = ownServers();

const protocol = { way: 'protocol', idempotent: true, timeoutMs: 20_000 } as const;
const failureKind = (answer: TmuxAnswer): string => (answer.ok ? 'answered' : answer.failure.kind);

describe.skipIf(missing !== undefined)('tmuxRequest()', () => {
  it('gives what the binary gives, byte for byte, 3 MB of it', async () => {
    const tmux = server();
    const id = tmux.start();
    tmux.run('set-option', '-g', 'history-limit', '50000');
    const big = tmux.pane(
      'yes "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 012345678" | head -n 41000; printf end; exec sleep 600',
    );
    const captured = ['capture-pane', '-p', '-t', big, '-S', '-'];
    await until('all is written', () => tmux.run('capture-pane', '-p', '-t', big).includes('end'));
    const own = tmux.run(...captured);
    const answer = await tmuxRequest(tmux.socket, [captured], { ...protocol, timeoutMs: 20_000 });
    expect(own.length).toBeGreaterThan(3_000_000);
    expect(answer.ok && answer.stdout.toString() === own).toBe(true);
    const cut = await tmuxRequest(tmux.socket, [captured], { ...protocol, maxOutputBytes: 1 << 20 });
    expect(failureKind(cut)).toBe('limit');
    const other = await tmuxRequest(tmux.socket, [captured], { way: 'binary', maxOutputBytes: 1 << 20 });
    expect(other).toMatchObject({ ok: false, failure: { kind: 'limit', way: 'binary' } });
    expect(tmux.run('list-panes', '-a', '-F', '#{pane_id}')).toContain(id);
  });

  it('runs a chain until one fails, and takes `;` for what it is', async () => {
    const tmux = server();
    tmux.start();
    const say = (word: string) => ['display-message', '-p', word];
    const answer = await tmuxRequest(
      tmux.socket,
      [say('a;'), say(';'), say('\\;'), say(''), say('end')],
      protocol,
    );
    expect(answer).toMatchObject({ ok: true, status: 0, way: 'protocol', fallback: null });
    expect(answer.ok && answer.stdout.toString()).toBe('a;\n;\n\\;\n\nend\n');
    const stopped = await tmuxRequest(tmux.socket, [say('one'), ['no-such-command'], say('two')], protocol);
    expect(stopped).toMatchObject({ ok: true, status: 1, stderr: 'unknown command: no-such-command\n' });
    const late = await tmuxRequest(
      tmux.socket,
      [say('one'), ['kill-pane', '-t', '%9'], say('two')],
      protocol,
    );
    expect(late.ok && [late.status, late.stdout.toString(), late.stderr]).toEqual([
      1,
      'one\n',
      "can't find pane: %9\n",
    ]);
  });

  it('loads a buffer from its input and no file, and writes none', async () => {
    const tmux = server();
    tmux.start();
    const input = Buffer.from('over\0the wire'.repeat(20_000));
    const loaded = await tmuxRequest(tmux.socket, [['load-buffer', '-b', 'x', '-']], {
      way: 'protocol',
      input,
    });
    expect(loaded).toMatchObject({ ok: true, status: 0 });
    const shown = await tmuxRequest(tmux.socket, [['save-buffer', '-b', 'x', '-']], protocol);
    expect(shown.ok && shown.stdout.equals(input)).toBe(true);
    const target = join(tmux.folder, 'written');
    const written = await tmuxRequest(tmux.socket, [['save-buffer', '-b', 'x', target]], protocol);
    expect(written).toMatchObject({ ok: true, status: 1 });
    expect(written.ok && written.stderr).toMatch(/Permission denied/);
    expect(existsSync(target)).toBe(false);
    const read = await tmuxRequest(tmux.socket, [['load-buffer', '-b', 'y', '/etc/passwd']], protocol);
    expect(read).toMatchObject({ ok: true, status: 1 });
    const none = await tmuxRequest(tmux.socket, [['load-buffer', '-b', 'z', '-']], protocol);
    expect(none).toMatchObject({ ok: true, status: 1 });
    expect(tmux.run('list-buffers', '-F', '#{buffer_name}')).toBe('x\n');
  });

  it('tells apart what can be in the way', async () => {
    const tmux = server();
    tmux.start();
    const ask = (socket: string, further = {}) =>
      tmuxRequest(socket, [['list-sessions']], { ...protocol, ...further });
    expect(failureKind(await ask(join(tmux.folder, 'none')))).toBe('no-server');
    expect(failureKind(await ask(join(tmux.folder, 'none', 'deeper')))).toBe('no-server');
    expect(await ask(join(tmux.folder, 'none'), { way: 'binary' })).toMatchObject({
      failure: { kind: 'no-server' },
    });
    const file = join(tmux.folder, 'file');
    writeFileSync(file, '');
    expect(await ask(file)).toMatchObject({ failure: { kind: 'refused', mayHaveRun: false } });
    const link = join(tmux.folder, 'link');
    symlinkSync(tmux.socket, link);
    expect(failureKind(await ask(link))).toBe('refused');
    expect(failureKind(await ask(join(tmux.folder, 'x'.repeat(120))))).toBe('refused');
    chmodSync(tmux.folder, 0o777);
    expect(failureKind(await ask(tmux.socket))).toBe('refused');
    chmodSync(tmux.folder, 0o1777);
    expect(failureKind(await ask(tmux.socket))).toBe('answered');
    const abort = AbortSignal.abort();
    expect(await ask(tmux.socket, { signal: abort })).toMatchObject({
      failure: { kind: 'aborted', mayHaveRun: false },
    });
    const { pid } = tmux;
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await ask(tmux.socket, { timeoutMs: 500 })).toMatchObject({
        failure: { kind: 'timeout', mayHaveRun: true },
      });
      expect(await ask(tmux.socket, { timeoutMs: 500, way: 'binary' })).toMatchObject({
        failure: { kind: 'timeout' },
      });
      const soon = AbortSignal.timeout(1_000);
      expect(await ask(tmux.socket, { signal: soon })).toMatchObject({
        failure: { kind: 'aborted', mayHaveRun: true },
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await tmux.kill();
    await until('nobody listens', async () => failureKind(await ask(tmux.socket)) === 'no-server');
    expect(existsSync(tmux.socket)).toBe(true);
    expect(await ask(tmux.socket)).toMatchObject({ failure: { fault: { kind: 'gone', path: tmux.socket } } });
    expect(failureKind(await ask(tmux.socket, { way: 'binary' }))).toBe('no-server');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'does not talk to a server of another user (as root only: chown)',
    async () => {
      const tmux = server();
      tmux.start();
      chownSync(tmux.socket, 65_534, 65_534);
      const answer = await tmuxRequest(tmux.socket, [['list-sessions']], protocol);
      expect(answer).toMatchObject({
        ok: false,
        failure: { kind: 'refused', message: expect.stringMatching(/another user/) },
      });
    },
  );

  it('falls back to the binary where arguments fit no frame, and says so', async () => {
    const tmux = server();
    tmux.start();
    const long = ['display-message', '-p', 'x'.repeat(16_400)];
    expect(failureKind(await tmuxRequest(tmux.socket, [long], protocol))).toBe('limit');
    const answer = await tmuxRequest(tmux.socket, [long], { idempotent: true });
    // The binary of this version cannot send it either, and says so itself.
    expect(answer).toMatchObject({
      ok: true,
      way: 'binary',
      fallback: 'the arguments do not fit a frame',
      status: 1,
    });
    const fits = ['display-message', '-p', 'x'.repeat(16_000)];
    expect(await tmuxRequest(tmux.socket, [fits], protocol)).toMatchObject({
      ok: true,
      way: 'protocol',
      status: 0,
    });
    const missing = await tmuxRequest(tmux.socket, [fits], { way: 'binary', binary: '/nowhere/tmux' });
    expect(missing).toMatchObject({ ok: false, failure: { kind: 'unsupported', way: 'binary' } });
  });

  it('leaves no connection behind', async () => {
    const tmux = server();
    tmux.start();
    const { pid } = tmux;
    const { readdirSync } = await import('node:fs');
    const own = () => readdirSync('/proc/self/fd').length;
    const its = () => readdirSync(`/proc/${pid}/fd`).length;
    await tmuxRequest(tmux.socket, [['list-sessions']], protocol);
    const [before, theirs] = [own(), its()];
    for (let at = 0; at < 100; at++) {
      const aborted = at % 3 === 0 ? { signal: AbortSignal.timeout(1) } : {};
      await tmuxRequest(tmux.socket, [at % 3 === 1 ? ['nonsense'] : ['list-sessions']], {
        ...protocol,
        ...aborted,
      });
    }
    await until('ours are closed', () => own() <= before);
    await until('theirs are closed', () => its() <= theirs);
  });
});

describe.skipIf(missing !== undefined)('a server of the user', () => {
  it('survives a request that is cut at any byte', async () => {
    const tmux = server();
    tmux.start();
    const { pid } = tmux;
    const request = encodeRequest(['display-message', '-p', 'x'], process.pid);
    const cut = (length: number): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(tmux.socket, () => {
          socket.end(request.subarray(0, length));
        });
        socket.resume();
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        // What is whole is answered, and an answer that nobody takes would keep it open.
        setTimeout(() => socket.destroy(), 300).unref();
      });
    for (let from = 0; from <= request.length; from += 32) {
      const lengths = Array.from({ length: 32 }, (_, at) => from + at).filter(
        (length) => length <= request.length,
      );
      await Promise.all(lengths.map(cut));
    }
    const answer = await tmuxRequest(tmux.socket, [['display-message', '-p', '#{pid}']], protocol);
    expect(answer.ok && answer.stdout.toString()).toBe(`${pid}\n`);
  });

  it('gets each argument as it was given', async () => {
    const tmux = server();
    tmux.start();
    const unit = fc.oneof(
      fc.constantFrom(';', '\\', '#', '{', '}', '"', "'", '$', '%', '~', '\n', '-'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const word = fc.string({ unit, minLength: 1, maxLength: 40 }).filter((text) => !text.includes('\0'));
    await fc.assert(
      fc.asyncProperty(word, word, async (first, second) => {
        const commands = [first, second].flatMap((text) => [
          ['set-buffer', '-b', 'x', '--', text],
          ['save-buffer', '-b', 'x', '-'],
        ]);
        const answer = await tmuxRequest(tmux.socket, commands, { way: 'protocol', timeoutMs: 10_000 });
        expect(answer).toMatchObject({ ok: true, status: 0, stderr: '' });
        expect(answer.ok && answer.stdout.toString()).toBe(first + second);
      }),
      { numRuns: 100 },
    );
  });

  it('survives every argument list that can be sent', async () => {
    const tmux = server();
    tmux.start();
    const { pid } = tmux;
    const lists: string[][] = [
      [''],
      [';'],
      [';;', ';'],
      ['display-message', '-p', '\u{1f600}'.repeat(4_000)],
      ['display-message', '-p', ...Array.from({ length: 990 }, () => 'x')],
      ['display-message', '-p', '\x01\x02\x1b\x7f\n'],
      ['-'],
      ['--', '-x'],
      ['display-message', '-p', '#{'.repeat(2_000)],
      ['display-message', '-p', `${'#{?'.repeat(500)}${'}'.repeat(500)}`],
      ['load-buffer', '-'],
      ['list-panes', '-a', ';', 'list-panes', ';'],
    ];
    for (const list of lists) {
      const answer = await tmuxRequest(tmux.socket, [list], { way: 'protocol', timeoutMs: 5_000 });
      expect(answer.ok, JSON.stringify(list).slice(0, 80)).toBe(true);
    }
    expect(tmux.pid).toBe(pid);
  });
});
