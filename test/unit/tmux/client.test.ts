import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  capture,
  paneState,
  sendKey,
  sendText,
  setMouse,
  type TmuxAnswer,
  type TmuxRequestOptions,
  tmuxRequest,
} from '../../../lib/index.js';
import { FakeServer, frames, type Peer } from './fake.js';

const fakes: FakeServer[] = [];
async function fake(serve: (peer: Peer, count: number) => unknown): Promise<FakeServer> {
  const made = await FakeServer.start(serve);
  fakes.push(made);
  return made;
}
afterEach(async () => {
  for (const each of fakes.splice(0)) await each.end();
});

const QUESTION = [['display-message', '-p', 'x']] as const;
/** No binary: what falls back must fail in these tests. */
const none = { binary: '/nowhere/tmux', idempotent: true } as const;
const ask = (socket: string, options: TmuxRequestOptions = {}): Promise<TmuxAnswer> =>
  tmuxRequest(socket, QUESTION, { ...none, ...options });

/** Answers a command as servers from 3.1 on do. */
async function answer(peer: Peer, text: string, status = 0): Promise<void> {
  await peer.frame(200);
  peer.send(frames.writeOpen(1, 1));
  await peer.frame(305);
  peer.send(frames.write(1, text), frames.exit(status));
}

describe('tmuxRequest() with a server that', () => {
  it('answers', async () => {
    const { socket, peers } = await fake((peer) => answer(peer, 'hello\n'));
    const got = await ask(socket);
    expect(got).toEqual({
      ok: true,
      status: 0,
      stdout: Buffer.from('hello\n'),
      stderr: '',
      way: 'protocol',
      fallback: null,
    });
    expect(peers[0]?.argv).toEqual(['display-message', '-p', 'x']);
  });

  it.each([
    ['says nothing', (_: Peer) => undefined],
    ['sends half a frame', (peer: Peer) => peer.send(frames.exit(0).subarray(0, 18))],
    ['opens a stream and stops', (peer: Peer) => peer.send(frames.writeOpen(1, 1))],
    [
      'talks without end',
      (peer: Peer) => {
        peer.send(frames.writeOpen(1, 1));
        const more = setInterval(() => peer.send(frames.write(1, 'x')), 5);
        peer.socket.on('close', () => clearInterval(more));
      },
    ],
  ])('%s, in time', async (_, serve) => {
    const { socket, peers } = await fake(serve);
    const got = await ask(socket, { timeoutMs: 300 });
    expect(got).toMatchObject({
      ok: false,
      failure: { kind: 'timeout', mayHaveRun: true, fault: { kind: 'timeout', path: socket } },
    });
    await new Promise((resolve) =>
      peers[0]?.socket.destroyed ? resolve(0) : peers[0]?.socket.on('close', resolve),
    );
    expect(peers.length).toBe(1);
  });

  it('closes before it has answered: once more where that does no harm', async () => {
    const closes = (peer: Peer): void => {
      void peer.frame(200).then(() => peer.socket.destroy());
    };
    const first = await fake((peer, count) => (count === 1 ? closes(peer) : answer(peer, 'again')));
    expect(await ask(first.socket)).toMatchObject({ ok: true, stdout: Buffer.from('again') });
    const always = await fake(closes);
    expect(await ask(always.socket)).toMatchObject({
      ok: false,
      failure: { kind: 'lost', mayHaveRun: true },
    });
    expect(always.peers.length).toBe(2);
    const careful = await fake(closes);
    expect(await ask(careful.socket, { idempotent: false })).toMatchObject({
      failure: { kind: 'lost', mayHaveRun: true },
    });
    expect(careful.peers.length).toBe(1);
  });

  it('answers with noise', async () => {
    const { socket } = await fake((peer) => peer.send(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await ask(socket, { way: 'protocol' })).toMatchObject({
      failure: { kind: 'broken', fault: { kind: 'malformed' } },
    });
    const later = await fake((peer) => peer.send(frames.writeOpen(1, 1), Buffer.alloc(64, 0xff)));
    // Past the first frame it is a server of tmux, and another way to ask it would end no better.
    expect(await ask(later.socket)).toMatchObject({ failure: { kind: 'broken', way: 'protocol' } });
  });

  it('throws us out', async () => {
    const { socket } = await fake((peer) => peer.send(frames.exit(0, 'access not allowed')));
    expect(await ask(socket)).toMatchObject({
      failure: { kind: 'denied', mayHaveRun: false, message: 'access not allowed' },
    });
    const other = await fake((peer) => peer.send(frames.exit(0, 'server\x1b[2J exited\nmore')));
    expect(await ask(other.socket)).toMatchObject({
      failure: { kind: 'command', message: 'server [2J exited' },
    });
    const leaving = await fake((peer) => peer.send(frames.raw(210, Buffer.alloc(0))));
    expect(await ask(leaving.socket, { idempotent: false })).toMatchObject({ failure: { kind: 'lost' } });
  });

  it('writes more than it may', async () => {
    const { socket } = await fake(async (peer) => {
      peer.send(frames.writeOpen(1, 1));
      await peer.frame(305);
      for (let at = 0; at < 20; at++) peer.send(frames.write(1, 'x'.repeat(10_000)));
    });
    expect(await ask(socket, { maxOutputBytes: 100_000 })).toMatchObject({
      failure: { kind: 'limit', fault: { kind: 'limit' } },
    });
  });

  it('is asked nothing where the arguments have NUL, and nothing after an abort', async () => {
    const { socket, peers } = await fake(() => undefined);
    const nul = tmuxRequest(socket, [['display-message', '-p', 'a\0b']]);
    await expect(nul).rejects.toMatchObject({ code: 'ERR_PROCSCOPE_OPTION', option: 'commands' });
    await expect(tmuxRequest(socket, [])).rejects.toMatchObject({ option: 'commands' });
    await expect(tmuxRequest(socket, [[]])).rejects.toMatchObject({ option: 'commands' });
    await expect(tmuxRequest('relative/path', QUESTION)).rejects.toMatchObject({ option: 'socket' });
    await expect(ask(socket, { way: 'telnet' as 'auto' })).rejects.toMatchObject({ option: 'way' });
    await expect(ask(socket, { timeoutMs: 0 })).rejects.toMatchObject({ option: 'timeoutMs' });
    await expect(ask(socket, { retries: 3 } as object)).rejects.toMatchObject({ option: 'retries' });
    expect(await ask(socket, { signal: AbortSignal.abort() })).toMatchObject({
      failure: { kind: 'aborted', mayHaveRun: false },
    });
    expect(peers).toEqual([]);
    const control = new AbortController();
    const waiting = ask(socket, { signal: control.signal });
    while (peers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    expect(await waiting).toMatchObject({ failure: { kind: 'aborted' } });
  });

  it('is asked much at once with one signal, which is nothing to warn of', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    try {
      const { socket } = await fake((peer) => answer(peer, 'x'));
      const { signal } = new AbortController();
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(socket, { signal })));
      expect(answers.every(({ ok }) => ok)).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', note);
    }
    expect(warnings).toEqual([]);
    const unreal = Object.create(AbortSignal.prototype) as AbortSignal;
    await expect(ask('/nowhere', { signal: unreal })).rejects.toMatchObject({ option: 'signal' });
  });

  it('keeps no descriptor of ours', async () => {
    const { socket } = await fake((peer, count) =>
      count % 2 === 0 ? peer.send(Buffer.alloc(16)) : undefined,
    );
    const open = () => readdirSync('/proc/self/fd').length;
    await ask(socket, { timeoutMs: 20 });
    const before = open();
    for (let at = 0; at < 20; at++) await ask(socket, { timeoutMs: 20 });
    // The other half of each connection is in this process too, and closes after ours.
    for (let at = 0; at < 10_000 && open() > before; at++)
      await new Promise((resolve) => setImmediate(resolve));
    expect(open()).toBeLessThanOrEqual(before);
  });
});

