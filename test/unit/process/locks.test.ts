/** What locks() and holders() make of recorded process files. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holders, locks, OptionError } from '../../../lib/index.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'procscope-locks-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function recorded(pid: number, state = 'S'): void {
  const folder = join(root, String(pid));
  mkdirSync(join(folder, 'fd'), { recursive: true });
  mkdirSync(join(folder, 'ns'));
  const stat = `${pid} (p) ${state} 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 ${pid} 4096 1 0\n`;
  writeFileSync(join(folder, 'stat'), stat);
  symlinkSync('pid:[4026531836]', join(folder, 'ns', 'pid'));
}

const table = (...lines: string[]): void =>
  writeFileSync(join(root, 'locks'), lines.map((line) => `${line}\n`).join(''));
const flockOf = (pid: number, ino = 9): string => `1: FLOCK  ADVISORY  WRITE ${pid} fe:00:${ino} 0 EOF`;

/** st_dev of device fe:00, as makedev(3) makes it. */
const DEV = 0xfe00n;

describe.skipIf(process.platform !== 'linux')('locks of recorded files (read on Linux)', () => {
  it('who has ended holds nothing, be it gone or a zombie', async () => {
    recorded(1);
    recorded(60);
    recorded(70, 'Z');
    table(flockOf(50, 5), flockOf(60, 6), flockOf(70, 7));
    const answer = await locks({ procRoot: root });
    expect(answer.locks.map(({ taker, holders: by }) => [taker, by])).toEqual([
      [50, []],
      [60, [{ pid: 60, fd: null }]],
      [70, []],
    ]);
    for (const [ino, pids] of [
      [5n, []],
      [6n, [60]],
      [7n, []],
    ] as const) {
      const { holders: by } = await holders({ dev: DEV, ino }, { procRoot: root });
      expect(by.map(({ pid, role }) => [pid, role])).toEqual(pids.map((pid) => [pid, 'lock']));
    }
  });

  it('where processes may be hidden, who is not seen may live', async () => {
    recorded(60);
    table(flockOf(50));
    const answer = await locks({ procRoot: root });
    expect(answer.locks[0]?.holders).toEqual([{ pid: 50, fd: null }]);
  });

  it('is complete only where everybody can be seen', async () => {
    recorded(1);
    table(flockOf(1));
    const whole = { complete: true, faults: [] };
    expect(await locks({ procRoot: root })).toMatchObject(whole);
    expect(await holders({ dev: DEV, ino: 9n }, { procRoot: root })).toMatchObject(whole);
    rmSync(join(root, '1', 'ns', 'pid'));
    symlinkSync('pid:[4026532000]', join(root, '1', 'ns', 'pid'));
    const nested = { complete: false, faults: [] };
    expect(await locks({ procRoot: root })).toMatchObject(nested);
    expect(await holders({ dev: DEV, ino: 9n }, { procRoot: root })).toMatchObject(nested);
    // hidepid= hides the first process before any other.
    recorded(60);
    rmSync(join(root, '1'), { recursive: true });
    expect(await locks({ procRoot: root })).toMatchObject(nested);
  });

  it('locks that look alike are one row, with the waiters of each', async () => {
    recorded(1);
    const ofd = (id: number, waits = ''): string =>
      `${id}: ${waits}OFDLCK ADVISORY  ${waits === '' ? 'READ' : 'WRITE'} -1 fe:00:9 0 EOF`;
    table(ofd(1), ofd(1, '-> '), ofd(2), ofd(2, '-> '));
    const answer = await locks({ procRoot: root });
    expect(answer.locks).toMatchObject([{ type: 'OFDLCK', taker: null, waiters: [{}, {}] }]);
  });
});

describe('the file that holders() is asked about', () => {
  it.each([
    [{ dev: 1n << 64n, ino: 1n }],
    [{ dev: 1n, ino: 1n << 64n }],
    [{ dev: -1n, ino: 1n }],
    [{ dev: 1, ino: 1n }],
    [''],
    ['a\0b'],
    [Buffer.alloc(0)],
    [Buffer.from('a\0b')],
    [7],
    [null],
  ])('%o is refused', async (file) => {
    await expect(holders(file as never)).rejects.toBeInstanceOf(OptionError);
  });
});
