// What a poll costs while nothing happens, and while something does, beside C programs that make the
// same system calls, and beside starting ps.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compile } from '../../test/makers/build.mjs';
import ps from '../trials/ps.mjs';
import { withCrowd } from './crowd.mjs';
import { measureGroup, quantile } from './measure.mjs';
import { builtFolder, here } from './paths.mjs';

const run = promisify(execFile);

/** Up to here the crowd has command lines of everyday size, and ps is run beside it. */
const workersUpTo = 1000;
const everyStat = ["events: 'none'", 'floor: stat', 'volatile'];
const everything = ['cpu', 'rss', 'state', 'threads', 'vsize'];
const idlePolls = 20_000;
/** A poller holds at most a quarter of what it may open: two descriptors a process, and the rest. */
const descriptorsFor = (size) => 8 * size + 4096;

/** Holds are three of four descriptors of a poller; a few thousand are its own by default. */
const enoughFor = (size, limit) => Math.min(Math.max(4000, Math.ceil((size * 4) / 3) + 100), limit - 500);

const floorProgram = () =>
  compile(join(here, 'poll-floor.c'), join(builtFolder, 'poll-floor'), { inputs: [join(here, 'clock.h')] });
const forkerProgram = () => compile(join(here, 'forker.c'), join(builtFolder, 'forker'));

/** The words that raise RLIMIT_NOFILE for a program; none where that is refused. */
function withDescriptors(size) {
  const words = ['prlimit', `--nofile=${descriptorsFor(size)}:${descriptorsFor(size)}`];
  return spawnSync(words[0], [...words.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? words : [];
}

/** The hard limit, to which Node raises its own. */
const openFilesLimit = () =>
  Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity);

async function report(words) {
  const { stdout } = await run(words[0], words.slice(1), { timeout: 300_000 });
  return JSON.parse(stdout);
}

/** Fewer looks where one of them takes long, so that a turn stays short. */
const about = (size, usPerProcess) => Math.max(5, Math.round(200_000 / (size * usPerProcess)));

/** What is run in each round, one after the other. */
function trialsOf(size) {
  const limit = withDescriptors(size);
  const floor = (way, count) => [...limit, floorProgram(), way, String(count), String(Math.ceil(count / 10))];
  const poll = (name, options) => [
    ...limit,
    process.execPath,
    join(here, 'trials/poll.mjs'),
    name,
    JSON.stringify(options),
  ];
  const list = about(size, 1);
  const stat = about(size, 8);
  const allowed = limit.length > 0 ? descriptorsFor(size) : openFilesLimit();
  // A descriptor for the end and one for the stat of each process.
  const canKeepAll = 2 * size + 500 < allowed;
  const trials = [
    ['floor: news', floor('news', idlePolls)],
    ['idle', poll('idle', { count: idlePolls, maxDescriptors: enoughFor(size, allowed) })],
    ['floor: list', floor('list', list)],
    ["events: 'none'", poll('idle', { count: list, events: 'none' })],
    ['few descriptors', poll('idle', { count: list, maxDescriptors: 64 })],
    ['floor: stat', floor('stat', stat)],
    ['volatile', poll('idle', { count: stat, volatile: everything })],
    ['forks', poll('forks', { program: forkerProgram(), count: 100 })],
  ];
  return canKeepAll ? trials : trials.filter(([name]) => !everyStat.includes(name));
}

async function psOf(size, rounds, progress) {
  const group = { trials: ps.map((trial) => ({ ...trial, file: 'trials/ps.mjs' })) };
  const [result] = await measureGroup(group, size, Math.min(rounds, 3), progress);
  if (result.failed) throw new Error(`ps: ${result.failed}`);
  return result.cpuMs * 1000;
}

const median = (values) => quantile(values, 0.5);

/** The median of each number in reports of one shape. */
function medians(reports) {
  const one = reports[0];
  if (typeof one === 'number') return median(reports);
  if (typeof one !== 'object') return one;
  return Object.fromEntries(Object.keys(one).map((key) => [key, medians(reports.map((each) => each[key]))]));
}

async function measureSize(size, rounds, progress) {
  const trials = trialsOf(size);
  const reports = new Map(trials.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of trials) {
      progress(`${size} processes, round ${round + 1} of ${rounds}: ${name}`);
      reports.get(name).push(await report(words));
    }
  }
  const results = Object.fromEntries([...reports].map(([name, list]) => [name, medians(list)]));
  const { start, exit, both } = results['forks'];
  delete results['forks'];
  Object.assign(results, { 'one started': start, 'one exited': exit, 'one came and went': both });
  if (size <= workersUpTo) results['ps'] = { cpuUs: await psOf(size, rounds, progress) };
  return { size, results };
}

/** With `size` processes: what needs time by the clock. What Node costs that only waits is told apart. */
async function measureLong(size, rounds, name, variants) {
  const words = [...withDescriptors(size), process.execPath, join(here, 'trials/poll.mjs'), name];
  const lists = variants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, options] of variants.entries()) {
      lists[index].push(await report([...words, JSON.stringify(options)]));
    }
  }
  return lists.map(medians);
}

/** An idle poll for 20 agents among the crowd; null in a build that has no AgentMonitor. */
async function measureAgents(size, rounds) {
  if (!createRequire(import.meta.url)('../../dist/index.js').AgentMonitor) return null;
  const fake = compile(join(here, '../test/live/agents/fake.c'), join(builtFolder, 'agents-fake'), {
    inputs: [join(here, '../test/makers/maker.h')],
  });
  const words = [
    ...withDescriptors(size),
    process.execPath,
    join(here, 'trials/agents.mjs'),
    fake,
    '20',
    '500',
  ];
  const reports = [];
  for (let round = 0; round < rounds; round++) reports.push(await report(words));
  return medians(reports);
}

const inCrowd = (size, work) => withCrowd(size, work, size > workersUpTo ? ['shared'] : []);

/** Everything that `npm run bench -- poll` prints. */
export async function measurePoll(sizes, rounds, progress) {
  const measured = [];
  for (const size of sizes) {
    progress(`starting ${size} processes`);
    measured.push(await inCrowd(size, () => measureSize(size, rounds, progress)));
  }
  progress('the event loop with 5,000 processes');
  const [loop] = await inCrowd(5000, () =>
    measureLong(5000, rounds, 'loop', [
      { program: forkerProgram(), count: 500, maxDescriptors: enoughFor(5000, openFilesLimit()) },
    ]),
  );
  progress('polling at 10 Hz, and agents');
  // Long enough for each of the 1,000 processes to have its turn.
  const often = { hz: 10, seconds: 12 };
  const { agents, ...share } = await inCrowd(1000, async () => {
    const variants = [
      { ...often, polls: true },
      { ...often, polls: false },
    ];
    const [polling, waiting] = await measureLong(1000, Math.min(rounds, 3), 'share', variants);
    const pause = String(1000 / often.hz);
    const looks = String(often.hz * often.seconds);
    const floor = await report([...withDescriptors(1000), floorProgram(), 'news', looks, '10', pause]);
    return {
      polling,
      waiting,
      floor: { percent: (floor.cpuUs * often.hz) / 1e4 },
      agents: await measureAgents(1000, rounds),
    };
  });
  progress('');
  return { measured, loop, share, agents };
}
