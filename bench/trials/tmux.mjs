// What panes and the agents in them cost whoever asks: `node tmux.mjs NAME SOCKET SERVER COUNT` prints one JSON
// report. CPU time is that of this process and the programs that it starts, in milliseconds for one look; that of
// the server stands beside it, and so does what the same process takes for the pauses alone.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cpuMs, cpuMsOf } from '../lib/cpu.mjs';
import { quantile } from '../lib/measure.mjs';

const { AgentMonitor, panes } = createRequire(import.meta.url)('../../dist/index.js');
const run = promisify(execFile);

const [name, socket, server, count] = process.argv.slice(2);
const tmuxSockets = [socket];
const warmUpMs = 2_500;
/** Ten looks a second, as a program polls that has something else to do. */
const pauseMs = 100;
const pauses = 40;
const format = '#{pane_id}|#{pane_pid}|#{session_name}|#{pane_current_path}';
const engines =
  /(?:^|\/)(?:claude|codex|cursor-agent|opencode|kilo|copilot|gemini|qwen|amp|pi|grok|agy|muse|devin|hermes)$/;

async function spawnedPanes() {
  const { stdout } = await run('tmux', ['-S', socket, 'list-panes', '-a', '-F', format]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('|'));
}

/** Rows of `ps`, and the panes whose first process has the name of an agent: less than the rules do. */
async function spawnedAgents() {
  const [found, { stdout }] = await Promise.all([
    spawnedPanes(),
    run('ps', ['-axo', 'pid=,ppid=,comm=,lstart=,args='], { maxBuffer: 1 << 26 }),
  ]);
  const rows = new Map();
  for (const line of stdout.trimEnd().split('\n')) {
    const [, pid, ppid, comm, start, args] =
      /^\s*(\d+)\s+(\d+)\s+(.*?)\s+(\w{3} \w{3} [\d ]\d [\d:]{8} \d{4})\s(.*)$/.exec(line) ?? [];
    if (pid !== undefined) rows.set(pid, { ppid, comm, start, argv: args.split(' ') });
  }
  return found.filter(([, pid]) => engines.test(rows.get(pid)?.argv[0] ?? '')).length;
}

const trials = {
  panes: () => ({ look: async () => (await panes({ tmuxSockets })).panes.length, pause: 0 }),
  'spawned panes': () => ({ look: async () => (await spawnedPanes()).length, pause: 0 }),
  agents: () => {
    const monitor = new AgentMonitor({ tmuxSockets });
    const found = () => monitor.agents.filter(({ pane }) => pane?.socket === socket).length;
    return { look: () => monitor.poll().then(found), pause: pauseMs };
  },
  'spawned agents': () => ({ look: spawnedAgents, pause: pauseMs }),
};

const { look, pause } = trials[name]();
for (const until = performance.now() + warmUpMs; performance.now() < until; ) {
  await look();
  await rest(20);
}
let began = cpuMs();
for (let i = 0; pause > 0 && i < pauses; i++) await rest(pause);
const pausedMs = pause > 0 ? (cpuMs() - began) / pauses : 0;

const wall = new Float64Array(Number(count));
let seen = Number.POSITIVE_INFINITY;
began = cpuMs();
const serverBegan = cpuMsOf(server);
for (let i = 0; i < wall.length; i++) {
  if (pause > 0) await rest(pause);
  const start = performance.now();
  seen = Math.min(seen, await look());
  wall[i] = performance.now() - start;
}
const all = (cpuMs() - began) / wall.length;
const report = {
  cpuMs: all - pausedMs,
  pausedMs,
  serverMs: (cpuMsOf(server) - serverBegan) / wall.length,
  ...{ p50Ms: quantile(wall, 0.5), p99Ms: quantile(wall, 0.99), seen },
};
console.log(JSON.stringify(report));
process.exit(0);
