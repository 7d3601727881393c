import { describe, expect, it } from 'vitest';
import type { FailedPanes, Pane, PaneInventory, PanesOptions, RunningPanes } from '../../../lib/index.js';
import { look } from './look.js';

const SERVER = { pid: 7, start: 1 };
const SOCKET = '/run/one';
const PANE: Pane = {
  ...{ key: `${SOCKET} 7.1 %3`, socket: SOCKET, server: SERVER, id: '%3', rootPid: 8, sessionId: '$1' },
  ...{ sessionName: 'work', attached: false, sessions: [], windowId: '@1', windowName: 'w', index: 0 },
  ...{ active: true, cwd: '/x', title: 'a\u001b[2Jb', dead: false, exitStatus: null, exitSignal: null },
  ...{ command: 'sh', tty: '/dev/pts/1', width: 80, height: 24, activity: undefined },
};
const RUNNING: RunningPanes = {
  ...{ state: 'running', socket: SOCKET, panes: [PANE], at: 1 },
  server: { ...SERVER, socket: SOCKET, version: '3.3a', protocol: 8, way: 'protocol', fallback: null },
};
const fault = { kind: 'timeout', code: 110, call: 'read', path: '/run/two' } as const;
const FAILED: FailedPanes = {
  ...{ state: 'failed', socket: '/run/two', panes: [], at: undefined },
  failure: { kind: 'timeout', fault, message: 'no answer', mayHaveRun: true, way: 'protocol' },
};
const read: PaneInventory = { state: 'read', panes: [PANE], servers: [RUNNING], refused: [] };
const half: PaneInventory = { ...read, state: 'failed', servers: [RUNNING, FAILED], faults: [] };
const nothing: PaneInventory = { state: 'failed', panes: [], servers: [], refused: [], faults: [fault] };

const none = { agents: [], faults: [], ambiguousPanes: [], scanned: 0, tookMs: 0 };
const answering = (inventory: PaneInventory) => ({
  panes: async () => inventory,
  agents: async () => none,
});

describe('a pane that is named', () => {
  it.each(['send', 'capture'])('is not taken by %s while another server may have it too', async (command) => {
    let asked = 0;
    const never = async (): Promise<never> => {
      asked++;
      throw new Error('nothing was to be asked of the pane');
    };
    const args = command === 'send' ? [command, '%3', 'text'] : [command, '%3'];
    const { code, out, err } = await look(args, {
      api: { ...answering(half), sendText: never, capture: never },
    });
    expect({ code, out, asked }).toEqual({ code: 1, out: '', asked: 0 });
    expect(err).toContain(`name one with --tmux-socket: ${SOCKET}`);
    expect(err).toContain('/run/two: no answer');
  });

  it('is said not to be there only where every place was looked at', async () => {
    const missing = async (inventory: PaneInventory) =>
      (await look(['capture', '%4'], { api: answering(inventory) })).err.split('\n')[0];
    expect(await missing(read)).toBe('procscope: there is no pane %4');
    expect(await missing(half)).toBe('procscope: whether there is a pane %4 cannot be told');
    expect(await missing(nothing)).toBe('procscope: whether there is a pane %4 cannot be told');
  });

  it('is taken where every server answered', async () => {
    const sendText = async () => ({
      ...{ ok: true, way: 'protocol', synchronized: false, bracketed: undefined, stripped: 0 },
    });
    const { code, out } = await look(['send', '%3', 'text'], {
      api: { ...answering(read), sendText: sendText as never },
    });
    expect({ code, out }).toEqual({ code: 0, out: 'sent\n' });
  });
});

describe('procscope capture --ansi', () => {
  const capture = (text: string) => async () => ({ ok: true, text, way: 'protocol' }) as const;

  it('ends the colours that the screen left on', async () => {
    const api = { ...answering(read), capture: capture('\u001b[31mred\n\n') };
    expect((await look(['capture', '%3', '--ansi'], { api })).out).toBe('\u001b[31mred\u001b[0m\n');
  });

  it('adds nothing to a screen without any', async () => {
    const api = { ...answering(read), capture: capture('plain\u001b[2J\n') };
    expect((await look(['capture', '%3', '--ansi'], { api })).out).toBe('plain\\x1b[2J\n');
  });
});

describe('procscope panes', () => {
  it('says which place could not be looked at', async () => {
    const { code, out } = await look(['panes'], { api: answering(nothing) });
    expect(code).toBe(1);
    expect(out).toContain('Could not be asked:\n/run/two: ');
  });

  it('watches with what it saw before, so that a server that hangs keeps its panes', async () => {
    const given: unknown[] = [];
    const panes = async ({ previous }: PanesOptions = {}) => {
      given.push(previous);
      return read;
    };
    let written = 0;
    await look(['panes', '--watch', '--interval', '10'], {
      api: { ...answering(read), panes },
      onWrite: () => ++written === 2,
    });
    expect(given.slice(0, 2)).toEqual([undefined, read]);
  });
});
