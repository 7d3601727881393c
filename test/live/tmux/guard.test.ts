import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PaneRef } from '../../../lib/index.js';
import { guarded, type Occupant } from '../../../lib/tmux/guard.js';
import { checkTmux } from '../../../lib/tmux/options.js';
import { missingTmux, ownServers, Server, until } from './start.js';

const missing = missingTmux();
const { servers } = ownServers();

/** The look before a command would refuse all this too; here it is left out, as if the pane changed just then. */
describe.skipIf(missing !== undefined)('guarded()', () => {
  it('has the server itself decide, by the state in which the command would run', async () => {
    const tmux = new Server();
    servers.push(tmux);
    const id = tmux.start();
    tmux.run('set-option', '-g', 'remain-on-exit', 'on');
    const dead = tmux.pane('exit 0');
    await until('it is dead', () => tmux.run('display-message', '-p', '-t', dead, '#{pane_dead}') === '1\n');
    const [copying, off] = [tmux.pane('exec sleep 600'), tmux.pane('exec sleep 600')];
    tmux.run('copy-mode', '-t', copying);
    tmux.run('select-pane', '-d', '-t', off);
    const [pid, start] = tmux
      .run('display-message', '-p', '#{pid} #{start_time}')
      .trim()
      .split(' ')
      .map(Number);
    const server = { pid: pid as number, start: start as number };
    const how = checkTmux({ way: 'protocol', timeoutMs: 20_000 });

    const run = async (pane: Partial<PaneRef>, purpose: 'writing' | 'setting' = 'writing') => {
      const whole = { socket: tmux.socket, id, server, ...pane };
      const buffer = { name: 'text', bytes: Buffer.from('some bytes') };
      const command = "set-buffer -b 'ran' 'yes'";
      const what = await guarded({ pane: whole, purpose, command, idempotent: false, buffer }, how);
      const ran = tmux.run('list-buffers', '-F', '#{buffer_name}').trim().split('\n').filter(Boolean).sort();
      for (const name of ran) tmux.run('delete-buffer', '-b', name);
      return [what.outcome === 'refused' ? what.refusal : what.outcome, ran];
    };
    const both = ['ran', 'text'];
    expect(await run({})).toEqual(['done', both]);
    // Refused before the bytes were asked for, so that not even these have left.
    expect(await run({ id: dead })).toEqual(['dead', []]);
    expect(await run({ id: copying })).toEqual(['mode', []]);
    expect(await run({ id: off })).toEqual(['input-off', []]);
    expect(await run({ id: '%99' })).toEqual(['no-pane', []]);
    expect(await run({ server: { ...server, start: server.start - 1 } })).toEqual(['other-server', []]);
    expect(await run({ server: { ...server, pid: server.pid + 1 } })).toEqual(['other-server', []]);
    expect(await run({ id: dead }, 'setting')).toEqual(['done', both]);
    expect(await run({ id: copying }, 'setting')).toEqual(['done', both]);
  });

  it('has the server itself ask who has the terminal', async () => {
    const tmux = new Server();
    servers.push(tmux);
    const id = tmux.start();
    const rootPid = Number(tmux.run('display-message', '-p', '-t', id, '#{pane_pid}'));
    const how = checkTmux({ way: 'protocol', timeoutMs: 20_000 });
    const pane = { socket: tmux.socket, id };
    const run = async (occupant: Occupant) => {
      const command = 'set-option -g @ran yes';
      const what = await guarded({ pane, purpose: 'writing', command, idempotent: false, occupant }, how);
      const ran = tmux.run('show-options', '-g', '-q', '-v', '@ran') !== '';
      tmux.run('set-option', '-g', '-u', '@ran');
      return [what.outcome === 'refused' ? what.refusal : what.outcome, ran];
    };
    await until('the program runs', async () => (await run({ rootPid, command: 'sleep' }))[1]);
    expect(await run({ rootPid, command: 'sleep' })).toEqual(['done', true]);
    expect(await run({ rootPid, command: 'sh' })).toEqual(['other-program', false]);
    expect(await run({ rootPid: rootPid + 1, command: 'sleep' })).toEqual(['other-program', false]);
    // A name that would mean something in a format stays out of it, and the pid alone counts.
    const file = join(tmux.folder, 'shell');
    for (const command of [`#(: > ${file})`, '#{pane_id}', 'a,1}', '', 'x'.repeat(65), "a'b"]) {
      expect(await run({ rootPid, command })).toEqual(['done', true]);
      expect(await run({ rootPid: 1, command })).toEqual(['other-program', false]);
    }
    expect(existsSync(file)).toBe(false);
  });

  it('has no use for the text of an answer: the same by the binary, which asks for the bytes at once', async () => {
    const tmux = new Server();
    servers.push(tmux);
    const id = tmux.start();
    tmux.run('copy-mode', '-t', id);
    const pane = { socket: tmux.socket, id };
    const buffer = { name: 'text', bytes: Buffer.from('some bytes') };
    const command = "set-buffer -b 'ran' 'yes'";
    const what = { pane, purpose: 'writing', command, idempotent: false, buffer } as const;
    const answer = await guarded(what, checkTmux({ way: 'binary', timeoutMs: 20_000 }));
    expect(answer).toMatchObject({ outcome: 'refused', refusal: 'mode' });
    // The condition of the server held the command back.
    expect(tmux.run('list-buffers', '-F', '#{buffer_name}')).toBe('text\n');
  });
});
