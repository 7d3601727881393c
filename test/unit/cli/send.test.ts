import { describe, expect, it } from 'vitest';
import type * as procscope from '../../../lib/index.js';
import { type NotSent, OptionError, type ProcessKey, type Sent } from '../../../lib/index.js';
import { answering, half, PANE, read, SOCKET, twice } from './inventory.js';
import { type Look, look } from './look.js';

const SENT: Sent = { ok: true, way: 'protocol', synchronized: false, bracketed: undefined, stripped: 0 };
const KEY: ProcessKey = { bootId: 'boot', pid: 42, startKey: 7n };
const CALLS = ['sendText', 'sendLiteral', 'pasteRaw', 'sendKey'] as const;

interface Asked extends Look {
  /** Every call that would send something: its name, what it was to send and its options. */
  readonly asked: readonly (readonly unknown[])[];
}

interface Given {
  readonly answer?: Sent | NotSent | Error;
  readonly input?: Uint8Array | Error;
  readonly inventory?: procscope.PaneInventory;
}

async function send(args: readonly string[], given: Given = {}): Promise<Asked> {
  const { answer = SENT, input, inventory = read } = given;
  const asked: unknown[][] = [];
  const calls = CALLS.map((name) => [
    name,
    async (pane: procscope.PaneRef, what: string | Uint8Array, options: object) => {
      expect(pane).toBe(PANE);
      asked.push([name, typeof what === 'string' ? what : Buffer.from(what).toString('latin1'), options]);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  ]);
  const rows = async ({ pids = [] }: { pids?: Iterable<number> } = {}) => ({
    get: (pid: number) => ([...pids].includes(pid) && pid === KEY.pid ? { key: KEY } : undefined),
  });
  const got = await look(['send', ...args], {
    api: { ...answering(inventory), ...Object.fromEntries(calls), snapshotAsync: rows as never },
    ...(input !== undefined && {
      input: async () => {
        if (input instanceof Error) throw input;
        return input;
      },
    }),
  });
  return { ...got, asked };
}

function refusal(reason: NotSent['reason'], delivered: NotSent['delivered'] = 'nothing'): NotSent {
  return { ok: false, reason, message: `because\u001b of ${reason}`, failure: null, delivered };
}

describe('procscope send', () => {
  it.each([
    [[], 'sendText'],
    [['--literal'], 'sendLiteral'],
    [['-l'], 'sendLiteral'],
    [['--paste'], 'pasteRaw'],
    [['-p'], 'pasteRaw'],
    [['--key'], 'sendKey'],
    [['-k'], 'sendKey'],
    [['--tmux-socket', SOCKET], 'sendText'],
  ])('with %j sends by %s', async (options, call) => {
    const { code, out, err, asked } = await send(['%3', 'C-c', ...options]);
    expect({ code, out, err }).toEqual({ code: 0, out: 'sent\n', err: '' });
    expect(asked).toEqual([[call, 'C-c', {}]]);
  });

  it('takes what stands behind -- for the text, whatever it begins with', async () => {
    for (const text of ['--help', '-k', '--', '']) {
      expect((await send(['%3', '--', text])).asked).toEqual([['sendText', text, {}]]);
    }
  });

  it('reads - from standard input, byte for byte, and takes it for a key where one is meant', async () => {
    const input = Buffer.from([0x61, 0x0a, 0xff, 0xc3, 0x0a]);
    const text = input.toString('latin1');
    for (const [option, call, what] of [
      [[], 'sendText', text],
      // But for the end of the only line that there may be.
      [['--literal'], 'sendLiteral', text.slice(0, -1)],
      [['--paste'], 'pasteRaw', text],
    ] as const) {
      const { code, asked } = await send(['%3', '-', ...option], { input });
      expect({ code, asked }).toEqual({ code: 0, asked: [[call, what, {}]] });
    }
    expect((await send(['%3', '-', '--key'])).asked).toEqual([['sendKey', '-', {}]]);
  });

  it('sends nothing where standard input cannot be read', async () => {
    const input = Object.assign(new Error('EIO: secret words'), { code: 'EIO' });
    expect(await send(['%3', '-'], { input })).toMatchObject({
      ...{ code: 1, out: '', err: 'procscope: standard input could not be read: EIO\n', asked: [] },
    });
  });

  it('names the process that is to get it by its key, and sends nothing where there is none', async () => {
    for (const [option, call] of [
      [[], 'sendText'],
      [['-l'], 'sendLiteral'],
      [['-p'], 'pasteRaw'],
      [['-k'], 'sendKey'],
    ] as const) {
      const { asked } = await send(['%3', 'Up', '--agent', '42', ...option]);
      expect(asked).toEqual([[call, 'Up', { agent: KEY }]]);
    }
    expect(await send(['%3', 'x', '--agent', '43'])).toMatchObject({
      ...{ code: 1, out: '', err: 'procscope: process 43 cannot be seen\n', asked: [] },
    });
  });

  it.each([
    [[], 'send needs PANE TEXT'],
    [['%3'], 'send needs PANE TEXT'],
    [['%3', 'two', 'words'], 'send takes no more than 2 arguments: words'],
    [['3', 'x'], 'a pane is named like %3: 3'],
    [['%3', 'x', '--key', '--literal'], '--key and --literal exclude each other'],
    [['%3', 'x', '-l', '-p'], '--literal and --paste exclude each other'],
    [['%3', 'x', '-kp'], '--key and --paste exclude each other'],
    [['%3', 'x', '--agent', '0'], '--agent needs a pid: 0'],
    [['%3', 'x', '--agent', '%3'], '--agent needs a pid: %3'],
    [['%3', 'x', '--agent'], '--agent needs a value'],
    [['%3', '-x'], 'unknown option -x of send'],
    [['%3', 'x', '--enter'], 'unknown option --enter of send'],
    [['%3', 'x', '--key=Enter'], '--key takes no value'],
    [['%3', 'x', '--tmux-socket', 'x'], '--tmux-socket must be an absolute path: x'],
  ])('%j is refused by name, and nothing is sent', async (args, message) => {
    const { code, out, err, asked } = await send(args);
    expect({ code, out, asked }).toEqual({ code: 2, out: '', asked: [] });
    expect(err).toBe(`procscope: ${message}\nprocscope: see procscope --help\n`);
  });

  it('ends with 2 for a key that tmux does not know', async () => {
    const answer = new OptionError('key', 'must be a key that tmux knows, such as Enter or C-c');
    const { code, out, err } = await send(['%3', 'Entr', '-k'], { answer });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('must be a key that tmux knows');
  });

  it.each([
    ['no-pane', 'nothing', 1, 'nothing'],
    ['dead', 'nothing', 1, 'nothing'],
    ['mode', 'nothing', 1, 'nothing'],
    ['input-off', 'nothing', 1, 'nothing'],
    ['other-server', 'nothing', 1, 'nothing'],
    ['other-program', 'nothing', 1, 'nothing'],
    ['agent-stopped', 'text', 3, 'the text without Enter'],
    ['mode', 'text', 3, 'the text without Enter'],
    ['failed', 'unknown', 3, 'perhaps something'],
  ] as const)(
    'says of %s, delivered %s, what stands in the way: code %i',
    async (reason, delivered, code, got) => {
      const answer = refusal(reason, delivered);
      expect(await send(['%3', 'secret words'], { answer })).toEqual({
        code,
        out: '',
        err: `procscope: not sent: because\\x1b of ${reason}; %3 got ${got}\n`,
        asked: [['sendText', 'secret words', {}]],
      });
      const json = await send(['%3', 'secret words', '--json'], { answer });
      expect({ code: json.code, err: json.err }).toEqual({ code, err: '' });
      expect(JSON.parse(json.out)).toEqual(answer);
    },
  );

  it('says where a text went further, and prints everything as JSON', async () => {
    const answer: Sent = { ...SENT, synchronized: true };
    expect((await send(['%3', 'x'], { answer })).out).toBe(
      'sent, to the other panes of its window as well\n',
    );
    const { code, out } = await send(['%3', 'x', '--json'], { answer });
    expect({ code, answer: JSON.parse(out) }).toEqual({ code: 0, answer: { ...answer, bracketed: null } });
  });

  it('sends nothing where it cannot be told which pane is meant', async () => {
    expect(await send(['%4', 'x'])).toMatchObject({
      ...{ code: 1, out: '', err: 'procscope: there is no pane %4\n', asked: [] },
    });
    const { code, out, err, asked } = await send(['%3', 'x', '--json'], { inventory: half });
    expect({ code, out, asked }).toEqual({ code: 1, out: '', asked: [] });
    expect(err).toContain(`name one with --tmux-socket: ${SOCKET}`);
    const both = await send(['%3', 'x'], { inventory: twice });
    expect({ code: both.code, asked: both.asked }).toEqual({ code: 2, asked: [] });
    expect(both.err).toContain(`name one with --tmux-socket: ${SOCKET}, /run/two`);
  });

  it('tells in its help how a text comes in and which codes it ends with', async () => {
    const { code, out } = await look(['send', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^usage: procscope send \[options\] PANE TEXT\n\nTypes a text into the program /);
    expect(out).toContain('TEXT is - for standard input');
    for (const line of ['0 = sent', '1 = not sent', '2 = the command line', '3 = not all of it']) {
      expect(out).toContain(line);
    }
  });
});
