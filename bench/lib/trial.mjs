// One trial in one process: `node trial.mjs FILE NAME REPETITIONS WARMUPS` prints one JSON report.
// A trial's code is `open()`, which answers { look, count, rows }:
//   look()       the work, all of it; its answer or a promise of it
//   count(a)     how many processes an answer holds; this should cost nothing
//   rows(a)      outside the measured time: the last answer as rows { argv, cwd, exe }, to prove
//                that the facts the trial claims were really there
import { resolve } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { cpuMs } from './cpu.mjs';

const millisecondsSince = (start) => Number(process.hrtime.bigint() - start) / 1e6;

/** How many processes of the crowd have each fact; others on the machine do not count. */
function factsOf(rows) {
  const facts = { argv: 0, cwd: 0, exe: 0 };
  const crowd = rows.filter((row) => String(row.argv).includes('--worker-id='));
  for (const row of crowd) for (const name of Object.keys(facts)) if (row[name]?.length > 0) facts[name]++;
  return facts;
}

async function measure(trial, repetitions, warmups) {
  const { look, count, rows } = await trial.open();
  const restIfAsked = () => trial.restMs && rest(trial.restMs);
  const start = process.hrtime.bigint();
  await look();
  const firstMs = millisecondsSince(start);
  for (let i = 1; i < warmups; i++) await look();
  const wallMs = [];
  let answer;
  let seen = Number.POSITIVE_INFINITY;
  const before = cpuMs();
  for (let i = 0; i < repetitions; i++) {
    await restIfAsked();
    const start = process.hrtime.bigint();
    const pending = look();
    // No turn of the event loop for a call that does not need one.
    answer = pending instanceof Promise ? await pending : pending;
    wallMs.push(millisecondsSince(start));
    seen = Math.min(seen, count(answer));
  }
  const cpu = (cpuMs() - before) / repetitions;
  return { cpuMs: cpu, seen, facts: factsOf(rows(answer)), firstMs, wallMs };
}

const [file, name, repetitions, warmups] = process.argv.slice(2);
const trials = (await import(pathToFileURL(resolve(file)).href)).default;
const trial = trials.find((candidate) => candidate.name === name);
if (!trial) throw new Error(`${file} has no trial called ${name}`);
console.log(JSON.stringify(await measure(trial, Number(repetitions), Number(warmups))));
// A poller's threads or a kept descriptor must not keep a finished trial alive.
process.exit(0);