describe('the binary', () => {
  /** A program that notes how it was started, and answers. */
  function stub(folder: string, body: string): { readonly binary: string; started(): string[] } {
    const [binary, log] = [join(folder, 'stub'), join(folder, 'log')];
    writeFileSync(binary, `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\n${body}\n`);
    chmodSync(binary, 0o755);
    return { binary, started: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) };
  }

  it('is taken where a server speaks another version, or nothing known, and the answer says so', async () => {
    const newer = await fake((peer) => peer.send(frames.version(9)));
    const { binary, started } = stub(newer.folder, 'echo by binary; echo said >&2');
    expect(await ask(newer.socket, { binary })).toMatchObject({
      ok: true,
      stdout: Buffer.from('by binary\n'),
      stderr: 'said\n',
      way: 'binary',
      fallback: 'the server speaks version 9 of the protocol',
    });
    expect(started()).toEqual([`-u -S ${newer.socket} display-message -p x`]);
    const strange = await fake((peer) => peer.send(frames.raw(4_000, Buffer.alloc(3))));
    const other = stub(strange.folder, 'exit 0');
    expect(await ask(strange.socket, { binary: other.binary })).toMatchObject({ ok: true, way: 'binary' });
    expect(await ask(strange.socket, { binary: other.binary, way: 'protocol' })).toMatchObject({
      failure: { kind: 'broken' },
    });
    expect(other.started().length).toBe(1);
  });

  it('is not taken for what may have run, and runs where it certainly did not', async () => {
    const strange = await fake((peer) => peer.send(frames.raw(4_000, Buffer.alloc(3))));
    const { binary, started } = stub(strange.folder, 'exit 0');
    const careful = { binary, idempotent: false };
    expect(await ask(strange.socket, careful)).toMatchObject({
      failure: { kind: 'broken', mayHaveRun: true },
    });
    expect(started()).toEqual([]);
    const newer = await fake((peer) => peer.send(frames.version(9)));
    expect(await ask(newer.socket, careful)).toMatchObject({ ok: true, way: 'binary' });
  });

  it('has its failures told apart', async () => {
    const { folder, socket } = await fake(() => undefined);
    const of = async (body: string, options: TmuxRequestOptions = {}) => {
      const got = await ask(socket, { way: 'binary', binary: stub(folder, body).binary, ...options });
      return got.ok ? got.status : got.failure.kind;
    };
    expect(await of('exit 3')).toBe(3);
    expect(await of('echo "can\'t find pane: %9" >&2; exit 1')).toBe(1);
    expect(await of('echo "no server running on /x" >&2; exit 1')).toBe('no-server');
    expect(await of('echo "error connecting to /x (No such file or directory)" >&2; exit 1')).toBe(
      'no-server',
    );
    expect(await of('echo "error connecting to /x (Permission denied)" >&2; exit 1')).toBe('denied');
    expect(await of('echo "protocol version mismatch (client 8, server 9)" >&2; exit 1')).toBe('version');
    expect(await of('echo "lost server" >&2; exit 1')).toBe('lost');
    expect(await of('kill -9 $$')).toBe('lost');
    expect(await of('exec sleep 60', { timeoutMs: 100 })).toBe('timeout');
    expect(await of('exec sleep 60', { signal: AbortSignal.timeout(100) })).toBe('aborted');
    expect(await of('exec cat /dev/zero', { maxOutputBytes: 100_000 })).toBe('limit');
    expect(await of('cat', { input: Buffer.alloc(1 << 20, 'x') })).toBe(0);
    expect(await of('exec true', { input: Buffer.alloc(1 << 20, 'x') })).toBe(0);
  });

  it('gets no environment of ours that would lead it elsewhere', async () => {
    const { folder, socket } = await fake(() => undefined);
    const { binary } = stub(folder, 'env');
    process.env['TMUX'] = '/tmp/other,1,0';
    try {
      const got = await ask(socket, { way: 'binary', binary });
      expect(got.ok && got.stdout.toString()).not.toMatch(/TMUX/);
    } finally {
      delete process.env['TMUX'];
    }
  });
});

