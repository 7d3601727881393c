/** The process that something is meant for, and who else could read it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type PaneRef,
  type ProcessKey,
  type ProcessRow,
  pasteRaw,
  type SendResult,
  sendKey,
  sendLiteral,
  sendText,
  snapshot,
} from '../../../lib/index.js';
import { missingTmux, ownServers, readerIn, Server, until } from './start.js';

/** The wait before Enter of a text that is sent with this delay is over when the test says so. */
const GATED_MS = 59_999;
const gate = vi.hoisted(() => ({ open: (): void => {}, opened: Promise.resolve() }));
vi.mock('../../../lib/tmux/turns.js', async (original) => {
  const turns = await original<typeof import('../../../lib/tmux/turns.js')>();
  const firstOf: typeof turns.firstOf = (signals, ms) =>
    ms === GATED_MS ? { promise: gate.opened, forget: () => {} } : turns.firstOf(signals, ms);
  return { ...turns, firstOf };
});

const missing = missingTmux();
const { servers } = ownServers();
beforeEach(() => {
  gate.opened = new Promise((resolve) => {
    gate.open = resolve;
  });
});

const way = { way: 'protocol', timeoutMs: 20_000 } as const;
const sent = (result: SendResult) => expect(result).toMatchObject({ ok: true });
const refused = async (result: Promise<SendResult>, reason: string) =>
  expect(await result).toMatchObject({ ok: false, reason, delivered: 'nothing', failure: null });

const rootOf = (tmux: Server, id: string): number =>
  Number(tmux.run('display-message', '-p', '-t', id, '#{pane_pid}'));

function rowOf(pid: number): ProcessRow {
  const row = snapshot().get(pid);
  if (row === undefined) throw new Error('the process is not there');
  return row;
}

interface Job {
  readonly tmux: Server;
  readonly pane: PaneRef;
  readonly pid: number;
  readonly agent: ProcessKey;
  /** Ctrl-Z, by the terminal; comes back when the process is stopped and the shell has the terminal. */
  stop(): Promise<void>;
  /** Types a command line into the terminal, and comes back when the shell has run it and all before it. */
  mark(): Promise<void>;
}

/** A job in the foreground of an interactive shell, which runs whatever it reads when it has the terminal. */
async function job(command: string): Promise<Job> {
  const tmux = new Server();
  servers.push(tmux);
  const id = tmux.start('exec sh -i');
  const shell = rootOf(tmux, id);
  tmux.run('send-keys', '-t', id, command, 'Enter');
  const pid = await until('the job has the terminal', () => {
    const child = snapshot().children(shell)[0];
    return child !== undefined && child.tpgid === child.pgid && child.name !== 'sh' && child.pid;
  });
  const shellHasTerminal = () => rowOf(shell).tpgid === rowOf(shell).pgid;
  let marks = 0;
  return {
    tmux,
    pane: { socket: tmux.socket, id },
    pid,
    agent: rowOf(pid).key,
    stop: async () => {
      tmux.run('send-keys', '-t', id, 'C-z');
      await until('it is stopped', () => rowOf(pid).state === 'T' && shellHasTerminal());
    },
    mark: async () => {
      const file = join(tmux.folder, `mark${marks++}`);
      tmux.run('send-keys', '-t', id, `: > ${file}`, 'Enter');
      await until('the shell ran the mark', () => existsSync(file));
    },
  };
}

