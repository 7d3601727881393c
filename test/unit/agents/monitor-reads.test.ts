/** What a monitor reads again, and what it makes of reads that fail. */
import { describe, expect, it } from 'vitest';
import type { MonitorOptions } from '../../../lib/agents/monitor-options.js';
import type { Fault } from '../../../lib/process/fault.js';
import type { Look } from '../../../lib/process/look.js';
import { FakeFiles } from './fakes.js';
import {
  CLAUDE,
  CODEX,
  expectSameAsAgents,
  FakeMachine,
  later,
  OTHER,
  record,
  recordPath,
  SHELL,
  scene,
  UUID,
} from './machine.js';

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

  it('L06 L11 are asked for in one call for all, at the age that the caller sets', async () => {
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

describe('turns', () => {
  it('are asked for once a poll, however short their age is', async () => {
    const transcript = `/home/user/.claude/projects/-w-a/${UUID}.jsonl`;
    const files = new FakeFiles({ [transcript]: '{"type":"user"}\n' });
    const look: Look = (requests) => {
      // A poll that asks again and again never ends on a clock that stands still.
      if (files.asked.length > 1_000) throw new Error('asked without end');
      return files.look(requests);
    };
    const resumed = { ...CLAUDE, argv: ['claude', '--resume', UUID] };
    const it = scene({ 10: resumed }, { look, recordAgeMs: 0, sessionAgeMs: 100_000 }, files);
    expect(await it.poll()).toEqual(['started 10']);
    await later(it, 1);
    const before = files.asked.length;
    await later(it, 1);
    const asked = files.asked.slice(before).filter(({ path }) => path === transcript);
    expect(asked.map(({ op }) => op)).toEqual(['stat']);
    files.set(transcript, '{"type":"user"}\n{"type":"assistant","message":{"stop_reason":"end_turn"}}\n');
    expect(await later(it, 0)).toEqual(['changed 10']);
  });
});

describe('what may move', () => {
  it('is read again at five times the age of sessions', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.set({ 10: { cwd: '/w/b' } });
    expect(await later(it, 4_999)).toEqual([]);
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

  it('of the table in one poll is forgotten in the next', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    const poll = it.machine.poll.bind(it.machine);
    it.machine.poll = () => ({ ...poll(), faults: [fault('open', 'limit')] });
    expect(await it.monitor.poll()).toMatchObject({ events: [], failed: false, faults: [{ kind: 'limit' }] });
    expect(it.monitor.envelope.faults).toMatchObject([{ pid: null, kind: 'limit' }]);
    it.machine.poll = poll;
    await it.poll();
    expect(it.monitor.envelope.faults).toEqual([]);
  });

  it('again of a process leaves the earlier value', async () => {
    const it = scene({ 10: CLAUDE });
    await it.poll();
    it.machine.set({ 10: { cwd: undefined, faults: { cwd: fault('readlink') } } });
    expect(await later(it, 5_000)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ cwd: '/w/a' }]);
    expect(it.monitor.agents[0]?.because).toContain(
      'cwd could not be read again, an earlier answer stands: timeout: readlink /x',
    );
    expect(it.monitor.envelope.faults).toMatchObject([{ pid: 10, field: 'cwd' }]);
    it.machine.set({ 10: { cwd: '/w/c', faults: {} } });
    expect(await later(it, 5_000)).toEqual(['changed 10']);
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

  it('L07 in time keeps nobody waiting, is not asked for twice meanwhile, and is told later', async () => {
    const files = new FakeFiles({ [recordPath(10)]: record(10) });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const look: Look = async (requests) => {
      if (requests.some(({ path }) => path === recordPath(10))) {
        asked++;
        await held;
      }
      return files.look(requests);
    };
    const it = scene(
      { 10: CLAUDE, 11: CODEX },
      { look, patienceMs: 30, recordAgeMs: 0, clock: () => performance.now() },
      files,
    );
    expect(await it.poll()).toEqual(['started 10', 'started 11']);
    expect(it.monitor.agents[0]?.because.join('\n')).toContain('its pid record could not be read');
    it.machine.end(11);
    expect(await it.poll()).toEqual(['exited 11']);
    for (let polls = 0; polls < 5; polls++) expect(await it.poll()).toEqual([]);
    expect(asked).toBe(1);
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