describe('a server up to 3.0', () => {
  it('gets input in its own blocks, after its own example', async () => {
    const { socket, peers } = await fake(async (peer) => {
      await peer.frame(200);
      peer.send(frames.oldOutput(213, 'x\n'), frames.oldInput());
      await peer.frame(212);
      peer.send(frames.exit(0));
    });
    const got = await tmuxRequest(
      socket,
      [
        ['display-message', '-p', 'x'],
        ['load-buffer', '-'],
      ],
      { ...none, input: Buffer.from('in') },
    );
    expect(got).toMatchObject({ ok: true, way: 'protocol', stdout: Buffer.from('x\n') });
    expect(peers[0]?.got.filter(({ type }) => type === 212).map(({ payload }) => payload.length)).toEqual([
      8_200, 8_200,
    ]);
  });
});

describe('a pane that an old server makes an error of', () => {
  it('is one that is not there', async () => {
    const { socket } = await fake(async (peer) => {
      await peer.frame(200);
      peer.send(frames.oldOutput(211, "can't find pane: %5\n"), frames.exit(1));
    });
    const pane = { socket, id: '%5' };
    expect(await paneState(pane)).toEqual({ ok: true, state: null, way: 'protocol' });
    expect(await capture(pane)).toEqual({ ok: true, text: null, way: 'protocol' });
    expect(await sendText(pane, 'x')).toMatchObject({ ok: false, reason: 'no-pane', delivered: 'nothing' });
  });
});

