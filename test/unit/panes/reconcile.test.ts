import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentDelta } from '../../../lib/agents/monitor.js';
import type { PaneHint } from '../../../lib/agents/once.js';
import { MISS_LIMIT, Reconciler } from '../../../lib/panes/reconcile.js';
import type { ReconcilerOptions } from '../../../lib/panes/reconciler-options.js';
import { OTHER, SOCKET, World } from './world.js';

const IDENTITY = { bootId: null, pid: 11, startKey: '1100', executable: '/opt/claude' };
const STORED = { engine: 'claude', pane: { socket: SOCKET, id: '%3' }, identity: IDENTITY };

interface Scene {
  readonly world: World;
  readonly reconciler: Reconciler;
  /** What the callbacks said since the last call. */
  news(): string[];
  pass(): Promise<string[]>;
  looks: number;
}

function scene(world = new World(), more: Partial<ReconcilerOptions> = {}): Scene {
  const heard: string[] = [];
  const it: Scene = {
    world,
    looks: 0,
    news: () => heard.splice(0),
    pass: async () => {
      await reconciler.trigger();
      return heard.splice(0);
    },
    reconciler: undefined as unknown as Reconciler,
  };
  const reconciler = new Reconciler({
    discover: (hints: readonly PaneHint[]) => {
      it.looks++;
      return world.look({ hints });
    },
    onDiscovered: ({ engine, identity, pane }) =>
      void heard.push(`discovered ${engine} ${identity.pid} ${pane.id}`),
    onObserved: ({ engine, identity }) => void heard.push(`observed ${engine} ${identity.pid}`),
    onRemoved: ({ engine, identity }, reason) =>
      void heard.push(`removed ${engine} ${identity?.pid}: ${reason}`),
    onExited: ({ engine, identity }, reasons) =>
      void heard.push(`exited ${engine} ${identity?.pid}: ${reasons.join()}`),
    onWarning: (message) => void heard.push(`warning ${message}`),
    onError: (error) => void heard.push(`error ${(error as Error).message}`),
    ...more,
  });
  return Object.assign(it, { reconciler });
}

function claudeIn(id = '%3'): World {
  const world = new World();
  world.pane(id, 10);
  world.agent(11, 10, 'claude');
  return world;
}

const exit = (pid: number, startKey: string): Pick<AgentDelta, 'events'> => ({
  events: [
    { type: 'exited', agent: { pid, startKey }, reasons: ['it ended'] },
  ] as unknown as AgentDelta['events'],
});

