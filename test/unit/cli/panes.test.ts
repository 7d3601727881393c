import { describe, expect, it } from 'vitest';
import type { PaneInventory, PanesOptions } from '../../../lib/index.js';
import { answering, half, nothing, PANE, RUNNING, read, SOCKET } from './inventory.js';
import { look } from './look.js';

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

describe('procscope panes', () => {
  it('says which place could not be looked at', async () => {
    const { code, out } = await look(['panes'], { api: answering(nothing) });
    expect(code).toBe(1);
    expect(out).toContain('Could not be asked:\n/run/two: ');
  });

  it.each([
    [undefined, /dead {2,}sh/],
    [null, /dead {2,}sh/],
    [3, /dead \(3\) {2,}sh/],
  ])('shows of a dead pane the status that is known: %s', async (exitStatus, line) => {
    const panes = [{ ...PANE, dead: true, exitStatus }];
    const servers = [{ ...RUNNING, panes }];
    const inventory: PaneInventory = { state: 'read', panes, servers, refused: [] };
    const { out } = await look(['panes'], { api: answering(inventory) });
    expect(out).toMatch(line);
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
