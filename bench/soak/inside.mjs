// Checks for a pid namespace of their own: `node --expose-gc inside.mjs NAME SECONDS` prints the lines of one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { freemem } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { maker } from '../../test/makers/build.mjs';

const { Poller } = createRequire(import.meta.url)('../../dist/index.js');

const lines = [];
const check = (holds, text) => lines.push({ word: holds ? 'pass' : 'FAIL', text });

function measure() {
  for (let i = 0; i < 5; i++) gc();
  const status = readFileSync('/proc/self/status', 'utf8');
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    rss: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024,
  };
}

/** What the allocator and the compiler of the runtime may still move after a warm-up. */
const slackBytes = 8 << 20;
const mib = (bytes) => (bytes / (1 << 20)).toFixed(1);

function checkFlat(what, before, after) {
  const text = `${what}: RSS ${mib(before.rss)} -> ${mib(after.rss)} MiB, descriptors ${before.descriptors} -> ${after.descriptors}`;
  check(after.rss - before.rss < slackBytes && after.descriptors === before.descriptors, text);
}

async function startMaker(name, args) {
  const child = spawn(maker(name), args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await answers.next()).value ?? '';
  return {
    pid: child.pid,
    next,
    send: (line) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
    end: () => {
      child.stdin.end();
      return closed;
    },
  };
}

/** A process that calls itself something else each millisecond. */
async function titles(seconds) {
  const title = await startMaker('title', ['x'.repeat(60)]);
  await title.next();
  const poller = new Poller({ fields: ['argv'] });
  poller.poll();
  poller.track(title.pid);
  await title.send('count 1000');
  const seen = { names: [], ends: 0, starts: 0, strange: 0 };
  const look = () => {
    const { started, exited, changed } = poller.poll();
    seen.starts += started.filter((row) => row.pid === title.pid).length;
    seen.ends += exited.filter((row) => row.pid === title.pid).length;
    for (const { row, before, fields } of changed) {
      if (row.pid !== title.pid) continue;
      if (row.startKey !== before.startKey || fields.some((field) => !['name', 'argv'].includes(field)))
        seen.strange++;
      if (fields.includes('name')) seen.names.push(Number(row.name));
    }
  };
  let before;
  for (let polls = 0; polls < 100 * seconds; polls++) {
    look();
    if (polls === 50 * seconds) before = measure();
    await rest(10);
  }
  const after = measure();
  const last = Number((await title.send('stop')).split(' ')[1]);
  look();
  const known = poller.table.get(title.pid)?.name;
  const rising = seen.names.every((name, at) => at === 0 || name > seen.names[at - 1]);
  check(
    seen.ends + seen.starts + seen.strange === 0 && rising && seen.names.length > 0,
    `a title each millisecond: ${last} titles, ${seen.names.length} changes told in their order; ${seen.ends} ends, ${seen.starts} starts, ${seen.strange} other changes`,
  );
  check(known === String(last), `the last title is ${last}, known as ${known}`);
  checkFlat('half of that time', before, after);
  await title.end();
}

const number = (path) => {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return Number.NaN;
  }
};

/** Why so many processes cannot be here; undefined where they can. */
function tooFewFor(size) {
  const bytes = size * 100_000;
  if (freemem() < bytes) return `${mib(freemem())} MiB of memory are free, ${mib(bytes)} are needed`;
  const limits = ['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max', '/sys/fs/cgroup/pids.max'];
  const short = limits.find((path) => number(path) < size + 1000);
  return short && `${short} is ${number(short)}`;
}

/** Polls until `holds`, or until so much time is over that it never will. */
async function pollUntil(poller, sums, holds) {
  const until = performance.now() + 60_000;
  do {
    const { started, exited } = poller.poll();
    for (const { pid, startKey } of started) sums.started.push(`${pid}:${startKey}`);
    for (const { pid, startKey } of exited) sums.exited.push(`${pid}:${startKey}`);
    if (holds()) return true;
    await rest(5);
  } while (performance.now() < until);
  return false;
}

async function crowdWith(size, options, what) {
  const poller = new Poller(options);
  poller.poll();
  const before = poller.table.size;
  const sums = { started: [], exited: [] };
  const crowd = await startMaker('crowd', [String(size), 'shared']);
  await crowd.next();
  const complete = await pollUntil(poller, sums, () => poller.table.size === before + size + 1);
  const { descriptors, events } = poller.stats;
  const child = poller.table.children(crowd.pid)[0];
  process.kill(child.pid, 'SIGKILL');
  const one = await pollUntil(poller, sums, () => sums.exited.includes(`${child.pid}:${child.startKey}`));
  await crowd.end();
  const empty = await pollUntil(poller, sums, () => poller.table.size === before);
  const [started, exited] = [sums.started, sums.exited].map((list) => new Set(list).size);
  check(
    complete && one && empty && started === size + 1 && exited === size + 1,
    `${size} processes, ${what} (${events}, ${descriptors} descriptors): ${started} started, ${exited} exited`,
  );
  check(
    sums.started.length === started && sums.exited.length === exited,
    `of these ${sums.started.length - started + sums.exited.length - exited} were told twice`,
  );
  poller.close();
}

async function crowd() {
  const size = 20_000;
  const reason = tooFewFor(size);
  if (reason) {
    lines.push({ word: 'skip', text: `${size} processes: ${reason}` });
    return;
  }
  await crowdWith(size, { fields: ['argv', 'exe'] }, 'descriptors as allowed');
  await crowdWith(size, { fields: ['argv', 'exe'], maxDescriptors: 64 }, '64 descriptors');
  await crowdWith(size, { fields: ['argv', 'exe'], events: 'none' }, 'no events');
}

/** Idle polls: nothing grows. */
async function polls() {
  const others = await startMaker('crowd', ['200', 'shared']);
  await others.next();
  const poller = new Poller({ fields: ['argv', 'cwd', 'exe'] });
  poller.poll();
  // The processes are young, and this program is not compiled yet.
  for (const until = performance.now() + 2_000; performance.now() < until; ) poller.poll();
  const nothing = poller.poll();
  const million = 1_000_000;
  let news = 0;
  const before = measure();
  for (let i = 0; i < million; i++) if (poller.poll() !== nothing) news++;
  const after = measure();
  checkFlat('1,000,000 idle polls', before, after);
  check(news === 0, `${news} of them told something`);
  const beforeAsync = measure();
  for (let i = 0; i < 100_000; i++) await poller.pollAsync();
  checkFlat('100,000 idle asynchronous polls', beforeAsync, measure());
  poller.close();
  const openAndClose = () => {
    const each = new Poller({ fields: ['argv'] });
    each.poll();
    each.close();
  };
  for (let i = 0; i < 100; i++) openAndClose();
  const beforePollers = measure();
  for (let i = 0; i < 500; i++) openAndClose();
  checkFlat('500 pollers opened and closed', beforePollers, measure());
  await others.end();
}

process.stdin.on('close', () => process.exit(1)).resume();
process.stdin.unref();
const [name, seconds] = process.argv.slice(2);
await { titles, crowd, polls }[name](Number(seconds));
console.log(JSON.stringify(lines));
process.exit(0);
