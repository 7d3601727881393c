// Checks the layout of every C and C++ file; --write mends it.
import { filesBelow, llvmTool, options, run } from './tools.mjs';

const { write } = options({ write: 'flag' });
const tool = llvmTool('clang-format');
const files = filesBelow(
  ['native', 'test/native', 'test/makers', 'test/windows', 'fuzz', 'bench'],
  /\.(h|c|cc)$/,
);

if (files.length > 0) {
  const mode = write ? ['-i'] : ['--dry-run', '-Werror'];
  const done = run(tool, [...mode, ...files]);
  if (done.code !== 0) {
    const unformatted = new Set(done.output.match(/^[^\s:]+\.(?:h|cc|c)(?=:\d+:\d+: error)/gm));
    if (unformatted.size === 0) console.error(done.output);
    for (const file of unformatted) console.error(`not formatted: ${file}`);
    console.error('npm run format mends the layout.');
    process.exit(1);
  }
}
console.log(`clang-format: ${files.length} files ${write ? 'written' : 'are formatted'}`);
