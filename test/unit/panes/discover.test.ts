import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { discoverPanes } from '../../../lib/panes/discover.js';
import type { ReadDiscovery } from '../../../lib/panes/discovery.js';
import { psmuxPanes, psmuxSessions } from '../../../lib/panes/psmux.js';
import { checkRuntime, rootIn, runtimeIn } from '../../../lib/panes/runtime.js';
import { OTHER, SOCKET, World } from './world.js';

async function read(world: World): Promise<ReadDiscovery> {
  const seen = await world.look();
  if (seen.state === 'failed') throw new Error(seen.reason);
  return seen;
}

function claudeIn(id = '%3'): World {
  const world = new World();
  world.pane(id, 10);
  world.agent(11, 10, 'claude', { cwd: '/w/a' });
  return world;
}

const THIS = { engine: 'claude', pane: { socket: SOCKET, id: '%3' } };
const IDENTITY = { bootId: null, pid: 11, startKey: '1100', executable: '/opt/claude' };

describe('discoverPanes()', () => {
  it('says all that is known of the agent of a pane', async () => {
    const seen = await read(claudeIn());
    expect(seen.agents).toMatchObject([
      {
        ...{ engine: 'claude', kind: 'tui', cwd: '/w/a', paneCwd: '/w', argv: ['claude'], resumeId: null },
        ...{ pane: { id: '%3' }, identity: IDENTITY, chain: [IDENTITY], gateway: null },
        ...{ evidence: { score: 3 }, homes: { config: '/home/user/.claude' } },
      },
    ]);
  });

  it('finds agents outside of tmux, without a pane', async () => {
    const world = claudeIn();
    world.agent(50, 1, 'codex', { tty: 'pts/7', sid: 50 });
    const { outside } = await read(world);
    expect(outside).toMatchObject([{ pid: 50, engine: 'codex', pane: null, tty: 'pts/7' }]);
  });

  it('reports ambiguous panes with the reason and the override, and no agent for them', async () => {
    const world = claudeIn();
    world.agent(12, 10, 'codex');
    const { agents: found, ambiguousPanes } = await read(world);
    expect(found).toEqual([]);
    expect(ambiguousPanes).toMatchObject([
      {
        pane: { id: '%3' },
        override: expect.stringContaining('CLAUDE_PATH'),
        contenders: [{ pid: 11 }, { pid: 12 }],
      },
    ]);
  });

  it('L25 tells a failed look from an empty one, and freezes the panes of a failed server alone', async () => {
    const world = claudeIn();
    world.pane('%3', 20, { socket: OTHER });
    world.agent(21, 20, 'codex');
    world.frozen.add(OTHER);
    const seen = await read(world);
    expect(seen.frozen).toEqual([OTHER]);
    expect(seen.agents.map(({ engine }) => engine)).toEqual(['claude']);
    expect(seen.status({ socket: OTHER, id: '%3' })).toBe('unknown');
    expect(seen.status({ socket: SOCKET, id: '%9' })).toBe('absent');
    expect(seen.faults).toMatchObject([{ kind: 'timeout', path: OTHER }]);
    world.fault = { kind: 'timeout', code: 0, call: 'read', path: '/proc' };
    expect(await world.look()).toMatchObject({ state: 'failed', faults: [{ kind: 'timeout' }] });
  });

  it('L27 keeps panes of one number apart by their servers', async () => {
    const world = claudeIn();
    const [before] = world.inventory.panes;
    world.restart();
    world.end(11);
    world.pane('%3', 30);
    const seen = await read(world);
    expect(seen.status(before as never)).toBe('absent');
    expect(seen.status({ socket: SOCKET, id: '%3' })).toBe('present');
  });

  it('L26 gives a dead pane no owner', async () => {
    const world = claudeIn();
    world.pane('%3', 10, { dead: true });
    expect((await read(world)).agents).toEqual([]);
  });

  it('settles an unresolved agent by a hint for its pane', async () => {
    const world = new World();
    const pane = world.pane('%3', 10);
    world.agent(11, 10, 'agent', { exe: '/usr/sbin/agent' });
    expect(await world.look()).toMatchObject({ agents: [], ambiguousPanes: [{ pane: { id: '%3' } }] });
    const seen = await world.look({ hints: [{ pane, engine: 'grok' }] });
    expect(seen).toMatchObject({ agents: [{ engine: 'grok', evidence: { score: 1 } }], ambiguousPanes: [] });
    await expect(discoverPanes({ hints: [{ pane, engine: 'claude' }] })).rejects.toThrow(/engine/);
  });

  it('reads the screens of agents that need it, and no others', async () => {
    const world = claudeIn();
    world.pane('%4', 20);
    world.agent(21, 20, 'amp');
    world.pane('%5', 30);
    world.screens['%3'] = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n';
    const { agents: rows } = await agents(world.options);
    expect(world.captured).toEqual(['%3']);
    expect(rows).toMatchObject([
      {
        engine: 'claude',
        pane: { id: '%3', sessionName: 'work' },
        state: { value: 'waiting', source: 'screen' },
      },
      { engine: 'amp', pane: { id: '%4' }, state: { value: 'unknown' } },
    ]);
  });

  it('reads no screen that another program has, and any where the kernel does not say (L52)', async () => {
    const world = claudeIn();
    world.agent(11, 10, 'claude', { tpgid: 77, pgid: 11 });
    await agents(world.options);
    expect(world.captured).toEqual([]);
    world.agent(11, 10, 'claude', { tpgid: -1, pgid: 11 });
    await agents(world.options);
    expect(world.captured).toEqual(['%3']);
  });
});

