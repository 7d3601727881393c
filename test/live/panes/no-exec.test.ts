/** A monitor with panes starts no program: what strace(1) sees of a Node that runs one. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { built } from '../agents/start.js';
import { missingTmux, Server } from '../tmux/start.js';

const TOP = join(__dirname, '..', '..', '..');

/** Why the test is skipped: strace is missing, or may trace nothing here. */
function missingStrace(): string | undefined {
  const tried = spawnSync('strace', ['-qq', '-e', 'trace=execve', 'true'], { encoding: 'utf8' });
  return tried.status === 0
    ? undefined
    : 'strace is missing or may not trace (Debian: apt-get install strace)';
}

const missing = missingTmux() ?? missingStrace();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

let server: Server | undefined;
afterEach(() => server?.end());

/** Polls until the agent and its pane are known, and ten times more; prints what it found. */
const SCRIPT = `
  const { AgentMonitor, panes } = require(process.argv[1]);
  const tmuxSockets = [process.argv[2]];
  (async () => {
    const monitor = new AgentMonitor({ tmuxSockets, pathEnv: '', overrides: {}, paneAgeMs: 10 });
    const isKnown = () => monitor.agents.some(({ pane }) => pane?.socket === tmuxSockets[0]);
    for (let polls = 0; polls < 10; polls += isKnown() ? 1 : 0) {
      await monitor.poll();
      const { state } = await panes({ tmuxSockets });
      if (state !== 'read') throw new Error('the panes are ' + state);
    }
    monitor.close();
    console.log('found');
  })();`;

describe.skipIf(missing !== undefined || process.platform !== 'linux')('a monitor with panes', () => {
  it('L08 L50 executes nothing, no ps and no lsof', async () => {
    server = new Server();
    copyFileSync(await built('fake'), join(server.folder, 'claude'));
    server.start(`exec ${server.folder}/claude`);
    const trace = join(server.folder, 'trace');
    const words = ['-f', '-qq', '-e', 'trace=execve,execveat', '-o', trace];
    const { stdout } = spawnSync('strace', [...words, process.execPath, '-e', SCRIPT, TOP, server.socket], {
      encoding: 'utf8',
      timeout: 110_000,
    });
    expect(stdout).toBe('found\n');
    const execs = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /\bexecve(?:at)?\(/.test(line));
    // The start of Node itself, and nothing after it.
    expect(execs).toHaveLength(1);
    expect(execs[0]).toContain(process.execPath);
  });
});
