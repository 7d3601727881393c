/** Mappings of a recorded process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../../lib/index.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'procscope-mapped-'));
  mkdirSync(join(root, '7'));
});
afterEach(() => rmSync(root, { recursive: true }));

const line = (ino: number, path: string): string =>
  `7f0b177ec000-7f0b177ed000 r--s 00000000 fe:00 ${ino}                          ${path}\n`;

describe.skipIf(process.platform !== 'linux')('mapped files (recorded ones are read on Linux)', () => {
  it.each([
    ['/usr/lib/libc.so.6', '/usr/lib/libc.so.6', 'file', false],
    ['/dev/shm/x', '/dev/shm/x', 'file', false],
    // Nothing tells a node from shared memory that is shown as one.
    ['/dev/zero', '/dev/zero', undefined, false],
    ['/dev/zero (deleted)', '/dev/zero (deleted)', undefined, undefined],
    ['/tmp/x (deleted)', '/tmp/x (deleted)', 'file', undefined],
    ['/memfd:a\\012b (deleted)', '/memfd:a\nb', 'memfd', true],
    ['anon_inode:[perf_event]', 'anon_inode:[perf_event]', 'perf', false],
    ['socket:[12]', 'socket:[12]', 'socket', false],
    ['/tmp/a\\012b', '/tmp/a\nb', 'file', false],
    ['/tmp/a\\134b', '/tmp/a\\134b', 'file', false],
  ])('%s', async (shown, path, kind, deleted) => {
    writeFileSync(join(root, '7', 'maps'), line(5, shown));
    const [row] = await openFiles(7, { procRoot: root, roles: ['map'] });
    expect(row).toMatchObject({ role: 'map', path, ino: 5n });
    expect([row?.kind, row?.deleted]).toEqual([kind, deleted]);
  });
});
