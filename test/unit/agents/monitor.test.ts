import { describe, expect, it } from 'vitest';
import { FakeFiles, tableOf } from './fakes.js';
import {
  CLAUDE,
  CODEX,
  expectSameAsAgents,
  FakeMachine,
  later,
  record,
  recordPath,
  SHELL,
  scene,
} from './machine.js';

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

  it('are not made of a title that hides the arguments', async () => {
    const node = { argv: ['node', '/b/codex'], exe: '/usr/bin/node', name: 'node' };
    const it = scene({ 10: node });
    expect(await it.poll()).toEqual(['started 10']);
    it.machine.set({ 10: { argv: ['a title of its own'], name: 'a title of its' } });
    expect(await later(it)).toEqual([]);
    it.machine.set({ 10: { state: 'T' } });
    expect(await it.poll()).toEqual(['changed 10']);
    expect(it.monitor.agents).toMatchObject([{ engine: 'codex', state: { suspended: true } }]);
    it.machine.set({ 10: { argv: ['node', '/b/other'], name: 'node' } });
    expect(await it.poll()).toEqual(['exited 10']);
  });

  it('wait for the end of a process that has lost its memory on its way out', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.set({ 10: { argv: [], exe: undefined } });
    expect(await it.poll()).toEqual([]);
    it.machine.end(10);
    expect(await it.events()).toMatchObject([
      { type: 'exited', agent: { exe: CLAUDE.exe }, reasons: [expect.stringContaining('has ended')] },
    ]);
  });

  it('wait for it also where the poller saw only a part of that', async () => {
    let leaving = false;
    const machine = new FakeMachine({ 10: CLAUDE });
    const readProcesses = async () => tableOf({ 10: leaving ? { argv: [], exe: null } : CLAUDE });
    const it = scene({}, { poller: machine, readProcesses, clock: () => machine.now });
    expect(await it.poll()).toEqual(['started 10']);
    leaving = true;
    machine.set({ 10: { exe: undefined } });
    expect(await it.poll()).toEqual([]);
    machine.end(10);
    const [exit] = await it.events();
    expect(exit).toMatchObject({ type: 'exited', reasons: [expect.stringContaining('has ended')] });
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

describe('where engines are installed', () => {
  it('is asked again when something starts, and makes agents of who runs there already', async () => {
    const files = new FakeFiles({ '/bin/claude': { link: '/opt/c/2.0' } });
    const rows = {
      10: { argv: ['/opt/c/2.0'], exe: '/opt/c/2.0', name: '2.0', exeFile: { dev: 1n, ino: 2n } },
    };
    const it = scene(rows, { pathEnv: '/bin' }, files);
    expect(await it.poll()).toEqual([]);
    files.set('/opt/c/2.0', '');
    expect(await later(it, 5_000)).toEqual([]);
    it.machine.set({ 20: SHELL });
    const [start] = await it.events();
    expect(start).toMatchObject({ type: 'started', agent: { pid: 10, evidence: { rule: 'file-identity' } } });
    expect(start?.reasons[0]).toBe('its program was found to be installed');
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
    it.machine.set({ 101: { state: 'T' }, 107: { state: 'T' }, 119: { state: 'T' } });
    expect(await it.poll()).toEqual(['changed 101', 'changed 107', 'changed 119']);
    expect(it.monitor.stats.judged).toBe(judged + 4);
    expect(await it.poll()).toEqual([]);
    expect(it.monitor.stats.judged).toBe(judged + 4);
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
