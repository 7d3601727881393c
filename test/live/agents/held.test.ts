/** Real processes that hold the files and locks by which their sessions are known. */
import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../lib/agents/envelope.js';
import { Scene } from './start.js';

const A = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const B = '7b0c3a9e-2f1d-4c5b-9e8a-1d2c3b4a5f6e';
const NOBODY = 65_534;

const rolloutOf = (id: string) => `sessions/2026/11/30/rollout-2026-11-30T15-03-55-${id}.jsonl`;
const lockOf = (id: string) => `thread-writer-locks/${id}.lock`;

describe.skipIf(process.platform !== 'linux')('sessions by held files (makers run on Linux)', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  const rollout = (id: string, home = '.codex') => scene.write(`${home}/${rolloutOf(id)}`, '{}\n');
  const lock = (id: string) => scene.write(`.codex/${lockOf(id)}`, '');

  async function codex(hold: readonly string[], more: Parameters<Scene['start']>[1] = {}): Promise<number> {
    return scene.start(await scene.fake(`bin-${Math.random()}/codex`), { argv0: 'codex', hold, ...more });
  }

  async function only(): Promise<Agent> {
    const found = await scene.agents();
    expect(found).toHaveLength(1);
    return found[0] as Agent;
  }

  describe('codex', () => {
    it('by its open rollout, whatever its arguments say', async () => {
      const path = rollout(A);
      await codex([`open ${path}`], { args: ['resume', B] });
      expect(await only()).toMatchObject({
        resumeId: B,
        session: { id: A, grade: 'exact', source: 'open-file', path, refused: [{ id: B }] },
      });
    });

    it('by the flock of its thread lock, and by no lock file without it', async () => {
      const path = lock(A);
      const without = await codex([`open ${path}`]);
      expect((await only()).session).toMatchObject({ id: null, grade: 'none' });
      expect((await only()).because).toContain(
        `session: the thread lock ${path} is open but not held, which proves nothing`,
      );
      const holder = await codex([`lock ${path}`]);
      expect(await scene.agents()).toMatchObject([
        { pid: without, session: { id: null } },
        { pid: holder, session: { id: A, grade: 'exact', source: 'lock', path, shared: false } },
      ]);
    });

    it('by no shared lock', async () => {
      await codex([`share ${lock(A)}`]);
      expect((await only()).session.id).toBeNull();
    });

    it('refuses two open rollouts, unless it holds the lock of one', async () => {
      const both = [`open ${rollout(A)}`, `open ${rollout(B)}`];
      await codex(both);
      const { session, because } = await only();
      expect(session).toMatchObject({ id: null, grade: 'none' });
      expect(session.refused.map(({ id }) => id).sort()).toEqual([A, B]);
      expect(because.join('\n')).toContain('has 2 sessions open, and no lock tells which one it writes');
      await codex([...both, `lock ${lock(B)}`]);
      expect((await scene.agents())[1]?.session).toMatchObject({
        id: B,
        grade: 'exact',
        source: 'lock',
        path: rollout(B),
        refused: [{ id: A }],
      });
    });

    it('not by what its daemon has open', async () => {
      const held = [`open ${rollout(A)}`, `lock ${lock(A)}`];
      const daemon = await codex(held, { args: ['app-server', '--managed-daemon'], tty: false });
      const pid = await codex([]);
      const found = await scene.agents();
      expect(found).toMatchObject([{ pid, session: { id: null, grade: 'none' } }]);
      expect(found[0]?.because).toContain(
        `session: the codex service ${daemon} has session files of this home open; it writes for every window, so they link none`,
      );
    });

    it('H18 the row is the owner of the open rollout, child or launcher', async () => {
      const native = await scene.fake('vendor/codex');
      const script = (name: string, id: string, code: string) =>
        scene.write(
          `${name}/codex`,
          `const fd = require('node:fs').openSync(${JSON.stringify(rollout(id))}, 'a');\n${code}`,
        );
      const spawn = `require('node:child_process').spawn(${JSON.stringify(native)}`;
      const handOver = script(
        'one',
        A,
        `${spawn}, { stdio: ['ignore', 'ignore', 'ignore', fd] }); require('node:fs').closeSync(fd);`,
      );
      const wrapper = await scene.start(process.execPath, { argv0: 'node', args: [handOver] });
      const child = await scene.childOf(wrapper, native);
      expect(await scene.agents()).toMatchObject([
        { pid: child, launcherPid: wrapper, session: { id: A, grade: 'exact', shared: false } },
      ]);
      scene.forget(child);
      scene.forget(wrapper);
      const keeping = script('two', B, `${spawn}, { stdio: 'ignore' });`);
      const keeper = await scene.start(process.execPath, { argv0: 'node', args: [keeping] });
      const below = await scene.childOf(keeper, native);
      expect(await scene.agents()).toMatchObject([
        { pid: keeper, launcherPid: below, kind: 'tui', session: { id: B, grade: 'exact', shared: false } },
      ]);
    });

    it('a lock shared through fork belongs to the chain, one session in two windows is shared', async () => {
      const native = await scene.fake('vendor/codex');
      const script = scene.write(
        'bin/codex',
        `const { readdirSync, readlinkSync } = require('node:fs');
        const leadsTo = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return null; } };
        const fd = readdirSync('/proc/self/fd').find((each) => leadsTo(each) === process.argv[2]);
        const stdio = ['ignore', 'ignore', 'ignore', Number(fd)];
        require('node:child_process').spawn(${JSON.stringify(native)}, { stdio });`,
      );
      const path = lock(A);
      const wrapper = await scene.start(process.execPath, {
        argv0: 'node',
        args: [script, path],
        hold: [`lock ${path}`],
      });
      const child = await scene.childOf(wrapper, native);
      expect(await scene.agents()).toMatchObject([
        { pid: child, launcherPid: wrapper, session: { id: A, source: 'lock', shared: false } },
      ]);
      const reader = await codex([`open ${rollout(A)}`]);
      expect(await scene.agents()).toMatchObject([
        { pid: child, session: { id: A, shared: true } },
        { pid: reader, session: { id: A, shared: true } },
      ]);
      expect((await scene.agents())[1]?.because).toContain(
        `session: shared; its first owner is pid ${child}`,
      );
    });

    it('by files of its own home alone, through links that stay inside', async () => {
      scene.write('other/x', '');
      await codex([`open ${rollout(A, 'other/.codex')}`]);
      expect((await only()).session.id).toBeNull();
      scene.link('via', scene.path('other/.codex'));
      const linked = await codex([`open ${rollout(B, 'other/.codex')}`], {
        env: { CODEX_HOME: scene.path('via') },
      });
      expect((await scene.agents())[1]).toMatchObject({ pid: linked, session: { id: B, grade: 'exact' } });
    });

    it('not through a link out of the home', async () => {
      const outside = mkdtempSync(join(dirname(scene.home), 'procscope-outside-'));
      try {
        const path = rollout(A, 'real');
        mkdirSync(scene.path('.codex'));
        renameSync(scene.path('real/sessions'), join(outside, 'sessions'));
        symlinkSync(join(outside, 'sessions'), scene.path('.codex/sessions'));
        await codex([`open ${scene.path('.codex', path.slice(scene.path('real').length))}`]);
        const { session, because } = await only();
        expect(session.id).toBeNull();
        expect(because).toContain(
          `session: ${scene.path('.codex/sessions')} lies behind a link that leads out of the home`,
        );
      } finally {
        rmSync(outside, { recursive: true });
      }
    });

    it('not by a deleted file, nor by a folder or an archive of that name', async () => {
      const deleted = rollout(A);
      scene.write(`.codex/${rolloutOf(B)}/x`, '');
      const archive = scene.write(`.codex/${rolloutOf(A)}.zst`, '');
      await codex([`open ${deleted}`, `open ${scene.path('.codex', rolloutOf(B))}`, `open ${archive}`]);
      expect((await only()).session.id).toBe(A);
      unlinkSync(deleted);
      expect((await only()).session).toMatchObject({ id: null, refused: [] });
    });
  });

  it('agy by its held presence lock, not by one that only lies there', async () => {
    const home = '.gemini/antigravity-cli';
    const program = await scene.fake('bin/agy');
    const path = scene.write(`${home}/presence/${A}.lock`, '');
    await scene.start(program);
    expect((await only()).session.id).toBeNull();
    await scene.start(program, { hold: [`open ${path}`] });
    expect((await scene.agents())[1]?.session.id).toBeNull();
    const holder = await scene.start(program, { hold: [`lock ${path}`] });
    expect((await scene.agents())[2]).toMatchObject({
      pid: holder,
      session: { id: A, grade: 'exact', source: 'lock', path },
    });
    const moved = scene.write(`moved/conversations/${B}.db`, '');
    await scene.start(program, {
      env: { ANTIGRAVITY_CLI_HOME: scene.path('moved') },
      hold: [`open ${moved}`, `open ${scene.write(`moved/presence/${A}.lock`, '')}`],
    });
    expect((await scene.agents())[3]?.session).toMatchObject({ id: B, source: 'open-file', path: moved });
  });

  it('cursor by its open chat store', async () => {
    const program = await scene.fake('bin/cursor-agent');
    const key = '0123456789abcdef0123456789abcdef';
    const path = scene.write(`.cursor/chats/${key}/${A}/store.db`, '');
    const odd = scene.write(`.cursor/chats/not-a-key/${B}/store.db`, '');
    await scene.start(program, { hold: [`open ${path}`, `open ${odd}`], args: ['--resume', B] });
    expect((await only()).session).toMatchObject({ id: A, grade: 'exact', source: 'open-file', path });
    const moved = scene.write(`moved/chats/${key}/${B}/store.db`, '');
    await scene.start(program, {
      env: { CURSOR_CONFIG_DIR: scene.path('moved') },
      hold: [`open ${moved}`],
    });
    expect((await scene.agents())[1]?.session).toMatchObject({ id: B, path: moved });
  });

  it('claude by its open tasks folder, and its record goes first', async () => {
    const tmp = `/tmp/claude-${process.getuid?.()}`;
    const isNew = mkdirSync(tmp, { recursive: true }) !== undefined;
    const key = mkdtempSync(join(tmp, '-procscope-'));
    try {
      const tasks = join(key, A, 'tasks');
      mkdirSync(tasks, { recursive: true });
      const program = await scene.fake('bin/claude');
      const pid = await scene.start(program, { hold: [`open ${tasks}`], args: ['--resume', B] });
      expect((await only()).session).toMatchObject({
        id: A,
        grade: 'exact',
        source: 'open-file',
        path: tasks,
      });
      const record = { pid, sessionId: B, procStart: await scene.startOf(pid), status: 'idle' };
      const write = (fields: object) =>
        scene.write(`.claude/sessions/${pid}.json`, JSON.stringify({ ...record, ...fields }));
      write({});
      expect(await only()).toMatchObject({
        session: { id: B, source: 'pid-record', refused: [{ id: A }] },
        state: { value: 'idle' },
      });
      write({ procStart: undefined });
      expect((await only()).session).toMatchObject({ id: A, source: 'open-file' });
    } finally {
      rmSync(key, { recursive: true });
      if (isNew) rmdirSync(tmp);
    }
  });

  it('claude by no folder of another uid', async () => {
    const key = mkdtempSync(`/tmp/claude-${NOBODY - 1}-`);
    try {
      const tasks = join(key, basename(key), A, 'tasks');
      mkdirSync(tasks, { recursive: true });
      await scene.start(await scene.fake('bin/claude'), { hold: [`open ${tasks}`] });
      expect((await only()).session.id).toBeNull();
    } finally {
      rmSync(key, { recursive: true });
    }
  });
});
