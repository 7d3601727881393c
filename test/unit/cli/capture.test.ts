import { describe, expect, it } from 'vitest';
import type { Captured, CaptureOptions, NotRead, PaneRef } from '../../../lib/index.js';
import { answering, half, nothing, PANE, read, SOCKET } from './inventory.js';
import { type Look, look } from './look.js';

interface Asked extends Look {
  /** What capture() was called with; undefined = it was not. */
  readonly asked: { readonly pane: PaneRef; readonly options: CaptureOptions | undefined } | undefined;
}

const SCREEN: Captured = { ok: true, text: 'one\ntwo\n\n\n', way: 'protocol' };

async function capture(
  args: readonly string[],
  answer: Captured | NotRead | Error = SCREEN,
  inventory = read,
): Promise<Asked> {
  let asked: Asked['asked'];
  const got = await look(['capture', ...args], {
    api: {
      ...answering(inventory),
      capture: async (pane, options) => {
        asked = { pane, options };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  return { ...got, asked };
}

describe('procscope capture', () => {
  it('prints the screen, without colours and without the empty lines below it', async () => {
    const { code, out, err, asked } = await capture(['%3']);
    expect({ code, out, err }).toEqual({ code: 0, out: 'one\ntwo\n', err: '' });
    expect(asked).toEqual({ pane: PANE, options: { ansi: false, visible: true } });
  });

  it.each([
    [['--history', '20'], { ansi: false, visible: false, historyLines: 20 }],
    [['--history=300', '--ansi'], { ansi: true, visible: false, historyLines: 300 }],
    [['--ansi', '--tmux-socket', SOCKET], { ansi: true, visible: true }],
  ])('with %j asks for just that', async (args, options) => {
    const { code, asked } = await capture(['%3', ...args]);
    expect({ code, options: asked?.options }).toEqual({ code: 0, options });
  });

  it.each([
    [[], 'capture needs PANE'],
    [['%3', '%4'], 'capture takes no more than one argument: %4'],
    [['3'], 'a pane is named like %3: 3'],
    [['work:0.1'], 'a pane is named like %3: work:0.1'],
    [['%3', '--history'], '--history needs a value'],
    [['%3', '--history', '19'], '--history must be a whole number from 20 to 300: 19'],
    [['%3', '--history', '301'], '--history must be a whole number from 20 to 300: 301'],
    [['%3', '--history', '1e2'], '--history must be a whole number from 20 to 300: 1e2'],
    [['%3', '--tmux-socket', 'x'], '--tmux-socket must be an absolute path: x'],
    [['%3', '--visible'], 'unknown option --visible of capture'],
    [['%3', '--ansi=yes'], '--ansi takes no value'],
  ])('%j is refused by name, and nothing is asked', async (args, message) => {
    const { code, out, err, asked } = await capture(args);
    expect({ code, out, asked }).toEqual({ code: 2, out: '', asked: undefined });
    expect(err).toBe(`procscope: ${message}\nprocscope: see procscope --help\n`);
  });

  it('says on standard error, with code 1, that there is no such pane or that it cannot be told', async () => {
    expect(await capture(['%4'])).toMatchObject({
      code: 1,
      out: '',
      err: 'procscope: there is no pane %4\n',
    });
    for (const inventory of [half, nothing]) {
      const { code, out, err } = await capture(['%4'], SCREEN, inventory);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^procscope: whether there is a pane %4 cannot be told\nprocscope: \/run\/two: /);
    }
    const gone = await capture(['%3'], { ok: true, text: null, way: 'protocol' });
    expect(gone).toMatchObject({ code: 1, out: '', err: 'procscope: there is no pane %3 any more\n' });
  });

  it('says why a server did not answer, also as JSON', async () => {
    const fault = { kind: 'timeout', code: 110, call: 'read', path: SOCKET } as const;
    const failure = {
      kind: 'timeout',
      fault,
      message: 'no\u001b answer',
      mayHaveRun: true,
      way: 'protocol',
    } as const;
    const text = await capture(['%3'], { ok: false, failure });
    expect(text).toMatchObject({ code: 1, out: '', err: 'procscope: no\\x1b answer\n' });
    const json = await capture(['%3', '--json'], { ok: false, failure });
    expect(json).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(json.out)).toEqual({ ok: false, failure });
    expect(await capture(['%3'], new Error('no binary'))).toMatchObject({
      ...{ code: 1, out: '', err: 'procscope: no binary\n' },
    });
  });

  it('prints the whole answer as JSON that is safe to show', async () => {
    const text = 'a\u001b[2J\u202eb\n\n';
    const { code, out, err } = await capture(['%3', '--json'], { ...SCREEN, text });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual({ ok: true, text, way: 'protocol' });
    for (const letter of ['\u001b', '\u202e']) expect(out).not.toContain(letter);
    const gone = await capture(['%3', '--json'], { ok: true, text: null, way: undefined });
    expect({ code: gone.code, answer: JSON.parse(gone.out) }).toEqual({
      ...{ code: 1, answer: { ok: true, text: null, way: null } },
    });
  });

  it('tells in its help which codes it ends with', async () => {
    const { code, out } = await look(['capture', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^usage: procscope capture \[options\] PANE\n\nShows the screen of a pane of tmux\.\n/,
    );
    expect(out).toContain('Exit codes: 0 = shown, 1 = there is no such pane');
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
