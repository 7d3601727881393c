// Builds every fuzz/<name>_fuzz.cc with libFuzzer under ASan and UBSan and runs each for a while.
// Seeds are fuzz/seeds/<name>/ and the fixtures of test/fixtures/<name>/; new inputs are kept in
// .cache/corpus/<name>/ for the next run. A crash ends with the path of its reproducer.
// Arguments: --seconds N for each target (default 60), --only NAME.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cache, cmakeBuild, fail, filesBelow, onAllCores, options, run, runBeside, top } from './tools.mjs';

const { seconds = '60', only } = options({ seconds: 'value', only: 'value' });
if (!/^[1-9]\d*$/.test(seconds)) fail(`--seconds ${seconds}: a whole number of seconds`);

const all = filesBelow(['fuzz'], /_fuzz\.cc$/).map((file) => basename(file, '_fuzz.cc'));
const names = all.filter((name) => only === undefined || name === only);
if (names.length === 0) fail(`no such fuzz target; there are: ${all.join(', ') || 'none'}`);

const compiler = ['clang++-14', 'clang++'].find((name) => run(name, ['--version']).code === 0);
if (compiler === undefined) {
  fail('libFuzzer comes with clang (Debian, Ubuntu: apt-get install clang-14 libclang-rt-14-dev).');
}
const built = await cmakeBuild('fuzz', {
  CMAKE_CXX_COMPILER: compiler,
  PROCSCOPE_FUZZ: 'ON',
  PROCSCOPE_SANITIZE: 'address,undefined',
});
if (!built.ok) fail(`the fuzz targets did not build:\n${built.output}`);

async function fuzz(name) {
  const corpus = join(cache, 'corpus', name);
  const crashes = join(cache, 'crashes', name);
  for (const folder of [corpus, crashes]) mkdirSync(folder, { recursive: true });
  const seeds = [`fuzz/seeds/${name}`, `test/fixtures/${name}`]
    .map((folder) => join(top, folder))
    .filter((folder) => existsSync(folder));
  const before = new Set(readdirSync(crashes));
  const { code, output } = await runBeside(
    join(built.folder, `${name}_fuzz`),
    [
      `-max_total_time=${seconds}`,
      '-timeout=10',
      '-rss_limit_mb=2048',
      '-print_final_stats=1',
      `-artifact_prefix=${crashes}/`,
      corpus,
      ...seeds,
    ],
    // libFuzzer puts the clock on top of the time that loading the seeds takes.
    { stdio: ['ignore', 'ignore', 'pipe'], timeout: (Number(seconds) + 120) * 1000 },
  );
  const executions = /number_of_executed_units:\s*(\d+)/.exec(output)?.[1] ?? '0';
  if (code === 0 && executions !== '0') {
    console.log(`${name}: ${executions} inputs from ${seeds.length} seed folders, no crash`);
    return true;
  }
  console.error(output.split('\n').slice(-60).join('\n'));
  const fresh = readdirSync(crashes).filter((file) => !before.has(file));
  for (const file of fresh) console.error(`${name}: reproducer ${join(crashes, file)}`);
  console.error(`${name}: ended with code ${code} after ${executions} inputs`);
  return false;
}

const failed = (await onAllCores(names, fuzz)).filter((good) => !good).length;
console.log(`fuzz: ${names.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