describe('Reconciler', () => {
  it('discovers once and observes from then on', async () => {
    const it = scene(claudeIn());
    expect(await it.pass()).toEqual(['discovered claude 11 %3']);
    expect(await it.pass()).toEqual(['observed claude 11']);
  });

  it('changes nothing after a probe that failed: agents and miss counts stay', async () => {
    const it = scene(claudeIn());
    await it.pass();
    it.world.end(11);
    expect(await it.pass()).toEqual([]);
    it.world.fault = { kind: 'io', code: 5, call: 'open', path: '/proc' };
    expect(await it.pass()).toEqual([expect.stringContaining('error the process table could not be read')]);
    it.world.fault = undefined;
    it.world.frozen.add(SOCKET);
    expect(await it.pass()).toEqual([]);
    expect(it.reconciler.agents).toMatchObject([{ engine: 'claude', misses: 1 }]);
    it.world.frozen.clear();
    expect(await it.pass()).toEqual([
      'removed claude 11: no supported engine process in %3 after 2 confirmed scans',
    ]);
  });

  it('freezes the panes of one server that fails, and goes on with the others', async () => {
    const world = claudeIn();
    world.pane('%3', 20, { socket: OTHER });
    world.agent(21, 20, 'codex');
    const it = scene(world);
    await it.pass();
    world.frozen.add(OTHER);
    world.end(11);
    world.end(21);
    await it.pass();
    expect(await it.pass()).toEqual([expect.stringContaining('removed claude 11')]);
    expect(it.reconciler.agents).toMatchObject([{ engine: 'codex', misses: 0 }]);
  });

  it('L24 removes after two confirmed misses, and a look in between clears them', async () => {
    expect(MISS_LIMIT).toBe(2);
    const it = scene(claudeIn());
    await it.pass();
    it.world.end(11);
    expect(await it.pass()).toEqual([]);
    it.world.agent(11, 10, 'claude');
    expect(await it.pass()).toEqual(['observed claude 11']);
    it.world.end(11);
    expect(await it.pass()).toEqual([]);
    expect(await it.pass()).toHaveLength(1);
  });

  it('tells a pane that is absent from one without an engine', async () => {
    const it = scene(claudeIn());
    await it.pass();
    it.world.close('%3');
    await it.pass();
    expect(await it.pass()).toEqual(['removed claude 11: pane %3 absent after 2 confirmed scans']);
  });

  it('counts no miss in an ambiguous pane', async () => {
    const it = scene(claudeIn());
    await it.pass();
    it.world.agent(12, 10, 'codex');
    await it.pass();
    expect(await it.pass()).toEqual([]);
    expect(it.reconciler.agents).toMatchObject([{ misses: 0 }]);
  });

  it('replaces in one pass: removed, then discovered', async () => {
    const it = scene(claudeIn());
    await it.pass();
    it.world.end(11);
    it.world.agent(12, 10, 'claude');
    const replaced = ['removed claude 11: process replaced in %3', 'discovered claude 12 %3'];
    expect(await it.pass()).toEqual(replaced);
    it.world.agent(12, 10, 'codex');
    expect(await it.pass()).toEqual(['removed claude 12: process replaced in %3', 'discovered codex 12 %3']);
    it.world.agent(12, 10, 'codex', { startKey: 9_000n });
    expect(await it.pass()).toEqual(['removed codex 12: process replaced in %3', 'discovered codex 12 %3']);
  });

  it('observes a move within one launcher chain, and clears the misses', async () => {
    const world = new World();
    world.pane('%3', 10);
    world.agent(11, 10, 'node', { argv: ['node', '/b/copilot'], exe: '/usr/bin/node' });
    const it = scene(world);
    expect(await it.pass()).toEqual(['discovered copilot 11 %3']);
    world.agent(12, 11, 'copilot');
    expect(await it.pass()).toEqual(['observed copilot 12']);
    world.agent(12, 10, 'copilot');
    world.end(11);
    expect(await it.pass()).toEqual(['observed copilot 12']);
  });

  it('adopts for a stored agent of the same engine without an identity, once', async () => {
    const it = scene(claudeIn(), { stored: [{ ...STORED, identity: { pid: 11, start: 'old form' } }] });
    expect(await it.pass()).toEqual(['observed claude 11']);
    expect(it.reconciler.agents).toMatchObject([{ identity: IDENTITY }]);
    it.world.end(11);
    it.world.agent(12, 10, 'claude');
    expect(await it.pass()).toEqual([expect.stringContaining('process replaced'), 'discovered claude 12 %3']);
  });

  it('keeps the placeholder while the first process lives, and replaces it in place', async () => {
    const world = new World();
    world.pane('%3', 10);
    const identity = { bootId: null, pid: 10, startKey: '1000', executable: null };
    const it = scene(world, { stored: [{ ...STORED, identity, placeholder: true }] });
    for (let pass = 0; pass < 3; pass++) expect(await it.pass()).toEqual([]);
    world.agent(11, 10, 'claude');
    expect(await it.pass()).toEqual(['observed claude 11']);
    expect(it.reconciler.agents).toMatchObject([{ identity: IDENTITY, placeholder: false }]);
  });

  it('hides one exact runtime until a look proves it gone', async () => {
    const it = scene(claudeIn());
    await it.pass();
    it.reconciler.suppress(STORED);
    expect(it.reconciler.agents).toEqual([]);
    expect(await it.pass()).toEqual([]);
    it.world.frozen.add(SOCKET);
    await it.pass();
    it.world.frozen.clear();
    expect(await it.pass()).toEqual([]);
    it.world.end(11);
    expect(await it.pass()).toEqual([]);
    it.world.agent(11, 10, 'claude');
    expect(await it.pass()).toEqual(['discovered claude 11 %3']);
    expect(() => it.reconciler.suppress({ ...STORED, identity: null })).toThrow(/identity/);
  });

  it('hides nothing but that runtime, and follows its launcher chain', async () => {
    const world = new World();
    world.pane('%3', 10);
    world.agent(11, 10, 'node', { argv: ['node', '/b/copilot'], exe: '/usr/bin/node' });
    const it = scene(world);
    await it.pass();
    it.reconciler.suppress({ ...STORED, engine: 'copilot' });
    world.agent(12, 11, 'copilot');
    expect(await it.pass()).toEqual([]);
    world.agent(12, 10, 'copilot');
    world.end(11);
    expect(await it.pass()).toEqual([]);
    world.end(12);
    world.agent(13, 10, 'copilot');
    expect(await it.pass()).toEqual(['discovered copilot 13 %3']);
  });

  it('warns of each ambiguous pane once, until it is none any more, and names the override', async () => {
    const world = claudeIn();
    world.agent(12, 10, 'codex');
    const it = scene(world);
    const [first] = await it.pass();
    expect(first).toBe(
      `warning pane %3 (${SOCKET}) is ambiguous: claude (pid 11) and codex (pid 12) have the same claim: depth 1, ` +
        'score 3; CLAUDE_PATH or CODEX_PATH with the path of the program would settle it',
    );
    expect(await it.pass()).toEqual([]);
    world.frozen.add(SOCKET);
    await it.pass();
    world.frozen.clear();
    expect(await it.pass()).toEqual([]);
    world.end(12);
    expect(await it.pass()).toEqual(['discovered claude 11 %3']);
    world.agent(12, 10, 'codex');
    expect(await it.pass()).toEqual([first]);
  });

  it('uses a hint in the first look that succeeds, and then drops it', async () => {
    const world = new World();
    const pane = world.pane('%3', 10);
    world.agent(11, 10, 'agent', { exe: '/usr/sbin/agent' });
    const it = scene(world);
    expect(await it.pass()).toEqual([expect.stringContaining('or a hint for the pane would settle it')]);
    world.frozen.add(SOCKET);
    await it.reconciler.triggerHint(pane, 'grok');
    expect(it.news()).toEqual([]);
    world.frozen.clear();
    expect(await it.pass()).toEqual(['discovered grok 11 %3']);
    // Without the hint the program is unresolved again: that is no miss, and nothing to warn of.
    for (let pass = 0; pass < 3; pass++) expect(await it.pass()).toEqual([]);
    expect(it.reconciler.agents).toMatchObject([{ engine: 'grok', misses: 0 }]);
    expect(() => it.reconciler.triggerHint(pane, 'claude')).toThrow(/cursor, grok/);
  });

  it('tells an end that a monitor proved at once; the removal follows without waiting for the timer', async () => {
    const it = scene(claudeIn());
    await it.pass();
    it.world.end(11);
    await it.reconciler.take(exit(11, '1100'));
    expect(it.news()).toEqual(['exited claude 11: it ended']);
    await it.reconciler.stop();
    expect(it.news()).toEqual([
      'removed claude 11: no supported engine process in %3 after 2 confirmed scans',
    ]);
    const looks = it.looks;
    await it.reconciler.take(exit(77, '1'));
    await it.reconciler.take({ events: [] });
    expect(it.news()).toEqual([]);
    expect(it.looks).toBe(looks + 1);
  });

  it('reports a callback that throws and goes on, in order', async () => {
    const world = claudeIn();
    world.pane('%4', 20);
    world.agent(21, 20, 'codex');
    const order: string[] = [];
    const it = scene(world, {
      onDiscovered: async ({ engine }) => {
        order.push(`${engine} begins`);
        await Promise.resolve();
        order.push(`${engine} ends`);
        if (engine === 'claude') throw new Error('no');
      },
    });
    expect(await it.pass()).toEqual(['error no']);
    expect(order).toEqual(['claude begins', 'claude ends', 'codex begins', 'codex ends']);
    expect(await it.pass()).toEqual(['observed claude 11', 'observed codex 21']);
  });

  it('goes on after a look that throws', async () => {
    let fails = true;
    const world = claudeIn();
    const it = scene(world, {
      discover: async () => {
        if (fails) throw new Error('broken');
        return world.look();
      },
    });
    expect(await it.pass()).toEqual(['error broken']);
    fails = false;
    expect(await it.pass()).toEqual(['discovered claude 11 %3']);
  });
});

