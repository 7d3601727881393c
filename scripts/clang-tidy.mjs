// Runs clang-tidy (.clang-tidy says which checks) on every source of the compile commands that CMake
// writes. Warnings are errors. Arguments: --only PART, the files whose path holds PART.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cmakeBuild, fail, llvmTool, onAllCores, options, run, runBeside } from './tools.mjs';

const { only = '' } = options({ only: 'value' });
const tool = llvmTool('clang-tidy');

const variables = { PROCSCOPE_TESTS: 'ON', PROCSCOPE_ADDON: 'ON' };
// GCC's own flags in the compile commands would be strangers to clang-tidy.
const compiler = ['clang++-14', 'clang++'].find((name) => run(name, ['--version']).code === 0);
if (compiler !== undefined) Object.assign(variables, { CMAKE_CXX_COMPILER: compiler, PROCSCOPE_FUZZ: 'ON' });
const { folder, ok, output } = await cmakeBuild('tidy', variables, { configureOnly: true });
if (!ok) fail(`CMake could not configure native/:\n${output}`);

const commands = JSON.parse(readFileSync(join(folder, 'compile_commands.json'), 'utf8'));
const files = commands
  .map((entry) => entry.file)
  .filter((file) => !file.endsWith('/test/native/main.cc') && file.includes(only))
  .sort();
if (files.length === 0) fail(`no source of the compile commands has ${only} in its path`);

async function check(file) {
  const { code, output } = await runBeside(tool, ['--quiet', '-p', folder, file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (code === 0) return true;
  console.error(output.trim() === '' ? `${file}: clang-tidy ended with code ${code}` : output.trim());
  return false;
}

const bad = (await onAllCores(files, check)).filter((good) => !good);
if (bad.length > 0) fail(`clang-tidy: ${bad.length} of ${files.length} files have findings`);
console.log(`clang-tidy: ${files.length} files without findings`);
