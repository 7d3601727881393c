// Compiles the makers on demand: `node test/makers/build.mjs [name ...]` or `maker(name)`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = dirname(fileURLToPath(import.meta.url));
const output = resolve(sources, '../../build/makers');

/** The flags of every C program of tests and benches. */
export const cFlags = [
  '-std=c11',
  '-D_GNU_SOURCE',
  '-O2',
  '-Wall',
  '-Wextra',
  '-Wshadow',
  '-Wconversion',
  '-Wstrict-prototypes',
  '-Werror',
];

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Compiles one C file unless `binary` is newer than it and than `inputs`. Callers in several
 * processes at once are safe: each compiles under a name of its own and renames it into place.
 */
export function compile(source, binary, { flags = [], inputs = [] } = {}) {
  const newest = Math.max(...[source, ...inputs].map(modified));
  if (modified(binary) > newest) return binary;
  mkdirSync(dirname(binary), { recursive: true });
  const temporary = `${binary}.${process.pid}.${process.hrtime.bigint()}`;
  try {
    execFileSync('cc', [...cFlags, ...flags, source, '-o', temporary], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    renameSync(temporary, binary);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Error(`cannot compile ${source}: ${error.stderr?.toString() || error.message}`, {
      cause: error,
    });
  }
  return binary;
}

/** The names of all makers. */
export function makers() {
  return readdirSync(sources)
    .filter((file) => file.endsWith('.c'))
    .map((file) => basename(file, '.c'));
}

const headers = () =>
  readdirSync(sources)
    .filter((file) => file.endsWith('.h'))
    .map((file) => join(sources, file));

/** The path of a maker's program, compiled first when its source or any header is newer. */
export function maker(name) {
  const source = join(sources, `${name}.c`);
  return compile(source, join(output, name), { inputs: headers() });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  for (const name of asked.length > 0 ? asked : makers()) console.log(maker(name));
}
