import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { compile } from '../../test/makers/build.mjs';
import { builtFolder, here } from './paths.mjs';

/** The cost of each single read from parts.c, in CPU microseconds for each process. */
export function measureParts(size, rounds) {
  const program = compile(join(here, 'parts.c'), join(builtFolder, 'parts'));
  const lines = execFileSync(program, [String(rounds)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return { size, us: Object.fromEntries(lines.slice(1).map((line) => numberOf(line.split(' ')))) };
}

const numberOf = ([name, us]) => [name, Number(us)];

export function partsReport({ size, us }) {
  const rows = Object.entries(us).map(([name, value]) => `${name.padEnd(32)}${value.toFixed(2).padStart(8)}`);
  return [`\n== parts, ${size} processes: CPU us for each process`, ...rows].join('\n');
}
