import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { quantile } from './measure.mjs';
import { here } from './paths.mjs';

const targetSize = 1_000;
const mostMs = 10;

const variants = [
  { name: 'all', about: 'every row against every rule', target: true },
  { name: 'sifted', about: 'the names first, as agents() does' },
];

/** One fresh process a look: code that never ran before is what a first answer costs. */
function look(size, name) {
  // A collection before the look takes what made the table: its garbage is no cost of the rules.
  const args = ['--expose-gc', join(here, 'trials/engines.mjs'), String(size), name];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

export function measureEngines(size, rounds) {
  const looks = Array.from({ length: rounds }, () => variants.map(({ name }) => look(size, name)));
  return variants.map((variant, index) => {
    const own = looks.map((round) => round[index]);
    const cpu = own.map(({ cpuMs }) => cpuMs);
    return {
      ...variant,
      size,
      cpuMs: quantile(cpu, 0.5),
      leastCpuMs: Math.min(...cpu),
      againCpuMs: quantile(
        own.map(({ againCpuMs }) => againCpuMs),
        0.5,
      ),
      wallMs: quantile(
        own.map(({ wallMs }) => wallMs),
        0.5,
      ),
      found: Math.min(...own.map(({ found }) => found)),
      // One row in fifty is an agent.
      wrong: own.some(({ found }) => found !== Math.floor(size / 50)),
    };
  });
}

export function enginesReport(results) {
  const lines = ['', '== engines: all rules over made-up rows in a fresh process, CPU time'];
  for (const one of results) {
    lines.push(
      `${one.name.padEnd(8)} ${String(one.size).padStart(5)} rows  ${one.cpuMs.toFixed(1)} ms  ` +
        `least ${one.leastCpuMs.toFixed(1)} ms  wall ${one.wallMs.toFixed(1)} ms  ` +
        `once warm ${one.againCpuMs.toFixed(1)} ms  ${one.found} agents  (${one.about})`,
    );
    if (one.wrong) lines.push(`!! WRONG: ${one.name} found ${one.found} agents`);
    if (one.target && one.size === targetSize) {
      lines.push(
        `${one.cpuMs <= mostMs ? 'PASS' : 'MISS'}     ${one.name}: target <= ${mostMs} ms of CPU time`,
      );
    }
  }
  return lines.join('\n');
}
