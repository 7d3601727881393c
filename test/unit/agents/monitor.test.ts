import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { AgentEvent } from '../../../lib/agents/events.js';
import { AgentMonitor } from '../../../lib/agents/monitor.js';
import type { MonitorOptions } from '../../../lib/agents/monitor-options.js';
import type { Fault } from '../../../lib/process/fault.js';
import type { Look } from '../../../lib/process/look.js';
import { FakeFiles, type FakeRow } from './fakes.js';
import { FakeMachine } from './machine.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const OTHER = '11a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const CLAUDE = { argv: ['claude'], exe: '/home/user/.local/bin/claude', name: 'claude' } as const;
const CODEX = { argv: ['codex'], exe: '/x/codex', name: 'codex' } as const;
const SHELL = { argv: ['bash'], exe: '/usr/bin/bash', name: 'bash' } as const;
const recordPath = (pid: number): string => `/home/user/.claude/sessions/${pid}.json`;

/** The record of a claude that the machine gave the start `pid * 100`. */
function record(pid: number, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ pid, sessionId: UUID, procStart: `${pid * 100}`, status: 'idle', ...more });
}

interface Scene {
  readonly machine: FakeMachine;
  readonly files: FakeFiles;
  readonly monitor: AgentMonitor;
  /** `type pid` of what a poll reported. */
  poll(): Promise<string[]>;
  events(): Promise<readonly AgentEvent[]>;
}

function scene(
  rows: Readonly<Record<number, FakeRow>>,
  options: Partial<MonitorOptions> = {},
  files = new FakeFiles(),
): Scene {
  const machine = new FakeMachine(rows);
  const monitor = new AgentMonitor({
    poller: machine,
    readProcesses: machine.readProcesses,
    openFiles: async () => Object.assign([], { faults: [] }),
    look: files.look,
    clock: () => machine.now,
    pathEnv: '',
    overrides: {},
    ...options,
  });
  const events = async () => (await monitor.poll()).events;
  const poll = async () => (await events()).map(({ type, agent }) => `${type} ${agent.pid}`);
  return { machine, files, monitor, poll, events };
}

/** Lets every age pass, and polls. */
async function later({ machine, poll }: Scene, ms = 2_000): Promise<string[]> {
  machine.now += ms;
  return poll();
}

async function expectSameAsAgents({ machine, files, monitor }: Scene, all = false): Promise<void> {
  const { agents: rows } = await agents({
    table: machine.table,
    openFiles: async () => Object.assign([], { faults: [] }),
    look: files.look,
    pathEnv: '',
    overrides: {},
    all,
  });
  expect(monitor.agents).toEqual(rows);
}

