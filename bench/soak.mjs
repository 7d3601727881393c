// `npm run soak -- [NAME ...] [--seconds 60]`: what only shows after a while or in a crowd. Each line says
// what was checked, and how much of it. Exit code 1 if anything failed.
import { parseArgs } from 'node:util';
import { checks } from './soak/checks.mjs';

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '60' } },
  });
  const seconds = Number(values.seconds);
  const unknown = positionals.filter((name) => !(name in checks));
  if (unknown.length > 0 || !(seconds >= 1)) {
    throw new Error(`usage: soak [${Object.keys(checks).join('|')}] [--seconds N]`);
  }
  return { seconds, names: positionals.length > 0 ? positionals : Object.keys(checks) };
}

/** Runs one check; it answers lines { word, text }, or throws, which is a failure as well. */
async function run(name, seconds) {
  const began = performance.now();
  let lines;
  try {
    lines = await checks[name](seconds);
  } catch (error) {
    lines = [{ word: 'FAIL', text: error.message }];
  }
  for (const { word, text } of lines) console.log(`${word.padEnd(4)} ${name.padEnd(16)} ${text}`);
  console.log(`     ${''.padEnd(16)} ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return lines.filter(({ word }) => word === 'FAIL').length;
}

try {
  const { seconds, names } = readArguments();
  let failed = 0;
  for (const name of names) failed += await run(name, seconds);
  console.log(failed === 0 ? 'soak: nothing failed' : `soak: ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
