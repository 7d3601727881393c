/** What starts no program, by what strace(1) sees of a Node that does it: a monitor with panes, a send, a capture. */
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

/** Sends in every way and captures until the reader of the pane has shown the text; prints what became of each. */
const SEND = `
  const { capture, sendKey, sendLiteral, sendText, pasteRaw, snapshot } = require(process.argv[1]);
  const [pane, agentPid] = [{ socket: process.argv[2], id: process.argv[3] }, Number(process.argv[4])];
  const how = { way: 'protocol', timeoutMs: 60000 };
  (async () => {
    const agent = snapshot().get(agentPid).key;
    const sends = [
      await sendText(pane, 'first', { ...how, agent, enterDelayMs: 0 }),
      await sendText(pane, 'several\\nlines', { ...how, enterDelayMs: 0 }),
      await sendLiteral(pane, 'literal', how),
      await pasteRaw(pane, 'pasted', how),
      await sendKey(pane, 'Enter', { ...how, agent }),
    ];
    for (let text = ''; !text.includes('literalpasted'); ) ({ text } = await capture(pane, how));
    console.log(sends.map(({ ok, way }) => ok + ' ' + way).join());
  })();`;

/** The programs that a Node started by strace executed, itself included. */
function execsOf(
  folder: string,
  script: string,
  ...args: readonly string[]
): { out: string; execs: string[] } {
  const trace = join(folder, 'trace');
  const words = ['-f', '-qq', '-e', 'trace=execve,execveat', '-o', trace];
  const { stdout } = spawnSync('strace', [...words, process.execPath, '-e', script, TOP, ...args], {
    encoding: 'utf8',
    timeout: 110_000,
  });
  const lines = readFileSync(trace, 'utf8').split('\n');
  return { out: stdout, execs: lines.filter((line) => /\bexecve(?:at)?\(/.test(line)) };
}

describe.skipIf(missing !== undefined || process.platform !== 'linux')('executes nothing', () => {
  it('L08 L50 a monitor with panes, no ps and no lsof', async () => {
    server = new Server();
    copyFileSync(await built('fake'), join(server.folder, 'claude'));
    server.start(`exec ${server.folder}/claude`);
    const { out, execs } = execsOf(server.folder, SCRIPT, server.socket);
    expect(out).toBe('found\n');
    // The start of Node itself, and nothing after it.
    expect(execs).toHaveLength(1);
    expect(execs[0]).toContain(process.execPath);
  });

  it('what is sent to a pane and captured from it over the socket', () => {
    server = new Server();
    const id = server.start('exec cat');
    const pid = server.run('display-message', '-p', '-t', id, '#{pane_pid}').trim();
    const { out, execs } = execsOf(server.folder, SEND, server.socket, id, pid);
    expect(out).toBe('true protocol,true protocol,true protocol,true protocol,true protocol\n');
    expect(execs).toHaveLength(1);
    expect(execs[0]).toContain(process.execPath);
  });
});
