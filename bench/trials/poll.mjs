// One trial of a poller in one process: `node poll.mjs NAME [JSON]` prints one JSON report. CPU time is
// that of this process, all threads, in microseconds for one poll.
import { spawn } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setTimeout as rest, setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { quantile } from '../lib/measure.mjs';

const { Poller } = createRequire(import.meta.url)('../../dist/index.js');

const FIELDS = ['argv', 'cwd', 'exe'];
/** Longer than a process counts as young, and enough for the compiler to have met everything. */
const warmUpMs = 1_300;
const mostMs = 2_000;

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const timesOf = (wallMs) => ({
  p50Us: quantile(wallMs, 0.5) * 1000,
  p99Us: quantile(wallMs, 0.99) * 1000,
});

const stateOf = (poller) => ({ seen: poller.table.size, ...poller.stats });

function opened(options) {
  const poller = new Poller({ fields: FIELDS, ...options });
  const until = performance.now() + warmUpMs;
  do poller.poll();
  while (performance.now() < until);
  return poller;
}

/** Polls back to back while nothing happens: `count` of them, fewer where they take long. */
function idle({ count, ...options }) {
  const poller = opened(options);
  const lists = poller.stats.lists;
  const wall = [];
  const until = performance.now() + mostMs;
  const before = cpuUs();
  for (let start = performance.now(); wall.length < count && start < until; ) {
    poller.poll();
    const now = performance.now();
    wall.push(now - start);
    start = now;
  }
  const cpu = (cpuUs() - before) / wall.length;
  const listed = (poller.stats.lists - lists) / wall.length;
  return { cpuUs: cpu, ...timesOf(wall), listed, ...stateOf(poller) };
}

/** Polls after one process started, after it ended, and after one came and went. */
async function forks({ program, count }) {
  const poller = opened({});
  const forker = spawn(program, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const reports = {};
  for (const [request, name] of [
    ['f', 'start'],
    ['k', 'exit'],
    ['b', 'both'],
  ]) {
    reports[name] = { wall: [], cpuUs: 0, told: 0, request };
  }
  const pollAfter = async (report) => {
    forker.stdin.write(report.request);
    await once(forker.stdout, 'data');
    const before = cpuUs();
    const start = performance.now();
    const { started, exited } = poller.poll();
    report.wall.push(performance.now() - start);
    report.cpuUs += cpuUs() - before;
    report.told += [...started, ...exited].filter((row) => row.ppid === forker.pid).length;
  };
  for (let i = 0; i < count; i++) for (const report of Object.values(reports)) await pollAfter(report);
  const closed = once(forker, 'close');
  forker.stdin.end();
  await closed;
  return Object.fromEntries(
    Object.entries(reports).map(([name, report]) => [
      name,
      { cpuUs: report.cpuUs / count, ...timesOf(report.wall), told: report.told / count },
    ]),
  );
}

/**
 * The longest time that one `work` kept the event loop from its next turn, for each of `count`, after as
 * many for the compiler and the collector to come to rest.
 */
async function blocks(count, work, before = async () => {}) {
  await blocked(count, work, before);
  return timesOf(await blocked(count, work, before));
}

async function blocked(count, work, before) {
  const longest = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    await before();
    let pending = true;
    const done = work().finally(() => {
      pending = false;
    });
    let last = performance.now();
    while (pending) {
      await turn();
      const now = performance.now();
      longest[i] = Math.max(longest[i], now - last);
      last = now;
    }
    await done;
  }
  return longest;
}

const derive = promisify(pbkdf2);
/** About two milliseconds of work on another thread, which is what a list of 5,000 pids takes. */
const workElsewhere = () => derive('a', 'b', 8000, 32, 'sha256');

/** How long asynchronous polls hold up the event loop, beside what any work on another thread does here. */
async function loop({ program, count, ...options }) {
  const poller = opened(options);
  const forker = spawn(program, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const busy = opened({ volatile: ['cpu', 'rss', 'state', 'threads', 'vsize'] });
  const report = {
    alone: await blocks(count, workElsewhere),
    idle: await blocks(count, () => poller.pollAsync()),
    news: await blocks(
      count,
      () => poller.pollAsync(),
      async () => {
        forker.stdin.write('b');
        await once(forker.stdout, 'data');
      },
    ),
    volatile: await blocks(Math.ceil(count / 10), () => busy.pollAsync()),
    seen: poller.table.size,
  };
  forker.stdin.end();
  return report;
}

/** After the warm-up the compiler and the collector go on for a while. */
const settleMs = 3_000;

/** CPU time of a program that watches `hz` times a second while nothing happens, or only waits for as long. */
async function share({ hz, seconds, polls }) {
  const poller = polls ? opened({}) : undefined;
  await rest(settleMs);
  const abort = new AbortController();
  const began = performance.now();
  const before = cpuUs();
  setTimeout(() => abort.abort(), seconds * 1000);
  if (poller) {
    for await (const _ of poller.watch({ intervalMs: 1000 / hz, signal: abort.signal }));
  } else {
    await once(abort.signal, 'abort');
  }
  const percent = (cpuUs() - before) / (performance.now() - began) / 10;
  return { percent, ...(poller ? stateOf(poller) : {}) };
}

const trials = { idle, forks, loop, share };
const [name, options = '{}'] = process.argv.slice(2);
console.log(JSON.stringify(await trials[name](JSON.parse(options))));
// A poller's threads or a kept descriptor must not keep a finished trial alive.
process.exit(0);
