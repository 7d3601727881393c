import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_ROLES, type OpenFile, OptionError, openFiles } from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { hasProgram, isRoot } from '../process/oracle.js';

/** `name=value` words of a maker's ready line. */
function wordsOf(situation: Situation): Map<string, string> {
  return new Map(situation.words.map((word) => word.split('=') as [string, string]));
}

describe('a process whose main thread has ended', () => {
  it('shows what its other threads hold', async () => {
    const situation = await startMaker('threads', ['3', 'name', 'leader-exits']);
    const pid = situation.number(0);
    const rows = [...(await openFiles(pid))];
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set(FILE_ROLES));
    expect(rows.find(({ role }) => role === 'exe')?.path).toMatch(/\/threads$/);
    expect(rows.filter(({ role }) => role === 'fd').map(({ fd }) => fd)).toEqual(
      expect.arrayContaining([0, 1, 2]),
    );
    expect(new Set(rows.map((row) => row.pid))).toEqual(new Set([pid]));
    for (const role of FILE_ROLES) {
      expect((await openFiles(pid, { roles: [role], fields: ['path'] })).size).toBeGreaterThan(0);
    }
    await situation.end();
  });
});

describe('descriptors of every kind', () => {
  let situation: Situation;
  let pid: number;
  let words: Map<string, string>;
  let rows: OpenFile[];

  beforeAll(async () => {
    situation = await startMaker('fds');
    pid = situation.number(0);
    words = wordsOf(situation);
    rows = [...(await openFiles(pid))];
  });
  afterAll(() => situation.end());

  /** The row of a named descriptor; undefined where this machine refused to make it. */
  const row = (name: string): OpenFile | undefined => {
    const fd = words.get(name);
    if (fd === undefined) throw new Error(`the maker says nothing of ${name}`);
    if (fd === '-') return undefined;
    const found = rows.find((each) => each.role === 'fd' && each.fd === Number(fd));
    if (found === undefined) throw new Error(`no row of ${name}`);
    return found;
  };

  it.each([
    ['regular', 'file'],
    ['directory', 'directory'],
    ['null', 'character'],
    ['ptmx', 'character'],
    ['pipe-read', 'pipe'],
    ['pipe-write', 'pipe'],
    ['fifo', 'fifo'],
    ['memfd', 'memfd'],
    ['eventfd', 'eventfd'],
    ['epoll', 'epoll'],
    ['inotify', 'inotify'],
    ['timerfd', 'timerfd'],
    ['signalfd', 'signalfd'],
    ['pidfd', 'pidfd'],
    ['io_uring', 'io_uring'],
    ['fanotify', 'fanotify'],
    ['userfaultfd', 'userfaultfd'],
    ['netns', 'namespace'],
    ['path', 'file'],
    ['gone', 'file'],
    ['suffix', 'file'],
    ['newline', 'file'],
    ['invalid', 'file'],
  ])('%s is a %s', (name, kind) => {
    const found = row(name);
    if (found !== undefined) expect(found.kind).toBe(kind);
    else expect(words.get(name)).toBe('-');
  });

  it('every descriptor that the kernel lists has a row, and its link and stat agree', () => {
    const listed = execFileSync('ls', [`/proc/${pid}/fd`], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
    const seen = rows.filter((each) => each.role === 'fd').map((each) => each.fd as number);
    expect(seen.sort((a, b) => a - b)).toEqual(listed.sort((a, b) => a - b));
    for (const each of rows) {
      if (each.role !== 'fd') continue;
      const link = readlinkSync(`/proc/${pid}/fd/${each.fd}`, { encoding: 'buffer' });
      expect(each.pathBytes?.equals(link)).toBe(true);
      const stat = statSync(`/proc/${pid}/fd/${each.fd}`, { bigint: true });
      expect([each.dev, each.ino, each.rdev]).toEqual([stat.dev, stat.ino, stat.rdev]);
      expect([each.mode, each.size, each.nlink]).toEqual([stat.mode, stat.size, stat.nlink].map(Number));
      const info = readFileSync(`/proc/${pid}/fdinfo/${each.fd}`, 'utf8');
      expect(each.offset).toBe(BigInt(/^pos:\s*(\d+)/.exec(info)?.[1] as string));
      expect(each.flags?.toString(8)).toBe(/^flags:\s*0*(\d+)/m.exec(info)?.[1]);
      expect(each.mountId).toBe(Number(/^mnt_id:\s*(\d+)/m.exec(info)?.[1]));
    }
  });

  it('offset, access and flags', () => {
    expect(row('regular')?.offset).toBe(42n);
    expect((row('regular')?.flags ?? 0) & 0o2000).toBe(0o2000);
    expect(row('pipe-read')?.access).toBe('r');
    expect(row('pipe-write')?.access).toBe('w');
    // Case 20: an O_PATH descriptor can neither read nor write.
    expect(row('path')?.access).toBeNull();
  });

  it('case 17 and 18: deleted files, and files that are called so', () => {
    const folder = words.get('folder') as string;
    expect([row('gone')?.path, row('gone')?.deleted]).toEqual([`${folder}/gone`, true]);
    expect([row('suffix')?.path, row('suffix')?.deleted]).toEqual([`${folder}/x (deleted)`, false]);
  });

  it('case 19: names with a newline and with bytes that are no UTF-8', () => {
    const folder = words.get('folder') as string;
    expect(row('newline')?.path).toBe(`${folder}/new\nline`);
    expect(row('invalid')?.pathBytes?.toString('latin1')).toBe(`${folder}/bad\xff\xfe`);
  });

  it('case 22 and 23: what only one kind has', () => {
    expect(row('memfd')?.details).toEqual({ name: 'my memfd' });
    expect(row('eventfd')?.details).toMatchObject({ count: 7 });
    expect(row('epoll')?.details).toEqual({ watches: [Number(words.get('eventfd'))] });
    expect(row('inotify')?.details).toEqual({ watches: 1 });
    expect(row('pidfd')?.details).toEqual({ pid: Number(words.get('pidfd-target')) });
    expect(row('signalfd')?.details).toEqual({ signals: [10] });
    expect(row('pipe-read')?.details).toEqual(row('pipe-write')?.details);
    const inode = /\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${words.get('netns')}`))?.[1];
    expect(row('netns')?.details).toEqual({ type: 'net', inode: Number(inode) });
  });

  it('cwd, root, exe, and a mapped file that is not open', () => {
    const of = (role: string): OpenFile[] => rows.filter((each) => each.role === role);
    expect(of('cwd').map((each) => each.path)).toEqual([readlinkSync(`/proc/${pid}/cwd`)]);
    expect(of('root').map((each) => each.path)).toEqual(['/']);
    expect(of('exe').map((each) => each.path)).toEqual([readlinkSync(`/proc/${pid}/exe`)]);
    const mapped = of('map').find((each) => each.ino === BigInt(words.get('mapped') as string));
    expect(mapped?.path).toBe(`${words.get('folder')}/mapped`);
    expect(mapped?.kind).toBe('file');
  });

  it.skipIf(!hasProgram('lsof'))('lsof names the same descriptors and inodes (needs lsof)', () => {
    const out = execFileSync('lsof', ['-nP', '-w', '-p', String(pid), '-Ffi'], { encoding: 'latin1' });
    const theirs = new Map(
      [...out.matchAll(/^f(\d+)\n(?:[^f].*\n)*?i(\d+)$/gm)].map((match) => [
        Number(match[1]),
        BigInt(match[2] as string),
      ]),
    );
    expect(theirs.size).toBeGreaterThan(5);
    const ours = rows.filter((each) => each.role === 'fd' && theirs.has(each.fd as number));
    for (const each of ours) expect([each.fd, each.ino]).toEqual([each.fd, theirs.get(each.fd as number)]);
    expect(ours).toHaveLength(theirs.size);
  });

  it('asks for and answers nothing beside what was named', async () => {
    for (const each of await openFiles(pid, { fields: ['path'], roles: ['fd'] })) {
      expect([each.role, each.flags, each.mode, each.ino, each.locks]).toEqual([
        'fd',
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect(each.path).toBeTypeOf('string');
    }
    const kinds = [...(await openFiles(pid, { kinds: ['pipe', 'memfd'] }))].map((each) => each.kind);
    expect(new Set(kinds)).toEqual(new Set(['pipe', 'memfd']));
  });

  it('is plain data as JSON', () => {
    const plain = JSON.parse(JSON.stringify(row('regular')));
    expect(plain).toMatchObject({ pid, role: 'fd', kind: 'file', offset: '42', faults: {}, locks: [] });
  });
});

describe('targets', () => {
  it('several pids, and all', async () => {
    const one = await startMaker('fds');
    const two = await startMaker('fds');
    const pids = [one.number(0), two.number(0)];
    expect(new Set([...(await openFiles(pids))].map((row) => row.pid))).toEqual(new Set(pids));
    const all = new Set([...(await openFiles('all', { fields: ['path'] }))].map((row) => row.pid));
    for (const pid of [...pids, process.pid]) expect(all).toContain(pid);
    await one.end();
    await two.end();
  });

  it('a pid that nobody has: no row, no fault, and it is counted', async () => {
    const table = await openFiles(2 ** 31 - 1);
    expect([table.size, table.faults, table.vanished]).toEqual([0, [], 1]);
  });

  it.each([
    ['pid', [0]],
    ['pid', [-1]],
    ['pid', [2 ** 31]],
    ['pid', [1.5]],
    ['pid', ['1']],
    ['pid', [undefined]],
    ['fields', [1, { fields: ['links'] }]],
    ['roles', [1, { roles: ['fds'] }]],
    ['kinds', [1, { kinds: ['files'] }]],
    ['maxRows', [1, { maxRows: 0 }]],
    ['knids', [1, { knids: [] }]],
  ])('mistakes name the option: %s', async (option, [target, options]) => {
    const mistake = openFiles(target as never, options as never);
    await expect(mistake).rejects.toBeInstanceOf(OptionError);
    await expect(mistake).rejects.toMatchObject({ option });
  });

  it('looks at itself without the descriptors that it looks with', async () => {
    const paths = [...(await openFiles(process.pid, { roles: ['fd'], fields: ['path'] }))].map(
      (row) => row.path,
    );
    expect(paths.filter((path) => path?.startsWith('/proc'))).toEqual([]);
  });
});

describe('large and changing tables', () => {
  it('L09 20,000 descriptors, or as many as the machine gives', async () => {
    const situation = await startMaker('manyfds', ['20000']);
    const count = situation.number(1);
    const table = await openFiles(situation.number(0), { roles: ['fd'] });
    expect([...table].filter((row) => row.kind !== undefined).length).toBeGreaterThanOrEqual(count);
    const cut = await openFiles(situation.number(0), { roles: ['fd'], maxRows: 100 });
    expect(cut.size).toBeLessThanOrEqual(101);
    const told =
      cut.faults.some((fault) => fault.kind === 'limit') ||
      [...cut].some((row) => row.fault('path')?.kind === 'limit');
    expect(told).toBe(true);
    await situation.end();
  });

  it('a table that changes while it is read: no throw, no fault but on what went away', async () => {
    const situation = await startMaker('manyfds', ['2000', 'changing']);
    const pid = situation.number(0);
    for (let i = 0; i < 20; i++) {
      const table = await openFiles(pid, { roles: ['fd'] });
      expect(table.faults).toEqual([]);
      expect(table.size).toBeGreaterThan(1_000);
      for (const row of table) {
        for (const field of ['path', 'info', 'stat', 'locks'] as const) {
          const fault = row.fault(field);
          if (fault !== undefined) expect(fault.kind).toBe('gone');
        }
      }
    }
    await situation.end();
  });
});

describe.runIf(!isRoot)('as an unprivileged user', () => {
  it('what is denied is a row with its fault, role by role', async () => {
    const rows = [...(await openFiles(1))];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.fault('path')?.kind).toBe('denied');
    expect(new Set(rows.map((row) => row.role))).toEqual(new Set(FILE_ROLES));
  });
});

describe.runIf(isRoot)('roots and namespaces (only root can make them)', () => {
  it('case 38: in a chroot, paths are as seen from our root', async () => {
    const situation = await startMaker('jail');
    const [pid, fd, root] = [situation.number(0), situation.number(1), situation.words.slice(2).join(' ')];
    const rows = [...(await openFiles(pid))];
    expect(rows.find((row) => row.role === 'root')?.path).toBe(root);
    expect(rows.find((row) => row.fd === fd)?.path?.startsWith(`${root}/`)).toBe(true);
    await situation.end();
  });
});
