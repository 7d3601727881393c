import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanTitle, paneKey } from '../../../lib/index.js';
import { chain } from '../../../lib/tmux/ask.js';
import { keyName } from '../../../lib/tmux/keys.js';
import { endOf } from '../../../lib/tmux/pane.js';
import { freshSeparator, parseRecords, recordFormat } from '../../../lib/tmux/records.js';
import { textFor } from '../../../lib/tmux/text.js';

const END = '\x1b[201~';

describe('textFor()', () => {
  const keys = { pasteEnd: 'refuse', carriageReturn: 'refuse', dropTrailing: true } as const;
  const strip = { ...keys, pasteEnd: 'strip', carriageReturn: 'strip' } as const;
  const text = (value: string, rules: Parameters<typeof textFor>[1] = keys) => {
    const ready = textFor(value, rules);
    return typeof ready === 'string' ? ready : ready.bytes.toString();
  };

  it('drops newlines at the end only', () => {
    expect(text('a\nb\r\n\n')).toBe('a\nb');
    expect(text('\n\r\n')).toBe('empty');
    expect(text('\na')).toBe('\na');
  });

  it('puts brackets around what is long or has lines', () => {
    const brackets = (value: string) => (textFor(value, keys) as { brackets: boolean }).brackets;
    expect(brackets('x'.repeat(500))).toBe(false);
    expect(brackets('é'.repeat(500))).toBe(false);
    expect(brackets('x'.repeat(501))).toBe(true);
    expect(brackets('a\nb')).toBe(true);
    expect(brackets('a\n')).toBe(false);
  });

  it('refuses or strips what would press Enter or end the brackets', () => {
    expect(text('a\rb')).toBe('carriage-return');
    expect(text('a\rb', strip)).toBe('ab');
    expect(text('a\rb\nc')).toBe('a\rb\nc');
    expect(text(`a${END}b`)).toBe('paste-end');
    expect(text('a\u009b201~b')).toBe('paste-end');
    expect(text(`${END}`, strip)).toBe('empty');
    expect(text(`\x1b[20\r1~x`, strip)).toBe('x');
  });

  it('leaves no end of a paste, however they are put together', () => {
    const parts = fc.array(
      fc.constantFrom('\x1b', '[', '2', '0', '1', '~', '201~', END, '\u009b', 'é', 'x'),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(parts, (all) => {
        const ready = textFor(all.join(''), { pasteEnd: 'strip', brackets: true });
        if (typeof ready === 'string') return;
        expect(ready.bytes.includes(END) || ready.bytes.includes('\u009b201~')).toBe(false);
      }),
    );
    // In one pass: nested ends would take a pass each.
    const nested = `${'\x1b[20'.repeat(200_000)}${'1~'.repeat(200_000)}`;
    expect(textFor(nested, { pasteEnd: 'strip' })).toBe('empty');
  });

  it('keeps every byte of what is allowed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), (bytes) => {
        const ready = textFor(bytes, { pasteEnd: 'refuse', brackets: true });
        if (typeof ready !== 'string') expect(ready.bytes.equals(bytes)).toBe(true);
      }),
    );
    expect(() => textFor(7, keys)).toThrow(/text/);
  });
});