describe('starts and exits', () => {
  it('come once, with the row of agents() and the reason', async () => {
    const it = scene({ 10: CLAUDE, 11: SHELL });
    const [first] = await it.events();
    expect(first).toMatchObject({ type: 'started', agent: { pid: 10, engine: 'claude' } });
    expect(first?.reasons[0]).toBe('it ran before the first look');
    await expectSameAsAgents(it);
    it.machine.set({ 20: CODEX });
    const [second] = await it.events();
    expect(second).toMatchObject({ type: 'started', agent: { pid: 20, engine: 'codex' } });
    expect(second?.reasons[0]).toBe('its process started');
    expect(await it.poll()).toEqual([]);
    it.machine.end(10);
    expect(await it.events()).toMatchObject([
      {
        type: 'exited',
        agent: { pid: 10, engine: 'claude' },
        reasons: [expect.stringContaining('has ended')],
      },
    ]);
    await expectSameAsAgents(it);
  });

  it('of one pid that was given out anew are two agents', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.replace(10, { ...CODEX, startKey: 5_000n });
    expect(await it.events()).toMatchObject([
      {
        type: 'exited',
        agent: { engine: 'claude', startKey: '1000' },
        reasons: ['another start under the pid'],
      },
      { type: 'started', agent: { engine: 'codex', startKey: '5000' } },
    ]);
    await expectSameAsAgents(it);
  });

  it('follow an exec, in both directions', async () => {
    const it = scene({ 10: SHELL });
    expect(await it.poll()).toEqual([]);
    it.machine.set({ 10: CLAUDE });
    const [start] = await it.events();
    expect(start).toMatchObject({ type: 'started', agent: { pid: 10 } });
    expect(start?.reasons[0]).toBe('its process runs this program now');
    it.machine.set({ 10: CODEX });
    expect(await it.events()).toMatchObject([
      { type: 'changed', agent: { engine: 'codex' }, before: { engine: 'claude' } },
    ]);
    it.machine.set({ 10: SHELL });
    expect(await it.events()).toMatchObject([
      { type: 'exited', agent: { pid: 10 }, reasons: ['its process runs another program now'] },
    ]);
    await expectSameAsAgents(it);
  });

  it('of what serves an agent come only with all', async () => {
    const rows = { 10: CODEX, 12: { ...CODEX, argv: ['codex', 'app-server'] } };
    expect(await scene(rows).poll()).toEqual(['started 10']);
    const it = scene(rows, { all: true });
    expect(await it.poll()).toEqual(['started 10', 'started 12']);
    await expectSameAsAgents(it, true);
  });

  it('of a script that a link leads to an agent', async () => {
    const files = new FakeFiles({
      '/usr/bin/cx': { link: '/usr/lib/node_modules/@openai/codex/bin/codex.js' },
      '/usr/lib/node_modules/@openai/codex/bin/codex.js': '',
      '/srv/app.js': '',
    });
    const node = { exe: '/usr/bin/node', name: 'node' };
    const it = scene({ 10: { ...node, argv: ['node', '/srv/app.js'] } }, {}, files);
    expect(await it.poll()).toEqual([]);
    it.machine.set({ 11: { ...node, argv: ['node', '/usr/bin/cx'] } });
    expect(await it.poll()).toEqual(['started 11']);
    expect(it.machine.read).toEqual([[11]]);
    await expectSameAsAgents(it);
  });
});

describe('a launcher chain', () => {
  const CHAIN = {
    10: { argv: ['node', '/b/codex'], exe: '/usr/bin/node', name: 'node', tty: 'pts/1' },
    11: { ...CODEX, ppid: 10, tty: 'pts/1' },
  };

  it('is one agent that lives as long as its worker', async () => {
    const it = scene(CHAIN);
    expect(await it.poll()).toEqual(['started 11']);
    it.machine.end(10);
    it.machine.set({ 11: { ppid: 1 } });
    expect(await it.events()).toMatchObject([
      { type: 'changed', agent: { pid: 11, launcherPid: null }, fields: ['launcherPid', 'ppid'] },
    ]);
    await expectSameAsAgents(it);
  });

  it('goes on as the worker where the launcher owned the session', async () => {
    const rows = {
      10: { argv: ['node', '/b/claude'], exe: '/usr/bin/node', name: 'node', tty: 'pts/1' },
      11: { ...CLAUDE, ppid: 10, tty: 'pts/1' },
    };
    const it = scene(rows, {}, new FakeFiles({ [recordPath(10)]: record(10) }));
    expect(await it.poll()).toEqual(['started 10']);
    it.machine.end(10);
    it.machine.set({ 11: { ppid: 1 } });
    const [moved, ...others] = await it.events();
    expect(others).toEqual([]);
    expect(moved).toMatchObject({ type: 'changed', before: { pid: 10 }, agent: { pid: 11 } });
    expect(moved?.reasons[0]).toMatch(/^pid 10 has ended: .*; pid 11 of the same agent is its row now$/);
    await expectSameAsAgents(it);
  });

  it('moves to the worker when that starts', async () => {
    const it = scene({ 10: CHAIN[10] });
    expect(await it.poll()).toEqual(['started 10']);
    it.machine.set({ 11: CHAIN[11] });
    expect(await it.events()).toMatchObject([
      { type: 'changed', before: { pid: 10 }, agent: { pid: 11, launcherPid: 10 } },
    ]);
    it.machine.end(11);
    expect(await it.poll()).toEqual(['changed 10']);
    it.machine.end(10);
    expect(await it.poll()).toEqual(['exited 10']);
  });

  it('with all its rows can be followed by pid', async () => {
    const it = scene({ 10: CHAIN[10] }, { all: true });
    const rows = new Map<number, string>();
    const apply = async () => {
      for (const event of await it.events()) {
        if (event.type === 'exited') rows.delete(event.agent.pid);
        if (event.type === 'changed') rows.delete(event.before.pid);
        if (event.type !== 'exited') rows.set(event.agent.pid, event.agent.kind);
      }
      const expected = it.monitor.agents.map(({ pid, kind }) => [pid, kind] as const);
      expect([...rows].sort(([a], [b]) => a - b)).toEqual(expected);
      await expectSameAsAgents(it, true);
    };
    await apply();
    it.machine.set({ 11: CHAIN[11] });
    await apply();
    it.machine.end(11);
    await apply();
    it.machine.set({ 12: { ...CHAIN[11], startKey: 9_000n } });
    await apply();
    it.machine.end(10);
    await apply();
  });
});

