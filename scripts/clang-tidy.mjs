// Runs clang-tidy (.clang-tidy says which checks) on every source of the compile commands that CMake
// writes. Warnings are errors. Arguments: --only PART, the files whose path holds PART.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { cmakeBuild, fail, llvmTool, options, run, top } from './tools.mjs';

const { only = '' } = options({ only: 'value' });
const tool = llvmTool('clang-tidy');

const variables = { PROCSCOPE_TESTS: 'ON', PROCSCOPE_ADDON: 'ON' };
// GCC's own flags in the compile commands would be strangers to clang-tidy.
const compiler = ['clang++-14', 'clang++'].find((name) => run(name, ['--version']).code === 0);
if (compiler !== undefined) Object.assign(variables, { CMAKE_CXX_COMPILER: compiler, PROCSCOPE_FUZZ: 'ON' });
const { folder, ok, output } = cmakeBuild('tidy', variables, { configureOnly: true });
if (!ok) fail(`CMake could not configure native/:\n${output}`);

const commands = JSON.parse(readFileSync(join(folder, 'compile_commands.json'), 'utf8'));
const files = commands
  .map((entry) => entry.file)
  .filter((file) => !file.endsWith('/test/native/main.cc') && file.includes(only))
  .sort();
if (files.length === 0) fail(`no source of the compile commands has ${only} in its path`);

const bad = [];
async function work(queue) {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const child = spawn(tool, ['--quiet', '-p', folder, file], {
      cwd: top,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code === 0) continue;
    bad.push(file);
    console.error(text.trim() === '' ? `${file}: clang-tidy ended with code ${code}` : text.trim());
  }
}

const queue = [...files];
await Promise.all(Array.from({ length: Math.min(cpus().length, 2) }, () => work(queue)));
if (bad.length > 0) fail(`clang-tidy: ${bad.length} of ${files.length} files have findings`);
console.log(`clang-tidy: ${files.length} files without findings`);