describe('what is sent to a pane', () => {
  it('does not leave for a server that is not the one, and never twice', async () => {
    const { socket, peers } = await fake(async (peer) => {
      await peer.frame(200);
      peer.socket.destroy();
    });
    const got = await sendText({ socket, id: '%0' }, 'secret words');
    expect(got).toMatchObject({
      ok: false,
      reason: 'failed',
      failure: { kind: 'lost' },
      delivered: 'nothing',
    });
    // Both are the look before, which may be repeated.
    expect(peers.map(({ argv }) => argv?.[0])).toEqual(['display-message', 'display-message']);
    expect(peers.every(({ argv }) => !argv?.includes('load-buffer'))).toBe(true);
    expect(JSON.stringify(got)).not.toContain('secret');
  });

  it('is nothing where the server says that it held the command back, whatever it told before', async () => {
    const { socket, peers } = await fake(async (peer) => {
      await peer.frame(200);
      const mark = /<[0-9a-f]+>/.exec(peer.argv?.join(' ') ?? '')?.[0] ?? '';
      const values = ['1', '2', '3.3a', '%0', '0', '', '', 'sh', '0', '0', '0', '', '9'];
      const held = peer.argv?.includes('if-shell') ? 'held\n' : '';
      await answer(peer, `${mark}${values.join(mark)}${mark}\n${held}`);
    });
    const got = await sendKey({ socket, id: '%0' }, 'Enter');
    expect(got).toMatchObject({ ok: false, failure: { kind: 'broken' }, delivered: 'nothing' });
    expect(peers.length).toBe(2);
    expect(peers[1]?.argv?.slice(-2)).toEqual(["send-keys -t '%0' 'Enter'", 'display-message -p held']);
    const set = await setMouse({ socket, id: '%0' });
    expect(set).toMatchObject({ ok: false, reason: 'failed', failure: { mayHaveRun: false } });
  });

  it('is unknown where the connection ends after it was sent', async () => {
    const state = async (peer: Peer): Promise<void> => {
      await peer.frame(200);
      const mark = /<[0-9a-f]+>/.exec(peer.argv?.join(' ') ?? '')?.[0] ?? '';
      const values = ['1', '2', '3.3a', '%0', '0', '', '', 'sh', '0', '0', '0', '', '9'];
      if (peer.argv?.includes("send-keys -t '%0' 'Enter'")) peer.socket.destroy();
      else await answer(peer, `${mark}${values.join(mark)}${mark}\n`);
    };
    const { socket, peers } = await fake(state);
    const got = await sendKey({ socket, id: '%0' }, 'Enter');
    expect(got).toMatchObject({
      ok: false,
      reason: 'failed',
      failure: { kind: 'lost', mayHaveRun: true },
      delivered: 'unknown',
    });
    expect(peers.length).toBe(2);
  });
});
