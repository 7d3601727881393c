import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_MS = 600_000;

/** The line of npm's that says what is wrong. */
function firstError({ stderr = '', message, killed }) {
  if (killed) return `did not end within ${MOST_MS / 1000} s`;
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(npm (error|ERR!)\s*)+/, '').replace(/^"summary": "(.*)",?$/, '$1'))
    .filter((line) => !/^(path|command|code|notarget|$)|A complete log|^npm warn/.test(line));
  const said = lines.find((line) => /fail|not found|No matching/i.test(line)) ?? lines[0];
  return (said ?? message.split('\n')[0]).slice(0, 160);
}

/** Installs a package with npm as a person would. `problem`: why there is nothing to start. */
export async function install({ package: name, command }, folder) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', name], {
      cwd: folder,
      timeout: MOST_MS,
      maxBuffer: 1 << 26,
    });
  } catch (error) {
    return { version: null, problem: `not installed: ${firstError(error)}` };
  }
  const manifest = join(folder, 'node_modules', name, 'package.json');
  const version = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : null;
  const program = join(folder, 'node_modules/.bin', command);
  return existsSync(program) ? { version, program } : { version, problem: `installs no command ${command}` };
}
