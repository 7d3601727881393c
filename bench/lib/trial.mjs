// One trial in one process: `node trial.mjs FILE NAME REPETITIONS WARMUPS` prints one JSON report.
// A trial's code is `open()`, which answers { look, check }:
//   look()   the work; answers how many processes it saw (or a promise of it)
//   check()  outside the measured time: the rows of one more look as { pid, argv, cwd, exe }, to
//            prove that the facts the trial claims were really there
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Clock ticks in a second of /proc/self/stat: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * CPU time in milliseconds, user and system: of all threads of this process from getrusage, in
 * microseconds; and of children that were waited for (`cutime`, `cstime`), which Node only gets
 * from /proc/self/stat, in ticks of 10 ms. Trials that start children therefore cost at least some
 * hundred milliseconds in all.
 */
function cpuMs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[13]) + Number(fields[14]);
  return (userCPUTime + systemCPUTime) / 1000 + (ticks * 1000) / ticksPerSecond;
}

function factsOf(rows) {
  const facts = { argv: 0, cwd: 0, exe: 0 };
  for (const row of rows) for (const name of Object.keys(facts)) if (row[name]?.length > 0) facts[name]++;
  return facts;
}

async function measure(trial, repetitions, warmups) {
  const { look, check } = await trial.open();
  for (let i = 0; i < warmups; i++) await look();
  const wallMs = [];
  let seen = Number.POSITIVE_INFINITY;
  const before = cpuMs();
  for (let i = 0; i < repetitions; i++) {
    const start = process.hrtime.bigint();
    const answer = look();
    seen = Math.min(seen, typeof answer === 'number' ? answer : await answer);
    wallMs.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  const cpu = (cpuMs() - before) / repetitions;
  return { cpuMs: cpu, seen, facts: factsOf(await check()), wallMs };
}

const [file, name, repetitions, warmups] = process.argv.slice(2);
const trials = (await import(pathToFileURL(resolve(file)).href)).default;
const trial = trials.find((candidate) => candidate.name === name);
if (!trial) throw new Error(`${file} has no trial called ${name}`);
console.log(JSON.stringify(await measure(trial, Number(repetitions), Number(warmups))));
// A poller's threads or a kept descriptor must not keep a finished trial alive.
process.exit(0);