describe('records', () => {
  it('come out as they went in, whatever stands in their values', () => {
    const fields = { a: 'pane_id', b: 'pane_title', c: 'pane_current_path' };
    const value = fc.string({
      unit: fc.constantFrom('<', '>', '\n', '|', '\t', 'a', '0', '😀'),
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, value), { maxLength: 5 }), value, (rows, rest) => {
        const mark = freshSeparator();
        const text = rows.map((row) => `${mark}${row.join(mark)}${mark}\n`).join('') + rest;
        const parsed = parseRecords(text, fields, mark);
        expect(parsed?.records.map(({ a, b, c }) => [a, b, c])).toEqual(rows);
        expect(parsed?.rest).toBe(rest);
      }),
    );
    expect(recordFormat(fields, '<x>')).toBe('<x>#{pane_id}<x>#{pane_title}<x>#{pane_current_path}<x>');
  });

  it('are undefined where they are cut', () => {
    const whole = '<x>1<x>2<x>\n<x>3<x>4<x>\n';
    const fields = { a: 'a', b: 'b' };
    expect(parseRecords(whole, fields, '<x>')?.records.length).toBe(2);
    for (const cut of [
      '<x>1<x>2<x>',
      '<x>1<x>2',
      '<x>1<x>2<x>\n<x>3',
      '<x>1<x>2<x>x<x>3<x>4<x>\n',
      'x<x>1<x>2<x>\n',
    ]) {
      expect(parseRecords(cut, fields, '<x>'), cut).toBe(undefined);
    }
  });
});

describe('keyName()', () => {
  it('knows what tmux knows, and nothing that it would type', () => {
    expect(['Enter', 'enter', 'C-c', 'M-Up', 'C-M-S-F5', 'a', 'A', '-', "'", 'KP0'].map(keyName)).toEqual([
      ...['Enter', 'Enter', 'C-c', 'M-Up', 'C-M-S-F5', 'a', 'A', '-', "'", 'KP0'],
    ]);
    for (const wrong of ['', 'C-', 'ab', 'F13x', ' ', ';', 'M-;', 'é', 'a\n', 'Enter Enter']) {
      expect(keyName(wrong), JSON.stringify(wrong)).toBe(undefined);
    }
  });
});

describe('chain()', () => {
  /** cmd_parse_from_arguments() of tmux, read in 3.3a: how arguments become commands. */
  function parsed(argv: readonly string[]): string[][] {
    const commands: string[][] = [[]];
    for (const argument of argv) {
      const last = commands.at(-1) as string[];
      if (!argument.endsWith(';')) last.push(argument);
      else if (argument.endsWith('\\;')) last.push(`${argument.slice(0, -2)};`);
      else {
        if (argument !== ';') last.push(argument.slice(0, -1));
        commands.push([]);
      }
    }
    return commands;
  }

  it('is parsed into the commands that it was made of', () => {
    const word = fc.string({ unit: fc.constantFrom(';', '\\', 'a', ' '), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1 }), { minLength: 1 }), (commands) => {
        expect(parsed(chain(commands))).toEqual(commands);
      }),
    );
  });
});

describe('cleanTitle()', () => {
  it('leaves the words', () => {
    expect(cleanTitle('✳ Fix the parser')).toBe('Fix the parser');
    expect(cleanTitle(' "\'`*✳✱✲✴✶✷✸✹✺✻✼✽✾✿❃❉❋•·.- x -')).toBe('x -');
    expect(cleanTitle('✻ · ')).toBe(null);
    expect(cleanTitle('😀'.repeat(100))).toBe('😀'.repeat(80));
  });
});

describe('endOf()', () => {
  it('tells an end that is not known yet from a signal and from life', () => {
    expect(endOf(false, '', '')).toEqual({ exitStatus: null, exitSignal: null });
    expect(endOf(true, '', '')).toEqual({ exitStatus: undefined, exitSignal: undefined });
    expect(endOf(true, '3', '')).toEqual({ exitStatus: 3, exitSignal: null });
    expect(endOf(true, '', '9')).toEqual({ exitStatus: null, exitSignal: 9 });
  });
});

describe('paneKey()', () => {
  it('differs with the socket, the server and the pane', () => {
    const keys = [
      paneKey('/a', { pid: 1, start: 2 }, '%1'),
      paneKey('/b', { pid: 1, start: 2 }, '%1'),
      paneKey('/a', { pid: 2, start: 2 }, '%1'),
      paneKey('/a', { pid: 1, start: 3 }, '%1'),
      paneKey('/a', { pid: 1, start: 2 }, '%2'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