describe('session files', () => {
  it('are found late, and followed as they are written', async () => {
    const it = scene({ 10: CLAUDE });
    expect(await it.poll()).toEqual(['started 10']);
    it.files.set(recordPath(10), record(10, { status: 'busy' }));
    it.machine.now += 100;
    expect(await it.events()).toMatchObject([
      {
        type: 'changed',
        fields: ['session', 'state'],
        reasons: [`session: none -> ${UUID} (exact, pid-record)`, 'state: unknown -> busy'],
      },
    ]);
    it.files.set(recordPath(10), record(10, { status: 'waiting', waitingFor: 'permission' }));
    it.machine.now += 100;
    expect(await it.events()).toMatchObject([
      { type: 'changed', fields: ['state'], reasons: ['state: busy -> waiting (permission)'] },
    ]);
    await expectSameAsAgents(it);
    it.files.set(
      recordPath(10),
      record(10, { sessionId: OTHER, status: 'waiting', waitingFor: 'permission' }),
    );
    expect(await later(it)).toEqual(['changed 10']);
    expect(it.monitor.agents[0]?.session.id).toBe(OTHER);
  });

  it('that are half written leave the earlier answer, for a while', async () => {
    const it = scene({ 10: CLAUDE }, {}, new FakeFiles({ [recordPath(10)]: record(10) }));
    await it.poll();
    it.files.set(recordPath(10), record(10, { status: 'busy' }).slice(0, 40));
    for (const ms of [100, 100, 200]) expect(await later(it, ms)).toEqual([]);
    expect(it.monitor.agents[0]).toMatchObject({ session: { id: UUID }, state: { value: 'idle' } });
    it.files.set(recordPath(10), record(10, { status: 'busy' }));
    expect(await later(it, 100)).toEqual(['changed 10']);
    it.files.set(recordPath(10), '');
    expect(await later(it, 100)).toEqual([]);
    expect(await later(it)).toEqual(['changed 10']);
    expect(it.monitor.agents[0]).toMatchObject({ session: { id: null } });
    await expectSameAsAgents(it);
  });

  it('of a resumed session are shared until the other ends', async () => {
    const files = new FakeFiles({ [recordPath(10)]: record(10) });
    const it = scene({ 10: CLAUDE }, {}, files);
    await it.poll();
    files.set(recordPath(20), record(20));
    it.machine.set({ 20: CLAUDE });
    expect(await it.poll()).toEqual(['changed 10', 'started 20']);
    expect(it.monitor.agents).toMatchObject([{ session: { shared: true } }, { session: { shared: true } }]);
    await expectSameAsAgents(it);
    it.machine.end(20);
    expect(await it.poll()).toEqual(['exited 20', 'changed 10']);
    await expectSameAsAgents(it);
  });

  it('are asked for in one call for all, at the age that the caller sets', async () => {
    let calls = 0;
    const files = new FakeFiles({ [recordPath(10)]: record(10), [recordPath(11)]: record(11) });
    const look: Look = (requests) => {
      calls++;
      return files.look(requests);
    };
    const it = scene({ 10: CLAUDE, 11: CLAUDE }, { look, recordAgeMs: 50, sessionAgeMs: 100_000 }, files);
    await it.poll();
    // Whatever was written is read once more.
    await later(it, 1_000);
    const before = calls;
    await later(it, 49);
    expect(calls).toBe(before);
    await later(it, 1);
    expect(calls).toBe(before + 1);
    const last = files.asked.slice(-2);
    expect(last.map(({ op, path }) => `${op} ${path}`)).toEqual([
      `stat ${recordPath(10)}`,
      `stat ${recordPath(11)}`,
    ]);
  });
});