describe('checkRuntime()', () => {
  it('is alive by pid and start; the image may be another', async () => {
    const world = claudeIn();
    expect(await checkRuntime({ ...THIS, identity: IDENTITY }, world.options)).toMatchObject({
      state: 'alive',
      adopted: false,
    });
    world.agent(11, 10, 'vim');
    const check = runtimeIn(await world.look(), { ...THIS, identity: IDENTITY });
    expect(check).toMatchObject({
      state: 'alive',
      identity: { pid: 11, executable: '/opt/vim' },
      agent: null,
    });
  });

  it('is unknown after a probe that failed, and never gone', async () => {
    const world = claudeIn();
    world.frozen.add(SOCKET);
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      state: 'unknown',
      reason: 'tmux',
    });
    world.frozen.clear();
    world.fault = { kind: 'io', code: 5, call: 'open', path: '/proc' };
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      state: 'unknown',
      reason: 'table',
    });
  });

  it('is unknown where servers could not be looked for', async () => {
    const world = claudeIn();
    world.servers.clear();
    world.searched = false;
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      state: 'unknown',
      reason: 'tmux',
    });
    world.searched = true;
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      state: 'gone',
      reason: 'pane-absent',
    });
  });

  it('says why it is gone, and what runs there instead, shallowest first', async () => {
    const world = claudeIn();
    world.end(11);
    for (const pid of [15, 14, 13, 12])
      world.run(pid, { ppid: pid === 12 ? 10 : pid - 1, argv: ['sleep'], name: 'sleep' });
    const check = runtimeIn(await world.look(), { ...THIS, identity: IDENTITY });
    expect(check).toMatchObject({
      state: 'gone',
      reason: 'no-engine',
      message: 'no claude process in pane %3',
    });
    expect(check.state === 'gone' && check.running.map(({ pid }) => pid)).toEqual([10, 12, 13, 14]);
    world.agent(40, 10, 'claude');
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      ...{ state: 'gone', reason: 'process-changed', stored: { pid: 11 }, found: { pid: 40 } },
      message: 'process changed in %3: pid 11 (start 1100) was known, pid 40 (start 4000) runs',
    });
    world.close('%3');
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      reason: 'pane-absent',
    });
  });

  it('looks for the stored engine: another one is not it', async () => {
    const world = new World();
    world.pane('%3', 10);
    world.agent(12, 10, 'codex');
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({
      reason: 'no-engine',
    });
  });

  it('adopts whom it finds where no identity that can be read is stored', async () => {
    for (const identity of [
      undefined,
      null,
      'pid 11',
      { pid: 11, start: 5 },
      { pid: '11', startKey: '1100' },
    ]) {
      const check = runtimeIn(await claudeIn().look(), { ...THIS, identity });
      expect(check).toMatchObject({ state: 'alive', adopted: true, identity: { pid: 11 } });
    }
  });

  it('follows a move within one launcher chain', async () => {
    const world = new World();
    world.pane('%3', 10);
    world.agent(11, 10, 'node', { argv: ['node', '/b/copilot'], exe: '/usr/bin/node' });
    world.agent(12, 11, 'copilot');
    const stored = { ...IDENTITY, executable: null };
    const check = runtimeIn(await world.look(), { engine: 'copilot', pane: THIS.pane, identity: stored });
    expect(check).toMatchObject({ state: 'alive', identity: { pid: 12 } });
  });

  it('is unknown in an ambiguous pane, unless the stored process lives', async () => {
    const world = claudeIn();
    world.agent(12, 10, 'claude');
    const other = { ...IDENTITY, pid: 90 };
    expect(runtimeIn(await world.look(), { ...THIS, identity: other })).toMatchObject({
      state: 'unknown',
      reason: 'ambiguous',
    });
    expect(runtimeIn(await world.look(), { ...THIS, identity: IDENTITY })).toMatchObject({ state: 'alive' });
  });

  it('rootProcess() is whatever sits in the pane', async () => {
    const world = claudeIn();
    expect(rootIn(await world.look(), THIS.pane)).toMatchObject({
      state: 'alive',
      identity: { pid: 10 },
      name: 'sh',
    });
    world.pane('%3', 10, { dead: true });
    expect(rootIn(await world.look(), THIS.pane)).toMatchObject({ state: 'gone', reason: 'no-process' });
    world.close('%3');
    expect(rootIn(await world.look(), THIS.pane)).toMatchObject({ state: 'gone', reason: 'pane-absent' });
  });
});

