import { describe, expect, it } from 'vitest';
import {
  clearEngineExit,
  clearRemainOnExit,
  paneState,
  setMouse,
  setWindowStyle,
  titles,
} from '../../../lib/index.js';
import { missingTmux, ownServers, until } from './start.js';

const missing = missingTmux();
const { server } = ownServers();

const way = { way: 'protocol', timeoutMs: 20_000 } as const;

describe.skipIf(missing !== undefined)('paneState()', () => {
  it('tells how the process of a pane ended, also of one with | in its command', async () => {
    const tmux = server();
    const id = tmux.start();
    tmux.run('set-option', '-g', 'remain-on-exit', 'on');
    const dead = tmux.pane('true | exit 7');
    await until('it is dead', () => {
      tmux.reap();
      return tmux.run('display-message', '-p', '-t', dead, '#{pane_dead}.#{pane_dead_status}') === '1.7\n';
    });
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
