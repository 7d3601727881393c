// What a sampler costs: the CPU time of its own thread while it follows a tree at 1 kHz, beside a C
// program that makes the same system calls and nothing else.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../test/makers/build.mjs';
import { quantile } from './measure.mjs';
import { builtFolder, here } from './paths.mjs';

const intervalMs = 1;
const looks = 4000;
/** Share of one core that a sampler of 20 processes may cost. */
const mostPercent = 10;
const targetSize = 20;

const variants = [
  { name: 'cpu', memory: false, options: {}, target: true },
  { name: 'cpu+rss', memory: true, options: { fields: ['rss'] } },
];

const program = () => compile(join(here, 'usage_floor.c'), join(builtFolder, 'usage_floor'));

async function withTree(size, work) {
  const child = spawn(program(), ['tree', String(size)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const pids = String(line).trim().split(' ').map(Number);
  try {
    return await work(pids);
  } finally {
    const closed = once(child, 'close');
    child.stdin.end();
    await closed;
  }
}

async function library() {
  const built = new URL('../../dist/index.js', import.meta.url);
  if (!existsSync(built)) throw new Error('dist/ is not built: npm run build');
  return (await import(built.href)).default;
}

/** CPU milliseconds of the thread for each second by the clock, and what went wrong. */
async function sampler({ UsageSampler }, pids, { options }) {
  const sampler = new UsageSampler(pids[0], { intervalMs, tree: true, ...options });
  let first;
  let last;
  let least = Number.POSITIVE_INFINITY;
  for await (const batch of sampler.batches()) {
    for (const sample of batch) {
      first ??= sample;
      last = sample;
      least = Math.min(least, sample.processes);
    }
    if (last.time - first.time >= looks * intervalMs) break;
    // Once in a while is enough, and leaves the core to the thread that is measured.
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  sampler.stop();
  const { ownCpu, taken, missed, dropped } = sampler.state;
  const seconds = (last.time - first.time) / 1000;
  return {
    percent: ownCpu / seconds / 10,
    taken,
    missed,
    dropped,
    seen: least,
    perLookUs: (ownCpu / taken) * 1000,
  };
}

function floor(pids, { memory }) {
  const args = ['look', String(intervalMs), String(looks), memory ? '1' : '0', ...pids.map(String)];
  const began = process.hrtime.bigint();
  const [cpu] = execFileSync(program(), args, { encoding: 'utf8' }).trim().split(' ').map(Number);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  return { percent: cpu / seconds / 10, perLookUs: (cpu / looks) * 1000 };
}

const median = (values) => quantile(values, 0.5);

/** Sampler and floor in turns, on one tree. */
export async function measureUsage(size, rounds) {
  const procscope = await library();
  return withTree(size, async (pids) => {
    const results = [];
    for (const variant of variants) {
      const ours = [];
      const floors = [];
      for (let round = 0; round < rounds; round++) {
        floors.push(floor(pids, variant));
        ours.push(await sampler(procscope, pids, variant));
      }
      results.push({
        name: variant.name,
        target: variant.target === true,
        size,
        percent: median(ours.map((one) => one.percent)),
        perLookUs: median(ours.map((one) => one.perLookUs)),
        floorUs: median(floors.map((one) => one.perLookUs)),
        ratio: median(ours.map((one, round) => one.perLookUs / floors[round].perLookUs)),
        missed: median(ours.map((one) => one.missed)),
        taken: median(ours.map((one) => one.taken)),
        seen: Math.min(...ours.map((one) => one.seen)),
      });
    }
    return results;
  });
}

export function usageReport(results) {
  const lines = ['', `== usage: a sampler at ${1000 / intervalMs} Hz over a tree, CPU time of its thread`];
  for (const one of results) {
    // What it would cost with no look missed: a busy machine must not make it look cheap.
    const full = (one.perLookUs / (intervalMs * 1000)) * 100;
    lines.push(
      `${one.name.padEnd(8)} ${String(one.size).padStart(4)} processes  ${one.perLookUs.toFixed(1)} us a look  ` +
        `floor ${one.floorUs.toFixed(1)} us  ${one.ratio.toFixed(2)}x  ${full.toFixed(1)} % of a core at full rate  ` +
        `(${one.percent.toFixed(1)} % as it ran: ${one.taken} looks, ${one.missed} missed)`,
    );
    if (one.seen < one.size) lines.push(`!! WRONG: ${one.name} saw ${one.seen} processes of ${one.size}`);
    if (one.target && one.size === targetSize) {
      lines.push(
        `${full < mostPercent ? 'PASS' : 'MISS'}     ${one.name}: target < ${mostPercent} % of one core`,
      );
    }
  }
  return lines.join('\n');
}
