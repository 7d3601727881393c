import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { look } from './look.js';

const UTF8 = { LANG: 'C.UTF-8' };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'procscope-tree-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function row(pid: number, ppid: number, name: string, argv: readonly string[], start = pid): void {
  const folder = join(root, String(pid));
  mkdirSync(folder);
  const stat = `${pid} (${name}) ${argv.length === 0 ? 'Z' : 'S'} ${ppid} 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 ${start} 4096 1 0\n`;
  writeFileSync(join(folder, 'stat'), stat);
  writeFileSync(join(folder, 'cmdline'), argv.map((text) => `${text}\0`).join(''));
  writeFileSync(join(folder, 'status'), 'Uid:\t1000\t1000\t1000\t1000\nGid:\t1\t1\t1\t1\n');
}

function family(): void {
  row(1, 0, 'init', ['/sbin/init']);
  row(10, 1, 'sh', ['sh', '-c', 'x']);
  row(20, 1, 'b', ['b']);
  row(11, 10, 'a', []);
  row(12, 10, 'é日', ['é日', 'y']);
  row(13, 12, 'deep', ['deep']);
}

describe.skipIf(process.platform !== 'linux')('procscope tree (a recorded table is read on Linux)', () => {
  it('draws every process below its parent', async () => {
    family();
    const { code, out } = await look(['tree', '--proc-root', root], { env: UTF8 });
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'PID  USER  COMMAND',
      '  1  1000  /sbin/init',
      ' 10  1000  ├─sh -c x',
      ' 11  1000  │ ├─a <defunct>',
      ' 12  1000  │ └─é日 y',
      ' 13  1000  │   └─deep',
      ' 20  1000  └─b',
      '',
    ]);
  });

  it('draws with ASCII where the locale has no more', async () => {
    family();
    for (const env of [{}, { LANG: 'C' }, { LANG: 'C.UTF-8', LC_ALL: 'POSIX' }]) {
      const { out } = await look(['tree', '--proc-root', root], { env });
      expect(out).toContain(
        '\n 11  1000  | |-a <defunct>\n 12  1000  | `-é日 y\n 13  1000  |   `-deep\n 20  1000  `-b\n',
      );
    }
  });

  it('begins at a process, and says when it is not there', async () => {
    family();
    const { out } = await look(['tree', '12', '--proc-root', root], { env: UTF8 });
    expect(out).toBe('PID  USER  COMMAND\n 12  1000  é日 y\n 13  1000  └─deep\n');
    const { code, out: none } = await look(['tree', '99', '--proc-root', root]);
    expect({ code, none }).toEqual({ code: 1, none: 'process 99 is not there\n' });
    expect((await look(['tree', '99', '--proc-root', root, '--json'])).code).toBe(1);
  });

  it('cuts lines to the terminal, wide letters and styles counted right', async () => {
    row(1, 0, 'w', ['日本語日本語']);
    const terminal = { columns: 16, rows: 10 };
    const { out } = await look(['tree', '--proc-root', root], { terminal, env: UTF8 });
    expect(out).toBe('PID  USER  COMMA\n  1  1000  日本\n');
    const painted = await look(['tree', '--proc-root', root], { terminal, env: { ...UTF8, NO_COLOR: '' } });
    expect(painted.out).toBe('\u001b[1mPID  USER  COMMA\u001b[0m\n  1  1000  日本\n');
  });

  it('prints a flat list with depths as JSON', async () => {
    family();
    const { out } = await look(['tree', '10', '--json', '--proc-root', root]);
    const { processes } = JSON.parse(out) as { processes: Record<string, unknown>[] };
    expect(processes.map(({ pid, depth }) => [pid, depth])).toEqual([
      [10, 0],
      [11, 1],
      [12, 1],
      [13, 2],
    ]);
    expect(processes[0]).toEqual({
      ...{ pid: 10, ppid: 1, depth: 0, name: 'sh', argv: ['sh', '-c', 'x'], state: 'S' },
      ...{ startKey: '10', startTime: null, euid: 1000, user: null },
    });
  });

  it('shows processes that name each other as parent, each once', async () => {
    row(5, 6, 'a', ['a'], 1);
    row(6, 5, 'b', ['b'], 1);
    const { out } = await look(['tree', '--proc-root', root], { env: UTF8 });
    expect(out).toBe('PID  USER  COMMAND\n  5  1000  a\n  6  1000  └─b\n');
  });

  it('survives a chain of any length', async () => {
    for (let pid = 1; pid <= 1_000; pid++) row(pid, pid - 1, 'c', ['c']);
    const { code, out } = await look(['tree', '--proc-root', root, '--json']);
    expect(code).toBe(0);
    const { processes } = JSON.parse(out) as { processes: { depth: number }[] };
    expect(processes.at(-1)?.depth).toBe(999);
    expect((await look(['tree', '--proc-root', root])).out.split('\n')).toHaveLength(1_002);
  });

  it('escapes what a process calls itself', async () => {
    row(1, 0, 'x\u001b]0;y\u0007', ['a\u001b[2J\nb']);
    row(2, 1, 'n\u001b[2J', []);
    const { out } = await look(['tree', '--proc-root', root]);
    expect(out).toContain('a\\x1b[2J\\x0ab');
    expect(out).toContain('n\\x1b[2J');
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('says that nothing could be read', async () => {
    const { code, out } = await look(['tree', '--proc-root', join(root, 'none')]);
    expect(code).toBe(1);
    expect(out).toContain('no process could be read\n');
    expect(out).toContain('gone (errno 2): open ');
  });
});
