import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ProcessRow, snapshot } from '../../../lib/index.js';
import { startMaker } from '../../makers/start.js';

const hex = (bytes: Buffer | string): string => Buffer.from(bytes).toString('hex');

function look(pid: number): ProcessRow {
  const row = snapshot({ fields: ['argv', 'exe', 'cwd'] }).get(pid);
  if (row === undefined) throw new Error(`pid ${pid} is not in the table`);
  return row;
}

/** What the kernel itself says of the start: the field behind 19 others, counted from the end of comm. */
function startOf(pid: number): bigint {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return BigInt(text.slice(text.lastIndexOf(')') + 2).split(' ')[19] as string);
}

describe('comm holds any bytes', () => {
  it.each([
    ['case 1: blanks and parentheses', Buffer.from('a b)c (d')],
    ['a whole fake stat line', Buffer.from('x) S 1 2 3 4 5')],
    ['case 2: newline and tab', Buffer.from('nl\nx\ty')],
    ['case 3: UTF-8', Buffer.from('⌘ Comman')],
    ['case 4: invalid UTF-8', Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe])],
    ['case 5: empty', Buffer.alloc(0)],
    ['case 6: longer than 15 bytes', Buffer.from('sixteen-bytes-xx')],
    ['only a parenthesis', Buffer.from(')')],
  ])('%s', async (_, comm) => {
    const situation = await startMaker('hostile', [hex(comm)]);
    const pid = situation.number(0);
    const row = look(pid);
    const kept = comm.subarray(0, 15);
    expect(row.bytes('name')).toEqual(kept);
    expect(row.name).toBe(kept.toString('utf8'));
    expect(row.startKey).toBe(startOf(pid));
    expect(row.ppid).toBe(process.pid);
    expect(row.faultyFields).toEqual([]);
    await situation.end();
  });
});

describe('argv is a vector of bytes', () => {
  const items = (...parts: (Buffer | string)[]): string[] => parts.map(hex);

  it.each([
    ['blanks, quotes and newlines', ['prog', 'two words', 'new\nline', '"q"', "it's"]],
    ['empty arguments between others', ['prog', '', 'x', '']],
    ['case 9: an empty argv[0]', ['', 'x']],
    ['an empty argv[0] alone', ['']],
  ])('%s', async (_, argv) => {
    const situation = await startMaker('argv', items(...argv));
    expect(look(situation.number(0)).argv).toEqual(argv);
    await situation.end();
  });

  it('case 10: control and invalid bytes become U+FFFD in text and stay exact in bytes', async () => {
    const odd = Buffer.from([0x61, 0x01, 0x1b, 0x5b, 0x33, 0xff, 0xc3, 0x28]);
    const situation = await startMaker('argv', items('prog', odd));
    const row = look(situation.number(0));
    expect(row.argv).toEqual(['prog', odd.toString('utf8')]);
    expect(row.bytes('argv')).toEqual(Buffer.concat([Buffer.from('prog\0'), odd, Buffer.from([0])]));
    await situation.end();
  });

  it('case 11: 300 KB come whole', async () => {
    const situation = await startMaker('argv', [hex('prog'), '61*100000', '62*100000', '63*100000']);
    const row = look(situation.number(0));
    expect(row.fault('argv')).toBeUndefined();
    expect(row.argv).toEqual(['prog', 'a'.repeat(100_000), 'b'.repeat(100_000), 'c'.repeat(100_000)]);
    await situation.end();
  });

  it('what is longer than maxFieldBytes is cut and says so', async () => {
    const situation = await startMaker('argv', [hex('prog'), '61*100000']);
    const pid = situation.number(0);
    const row = snapshot({ fields: ['argv'], maxFieldBytes: 1_000, pids: [pid] }).get(pid);
    expect(row?.bytes('argv')).toHaveLength(1_000);
    expect(row?.fault('argv')).toMatchObject({ kind: 'truncated', path: `/proc/${pid}/cmdline` });
    await situation.end();
  });

  it('case 8: no argument at all is what the kernel makes of it', async () => {
    const situation = await startMaker('argv', []);
    const pid = situation.number(0);
    const raw = readFileSync(`/proc/${pid}/cmdline`);
    expect(look(pid).bytes('argv')).toEqual(raw);
    expect(look(pid).argv).toEqual(raw.length === 0 ? [] : ['']);
    await situation.end();
  });
});

describe('case 7: a title written over the arguments', () => {
  it('stands alone, before and after it changes, and the identity stays', async () => {
    const situation = await startMaker('title', ['--some=argument', 'another']);
    const pid = situation.number(0);
    const before = look(pid);
    expect(before.argv?.slice(1)).toEqual(['--some=argument', 'another']);
    for (const title of ['⌘ Command Code', 'x', '⌘ Command Code']) {
      await situation.send(`set ${hex(title)}`);
      const row = look(pid);
      expect(row.argv).toEqual([title]);
      expect(row.exe).toBe(before.exe);
      expect(row.key).toEqual(before.key);
    }
    await situation.end();
  });

  it('that fills the whole area', async () => {
    const situation = await startMaker('title', ['y'.repeat(40)]);
    const size = situation.number(1);
    await situation.send(`set ${hex('t'.repeat(size))}`);
    expect(look(situation.number(0)).argv?.[0]?.startsWith('t'.repeat(size))).toBe(true);
    await situation.end();
  });
});
