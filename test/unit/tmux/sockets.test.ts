import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { panes, tmuxServers } from '../../../lib/index.js';
import type { FileStat, Look } from '../../../lib/process/look.js';
import { checkSocket } from '../../../lib/tmux/socket-path.js';

const uid = process.getuid?.() ?? 0;
let folder = '';
let listener: Server;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pss')));
  mkdirSync(join(folder, `tmux-${uid}`), { mode: 0o700 });
  writeFileSync(join(folder, `tmux-${uid}`, 'plain'), '');
  writeFileSync(join(folder, `tmux-${uid}`, 'default.lock'), '');
  symlinkSync('nowhere', join(folder, `tmux-${uid}`, 'link'));
  listener = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => listener.listen(join(folder, `tmux-${uid}`, 'live'), resolve));
});
afterAll(async () => {
  await new Promise((resolve) => listener.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const SOCKET = 0o140_700;
const stat = (facts: Partial<FileStat>): FileStat => ({
  ...{ dev: 1n, ino: 1n, size: 0, mtimeMs: 0, uid, mode: SOCKET, nlink: 1, kind: 'other' },
  ...facts,
});

/** Looks that answer /x/y/s as a socket, /x/y as its folder and / and /x as those above it. */
const looks =
  (socket: Partial<FileStat>, directory: Partial<FileStat>, above: Partial<FileStat> = {}): Look =>
  async (requests) =>
    requests.map(({ path }) => {
      if (path === '/x/y/s') return { stat: stat(socket) };
      const facts = path === '/x/y' ? directory : above;
      return { stat: stat({ kind: 'directory', mode: 0o40_700, ...facts }) };
    });

type Judged = readonly [string, Partial<FileStat>, Partial<FileStat>, string, Partial<FileStat>];

describe('checkSocket()', () => {
  it.each([
    ['a socket of this user', {}, {}, 'usable', {}],
    ['a folder of root', {}, { uid: 0 }, 'usable', {}],
    ['a folder for all, where each can remove only what is his', {}, { mode: 0o41_777 }, 'usable', {}],
    ['a symbolic link', { kind: 'symlink', mode: 0o120_777 }, {}, 'symlink', {}],
    ['a file', { kind: 'file', mode: 0o100_600 }, {}, 'not-a-socket', {}],
    ['a pipe', { mode: 0o10_600 }, {}, 'not-a-socket', {}],
    ['a socket of another user', { uid: uid + 1 }, {}, 'other-user', {}],
    ['a folder of another user', {}, { uid: uid + 1 }, 'open-directory', {}],
    ['a folder that anybody may write', {}, { mode: 0o40_777 }, 'open-directory', {}],
    ['a folder in one that anybody may write', {}, {}, 'open-directory', { mode: 0o40_777 }],
    ['a folder in one where each can remove only what is his', {}, {}, 'usable', { mode: 0o41_777 }],
    ['a folder in one of another user, as root is in a user namespace', {}, {}, 'usable', { uid: uid + 1 }],
  ] as readonly Judged[])('judges %s', async (_, socket, directory, expected, above) => {
    const check = await checkSocket('/x/y/s', looks(socket, directory, above));
    expect(check.state === 'refused' ? check.refusal.reason : check.state).toBe(expected);
  });

  it('tells what is not there from what could not be looked at', async () => {
    const fault = (code: number, kind: 'gone' | 'denied' | 'timeout'): Look => {
      return async (requests) =>
        requests.map(({ path }) =>
          path === '/x/y/s'
            ? { fault: { kind, code, call: 'lstat', path } }
            : { stat: stat({ mode: 0o40_700 }) },
        );
    };
    expect(await checkSocket('/x/y/s', fault(2, 'gone'))).toMatchObject({ state: 'absent' });
    expect(await checkSocket('/x/y/s', fault(13, 'denied'))).toMatchObject({ state: 'unknown' });
    expect(await checkSocket('/x/y/s', fault(0, 'timeout'))).toMatchObject({ state: 'unknown' });
    const noFolder: Look = async (requests) =>
      requests.map(({ path }) =>
        path === '/x/y/s' ? { stat: stat({}) } : { fault: { kind: 'denied', code: 13, call: 'stat', path } },
      );
    expect(await checkSocket('/x/y/s', noFolder)).toMatchObject({ state: 'unknown' });
    expect(await checkSocket(`/${'x'.repeat(108)}`)).toMatchObject({ refusal: { reason: 'path-too-long' } });
  });
});

describe('the search', () => {
  const options = () => ({ tmpDir: folder, env: {}, processes: false });

  it('takes sockets of the folder, names what it does not take, and skips locks', async () => {
    const found = await tmuxServers({ ...options(), timeoutMs: 500, way: 'protocol' });
    expect(found.servers).toEqual([]);
    expect(found.failed.map(({ kind, fault }) => [kind, fault.path])).toEqual([
      ['lost', join(folder, `tmux-${uid}`, 'live')],
    ]);
    expect(found.refused.map(({ path, reason }) => [path.split('/').at(-1), reason]).sort()).toEqual([
      ['link', 'symlink'],
      ['plain', 'not-a-socket'],
    ]);
  });

  it('finds nothing where there is nothing, and that is an empty inventory', async () => {
    const empty = { env: {}, processes: false, tmpDir: join(folder, 'none') };
    expect(await panes(empty)).toEqual({ state: 'empty', panes: [], servers: [], refused: [] });
    expect((await panes({ tmuxSockets: [] })).state).toBe('empty');
    const stale = await panes({ tmuxSockets: [join(folder, 'none')] });
    expect(stale).toMatchObject({ state: 'empty', servers: [{ state: 'absent' }] });
  });

  it('is empty where TMUX_TMPDIR leads through a file, as through nothing', async () => {
    const through = join(folder, `tmux-${uid}`, 'plain');
    const where = { tmpDir: join(folder, 'none'), processes: false };
    expect((await panes({ ...where, env: { TMUX_TMPDIR: through } })).state).toBe('empty');
  });

  it('is failed where a folder cannot be looked at', async () => {
    const fault = { kind: 'denied', code: 13, call: 'openat', path: folder } as const;
    const look: Look = async (requests) => requests.map(() => ({ fault }));
    expect(await panes({ ...options(), look })).toEqual({
      state: 'failed',
      panes: [],
      servers: [],
      refused: [],
      faults: [fault],
    });
  });

  it('answers for each socket that was named, and freezes what it may not talk to any more', async () => {
    const path = join(folder, `tmux-${uid}`, 'plain');
    const found = await panes({ tmuxSockets: [path, path] });
    expect(found).toMatchObject({
      state: 'failed',
      servers: [{ state: 'failed', failure: { kind: 'refused' }, panes: [] }],
      refused: [{ path, reason: 'not-a-socket' }],
    });
    const server = { state: 'running', socket: path, panes: [{ id: '%1' }], at: 5 };
    const previous = { state: 'read', panes: server.panes, servers: [server], refused: [] } as never;
    expect(await panes({ ...options(), previous, timeoutMs: 500 })).toMatchObject({
      state: 'failed',
      panes: [{ id: '%1' }],
      servers: [{ state: 'failed', socket: path, at: 5 }, { failure: { kind: 'lost' } }],
    });
  });

  it('refuses options that cannot be used', async () => {
    const wrong = (given: object) => panes(given as never);
    await expect(wrong({ tmuxSockets: ['relative'] })).rejects.toMatchObject({ option: 'tmuxSockets' });
    await expect(wrong({ tmuxSockets: 'x' })).rejects.toMatchObject({ option: 'tmuxSockets' });
    await expect(wrong({ sessions: 'mine' })).rejects.toMatchObject({ option: 'sessions' });
    await expect(wrong({ previous: {} })).rejects.toMatchObject({ option: 'previous' });
    await expect(wrong({ processes: 1 })).rejects.toMatchObject({ option: 'processes' });
    await expect(wrong({ socket: 'x' })).rejects.toMatchObject({ option: 'socket' });
  });
});
