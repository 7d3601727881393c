import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { snapshot, snapshotAsync } from '../../../lib/index.js';

const BOOT = 'ead8dd32-a9b4-4226-ada3-8458e529626d';
let root: string;

function write(name: string, bytes: string | Buffer): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), bytes);
}

function stat(pid: number, name: string, start: number): string {
  return `${pid} (${name}) S 1 ${pid} 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 ${start} 4096 1 0\n`;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'procscope-root-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('procRoot', () => {
  it('of another machine: its rows, its boot, and nothing of this machine', async () => {
    write('stat', 'btime 1700000000\n');
    write('sys/kernel/random/boot_id', `${BOOT}\n`);
    write('7/stat', stat(7, 'claude', 250));
    write('7/cmdline', 'claude\0--resume\0');
    write('7/status', 'Uid:\t1000\t1000\t1000\t1000\nGid:\t1\t1\t1\t1\n');
    symlinkSync('/home/u/work', join(root, '7/cwd'));
    const table = await snapshotAsync({ procRoot: root, fields: ['argv', 'cwd', 'uid', 'user', 'nspid'] });
    expect(table.faults).toEqual([]);
    expect([...table].map((row) => row.pid)).toEqual([7]);
    const row = table.get(7);
    expect(row?.key).toEqual({ bootId: BOOT, pid: 7, startKey: 250n });
    expect(row?.startTime).toBe(1_700_000_002_500);
    expect(row?.argv).toEqual(['claude', '--resume']);
    expect(row?.cwd).toBe('/home/u/work');
    expect(row?.uid).toBe(1000);
    expect(row?.user).toBeUndefined();
    expect(row?.fault('user')).toMatchObject({ kind: 'unsupported', call: 'getpwuid' });
    expect(row?.fault('nspid')).toMatchObject({ kind: 'unsupported', path: `${root}/7/status` });
  });

  it('of a record: its links are read, and never followed to a file of this machine', () => {
    write('7/stat', stat(7, 'node', 250));
    write('7/status', 'Uid:\t1\t1\t1\t1\n');
    symlinkSync(process.execPath, join(root, '7/exe'));
    const row = snapshot({ procRoot: root, fields: ['exe', 'exeFile'] }).get(7);
    expect(row?.exe).toBe(process.execPath);
    expect(row?.exeFile).toBeUndefined();
    expect(row?.fault('exeFile')).toMatchObject({ kind: 'unsupported', path: `${root}/7/exe` });
  });

  it('L04: a boot time that moves changes the clock form of the start and not the identity', () => {
    write('sys/kernel/random/boot_id', BOOT);
    write('7/stat', stat(7, 'daemon', 250));
    const starts = [1_700_000_000, 1_700_000_003].map((btime) => {
      write('stat', `btime ${btime}\n`);
      return snapshot({ procRoot: root }).get(7);
    });
    expect(starts[0]?.key).toEqual(starts[1]?.key);
    expect((starts[1]?.startTime ?? 0) - (starts[0]?.startTime ?? 0)).toBe(3_000);
  });

  it('without a boot time or a boot id says so with undefined', () => {
    write('7/stat', stat(7, 'a', 250));
    const table = snapshot({ procRoot: root });
    expect(table.bootId).toBeUndefined();
    expect(table.get(7)?.startKey).toBe(250n);
    expect(table.get(7)?.startTime).toBeUndefined();
  });

  it.each([
    ['missing', 'none', 'gone', 'open'],
    ['empty', '.', 'malformed', 'getdents'],
    ['a file', 'file', 'io', 'open'],
  ])('%s: a fault of the table, no throw, no row', (_, name, kind, call) => {
    write('file', 'x');
    const table = snapshot({ procRoot: join(root, name), fields: ['argv'] });
    expect(table.size).toBe(0);
    expect(table.faults).toEqual([expect.objectContaining({ kind, call, path: join(root, name) })]);
  });

  it('full of junk: each row says what is wrong with it', () => {
    write('5/stat', stat(5, 'good', 1));
    write('6/stat', 'junk');
    write('7/stat', Buffer.from([0xff, 0x00, 0x28, 0x29]));
    write('8/stat', stat(80, 'of another pid', 1));
    write('9/elsewhere', '');
    write('0/stat', stat(0, 'zero', 1));
    const table = snapshot({ procRoot: root, fields: ['argv'] });
    expect([...table].map((row) => row.pid)).toEqual([5, 6, 7, 8]);
    expect(table.get(5)?.name).toBe('good');
    for (const pid of [6, 7, 8]) {
      expect(table.get(pid)?.name).toBeUndefined();
      expect(table.get(pid)?.fault('name')).toMatchObject({ kind: 'malformed', path: `${root}/${pid}/stat` });
    }
  });
});
