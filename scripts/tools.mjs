// What the check scripts share: finding LLVM tools of the right version, running a command to its
// end, configuring one CMake variant, reading options.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const top = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Not under build/: node-gyp removes that folder at every rebuild. */
export const cache = join(top, '.cache');
/** Other releases format and diagnose differently, so one is the measure. */
export const llvmVersion = 14;

/** Ends the script with one sentence for people: a missing tool is no stack trace. */
export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Runs a command and gives its exit code and output; never throws for a command that fails. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: top,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const output = `${done.stdout ?? ''}${done.stderr ?? ''}`;
  return { code: done.status ?? 1, output, missing: done.error?.code === 'ENOENT' };
}

/** The same without holding up this program: a test suite runs on one core, and there is more to do. */
export function runBeside(command, args, options = {}) {
  const child = spawn(command, args, { cwd: top, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) =>
      resolve({ code: 1, output: String(error), missing: error.code === 'ENOENT' }),
    );
    child.on('close', (code) => resolve({ code: code ?? 1, output, missing: false }));
  });
}

/** Calls `work` with each item, as many at a time as there are cores, and gives the answers in the order of the items. */
export async function onAllCores(items, work) {
  const answers = new Array(items.length);
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      answers[next[0]] = await work(next[1]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), items.length) }, worker));
  return answers;
}

function versionOf(command) {
  const answer = run(command, ['--version']);
  if (answer.code !== 0) return undefined;
  const found = /version (\d+)\./.exec(answer.output);
  return found === null ? undefined : Number(found[1]);
}

/** `clang-format-14`, or a `clang-format` that says it is release 14. */
export function llvmTool(name) {
  for (const command of [`${name}-${llvmVersion}`, name]) {
    if (versionOf(command) === llvmVersion) return command;
  }
  return fail(
    `${name} ${llvmVersion} is not installed (Debian, Ubuntu: apt-get install ${name.replace('++', '')}-${llvmVersion}).`,
  );
}

/** Files below the named folders of the checkout whose names match, as sorted relative paths. */
export function filesBelow(folders, pattern) {
  const found = [];
  for (const folder of folders) {
    if (!existsSync(join(top, folder))) continue;
    for (const entry of readdirSync(join(top, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !pattern.test(entry.name)) continue;
      found.push(join(entry.parentPath, entry.name).slice(top.length + 1));
    }
  }
  return found.sort();
}

/**
 * Configures native/CMakeLists.txt into .cache/<name> and builds it.
 *
 * @param {string} name folder below .cache/
 * @param {Record<string, string>} variables CMake cache variables
 * @param {{ configureOnly?: boolean }} options
 * @returns {Promise<{ folder: string, ok: boolean, output: string }>}
 */
export async function cmakeBuild(name, variables, options = {}) {
  const folder = join(cache, name);
  const generator = run('ninja', ['--version']).code === 0 ? ['-G', 'Ninja'] : [];
  const settings = Object.entries(variables).map(([key, value]) => `-D${key}=${value}`);
  const configured = await runBeside('cmake', [
    '-S',
    join(top, 'native'),
    '-B',
    folder,
    ...generator,
    ...settings,
  ]);
  if (configured.missing) fail('cmake is not installed (Debian, Ubuntu: apt-get install cmake ninja-build).');
  if (configured.code !== 0) return { folder, ok: false, output: configured.output };
  if (options.configureOnly) return { folder, ok: true, output: configured.output };
  const built = await runBeside('cmake', ['--build', folder, '--parallel', '2']);
  return { folder, ok: built.code === 0, output: built.output };
}

/**
 * Reads `--name value` and `--flag` arguments; an unknown one is refused by name.
 *
 * @param {Record<string, 'value' | 'flag'>} known
 * @returns {Record<string, string | true>}
 */
export function options(known) {
  const given = {};
  const args = process.argv.slice(2);
  while (args.length > 0) {
    const argument = args.shift();
    const name = argument.replace(/^--/, '');
    if (argument === name || known[name] === undefined) {
      const names = Object.keys(known).map((key) => `--${key}`);
      fail(`unknown argument ${argument}; known: ${names.join(', ') || 'none'}`);
    }
    if (known[name] === 'flag') given[name] = true;
    else if (args.length === 0) fail(`--${name} needs a value`);
    else given[name] = args.shift();
  }
  return given;
}
