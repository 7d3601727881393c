// `node watch.mjs PLAN`: polls while the maker `lives` works beside it and writes down what each poll
// reported, and when. It is meant to be the first process of a pid namespace; see run.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { PlainPoller } from './plain-poller.mjs';

const procscope = createRequire(import.meta.url)('../../dist/index.js');
const plan = JSON.parse(process.argv[2]);

// Whoever started this keeps the other end: no signal ends the first process of a namespace by default.
process.stdin.on('close', () => process.exit(1)).resume();
if (plan.pidMax) writeFileSync('/proc/sys/kernel/pid_max', String(plan.pidMax));

const base = process.hrtime.bigint();
const now = () => Number(process.hrtime.bigint() - base);

const rowOf = (row) => ({
  pid: row.pid,
  key: String(row.startKey),
  ppid: row.ppid,
  name: row.name,
  argv: row.argv?.slice(0, 2),
});

const log = { begins: [], ends: [], failed: [], news: [], descriptors: 0, others: [process.pid] };

function note(delta, begin) {
  const poll = log.begins.length;
  log.begins.push(begin);
  log.ends.push(now());
  if (delta.failed) log.failed.push(poll);
  const { started, exited, changed, table } = delta;
  if (started.length + exited.length + changed.length === 0) return;
  log.news.push({
    poll,
    started: started.map(rowOf),
    exited: exited.map(rowOf),
    changed: changed.map(({ row, before }) => ({ row: rowOf(row), before: rowOf(before) })),
    size: table.size,
  });
}

const options = { fields: ['argv'], maxAgeMs: plan.maxAgeMs, ...plan.options };
const poller = plan.plain ? new PlainPoller(procscope.snapshot, options) : new procscope.Poller(options);

async function look() {
  const begin = now();
  const delta = plan.async ? await poller.pollAsync() : poller.poll();
  note(delta, begin);
}

async function startLives() {
  const { rate, total, spanMs, reuse } = plan;
  const words = [base, plan.ledger, rate, total, Math.round(spanMs * 1000), ...(reuse ? [reuse] : [])];
  const child = spawn(plan.maker, words.map(String), { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  log.maker = Number((await lines.next()).value?.split(' ')[1]);
  const done = (async () => {
    const { value } = await lines.next();
    if (!value?.startsWith('done ')) throw new Error('the maker did not come to its end');
    log.refused = Number(value.split(' ')[2]);
  })();
  return { child, closed, done };
}

const countDescriptors = () => {
  log.descriptors = Math.max(log.descriptors, readdirSync('/proc/self/fd').length - 1);
};

await look();
const lives = await startLives();
let over = false;
lives.done.finally(() => {
  over = true;
});
for (let due = now(); !over; due = Math.max(due + plan.intervalMs * 1e6, now())) {
  await rest(Math.max(0, (due - now()) / 1e6));
  await look();
  if (log.begins.length % 20 === 0) countDescriptors();
}
await lives.done;
// All children are reaped: whatever is still in the table after these has been missed.
for (let i = 0; i < 3; i++) await look();
lives.child.stdin.end();
await lives.closed;
poller.close();
writeFileSync(
  plan.log,
  JSON.stringify({ ...log, alone: plan.alone, maxAgeMs: plan.maxAgeMs, source: plan.options.events }),
);
process.exit(0);