describe('psmux', () => {
  const row = (pid: number, ppid: number, exe: string, startKey = BigInt(pid)) => ({
    pid,
    ppid,
    exe,
    name: null,
    startKey,
  });
  const bin = 'C:\\Users\\u\\scoop\\shims\\';

  it('has a pwsh below tmux.exe for each pane, by the program and never by its script', () => {
    const rows = [
      row(1, 0, `${bin}psmux.exe`),
      row(2, 0, `${bin}tmux.exe`),
      row(3, 2, 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'),
      row(4, 2, 'C:\\Windows\\System32\\conhost.exe'),
      row(5, 3, 'C:\\x\\claude.exe'),
      row(6, 1, 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'),
      row(7, 8, 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'),
      { ...row(9, 2, 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'), startKey: 1n },
    ];
    expect(psmuxPanes(rows)).toEqual([
      { serverPid: 2, rootPid: 3 },
      { serverPid: 1, rootPid: 6 },
    ]);
  });

  it('has a session for each file that holds a port', () => {
    const files = [
      { name: 'work.port', text: '49152\r\n' },
      { name: 'a.b.port', text: '\ufeff7' },
      { name: 'zero.port', text: '0' },
      { name: 'big.port', text: '65536' },
      { name: 'odd.port', text: 'x1' },
      { name: 'work.key', text: '49152' },
    ];
    expect(psmuxSessions(files)).toEqual([
      { name: 'a.b', port: 7 },
      { name: 'work', port: 49_152 },
    ]);
  });
});
