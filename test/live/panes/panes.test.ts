/** Agents in the panes of a private tmux server. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentDelta,
  AgentMonitor,
  agents,
  checkRuntime,
  discoverPanes,
  panes,
  Reconciler,
  rootProcess,
} from '../../../lib/index.js';
import { look } from '../../unit/cli/look.js';
import { built, Scene } from '../agents/start.js';
import { missingTmux, Server, until } from '../tmux/start.js';

const missing = missingTmux();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

const servers: Server[] = [];
const stopped = new Set<number>();
const closing: (() => unknown)[] = [];

async function server(name?: string): Promise<Server> {
  const made = new Server(name);
  servers.push(made);
  const fake = await built('fake');
  for (const agent of ['claude', 'codex']) copyFileSync(fake, join(made.folder, agent));
  return made;
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped.clear();
  for (const each of servers.splice(0)) each.end();
});

const quiet = { pathEnv: '', overrides: {} };

/** A shell with the agent below it, so that the pane outlives the agent. */
const inShell = (of: Server, agent: string): string => `${of.folder}/${agent}; exec sleep 600`;

describe.skipIf(missing !== undefined || process.platform !== 'linux')('agents in panes', () => {
  it('are named with their pane by agents() and by the command', async () => {
    const tmux = await server();
    const claude = tmux.start(inShell(tmux, 'claude'), '-s', 'my | work');
    const codex = tmux.pane(`exec ${tmux.folder}/codex`);
    const options = { ...quiet, tmuxSockets: [tmux.socket] };
    const rows = await until('both run', async () => {
      const found = (await agents(options)).agents.filter(({ pane }) => pane !== null);
      return found.length === 2 && found;
    });
    const byPane = new Map(rows.map((row) => [row.pane?.id, row]));
    expect(byPane.get(claude)).toMatchObject({
      engine: 'claude',
      pane: { sessionName: 'my | work', dead: false },
    });
    expect(byPane.get(codex)).toMatchObject({ engine: 'codex', pane: { socket: tmux.socket } });
    expect(byPane.get(codex)?.pid).toBe(
      Number(tmux.run('display-message', '-p', '-t', codex, '#{pane_pid}')),
    );
    const json = await look(['agents', '--json', '--tmux-socket', tmux.socket]);
    const printed = (JSON.parse(json.out) as { agents: { pid: number; pane: unknown }[] }).agents;
    expect(printed.find(({ pid }) => pid === byPane.get(claude)?.pid)?.pane).toMatchObject({ id: claude });
    const table = await look(['panes', '--tmux-socket', tmux.socket]);
    expect(table.out).toMatch(
      new RegExp(`^${claude}\\s+my \\| work\\s+\\d+\\s+claude ${byPane.get(claude)?.pid}`, 'm'),
    );
    expect(table.out).toContain('2 panes of 1 tmux server.');
  });

  it('L22 are not told by TMUX_PANE, which whoever left the pane still has', async () => {
    const tmux = await server();
    const pane = tmux.start();
    const scene = new Scene();
    closing.push(() => scene.end());
    const env = { TMUX: `${tmux.socket},${tmux.pid},0`, TMUX_PANE: pane };
    await scene.start(await scene.fake('.local/bin/claude'), { env });
    const [agent] = await scene.agents({ tmuxSockets: [tmux.socket] });
    expect(agent).toMatchObject({ engine: 'claude', pane: null });
  });

  it('are removed with the right reason, and their end is told at once', async () => {
    const tmux = await server();
    const pane = tmux.start(inShell(tmux, 'claude'));
    const gone = tmux.pane(`exec ${tmux.folder}/codex`);
    const options = { ...quiet, tmuxSockets: [tmux.socket] };
    const news: string[] = [];
    const reconciler = new Reconciler({
      panes: options,
      onDiscovered: ({ engine }) => void news.push(`discovered ${engine}`),
      onExited: ({ engine }) => void news.push(`exited ${engine}`),
      onRemoved: ({ engine }, reason) => void news.push(`removed ${engine}: ${reason}`),
      onError: (error) => void news.push(`error ${String(error)}`),
    });
    const monitor = new AgentMonitor(options);
    closing.push(() => monitor.close());
    const pids = await until('both are known', async () => {
      await reconciler.take(await monitor.poll());
      await reconciler.trigger();
      const known = reconciler.agents.map(({ identity }) => identity?.pid as number);
      const placed = monitor.agents.filter((agent) => agent.pane !== null && known.includes(agent.pid));
      return known.length === 2 && placed.length === 2 && known;
    });
    expect(news.splice(0).sort()).toEqual(['discovered claude', 'discovered codex']);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    const ends = new Map<number, AgentDelta['events'][number]>();
    await until('the monitor told both ends', async () => {
      for (const event of (await monitor.poll()).events) ends.set(event.agent.pid, event);
      return pids.every((pid) => ends.get(pid)?.type === 'exited');
    });
    await until('tmux knows that the pane has ended', () => !tmux.run('list-panes', '-a').includes(gone));
    await reconciler.take({ events: [...ends.values()] });
    await reconciler.stop();
    expect(reconciler.agents).toEqual([]);
    const exits = news.filter((each) => each.startsWith('exited')).sort();
    expect(exits).toEqual(['exited claude', 'exited codex']);
    expect(news.filter((each) => !each.startsWith('exited')).sort()).toEqual([
      `removed claude: no supported engine process in ${pane} after 2 confirmed scans`,
      `removed codex: pane ${gone} absent after 2 confirmed scans`,
    ]);
    expect(news[0]).toMatch(/^exited/);
  });

  it('are unknown while their server is stopped, and only they; gone when it was killed', async () => {
    const tmux = await server();
    const other = await server();
    const pane = tmux.start(inShell(tmux, 'claude'));
    other.start(inShell(other, 'codex'));
    const tmuxSockets = [tmux.socket, other.socket];
    const readPanes = () => panes({ tmuxSockets, timeoutMs: 300 });
    const options = { ...quiet, readPanes };
    const removed: string[] = [];
    const reconciler = new Reconciler({
      panes: options,
      onRemoved: ({ engine }, reason) => void removed.push(`${engine}: ${reason}`),
    });
    const known = await until('both are known', async () => {
      await reconciler.trigger();
      return reconciler.agents.length === 2 && reconciler.agents.find(({ engine }) => engine === 'claude');
    });
    expect(await checkRuntime(known, options)).toMatchObject({ state: 'alive' });
    expect(await rootProcess(known.pane, options)).toMatchObject({ state: 'alive' });
    const { pid } = tmux;
    stopped.add(pid);
    process.kill(pid, 'SIGSTOP');
    expect(await checkRuntime(known, options)).toMatchObject({ state: 'unknown', reason: 'tmux' });
    other.run('kill-server');
    for (let pass = 0; pass < 3; pass++) await reconciler.trigger();
    expect(removed).toEqual([expect.stringMatching(/^codex: pane %\d+ absent after 2 confirmed scans$/)]);
    expect(reconciler.agents).toMatchObject([{ engine: 'claude', misses: 0 }]);
    process.kill(pid, 'SIGCONT');
    stopped.delete(pid);
    expect(await checkRuntime(known, { ...quiet, tmuxSockets })).toMatchObject({ state: 'alive' });
    tmux.run('kill-server');
    expect(await checkRuntime(known, options)).toMatchObject({ state: 'gone', reason: 'pane-absent' });
    for (let pass = 0; pass < 2; pass++) await reconciler.trigger();
    expect(removed.at(-1)).toBe(`claude: pane ${pane} absent after 2 confirmed scans`);
  });

  it('wait when a dialog is on their screen', async () => {
    const tmux = await server();
    const shown = "printf ' Do you want to proceed?\\n ❯ 1. Yes\\n   2. No\\n'";
    const pane = tmux.start(`${shown}; exec ${tmux.folder}/claude`);
    const monitor = new AgentMonitor({ ...quiet, tmuxSockets: [tmux.socket], paneAgeMs: 1 });
    closing.push(() => monitor.close());
    const state = await until('the dialog is seen', async () => {
      await monitor.poll();
      const row = monitor.agents.find((agent) => agent.pane?.id === pane);
      return row?.state.value === 'waiting' && row.state;
    });
    expect(state).toMatchObject({
      source: 'screen',
      waitingFor: 'permission',
      raw: 'Do you want to proceed?',
    });
  });

  it('of two kinds side by side make a pane ambiguous', async () => {
    const tmux = await server();
    tmux.start(`${tmux.folder}/claude & ${tmux.folder}/codex`);
    const seen = await until('both run', async () => {
      const found = await discoverPanes({ ...quiet, tmuxSockets: [tmux.socket] });
      return found.state === 'read' && found.ambiguousPanes.length === 1 && found;
    });
    expect(seen.agents).toEqual([]);
    expect(seen.ambiguousPanes).toMatchObject([{ override: expect.stringMatching(/CLAUDE_PATH/) }]);
  });
});