describe.skipIf(missing !== undefined || process.platform !== 'linux')('what is meant for a process', () => {
  it('is not sent to another process than the one that was named', async () => {
    const { tmux, pane, got } = await readerIn(servers);
    const { key, startKey } = rowOf(rootOf(tmux, pane.id));
    const later = { ...key, startKey: (startKey as bigint) + 1n };
    await refused(sendText(pane, 'text', { agent: later }), 'agent-gone');
    await refused(sendText(pane, 'text', { agent: { ...key, startKey: undefined } }), 'agent-unknown');
    await refused(sendKey(pane, 'Enter', { agent: { ...key, pid: 2 ** 22 + 5 } }), 'agent-gone');
    sent(await sendLiteral(pane, 'mark', { agent: key }));
    // As a row of agents() names it, and as that reads once the pid is another's.
    const row = { pid: key.pid, startKey: String(key.startKey), engine: 'any' };
    sent(await sendLiteral(pane, 'mark', { agent: row }));
    await refused(sendText(pane, 'text', { agent: { ...row, startKey: `${row.startKey}1` } }), 'agent-gone');
    await refused(sendText(pane, 'text', { agent: { ...row, startKey: null } }), 'agent-unknown');
    await refused(sendText(pane, 'text', { agent: { ...row, bootId: null } }), 'agent-unknown');
    const wrong = { agent: { ...row, startKey: 'x' } };
    await expect(sendText(pane, 'text', wrong)).rejects.toMatchObject({ option: 'agent' });
    expect((await got(8)).toString()).toBe('markmark');
  });

  it('is not sent to a pane in which the process is not', async () => {
    const { tmux, pane, got } = await readerIn(servers);
    const other = rowOf(rootOf(tmux, tmux.pane('exec sleep 600'))).key;
    const all = (agent: ProcessKey) =>
      Promise.all([
        refused(sendText(pane, 'text', { ...way, agent }), 'agent-elsewhere'),
        refused(sendLiteral(pane, 'text', { ...way, agent }), 'agent-elsewhere'),
        refused(pasteRaw(pane, 'text', { ...way, agent }), 'agent-elsewhere'),
        refused(sendKey(pane, 'C-c', { ...way, agent, interrupt: false }), 'agent-elsewhere'),
      ]);
    await all(other);
    // Above the pane, and what ends the search: the server itself.
    await all(rowOf(tmux.pid).key);
    sent(await sendLiteral(pane, 'mark', way));
    expect((await got(4)).toString()).toBe('mark');
  });

  it('is not sent while it is stopped or in the background and the shell has the terminal', async () => {
    const { tmux, pane, pid, agent, stop, mark } = await job('sleep 600');
    sent(await sendKey(pane, 'Space', { ...way, agent }));
    await stop();
    const file = join(tmux.folder, 'ran');
    const all = (reason: string) =>
      Promise.all([
        refused(sendText(pane, `: > ${file}`, { ...way, agent, enterDelayMs: 0 }), reason),
        refused(sendLiteral(pane, `: > ${file}\n`, { ...way, agent, lineEnds: 'send' }), reason),
        refused(pasteRaw(pane, `: > ${file}\n`, { ...way, agent }), reason),
        refused(sendKey(pane, 'Enter', { ...way, agent }), reason),
      ]);
    await all('agent-stopped');
    process.kill(pid, 'SIGCONT');
    await until('it goes on, in the background', () => rowOf(pid).state !== 'T');
    await all('other-program');
    await mark();
    expect(existsSync(file)).toBe(false);
    expect(tmux.run('list-buffers', '-F', '#{buffer_name}')).toBe('');
    tmux.run('send-keys', '-t', pane.id, 'fg', 'Enter');
    await until('it has the terminal again', () => rowOf(pid).tpgid === rowOf(pid).pgid);
    sent(await sendKey(pane, 'Space', { ...way, agent }));
  });

  it('is sent to a process on a terminal of its own, within the pane', async (context) => {
    const found = spawnSync('script', ['--version']).status === 0;
    context.skip(!found, 'there is no script(1) of util-linux');
    const { tmux, pane, pid } = await job("script -qc 'cat > read' /dev/null");
    const inner = await until('cat runs', () =>
      [...snapshot().descendants(pid)].find(({ name, tpgid, pgid }) => name === 'cat' && tpgid === pgid),
    );
    expect(inner.sid).not.toBe(rowOf(pid).sid);
    sent(await sendText(pane, 'text', { ...way, agent: inner.key, enterDelayMs: 0 }));
    const read = () => readFileSync(join(tmux.folder, 'read'), 'utf8');
    await until('cat has read it', () => read() === 'text\n');
  });

  it('lacks Enter when the process ends between the text and Enter', async () => {
    const { tmux, pane, pid, agent, mark } = await job('cat');
    const file = join(tmux.folder, 'ran');
    const sending = sendText(pane, `: > ${file}`, { ...way, agent, enterDelayMs: GATED_MS });
    await until('it was typed', () => tmux.run('capture-pane', '-p', '-t', pane.id).includes(`: > ${file}`));
    process.kill(pid, 'SIGKILL');
    await until('it has ended', () => snapshot().get(pid) === undefined);
    gate.open();
    expect(await sending).toMatchObject({ ok: false, reason: 'agent-gone', delivered: 'text' });
    tmux.run('send-keys', '-t', pane.id, 'C-u');
    await mark();
    expect(existsSync(file)).toBe(false);
  });

  it('lacks Enter when the process is stopped between the text and Enter', async () => {
    const { tmux, pane, agent, stop, mark } = await job('cat');
    const file = join(tmux.folder, 'ran');
    const sending = sendText(pane, `: > ${file}`, { ...way, agent, enterDelayMs: GATED_MS });
    await until('it was typed', () => tmux.run('capture-pane', '-p', '-t', pane.id).includes(`: > ${file}`));
    await stop();
    gate.open();
    expect(await sending).toMatchObject({ ok: false, reason: 'agent-stopped', delivered: 'text' });
    tmux.run('send-keys', '-t', pane.id, 'C-u');
    await mark();
    expect(existsSync(file)).toBe(false);
  });
});
