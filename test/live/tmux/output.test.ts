import { afterEach, describe, expect, it } from 'vitest';
import {
  capture,
  clearEngineExit,
  clearRemainOnExit,
  paneState,
  panes,
  setMouse,
  setWindowStyle,
  titles,
} from '../../../lib/index.js';
import { missingTmux, Server, until } from './start.js';

const missing = missingTmux();
const servers: Server[] = [];
function server(): Server {
  const made = new Server();
  servers.push(made);
  return made;
}
afterEach(() => {
  for (const each of servers.splice(0)) each.end();
});

const way = { way: 'protocol', timeoutMs: 20_000 } as const;

describe.skipIf(missing !== undefined)('capture()', () => {
  it('gives what tmux itself captures', async () => {
    const tmux = server();
    const id = tmux.start(
      "i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); done; printf '\\033[31mred\\033[0m ünï 😀\\n'; printf '%0200d\\n' 7; printf done; exec sleep 600",
    );
    const pane = { socket: tmux.socket, id };
    await until('all is written', () => tmux.run('capture-pane', '-p', '-t', id).includes('done'));
    const own = (...args: string[]) => tmux.run('capture-pane', '-p', '-J', '-t', id, ...args);
    const text = async (options: Parameters<typeof capture>[1]) => {
      const answer = await capture(pane, { ...way, ...options });
      if (!answer.ok) throw new Error(answer.failure.message);
      expect(answer.way).toBe('protocol');
      return answer.text;
    };
    expect(await text({})).toBe(own('-e', '-S', '-100'));
    expect(await text({ ansi: false, historyLines: 30 })).toBe(own('-S', '-30'));
    expect(await text({ historyLines: 1 })).toBe(own('-e', '-S', '-20'));
    expect(await text({ historyLines: 9_999 })).toBe(own('-e', '-S', '-300'));
    expect(await text({ visible: true })).toBe(own('-e'));
    expect(await text({ visible: true })).toContain('\x1b[31m');
    expect(await capture(pane, { way: 'binary' })).toMatchObject({
      ok: true,
      text: own('-e', '-S', '-100'),
      way: 'binary',
    });
  });

  it('is null for a pane that tmux does not know, and a failure where it cannot be asked', async () => {
    const tmux = server();
    const id = tmux.start();
    expect(await capture({ socket: tmux.socket, id: '%77' })).toMatchObject({ ok: true, text: null });
    const other = { pid: tmux.pid, start: 1 };
    expect(await capture({ socket: tmux.socket, id, server: other })).toMatchObject({ ok: true, text: null });
    const { pid } = tmux;
    process.kill(pid, 'SIGSTOP');
    try {
      const answer = await capture({ socket: tmux.socket, id }, { timeoutMs: 500 });
      expect(answer).toMatchObject({ ok: false, failure: { kind: 'timeout', fault: { kind: 'timeout' } } });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await tmux.kill();
    await until('it is gone', async () => (await panes({ tmuxSockets: [tmux.socket] })).state === 'empty');
    expect(await capture({ socket: tmux.socket, id })).toEqual({ ok: true, text: null, way: undefined });
  });
});

describe.skipIf(missing !== undefined)('paneState()', () => {
  it('tells how the process of a pane ended, also of one with | in its command', async () => {
    const tmux = server();
    const id = tmux.start();
    tmux.run('set-option', '-g', 'remain-on-exit', 'on');
    const dead = tmux.pane('true | exit 7');
    await until(
      'it is dead',
      () => tmux.run('display-message', '-p', '-t', dead, '#{pane_dead}.#{pane_dead_status}') === '1.7\n',
    );
    const state = async (pane: string, prefix?: string) => {
      const answer = await paneState(
        { socket: tmux.socket, id: pane },
        prefix === undefined ? way : { ...way, prefix },
      );
      if (!answer.ok) throw new Error(answer.failure.message);
      return answer.state;
    };
    const command = tmux.run('display-message', '-p', '-t', dead, '#{pane_current_command}').trim();
    expect(await state(dead)).toMatchObject({
      dead: true,
      exitStatus: 7,
      exitSignal: null,
      engineExit: null,
      command,
    });
    expect(await state(id)).toMatchObject({ dead: false, exitStatus: null, command: 'sleep', inMode: false });
    expect(await state('%99')).toBe(null);
    tmux.run('set-option', '-p', '-t', id, '@my_engine_exit', '4');
    expect(await state(id, 'my')).toMatchObject({ engineExit: 4 });
    expect(await clearEngineExit({ socket: tmux.socket, id }, { prefix: 'my' })).toEqual({
      ok: true,
      way: 'protocol',
    });
    expect(await state(id, 'my')).toMatchObject({ engineExit: null });
    tmux.run('copy-mode', '-t', id);
    expect(await state(id)).toMatchObject({ inMode: true });
  });
});

describe.skipIf(missing !== undefined)('titles()', () => {
  it('cleans each title', async () => {
    const tmux = server();
    const id = tmux.start();
    const bare = tmux.pane('exec sleep 600');
    tmux.run('select-pane', '-t', id, '-T', `✳ · fix the parser ${'x'.repeat(100)}`);
    tmux.run('select-pane', '-t', bare, '-T', '✻ ');
    const found = await titles({ tmuxSockets: [tmux.socket] });
    expect(found.inventory.state).toBe('read');
    expect([...found.titles.values()]).toEqual([`fix the parser ${'x'.repeat(65)}`, null]);
    expect([...found.titles.keys()]).toEqual(found.inventory.panes.map(({ key }) => key));
  });
});

describe.skipIf(missing !== undefined)('settings of a pane', () => {
  it('are set where they belong, twice as once, and nowhere else', async () => {
    const tmux = server();
    const id = tmux.start();
    const other = tmux.run('new-session', '-d', '-P', '-F', '#{pane_id}', 'exec sleep 600').trim();
    const pane = { socket: tmux.socket, id };
    const globals = () => tmux.run('show-options', '-g') + tmux.run('show-options', '-gw');
    const before = globals();
    for (let times = 0; times < 2; times++) {
      expect(await setMouse(pane, true, way)).toEqual({ ok: true, way: 'protocol' });
      expect(await setWindowStyle(pane, 'bg=#101020,fg=colour7', way)).toEqual({ ok: true, way: 'protocol' });
    }
    expect(tmux.run('show-options', '-v', '-t', id, 'mouse')).toBe('on\n');
    expect(tmux.run('show-options', '-wv', '-t', id, 'window-style')).toBe('bg=#101020,fg=colour7\n');
    expect(tmux.run('show-options', '-v', '-t', other, 'mouse')).toBe('');
    expect(tmux.run('show-options', '-wv', '-t', other, 'window-style')).toBe('');
    tmux.run('set-option', '-w', '-t', id, 'remain-on-exit', 'on');
    tmux.run('set-option', '-p', '-t', id, 'remain-on-exit', 'on');
    for (let times = 0; times < 2; times++) {
      expect(await clearRemainOnExit(pane, way)).toEqual({ ok: true, way: 'protocol' });
    }
    expect(tmux.run('show-options', '-wv', '-t', id, 'remain-on-exit')).toBe('');
    expect(tmux.run('show-options', '-pv', '-t', id, 'remain-on-exit')).toBe('');
    expect(globals()).toBe(before);
  });

  it('say what failed', async () => {
    const tmux = server();
    const id = tmux.start();
    const pane = { socket: tmux.socket, id };
    expect(await setMouse({ ...pane, id: '%9' })).toMatchObject({ ok: false, reason: 'no-pane' });
    expect(await setMouse({ ...pane, server: { pid: 1, start: 1 } })).toMatchObject({
      reason: 'other-server',
    });
    const style = await setWindowStyle(pane, 'bg=nonsense');
    expect(style).toMatchObject({ ok: false, reason: 'failed', failure: { kind: 'command' } });
    await expect(setWindowStyle(pane, '#(touch /tmp/x)')).rejects.toMatchObject({ option: 'style' });
    await expect(setWindowStyle(pane, "x' ; kill-server ; '")).rejects.toMatchObject({ option: 'style' });
  });
});
