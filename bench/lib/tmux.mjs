// Panes of a private tmux server with an agent in each, asked over its socket and by starting programs.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compile } from '../../test/makers/build.mjs';
import { withCrowd } from './crowd.mjs';
import { quantile } from './measure.mjs';
import { builtFolder, here } from './paths.mjs';
import { busyLines, tableLines } from './report.mjs';

const run = promisify(execFile);
const paneCount = 20;
const leastPanes = 10;
const leastAgents = 200;
const mostAgentsMs = 5;

/** How many looks each takes: those that start programs need fewer, and 10 ms of children at the least. */
const looks = { panes: 200, 'spawned panes': 30, agents: 60, 'spawned agents': 10 };

const fakeProgram = () =>
  compile(join(here, '../test/live/agents/fake.c'), join(builtFolder, 'agents-fake'), {
    inputs: [join(here, '../test/makers/maker.h')],
  });

/** A server of our own with an idle agent in each pane; each has the record of its session. */
function startServer(folder) {
  const socket = join(folder, 's');
  const tmux = (...args) => {
    const env = ['-i', `PATH=${process.env.PATH}`, `HOME=${folder}`, 'LC_ALL=C.UTF-8', 'SHELL=/bin/sh'];
    return execFileSync('env', [...env, 'tmux', '-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
    });
  };
  const agent = join(folder, 'claude');
  copyFileSync(fakeProgram(), agent);
  tmux('new-session', '-d', `exec ${agent}`);
  for (let i = 1; i < paneCount; i++) tmux('new-window', '-d', `exec ${agent}`);
  mkdirSync(join(folder, '.claude/sessions'), { recursive: true });
  const { snapshot } = createRequire(import.meta.url)('../../dist/index.js');
  const pids = tmux('list-panes', '-a', '-F', '#{pane_pid}').trim().split('\n').map(Number);
  for (const pid of pids) {
    const { startKey } = snapshot({ pids: [pid] }).get(pid);
    const sessionId = `01a22cfb-e5f1-7d41-8366-${String(pid).padStart(12, '0')}`;
    const record = { pid, sessionId, procStart: String(startKey), status: 'idle' };
    writeFileSync(join(folder, `.claude/sessions/${pid}.json`), JSON.stringify(record));
  }
  return { socket, pid: tmux('display-message', '-p', '#{pid}').trim(), end: () => tmux('kill-server') };
}

async function measureAll(server, rounds, progress) {
  const results = Object.fromEntries(Object.keys(looks).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, count] of Object.entries(looks)) {
      progress(`round ${round + 1} of ${rounds}: ${name}`);
      const words = [join(here, 'trials/tmux.mjs'), name, server.socket, server.pid, String(count)];
      const { stdout } = await run(process.execPath, words, { timeout: 120_000 });
      results[name].push(JSON.parse(stdout));
    }
  }
  const median = (list, key) =>
    quantile(
      list.map((one) => one[key]),
      0.5,
    );
  return Object.fromEntries(
    Object.entries(results).map(([name, list]) => [
      name,
      Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list, key)])),
    ]),
  );
}

/** Everything that `npm run bench -- tmux` prints, with `size` processes beside the panes. */
export async function measureTmux(size, rounds, progress) {
  return withCrowd(size, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pbt'));
    try {
      const server = startServer(folder);
      try {
        return { size, results: await measureAll(server, rounds, progress) };
      } finally {
        server.end();
        progress('');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** What makes a number worthless. */
export const wrongOf = ({ results }) =>
  Object.entries(results)
    .filter(([, { seen }]) => seen !== paneCount)
    .map(([name, { seen }]) => `${name} found ${seen} of ${paneCount}`);

export function tmuxVerdicts({ results }) {
  const panes = results['spawned panes'].cpuMs / results.panes.cpuMs;
  const agents = results['spawned agents'].cpuMs / results.agents.cpuMs;
  const line = (met, text) => ({ verdict: met ? 'PASS' : 'MISS', text });
  return [
    line(
      panes >= leastPanes,
      `panes of ${paneCount} ${panes.toFixed(1)}x less CPU than tmux: >= ${leastPanes}x`,
    ),
    line(
      agents >= leastAgents && results.agents.p50Ms < mostAgentsMs,
      `agents in ${paneCount} panes ${agents.toFixed(0)}x less CPU than tmux and ps: >= ${leastAgents}x; p50 ${results.agents.p50Ms.toFixed(3)} ms: < ${mostAgentsMs} ms`,
    ),
  ];
}

export function tmuxReport(measured) {
  const ms = (value) => value.toFixed(3);
  const rows = [['trial', 'CPU ms', 'pause ms', 'server ms', 'p50 ms', 'p99 ms', 'seen']];
  for (const [name, one] of Object.entries(measured.results)) {
    rows.push([
      name,
      ms(one.cpuMs),
      ms(one.pausedMs),
      ms(one.serverMs),
      ms(one.p50Ms),
      ms(one.p99Ms),
      String(one.seen),
    ]);
  }
  return [
    '',
    `== tmux, ${paneCount} panes and ${measured.size} processes, one look`,
    ...tableLines(rows),
    ...wrongOf(measured).map((problem) => `!! WRONG: ${problem}`),
    ...busyLines(),
    '',
    '== targets',
    ...tmuxVerdicts(measured).map(({ verdict, text }) => `${verdict.padEnd(8)} ${text}`),
  ].join('\n');
}