describe('passes of a Reconciler', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are one after the other: triggers during a pass cause exactly one more', async () => {
    const open: (() => void)[] = [];
    const world = claudeIn();
    const it = scene(world, {
      discover: async () => {
        it.looks++;
        await new Promise<void>((resolve) => open.push(resolve));
        return world.look();
      },
    });
    const first = it.reconciler.trigger();
    await vi.waitFor(() => expect(open).toHaveLength(1));
    const later = [it.reconciler.trigger(), it.reconciler.trigger(), it.reconciler.trigger()];
    expect(it.looks).toBe(1);
    open[0]?.();
    await first;
    await vi.waitFor(() => expect(open).toHaveLength(2));
    open[1]?.();
    await Promise.all(later);
    expect(it.looks).toBe(2);
  });

  it('come at once and then by the timer, until stopped', async () => {
    const it = scene(claudeIn());
    it.reconciler.start(1_000);
    await vi.waitFor(() => expect(it.news()).toEqual(['discovered claude 11 %3']));
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(it.looks).toBe(2));
    await it.reconciler.stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(it.news()).toEqual(['observed claude 11']);
    expect(() => it.reconciler.start(0)).toThrow(/intervalMs/);
  });
});

describe('mouse mode', () => {
  it('is left alone by default, and set once a pane in sessions of the caller', async () => {
    const world = claudeIn();
    world.pane('%4', 20, { sessionName: 'foreign' });
    const set: string[] = [];
    let ok = false;
    const mouse = {
      sessions: ({ sessionName }: { sessionName: string }) => sessionName === 'work',
      set: async ({ id }: { id: string }) => {
        set.push(id);
        return ok ? { ok } : { ok, message: 'no such pane' };
      },
    };
    const it = scene(world, { mouse });
    expect(await it.pass()).toEqual(['discovered claude 11 %3', 'error mouse mode of %3: no such pane']);
    ok = true;
    await it.pass();
    await it.pass();
    expect(set).toEqual(['%3', '%3']);
    world.close('%3');
    await it.pass();
    world.pane('%3', 10);
    await it.pass();
    expect(set).toEqual(['%3', '%3', '%3']);
  });
});

describe('options of a Reconciler', () => {
  it.each([
    [{ wrong: 1 }, /wrong/],
    [{ onRemoved: 1 }, /onRemoved/],
    [{ discover: async () => new World().look(), panes: {} }, /panes/],
    [{ stored: [{}] }, /stored/],
    [{ mouse: {} }, /mouse/],
  ])('%o is refused by name', (options, name) => {
    expect(() => new Reconciler(options as ReconcilerOptions)).toThrow(name);
  });
});
