import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { SOCKET, World } from '../panes/world.js';
import { FakeServer } from '../tmux/fake.js';
import { CLAUDE, later, SHELL, scene } from './machine.js';

function paned() {
  const world = new World();
  world.pane('%3', 10);
  let reads = 0;
  const captured: string[] = [];
  const unreadable = new Set<string>();
  const it = scene(
    { 9: SHELL, 10: { ...SHELL, ppid: 9 }, 11: { ...CLAUDE, ppid: 10, pgid: 11, tpgid: 11 } },
    {
      readPanes: async () => {
        reads++;
        return world.inventory;
      },
      readScreen: async ({ id }) => {
        captured.push(id);
        return unreadable.has(id) ? undefined : (world.screens[id] ?? '');
      },
      paneAgeMs: 1_000,
    },
  );
  return Object.assign(it, { world, captured, unreadable, reads: () => reads });
}

describe('panes in the monitor', () => {
  it('come with the first answer, and a title that spins is no news', async () => {
    const it = paned();
    expect(await it.poll()).toEqual(['started 11']);
    expect(it.monitor.agents).toMatchObject([{ pid: 11, pane: { id: '%3', title: 't' } }]);
    it.world.pane('%3', 10, { title: '⠋ t' });
    expect(await later(it)).toEqual(['changed 11']);
    expect(it.monitor.agents).toMatchObject([{ pane: { title: '⠋ t' }, state: { value: 'busy' } }]);
    it.world.pane('%3', 10, { title: '⠙ t' });
    expect(await later(it)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ pane: { title: '⠙ t' }, state: { value: 'busy' } }]);
  });

  it('are not asked for before their age, nor while nobody could own one', async () => {
    const it = paned();
    await it.poll();
    await it.poll();
    expect(it.reads()).toBe(1);
    it.machine.end(11);
    expect(await it.poll()).toEqual(['exited 11']);
    await later(it);
    expect(it.reads()).toBe(1);
  });

  it('stand as they were while their server cannot be asked, and the fault is told', async () => {
    const it = paned();
    await it.poll();
    it.world.frozen.add(SOCKET);
    expect(await later(it)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ pane: { id: '%3' } }]);
    expect(it.monitor.envelope.faults).toMatchObject([{ pid: null, kind: 'timeout', path: SOCKET }]);
  });

  it('tell a dialog that comes up, and that it is gone again', async () => {
    const it = paned();
    await it.poll();
    it.world.screens['%3'] = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n';
    it.machine.now += 2_000;
    expect(await it.events()).toMatchObject([
      { type: 'changed', fields: ['state'], reasons: ['state: unknown -> waiting (permission)'] },
    ]);
    it.world.screens['%3'] = '';
    it.machine.now += 2_000;
    expect(await it.events()).toMatchObject([{ reasons: ['state: waiting (permission) -> unknown'] }]);
  });

  it('tell a running turn once, however often its line counts on', async () => {
    const it = paned();
    const turn = (seconds: number) => {
      it.world.screens['%3'] = `✻ Pondering… (${seconds}s · esc to interrupt)\n❯ \n`;
    };
    turn(1);
    await it.poll();
    turn(2);
    expect(await later(it)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([
      { state: { value: 'busy', raw: '✻ Pondering… (2s · esc to interrupt)' } },
    ]);
  });

  it('are captured again only where something was written since, or may have been', async () => {
    const it = paned();
    const tell = (activity: number, at: number) => {
      it.world.pane('%3', 10, { activity });
      it.world.at = at;
    };
    tell(100, 100_900);
    await it.poll();
    // The second of the last output was not over when it was captured.
    tell(100, 101_900);
    await later(it, 1_000);
    expect(it.captured).toEqual(['%3', '%3']);
    tell(100, 102_900);
    expect(await later(it, 1_000)).toEqual([]);
    expect(it.captured).toHaveLength(2);
    it.world.screens['%3'] = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n';
    tell(103, 103_900);
    expect(await later(it, 1_000)).toEqual(['changed 11']);
    it.world.pane('%3', 10, { activity: 103, width: 81 });
    it.world.at = 104_900;
    await later(it, 1_000);
    expect(it.captured).toHaveLength(4);
  });

  it('are captured again in another window, which may have been written to at the very same time', async () => {
    const it = paned();
    it.world.pane('%3', 10, { activity: 100 });
    it.world.at = 102_000;
    await it.poll();
    it.world.screens['%3'] = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n';
    it.world.pane('%3', 10, { activity: 100, windowId: '@7' });
    it.machine.now += 1_000;
    expect(await it.events()).toMatchObject([
      { type: 'changed', reasons: expect.arrayContaining(['state: unknown -> waiting (permission)']) },
    ]);
    expect(it.captured).toHaveLength(2);
  });

  it('are not captured while their server cannot be asked for its panes', async () => {
    const it = paned();
    it.world.screens['%3'] = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n';
    await it.poll();
    it.world.frozen.add(SOCKET);
    await later(it, 1_000);
    await later(it, 60_000);
    expect(it.captured).toHaveLength(1);
    expect(it.monitor.agents).toMatchObject([{ state: { value: 'waiting' } }]);
    it.world.frozen.clear();
    await later(it, 1_000);
    expect(it.captured).toHaveLength(2);
  });

  it('are not waited for any more by a monitor that was closed', async () => {
    let asked = (): void => {};
    const connected = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await FakeServer.start(() => asked());
    try {
      const it = scene({ 11: CLAUDE }, { tmuxSockets: [server.socket], patienceMs: 1 });
      await it.poll();
      await connected;
      const ended = once(server.peers[0]?.socket as Socket, 'close');
      it.monitor.close();
      await ended;
      expect(server.peers).toHaveLength(1);
    } finally {
      await server.end();
    }
  });

  it('are captured again after half a minute although nothing tells of a change', async () => {
    const it = paned();
    it.world.pane('%3', 10, { activity: 1 });
    it.world.at = 100_000;
    await it.poll();
    await later(it, 29_000);
    expect(it.captured).toHaveLength(1);
    await later(it, 1_000);
    expect(it.captured).toHaveLength(2);
  });

  it('are captured again where they could not be read, and what was read before stands', async () => {
    const it = paned();
    it.world.screens['%3'] = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n';
    it.world.pane('%3', 10, { activity: 1 });
    it.world.at = 100_000;
    await it.poll();
    it.world.pane('%3', 10, { activity: 101 });
    it.world.at = 102_000;
    delete it.world.screens['%3'];
    it.unreadable.add('%3');
    expect(await later(it, 1_000)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ state: { value: 'waiting' } }]);
    it.unreadable.clear();
    expect(await later(it, 1_000)).toEqual(['changed 11']);
    expect(it.captured).toHaveLength(3);
  });

  it('name a pane that nobody can be said to own', async () => {
    const it = paned();
    await it.poll();
    it.machine.set({ 12: { ...CLAUDE, ppid: 10 } });
    await it.poll();
    expect(it.monitor.envelope.ambiguousPanes).toMatchObject([{ pane: { id: '%3' }, override: null }]);
    expect(it.monitor.agents.map(({ pane }) => pane)).toEqual([null, null]);
  });
});