describe('an idle poll', () => {
  it('evaluates nothing, and answers one and the same delta', async () => {
    const rows = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [100 + at, at % 10 === 0 ? CLAUDE : SHELL]),
    );
    const it = scene(rows, { recordAgeMs: 1_000 });
    await it.poll();
    const { judged, looked } = it.monitor.stats;
    expect(judged).toBe(20);
    const deltas = new Set<unknown>();
    for (let poll = 0; poll < 100; poll++) deltas.add(await it.monitor.poll());
    expect(deltas.size).toBe(1);
    expect(it.monitor.stats).toEqual({ polls: 101, judged, looked });
  });

  it('of what changed evaluates that alone', async () => {
    const rows = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [100 + at, CLAUDE]));
    const it = scene(rows);
    await it.poll();
    const { judged } = it.monitor.stats;
    it.machine.set({ 105: { state: 'T' } });
    expect(await it.poll()).toEqual(['changed 105']);
    expect(it.monitor.agents[5]?.state.suspended).toBe(true);
    it.machine.set({ 400: SHELL });
    expect(await it.poll()).toEqual([]);
    expect(it.monitor.stats.judged).toBe(judged + 1);
    expect(it.machine.read.flat()).toHaveLength(20);
  });

  it('tracks agents, and nobody else', async () => {
    const helper = { ...CODEX, argv: ['codex', 'login'] };
    const it = scene({ 10: CLAUDE, 11: SHELL, 12: helper });
    await it.poll();
    expect([...it.machine.tracked]).toEqual([10]);
    it.machine.set({ 10: SHELL });
    await it.poll();
    expect([...it.machine.tracked]).toEqual([]);
  });
});

describe('what may move', () => {
  it('is read again at the age of sessions', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.set({ 10: { cwd: '/w/b' } });
    expect(await later(it, 999)).toEqual([]);
    expect(await later(it, 1)).toEqual(['changed 10']);
    await expectSameAsAgents(it);
  });
});

