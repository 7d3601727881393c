import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TOP = join(__dirname, '..');

function newest(directory: string): number {
  const times = readdirSync(directory, { withFileTypes: true }).map((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}

/** Tests that start other programs on this package use dist/: it must be of the sources at hand. */
export default function setup(): void {
  const dist = join(TOP, 'dist');
  if (existsSync(dist) && newest(dist) >= newest(join(TOP, 'lib'))) return;
  execFileSync('npm', ['run', 'build:ts'], { cwd: TOP, stdio: 'pipe' });
}
