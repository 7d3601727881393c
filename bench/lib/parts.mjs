import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { compile } from '../../test/makers/build.mjs';
import { builtFolder, here } from './paths.mjs';

/** The cost of each single read, from parts.c, as text. */
export function partsReport(size, rounds) {
  const program = compile(join(here, 'parts.c'), join(builtFolder, 'parts'));
  const lines = execFileSync(program, [String(rounds)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const rows = lines.slice(1).map((line) => {
    const [name, us] = line.split(' ');
    return `${name.padEnd(32)}${us.padStart(8)}`;
  });
  return [`\n== parts, ${size} processes: CPU us for each process`, ...rows].join('\n');
}