describe('what could not be read', () => {
  const fault = (call: string, kind: Fault['kind'] = 'timeout'): Fault => ({
    kind,
    code: 0,
    call,
    path: '/x',
  });

  it('as a table reports nothing, and says so', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.end(10);
    it.machine.failure = fault('getdents', 'gone');
    const delta = await it.monitor.poll();
    expect(delta).toMatchObject({ events: [], failed: true, faults: [{ call: 'getdents' }] });
    expect(it.monitor.agents).toHaveLength(1);
    expect(it.monitor.envelope.faults).toMatchObject([{ pid: null, kind: 'gone', call: 'getdents' }]);
    it.machine.failure = undefined;
    expect(await it.poll()).toEqual(['exited 10']);
    expect(it.monitor.envelope.faults).toEqual([]);
  });

  it('again of a process leaves the earlier value', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.set({ 10: { cwd: undefined, faults: { cwd: fault('readlink') } } });
    expect(await later(it)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ cwd: '/w/a' }]);
    expect(it.monitor.agents[0]?.because).toContain(
      'cwd could not be read again, an earlier answer stands: timeout: readlink /x',
    );
    expect(it.monitor.envelope.faults).toMatchObject([{ pid: 10, field: 'cwd' }]);
    it.machine.set({ 10: { cwd: '/w/c', faults: {} } });
    expect(await later(it)).toEqual(['changed 10']);
    await expectSameAsAgents(it);
  });

  it('again of a record leaves the session and the state', async () => {
    let broken = false;
    const files = new FakeFiles({ [recordPath(10)]: record(10, { status: 'busy' }) });
    const look: Look = async (requests) => {
      const answers = await files.look(requests);
      return broken ? requests.map(({ op }) => ({ fault: fault(op) })) : answers;
    };
    const it = scene({ 10: CLAUDE }, { look }, files);
    await it.poll();
    broken = true;
    expect(await later(it)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ session: { id: UUID }, state: { value: 'busy' } }]);
    expect(it.monitor.agents[0]?.because.join('\n')).toContain('session could not be read again');
    it.machine.set({ 20: SHELL });
    it.machine.end(10);
    expect(await it.poll()).toEqual(['exited 10']);
  });

  it('in time keeps nobody waiting, and is told later', async () => {
    const files = new FakeFiles({ [recordPath(10)]: record(10) });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const look: Look = async (requests) => {
      if (requests.some(({ path }) => path === recordPath(10))) await held;
      return files.look(requests);
    };
    const it = scene(
      { 10: CLAUDE, 11: CODEX },
      { look, patienceMs: 30, clock: () => performance.now() },
      files,
    );
    expect(await it.poll()).toEqual(['started 10', 'started 11']);
    expect(it.monitor.agents[0]?.because.join('\n')).toContain('its pid record could not be read');
    it.machine.end(11);
    expect(await it.poll()).toEqual(['exited 11']);
    release();
    await expect.poll(() => it.poll()).toEqual(['changed 10']);
    expect(it.monitor.agents[0]?.session.id).toBe(UUID);
  });

  it('because an injected reader threw is thrown, and asked again', async () => {
    let broken = true;
    const machine = new FakeMachine({ 10: CLAUDE });
    const readProcesses: MonitorOptions['readProcesses'] = async (pids) => {
      if (broken) throw new Error('no reader');
      return machine.readProcesses(pids);
    };
    const it = scene({ 10: CLAUDE }, { readProcesses });
    await expect(it.monitor.poll()).rejects.toThrow('no reader');
    broken = false;
    expect(await later(it)).toEqual(['started 10']);
  });
});

describe('polls', () => {
  it('queue one behind the other', async () => {
    const it = scene({ 10: CLAUDE });
    const [first, second] = await Promise.all([it.monitor.poll(), it.monitor.poll()]);
    expect(first.events).toHaveLength(1);
    expect(second.events).toEqual([]);
  });

  it('reject once the monitor is closed', async () => {
    const it = scene({ 10: CLAUDE });
    const underWay = it.monitor.poll();
    it.monitor.close();
    it.monitor.close();
    expect((await underWay).events).toEqual([]);
    await expect(it.monitor.poll()).rejects.toMatchObject({ code: 'ERR_POLLER_CLOSED' });
    const seen: unknown[] = [];
    for await (const delta of it.monitor.watch({ intervalMs: 1 })) seen.push(delta);
    expect(seen).toEqual([]);
  });

  it('are made by watch(), which yields news alone and ends with its signal', async () => {
    const it = scene({ 10: CLAUDE });
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { events, failed } of it.monitor.watch({ intervalMs: 1, signal: stop.signal })) {
      seen.push(failed ? 'failed' : events.map(({ type, agent }) => `${type} ${agent.pid}`).join());
      if (seen.length === 1) it.machine.end(10);
      if (seen.length === 2) it.machine.failure = { kind: 'gone', code: 2, call: 'open', path: '/proc' };
      if (seen.length === 3) stop.abort();
    }
    expect(seen).toEqual(['started 10', 'exited 10', 'failed']);
    expect(it.monitor.stats.polls).toBeGreaterThanOrEqual(3);
  });
});
