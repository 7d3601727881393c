// Builds and runs the doctest suite of floors 0 to 3: plain, under AddressSanitizer and
// UndefinedBehaviorSanitizer, under ThreadSanitizer, and with the reader of platform/unsupported.
// Arguments: --only plain|asan|tsan|unsupported, --filter PATTERN (doctest's --test-case).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cmakeBuild, fail, filesBelow, onAllCores, options, runBeside } from './tools.mjs';

const variants = {
  plain: {},
  asan: { PROCSCOPE_SANITIZE: 'address,undefined' },
  tsan: { PROCSCOPE_SANITIZE: 'thread' },
  unsupported: { PROCSCOPE_PLATFORM: 'unsupported' },
};

const { only, filter } = options({ only: 'value', filter: 'value' });
if (only !== undefined && variants[only] === undefined) {
  fail(`--only ${only}: there are ${Object.keys(variants).join(', ')}`);
}
if (filesBelow(['test/native'], /_test\.cc$/).length === 0) fail('test/native holds no *_test.cc');

const sanitizers = {
  ASAN_OPTIONS: 'detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
  TSAN_OPTIONS: 'second_deadlock_stack=1',
};

/** Runs the suite; where the kernel's address layout is one that TSan does not know, without ASLR. */
async function runSuite(binary) {
  const args = ['--no-colors', ...(filter === undefined ? [] : [`--test-case=${filter}`])];
  const env = { ...process.env, ...sanitizers };
  const done = await runBeside(binary, args, { env, timeout: 1_200_000 });
  if (!/unexpected memory mapping/.test(done.output)) return done;
  return runBeside('setarch', ['-R', binary, ...args], { env, timeout: 1_200_000 });
}

function build(name) {
  const settings = {
    PROCSCOPE_TESTS: 'ON',
    PROCSCOPE_WERROR: 'ON',
    PROCSCOPE_PLATFORM: '',
    PROCSCOPE_SANITIZE: '',
    // Sanitizers find the same without the optimiser's last passes, and the build takes half as long.
    CMAKE_CXX_FLAGS_RELWITHDEBINFO: name === 'plain' ? '-O2 -g1' : '-O1 -g1',
    ...variants[name],
  };
  return cmakeBuild(`native/${name}`, settings);
}

async function test(built) {
  if (!built.ok) {
    console.error(built.output);
    return { passed: 0, failed: 1, note: 'did not build' };
  }
  const binary = join(built.folder, process.platform === 'win32' ? 'procscope_tests.exe' : 'procscope_tests');
  if (!existsSync(binary)) return { passed: 0, failed: 1, note: `no ${binary} after the build` };
  const { code, output } = await runSuite(binary);
  const counts = /test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed/.exec(output);
  const passed = Number(counts?.[2] ?? 0);
  // A sanitizer ends the program before doctest counts: that is one failure, not none.
  const failed = Math.max(Number(counts?.[3] ?? 0), code === 0 && passed > 0 ? 0 : 1);
  if (failed > 0) console.error(output);
  return { passed, failed, note: failed > 0 ? `ended with code ${code}` : '' };
}

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

async function report([name, built, buildSeconds]) {
  const began = performance.now();
  const { passed, failed, note } = await test(built);
  const took = `built in ${buildSeconds} s, ran ${seconds(began)} s`;
  console.log(`${name}: ${passed} passed, ${failed} failed (${took}) ${note}`.trim());
  return { passed, failed };
}

const built = [];
for (const name of only === undefined ? Object.keys(variants) : [only]) {
  const began = performance.now();
  built.push([name, await build(name), seconds(began)]);
}
// Each suite runs on one core. Beside a build their deadlines would not hold.
const all = await onAllCores(built, report);
const sum = (key) => all.reduce((total, each) => total + each[key], 0);
console.log(`native: ${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);
