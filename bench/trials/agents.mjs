// What an idle poll of an AgentMonitor costs with COUNT agents: `node agents.mjs PROGRAM COUNT POLLS` prints one
// JSON report, as poll.mjs does. PROGRAM waits; copies of it under an agent's name stand for agents, each with the
// record of a session that is idle.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { quantile } from '../lib/measure.mjs';

const { AgentMonitor, snapshot } = createRequire(import.meta.url)('../../dist/index.js');

const warmUpMs = 1_300;
const [program, count, polls] = process.argv.slice(2);

function record(home, { pid }) {
  const { startKey } = snapshot({ pids: [pid] }).get(pid);
  const sessionId = `01a22cfb-e5f1-7d41-8366-${String(pid).padStart(12, '0')}`;
  const session = { pid, sessionId, procStart: String(startKey), status: 'idle' };
  writeFileSync(join(home, `.claude/sessions/${pid}.json`), JSON.stringify(session));
}

async function startAgents(home) {
  const path = join(home, 'claude');
  copyFileSync(program, path);
  mkdirSync(join(home, '.claude/sessions'), { recursive: true });
  const env = { HOME: home, PATH: process.env.PATH };
  const agents = Array.from({ length: Number(count) }, () => spawn(path, { stdio: 'ignore', env }));
  await Promise.all(agents.map((agent) => once(agent, 'spawn')));
  for (const agent of agents) record(home, agent);
  return agents;
}

async function measure() {
  const monitor = new AgentMonitor();
  for (const until = performance.now() + warmUpMs; performance.now() < until; ) {
    await monitor.poll();
    await rest(10);
  }
  const wall = new Float64Array(Number(polls));
  const before = process.cpuUsage();
  for (let i = 0; i < wall.length; i++) {
    const start = performance.now();
    await monitor.poll();
    wall[i] = performance.now() - start;
  }
  const { user, system } = process.cpuUsage(before);
  return {
    cpuUs: (user + system) / wall.length,
    p50Us: quantile(wall, 0.5) * 1000,
    p99Us: quantile(wall, 0.99) * 1000,
    agents: monitor.agents.length,
  };
}

const home = mkdtempSync(join(tmpdir(), 'bench-agents-'));
const agents = await startAgents(home);
try {
  console.log(JSON.stringify(await measure()));
} finally {
  for (const agent of agents) agent.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);
