/** Real processes with the session files that engines would have written for them. */
import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { Scene } from './start.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const OTHER_UUID = '7b0c3a9e-2f1d-4c5b-9e8a-1d2c3b4a5f6e';

const A = '0a22cfb0-e5f1-4d41-8366-9bc8f0543ca5';
const B = '0b22cfb0-e5f1-4d41-8366-9bc8f0543ca5';

describe.skipIf(process.platform !== 'linux')('sessions of live processes (makers run on Linux)', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  async function claude(args: readonly string[] = [], cwd = scene.home): Promise<number> {
    return scene.start(await scene.fake(`bin-${Math.random()}/claude`), { argv0: 'claude', args, cwd });
  }

  const recordOf = (pid: number) => `.claude/sessions/${pid}.json`;

  async function record(pid: number, fields: Record<string, unknown> = {}): Promise<string> {
    const whole = { pid, sessionId: UUID, procStart: await scene.startOf(pid), status: 'idle', ...fields };
    return scene.write(recordOf(pid), JSON.stringify(whole));
  }

  it('H04 an agent as MCP server below another', async () => {
    const codex = await scene.fake('bin/codex');
    const parent = await scene.fake('bin/claude');
    const pid = await scene.start(parent, { argv0: 'claude', env: { FAKE_CHILD: codex } });
    const server = await scene.childOf(pid, codex);
    expect(await scene.verdicts()).toEqual({ [pid]: 'claude tui' });
    expect(await scene.verdicts({ all: true })).toEqual({ [pid]: 'claude tui', [server]: 'codex helper' });
  });

  it('H06 an app server is a service', async () => {
    const codex = await scene.fake('bin/codex');
    const server = await scene.start(codex, { args: ['app-server', '--listen', 'stdio://'], tty: false });
    const plain = await scene.start(codex);
    expect(await scene.verdicts()).toEqual({ [plain]: 'codex tui' });
    expect(await scene.verdicts({ all: true })).toMatchObject({ [server]: 'codex service' });
  });

  it('names the version of the package that a program lies in', async () => {
    const folder = 'lib/node_modules/@anthropic-ai/claude-code';
    const program = await scene.fake(`${folder}/bin/claude.exe`);
    scene.write(`${folder}/package.json`, '{"name":"@anthropic-ai/claude-code","version":"2.1.197"}');
    const link = scene.link('bin/claude', program);
    const pid = await scene.start(link, { argv0: 'claude' });
    expect(await scene.look()).toMatchObject({ agents: [{ pid, version: '2.1.197' }], faults: [] });
  });

  it('H18 a wrapper and its native child are one row', async () => {
    const native = await scene.fake('vendor/codex');
    const script = scene.write(
      'bin/codex',
      `require('node:child_process').spawn(${JSON.stringify(native)}, { stdio: 'ignore' })`,
    );
    const wrapper = await scene.start(process.execPath, { argv0: 'node', args: [script] });
    const child = await scene.childOf(wrapper, native);
    const other = await scene.start(native);
    expect(await scene.agents()).toMatchObject([
      { pid: child, kind: 'tui', launcherPid: wrapper },
      { pid: other, kind: 'tui', launcherPid: null },
    ]);
    expect(await scene.verdicts({ all: true })).toMatchObject({ [wrapper]: 'codex launcher' });
  });

  it('H19 a record is taken only with the start of the very process', async () => {
    const sleeper = await scene.start(await scene.fake('bin/sleep'));
    const pid = await claude();
    await record(sleeper);
    await record(pid, { procStart: '12345' });
    expect(await scene.agents()).toMatchObject([
      { pid, session: { id: null, grade: 'none', refused: [{ id: UUID }] }, state: { value: 'unknown' } },
    ]);
    await record(pid);
    expect(await scene.agents()).toMatchObject([{ pid, session: { id: UUID, grade: 'exact' } }]);
    await record(pid, { procStart: undefined });
    expect(await scene.agents()).toMatchObject([{ pid, session: { id: UUID, grade: 'inferred' } }]);
  });

  it('H20 H21 a missing record hides nothing and lends nothing', async () => {
    const folder = scene.path('w/a');
    mkdirSync(folder, { recursive: true });
    scene.write('.claude/projects/-w-a/C.jsonl', '');
    const first = await claude([], folder);
    expect(await scene.agents()).toMatchObject([{ pid: first, cwd: folder, session: { id: null } }]);
    const second = await claude([], folder);
    await record(first, { sessionId: A });
    const path = await record(second, { sessionId: B });
    const ids = async () => {
      const found = await scene.agents();
      return Object.fromEntries(found.map(({ pid, session }) => [pid, session.id]));
    };
    expect(await ids()).toEqual({ [first]: A, [second]: B });
    rmSync(path);
    for (let poll = 0; poll < 3; poll++) expect(await ids()).toEqual({ [first]: A, [second]: null });
  });

  it('H22 one session in two live processes', async () => {
    const pids = [await claude(), await claude()];
    for (const pid of pids) await record(pid, { sessionId: A });
    const found = await scene.agents();
    expect(found.map(({ pid }) => pid).sort()).toEqual([...pids].sort());
    for (const { session } of found) expect(session).toMatchObject({ id: A, grade: 'exact', shared: true });
  });

  it('H24 an id in argv', async () => {
    const codex = await scene.fake('bin/codex');
    const pid = await scene.start(codex, { argv0: 'codex', args: ['resume', UUID] });
    const forked = await scene.start(codex, { argv0: 'codex', args: ['fork', OTHER_UUID] });
    expect(await scene.agents()).toMatchObject([
      { pid, resumeId: UUID, session: { id: UUID, grade: 'strong', source: 'argv' } },
      { pid: forked, resumeId: null, session: { id: null, refused: [{ id: OTHER_UUID }] } },
    ]);
  });

  it('H25 H26 the status of the record, of any age', async () => {
    const pid = await claude();
    const state = async (fields: Record<string, unknown>) => {
      const path = await record(pid, fields);
      utimesSync(path, 1, 1);
      return (await scene.agents())[0]?.state;
    };
    expect(await state({ status: 'busy' })).toMatchObject({ value: 'busy', background: false });
    expect(await state({ status: 'shell' })).toMatchObject({ value: 'idle', background: true });
    expect(await state({ status: 'waiting', waitingFor: 'x' })).toMatchObject({
      value: 'waiting',
      waitingFor: 'x',
    });
    expect(await state({ status: 'somethingNew' })).toMatchObject({ value: 'unknown', raw: 'somethingNew' });
    expect(await state({ status: undefined })).toMatchObject({ value: 'unknown', raw: null });
  });

  it('H30 a stopped agent is suspended, and the same afterwards', async () => {
    const pid = await claude();
    await record(pid, { status: 'busy' });
    const [before] = await scene.agents();
    process.kill(pid, 'SIGSTOP');
    await expect.poll(async () => (await scene.agents())[0]?.state.suspended).toBe(true);
    const [stopped] = await scene.agents();
    expect(stopped).toMatchObject({ startKey: before?.startKey, session: before?.session });
    expect(stopped?.state).toMatchObject({ value: 'unknown', raw: 'busy' });
    process.kill(pid, 'SIGCONT');
    const same = { ...before, startTime: expect.any(Number) };
    await expect.poll(async () => (await scene.agents())[0]).toEqual(same);
  });

  it('an agent that ended is no row, though its record stays', async () => {
    const pid = await claude();
    await record(pid);
    expect(await scene.agents()).toHaveLength(1);
    scene.forget(pid);
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await agents()).agents.some((agent) => agent.pid === pid)).toBe(false);
  });

  it('an agent in a pid namespace of its own is known by the pid it sees', async (context) => {
    const unshare = '/usr/bin/unshare';
    context.skip(process.getuid?.() !== 0, 'only root makes a pid namespace without asking');
    context.skip(!existsSync(unshare), 'no unshare on this machine');
    const program = await scene.fake('bin/claude');
    const outer = await scene.start(unshare, { args: ['--pid', '--fork', '--kill-child', program] });
    const pid = await scene.childOf(outer, program);
    scene.write(
      '.claude/sessions/1.json',
      JSON.stringify({ pid: 1, sessionId: UUID, procStart: await scene.startOf(pid) }),
    );
    expect(await scene.agents()).toMatchObject([
      {
        pid,
        container: true,
        session: { id: UUID, grade: 'exact', path: scene.path('.claude/sessions/1.json') },
      },
    ]);
  });

  it('the environment names the home, and a link out of it leads nowhere', async () => {
    const program = await scene.fake('bin/claude');
    const pid = await scene.start(program, { env: { CLAUDE_CONFIG_DIR: scene.path('moved') } });
    const text = JSON.stringify({ pid, sessionId: UUID, procStart: await scene.startOf(pid) });
    scene.write(`moved/sessions/${pid}.json`, text);
    expect(await scene.agents()).toMatchObject([
      { session: { id: UUID }, homes: { config: scene.path('moved'), from: 'variable' } },
    ]);
    rmSync(scene.path('moved/sessions'), { recursive: true });
    scene.write(`outside/${pid}.json`, text);
    symlinkSync(scene.path('outside'), scene.path('moved/sessions'));
    expect(await scene.agents()).toMatchObject([{ session: { id: null } }]);
  });

  it('answers no value of the environment but the homes', async () => {
    const env = { ANTHROPIC_BASE_URL: 'https://u:secret@openrouter.ai/v1', CLAUDE_API_KEY: 'secret' };
    await scene.start(await scene.fake('bin/claude'), { env });
    const envelope = await scene.look();
    expect(envelope.agents).toMatchObject([{ gateway: 'ori' }]);
    expect(JSON.stringify(envelope)).not.toContain('secret');
  });
});
