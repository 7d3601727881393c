/** Real processes, and the stores that engines would have left for them on a real disk. */
import {
  chownSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../lib/agents/envelope.js';
import { AgentMonitor } from '../../../lib/agents/monitor.js';
import { startMaker } from '../../makers/start.js';
import { isRoot } from '../process/oracle.js';
import { Scene, type Start } from './start.js';

const A = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const B = '7b0c3a9e-2f1d-4c5b-9e8a-1d2c3b4a5f6e';
const C = '0c22cfb0-e5f1-4d41-8366-9bc8f0543ca5';
const NOBODY = 65_534;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

const key = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '-');

describe.skipIf(process.platform !== 'linux')('sessions by the stores (makers run on Linux)', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  async function start(name: string, how: Start = {}): Promise<number> {
    return scene.start(await scene.fake(`bin-${Math.random()}/${name}`), { argv0: name, ...how });
  }

  function folder(name: string): string {
    mkdirSync(scene.path(name), { recursive: true });
    return scene.path(name);
  }

  const turn = (cwd: string) =>
    `${JSON.stringify({ type: 'user', cwd, timestamp: new Date().toISOString() })}\n`;

  const transcript = (id: string, cwd: string, name = key(cwd)) =>
    scene.write(`.claude/projects/${name}/${id}.jsonl`, turn(cwd));

  /** The day and the time are those of this place, as codex writes them. */
  function rollout(id: string, cwd: string, home = '.codex', text?: string): string {
    const now = new Date();
    const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
    const day = local.slice(0, 10).replaceAll('-', '/');
    const payload = { id, cwd, timestamp: now.toISOString() };
    const meta = `${JSON.stringify({ type: 'session_meta', payload })}\n`;
    const name = `rollout-${local.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`;
    return scene.write(`${home}/sessions/${day}/${name}`, text ?? meta);
  }

  async function record(pid: number, id: string): Promise<string> {
    const procStart = await scene.startOf(pid);
    return scene.write(`.claude/sessions/${pid}.json`, JSON.stringify({ pid, sessionId: id, procStart }));
  }

  async function only(): Promise<Agent> {
    const found = await scene.agents();
    expect(found).toHaveLength(1);
    return found[0] as Agent;
  }

  const ids = async () =>
    Object.fromEntries((await scene.agents()).map(({ pid, session }) => [pid, session.id]));

  it('H20 the only transcript of the folder since the start', async () => {
    const cwd = folder('w/a');
    const old = transcript(B, cwd);
    utimesSync(old, LONG_AGO, LONG_AGO);
    await start('claude', { cwd });
    expect((await only()).session).toMatchObject({ id: null, refused: [] });
    const path = transcript(A, cwd);
    expect((await only()).session).toMatchObject({ id: A, grade: 'inferred', source: 'folder', path });
  });

  it('H21 two agents, three transcripts, and a record that goes', async () => {
    const cwd = folder('w/a');
    const pids = [await start('claude', { cwd }), await start('claude', { cwd })] as const;
    for (const id of [A, B, C]) transcript(id, cwd);
    await record(pids[0], A);
    const second = await record(pids[1], B);
    expect(await ids()).toEqual({ [pids[0]]: A, [pids[1]]: B });
    rmSync(second);
    for (let poll = 0; poll < 3; poll++) expect(await ids()).toEqual({ [pids[0]]: A, [pids[1]]: null });
  });

  it('H22 the later start is the first owner of a shared session', async () => {
    const pids = [await start('claude'), await start('claude')] as const;
    for (const pid of pids) await record(pid, A);
    const found = await scene.agents();
    expect(found.map(({ session }) => [session.id, session.shared])).toEqual([
      [A, true],
      [A, true],
    ]);
    const starts = await Promise.all(pids.map((pid) => scene.startOf(pid)));
    const later = BigInt(starts[1] as string) > BigInt(starts[0] as string) ? 1 : 0;
    // Both within one tick: then the lower pid.
    expect(found[1 - later]?.because).toContain(`session: shared; its first owner is pid ${pids[later]}`);
  });

  it('H23 a lock file of copilot that names the child, without its flock', async () => {
    const pid = await start('copilot', { args: ['--session-id', B] });
    folder(`.copilot/session-state/${B}`);
    const path = scene.write(`.copilot/session-state/${A}/inuse.${pid}.lock`, '');
    scene.write(`.copilot/session-state/${A}/events.jsonl`, '{}\n');
    scene.write(`.copilot/session-state/0d22cfb0-e5f1-4d41-8366-9bc8f0543ca5/inuse.999999.lock`, '');
    const phantom = scene.write(`.copilot/session-state/${C}/inuse.${pid}.lock`, '');
    scene.write(`.copilot/session-state/${C}/events.jsonl`, '{}\n');
    utimesSync(phantom, LONG_AGO, LONG_AGO);
    utimesSync(scene.path(`.copilot/session-state/${C}/events.jsonl`), LONG_AGO, LONG_AGO);
    const { session } = await only();
    expect(session).toMatchObject({ id: A, grade: 'strong', source: 'pid-file', path });
    expect(session.refused.map(({ id }) => id).sort()).toEqual([B, C].sort());
    expect(session.refused.find(({ id }) => id === C)?.why).toContain('the pid was used before');
  });

  it('H28 L44 one name for two folders, and a folder of 300 letters', async () => {
    const cwd = folder('w/a-b');
    folder('w/a/b');
    const long = folder(`w/${'x'.repeat(250)}`);
    await start('claude', { cwd });
    transcript(B, scene.path('w/a/b'), key(cwd));
    expect((await only()).session).toMatchObject({ id: null, refused: [] });
    transcript(A, cwd);
    expect((await only()).session.id).toBe(A);
    const other = await start('claude', { cwd: long });
    transcript(C, long, `${key(long).slice(0, 200)}-1k9zq`);
    expect((await ids())[other]).toBe(C);
  });

  it('L43 a folder that was entered by a link', async () => {
    const cwd = folder('w/real');
    scene.link('w/link', cwd);
    await start('pi', { cwd });
    const header = { type: 'session', id: A, cwd: scene.path('w/link'), timestamp: new Date().toISOString() };
    scene.write(`.pi/agent/sessions/--w-link--/2026_${A}.jsonl`, `${JSON.stringify(header)}\n`);
    expect((await only()).session).toMatchObject({ id: A, grade: 'inferred' });
  });

  it('codex by its only rollout, until there are two', async () => {
    const cwd = folder('w/a');
    await start('codex', { cwd });
    rollout(C, scene.path('w/b'));
    const path = rollout(A, cwd);
    expect((await only()).session).toMatchObject({ id: A, grade: 'inferred', source: 'folder', path });
    rollout(B, cwd);
    expect((await only()).session).toMatchObject({ id: null, grade: 'none' });
  });

  it('refuses a link, another owner, and a home behind a link', async (context) => {
    const cwd = folder('w/a');
    await start('claude', { cwd });
    const real = scene.write('elsewhere.jsonl', turn(cwd));
    symlinkSync(real, join(folder(`.claude/projects/${key(cwd)}`), `${A}.jsonl`));
    expect((await only()).session.id).toBeNull();
    expect((await only()).because.join('\n')).toContain('is a symbolic link: refused');
    rmSync(scene.path('.claude/projects'), { recursive: true });
    mkdirSync(scene.path('.claude'), { recursive: true });
    const outside = mkdtempSync(join(tmpdir(), 'procscope-outside-'));
    symlinkSync(outside, scene.path('.claude/projects'));
    transcript(A, cwd);
    expect((await only()).because.join('\n')).toContain(
      'lies behind a link that leads out of the home: refused',
    );
    rmSync(outside, { recursive: true });
    rmSync(scene.path('.claude/projects'));
    context.skip(!isRoot, 'only root gives files away');
    const foreign = transcript(A, cwd);
    chownSync(foreign, NOBODY, NOBODY);
    expect((await only()).session.id).toBeNull();
    expect((await only()).because.join('\n')).toContain(`belongs to uid ${NOBODY}`);
    chownSync(foreign, statSync(scene.home).uid, -1);
    expect((await only()).session.id).toBe(A);
  });

  it.each([
    ['empty', ''],
    ['half written', '[{"session_id":"01a2'],
    ['nested without end', '['.repeat(200_000)],
    ['of another kind', '"text"'],
  ])('a list of live sessions that is %s links nothing, and hides nothing', async (_, text) => {
    const pid = await start('grok');
    const path = scene.write('.grok/active_sessions.json', text);
    expect((await only()).session).toMatchObject({ id: null, grade: 'none' });
    scene.write('.grok/active_sessions.json', JSON.stringify([{ session_id: A, pid, cwd: scene.home }]));
    expect((await only()).session).toMatchObject({ id: A, grade: 'strong', path });
  });

  it('files of 50 MB are not read whole', async () => {
    await start('grok');
    const path = scene.write('.grok/active_sessions.json', '[');
    const fd = openSync(path, 'r+');
    ftruncateSync(fd, 50 << 20);
    closeSync(fd);
    const { session, because } = await only();
    expect(session.id).toBeNull();
    expect(because.join('\n')).toContain('is larger than 262144 bytes');
  });

  it('a pid that another process had before', async () => {
    const pid = await start('qwen');
    expect(await scene.agents()).toEqual([]);
    scene.forget(pid);
    const cli = scene.write('lib/@qwen-code/qwen-code/cli.js', 'setInterval(() => {}, 1000)');
    const real = await scene.start(process.execPath, { argv0: 'node', args: [cli] });
    const fields = { pid: real, session_id: A, work_dir: scene.home, started_at: LONG_AGO.getTime() / 1_000 };
    const place = `.qwen/projects/${key(scene.home)}/chats/${A}.runtime.json`;
    scene.write(place, JSON.stringify(fields));
    expect((await only()).session).toMatchObject({ id: null, refused: [{ id: A }] });
    scene.write(place, JSON.stringify({ ...fields, started_at: Date.now() / 1_000 }));
    expect((await only()).session).toMatchObject({ id: A, grade: 'strong' });
  });

  it('a monitor follows the store: a session that comes, and one that makes it doubtful', async () => {
    const cwd = folder('w/a');
    const pid = await start('codex', { cwd });
    const monitor = new AgentMonitor({ pathEnv: '', overrides: {}, sessionAgeMs: 50 });
    const session = async () => {
      await monitor.poll();
      return monitor.agents.find((agent) => agent.pid === pid)?.session.id;
    };
    try {
      await expect.poll(session).toBeNull();
      rollout(A, cwd);
      await expect.poll(session).toBe(A);
      rollout(B, cwd);
      await expect.poll(session).toBeNull();
    } finally {
      monitor.close();
    }
  });

  it.runIf(isRoot)('a home that answers no more is a fault, and the monitor goes on', async () => {
    const mount = mkdtempSync(join(tmpdir(), 'procscope-hung-'));
    const situation = await startMaker('fusehang', [mount, 'private']);
    // Its mount is out of sight but through the process that stands in it.
    const home = `/proc/${situation.number(0)}/cwd`;
    const monitor = new AgentMonitor({ pathEnv: '', overrides: {}, sessionAgeMs: 50, deadlineMs: 200 });
    try {
      await situation.send('hang');
      const hung = await start('codex', { env: { CODEX_HOME: home } });
      const cwd = folder('w/a');
      const well = await start('codex', { cwd });
      rollout(A, cwd);
      const [first, second] = (await scene.look({ deadlineMs: 200 })).agents;
      expect(first).toMatchObject({ pid: hung, session: { id: null, grade: 'none' } });
      expect(second).toMatchObject({ pid: well, session: { id: A } });
      const { faults } = await scene.look({ deadlineMs: 200 });
      expect(faults.some(({ pid, kind }) => pid === hung && kind === 'timeout')).toBe(true);
      const sessions = async () => {
        await monitor.poll();
        const of = (pid: number) => monitor.agents.find((agent) => agent.pid === pid)?.session.id;
        return [of(hung), of(well)];
      };
      await expect.poll(sessions, { timeout: 20_000 }).toEqual([null, A]);
      rollout(B, cwd);
      await expect.poll(sessions, { timeout: 20_000 }).toEqual([null, null]);
    } finally {
      monitor.close();
      await situation.end();
      rmdirSync(mount);
    }
  });
});
