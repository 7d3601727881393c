/** A monitor over processes that start, become others, write their sessions late, stop and are killed. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../lib/agents/envelope.js';
import type { AgentEvent } from '../../../lib/agents/events.js';
import { AgentMonitor } from '../../../lib/agents/monitor.js';
import type { MonitorOptions } from '../../../lib/agents/monitor-options.js';
import { Scene } from './start.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
/** For machines that are busy. */
const PATIENT = { timeout: 60_000 };
const TOP = join(__dirname, '../../..');
const EXAMPLE = join(TOP, 'examples/watch-agents.mjs');

/** The events of a scene's processes; what else runs here is nobody's business. */
class Follower {
  readonly monitor: AgentMonitor;
  readonly #pids = new Set<number>();
  #pending: AgentEvent[] = [];

  constructor(options: MonitorOptions = {}) {
    this.monitor = new AgentMonitor({ pathEnv: '', overrides: {}, tmuxSockets: [], ...options });
  }

  follow(...pids: number[]): void {
    for (const pid of pids) this.#pids.add(pid);
  }

  get agents(): readonly Agent[] {
    return this.monitor.agents.filter(({ pid }) => this.#pids.has(pid));
  }

  async poll(): Promise<void> {
    const { events } = await this.monitor.poll();
    this.#pending.push(...events.filter(({ agent }) => this.#pids.has(agent.pid)));
  }

  /** The events that came since the last call, once there are any. */
  async events(): Promise<readonly AgentEvent[]> {
    for (;;) {
      await this.poll();
      const events = this.#pending;
      this.#pending = [];
      if (events.length > 0) return events;
      await rest(5);
    }
  }
}

describe.skipIf(process.platform !== 'linux')('a monitor of live agents (makers run on Linux)', () => {
  let scene: Scene;
  let follower: Follower;

  beforeEach(() => {
    scene = new Scene();
    follower = new Follower();
  });
  afterEach(async () => {
    follower.monitor.close();
    await scene.end();
  });

  async function started(program: string, how = {}): Promise<number> {
    const pid = await scene.start(program, how);
    follower.follow(pid);
    return pid;
  }

  async function kill(pid: number): Promise<void> {
    scene.forget(pid);
    process.kill(pid, 'SIGKILL');
  }

  async function writeRecord(pid: number, fields: Record<string, unknown> = {}): Promise<void> {
    const whole = { pid, sessionId: UUID, procStart: await scene.startOf(pid), status: 'idle', ...fields };
    scene.write(`.claude/sessions/${pid}.json`, JSON.stringify(whole));
  }

  it('reports a start and a kill, each in the poll that follows it', async () => {
    await follower.poll();
    const pid = await started(await scene.fake('bin/claude'));
    const [start] = (await follower.monitor.poll()).events.filter(({ agent }) => agent.pid === pid);
    expect(start).toMatchObject({
      type: 'started',
      agent: { engine: 'claude', kind: 'tui', cwd: scene.home },
    });
    expect(start?.reasons[0]).toBe('its process started');
    await kill(pid);
    const [exit] = await follower.events();
    expect(exit).toMatchObject({ type: 'exited', agent: { pid } });
    expect(exit?.reasons[0]).toContain('its process has ended');
    expect(follower.agents).toEqual([]);
  });

  it('tells a stopped agent, and one that goes on', async () => {
    const pid = await started(await scene.fake('bin/claude'));
    await writeRecord(pid, { status: 'busy' });
    expect(await follower.events()).toMatchObject([{ type: 'started', agent: { state: { value: 'busy' } } }]);
    process.kill(pid, 'SIGSTOP');
    expect(await follower.events()).toMatchObject([
      { type: 'changed', fields: ['state'], reasons: ['state: busy -> unknown (busy, suspended)'] },
    ]);
    process.kill(pid, 'SIGCONT');
    expect(await follower.events()).toMatchObject([{ type: 'changed', agent: { state: { value: 'busy' } } }]);
  });

  it('follows a process through exec, with its pid', async () => {
    const claude = await scene.fake('bin/claude');
    const shell = await scene.fake('bin/some-shell');
    const pid = await started(shell, { env: { FAKE_EXEC: claude } });
    await follower.poll();
    expect(follower.agents).toEqual([]);
    process.kill(pid, 'SIGUSR2');
    const [start] = await follower.events();
    expect(start).toMatchObject({ type: 'started', agent: { pid, engine: 'claude' } });
    const codex = await scene.fake('bin/codex');
    const other = await started(codex, { env: { FAKE_EXEC: shell } });
    expect(await follower.events()).toMatchObject([{ type: 'started', agent: { pid: other } }]);
    process.kill(other, 'SIGUSR2');
    expect(await follower.events()).toMatchObject([
      { type: 'exited', agent: { pid: other }, reasons: ['its process runs another program now'] },
    ]);
  });

  it('sees a record that is written late, and each change of it', async () => {
    const pid = await started(await scene.fake('bin/claude'));
    expect(await follower.events()).toMatchObject([{ type: 'started', agent: { session: { id: null } } }]);
    await writeRecord(pid);
    expect(await follower.events()).toMatchObject([
      { type: 'changed', fields: ['session', 'state'], agent: { session: { id: UUID, grade: 'exact' } } },
    ]);
    for (const status of ['busy', 'idle', 'busy', 'waiting']) {
      await writeRecord(pid, { status });
      expect(await follower.events()).toMatchObject([
        { type: 'changed', fields: ['state'], agent: { state: { value: status } } },
      ]);
    }
    rmSync(scene.path(`.claude/sessions/${pid}.json`));
    expect(await follower.events()).toMatchObject([{ type: 'changed', agent: { session: { id: null } } }]);
  });

  it('sees a session file that is opened late', async () => {
    const name = `rollout-2026-11-30T16-20-10-${UUID}.jsonl`;
    const path = scene.write(`.codex/sessions/2026/11/30/${name}`, '');
    const pid = await started(await scene.fake('bin/codex'), { env: { FAKE_OPEN: path } });
    expect(await follower.events()).toMatchObject([{ type: 'started', agent: { session: { id: null } } }]);
    process.kill(pid, 'SIGUSR1');
    expect(await follower.events()).toMatchObject([
      { type: 'changed', agent: { session: { id: UUID, source: 'open-file', path } } },
    ]);
  });

  it('keeps an agent whose launcher was killed', async () => {
    const native = await scene.fake('vendor/codex');
    const spawned = `require('node:child_process').spawn(${JSON.stringify(native)}, { stdio: 'ignore' })`;
    const script = scene.write('bin/codex', spawned);
    // Without a terminal: the end of its first process would end all others there.
    const wrapper = await started(process.execPath, { argv0: 'node', args: [script], tty: false });
    const child = await scene.childOf(wrapper, native);
    try {
      follower.follow(child);
      await expect
        .poll(() => follower.poll().then(() => follower.agents), PATIENT)
        .toMatchObject([{ pid: child, launcherPid: wrapper }]);
      await follower.events();
      await kill(wrapper);
      // The end of the launcher and the new parent may come in two polls.
      const events: AgentEvent[] = [];
      while (follower.agents[0]?.ppid === wrapper || events.length === 0)
        events.push(...(await follower.events()));
      expect(follower.agents).toMatchObject([{ pid: child, launcherPid: null }]);
      for (const event of events) expect(event).toMatchObject({ type: 'changed', agent: { pid: child } });
    } finally {
      process.kill(child, 'SIGKILL');
      scene.forget(child);
    }
    expect(await follower.events()).toMatchObject([{ type: 'exited', agent: { pid: child } }]);
  });

  it('agrees with agents() after everybody has come, gone and changed', async () => {
    follower.monitor.close();
    follower = new Follower({ recordAgeMs: 0, sessionAgeMs: 50, all: true });
    const claude = await scene.fake('bin/claude');
    const codex = await scene.fake('bin/codex');
    const living = new Set<number>();
    for (let round = 0; round < 8; round++) {
      const launched = await started(claude, { env: { FAKE_CHILD: codex } });
      const server = await scene.childOf(launched, codex);
      const becoming = await started(codex, { env: { FAKE_EXEC: claude } });
      for (const pid of [launched, server, becoming]) living.add(pid);
      follower.follow(server);
      await follower.poll();
      await writeRecord(launched, { status: round % 2 === 0 ? 'busy' : 'idle' });
      if (round % 3 === 1) process.kill(becoming, 'SIGUSR2');
      await follower.poll();
      if (round % 3 === 2) {
        process.kill(launched, 'SIGSTOP');
        await kill(becoming);
        living.delete(becoming);
      }
      await follower.poll();
    }
    await expect
      .poll(async () => {
        await follower.poll();
        const rows = (await scene.agents({ all: true })).map((row) => ({ ...row, startTime: 0 }));
        const own = new Map(follower.agents.map((row) => [row.pid, { ...row, startTime: 0 }]));
        return { rows: rows.map(({ pid }) => own.get(pid)), same: rows, size: own.size };
      }, PATIENT)
      .toSatisfy(({ rows, same, size }) => {
        expect(rows).toEqual(same);
        return size === living.size && same.length === living.size;
      });
  });

  it('says of a root that is not there that nothing could be read', async () => {
    const lost = new AgentMonitor({ procRoot: scene.path('gone') });
    const stop = new AbortController();
    const seen: unknown[] = [];
    try {
      for await (const delta of lost.watch({ intervalMs: 1, signal: stop.signal })) {
        seen.push(delta);
        stop.abort();
      }
      expect(seen).toMatchObject([{ events: [], failed: true, faults: [{ kind: 'gone' }] }]);
      expect(lost.envelope).toMatchObject({ agents: [], scanned: 0, faults: [{ pid: null, kind: 'gone' }] });
    } finally {
      lost.close();
    }
  });

  it('keeps two agents of one pid apart', async (context) => {
    const unshare = '/usr/bin/unshare';
    context.skip(process.getuid?.() !== 0, 'only root makes a pid namespace without asking');
    context.skip(!existsSync(unshare), 'no unshare on this machine');
    const claude = await scene.fake('bin/claude');
    const codex = await scene.fake('bin/codex');
    const library = join(TOP, 'dist/index.js');
    const { stdout } = await promisify(execFile)(unshare, [
      ...['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath],
      ...[join(__dirname, 'reuse.mjs'), library, claude, codex],
    ]);
    const { pid, polls } = JSON.parse(stdout) as { pid: number; polls: Record<string, unknown>[][] };
    expect(polls).toMatchObject([
      [{ type: 'started', engine: 'claude', pid, reason: 'it ran before the first look' }],
      [
        { type: 'exited', engine: 'claude', pid, reason: 'another start under the pid' },
        { type: 'started', engine: 'codex', pid, reason: 'its process started' },
      ],
      [{ type: 'exited', engine: 'codex', pid }],
    ]);
  });

  it('is what the example prints, which the README quotes', async () => {
    const code = readFileSync(EXAMPLE, 'utf8').replace(/^(\/\/.*\n)+/, '');
    expect(readFileSync(join(TOP, 'README.md'), 'utf8')).toContain(code);
    const program = await scene.fake('bin/claude');
    const example = spawn(process.execPath, [EXAMPLE, '50'], {
      cwd: scene.home,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(example, 'close');
    const lines: string[] = [];
    createInterface({ input: example.stdout }).on('line', (line) => lines.push(line));
    const said = (start: string) =>
      expect.poll(() => lines.filter((line) => line.startsWith(start)), PATIENT);
    const pid = await scene.start(program);
    await said(`started claude tui ${pid} - unknown `).toHaveLength(1);
    await kill(pid);
    await said(`exited claude tui ${pid} - unknown `).toHaveLength(1);
    example.kill('SIGINT');
    expect(await closed).toEqual([0, null]);
  });
});
