import { execFile } from 'node:child_process';
import { linkSync, mkdtempSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultError, holders, locks, OptionError } from '../../../lib/index.js';
import { startMaker } from '../../makers/start.js';
import { hasProgram, isRoot } from '../process/oracle.js';

const run = promisify(execFile);
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'procscope-locks-'));
  file = join(folder, 'a file');
  writeFileSync(file, '0123456789');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

/** The pids that hold a lock on the file, by holders() and by locks(): both must say the same. */
async function lockPids(): Promise<number[]> {
  const answer = await holders(file);
  const pids = ascending(
    answer.holders.filter((holder) => holder.locks.length > 0).map((holder) => holder.pid),
  );
  const { ino } = statSync(file, { bigint: true });
  const table = (await locks()).locks.filter((lock) => lock.ino === ino);
  expect(ascending(table.flatMap((lock) => lock.holders.map((holder) => holder.pid)))).toEqual(pids);
  return pids;
}

describe('each kind of lock names exactly its holder, mode and range', () => {
  it.each([
    ['flock-ex', [], 'FLOCK', 'write', 0n, null],
    ['flock-sh', [], 'FLOCK', 'read', 0n, null],
    ['posix-read', [], 'POSIX', 'read', 0n, null],
    ['posix-write', [], 'POSIX', 'write', 0n, null],
    ['posix-range', ['100', '100'], 'POSIX', 'write', 100n, 199n],
    ['ofd-read', [], 'OFDLCK', 'read', 0n, null],
    ['ofd-write', ['5', '1'], 'OFDLCK', 'write', 5n, 5n],
    ['lease-read', [], 'LEASE', 'read', 0n, null],
    ['lease-write', [], 'LEASE', 'write', 0n, null],
  ])('%s', async (kind, range, type, mode, start, end) => {
    const situation = await startMaker('locks', [kind, file, ...range]);
    const [pid, fd] = [situation.number(0), situation.number(1)];
    const { ino } = statSync(file, { bigint: true });
    const table = (await locks()).locks.filter((lock) => lock.ino === ino);
    expect(table).toHaveLength(1);
    expect(table[0]).toMatchObject({
      type,
      mode,
      start,
      end,
      path: file,
      holders: [{ pid, fd }],
      waiters: [],
    });
    const answer = await holders(file);
    expect(answer.holders).toEqual([
      expect.objectContaining({
        pid,
        fd,
        role: 'fd',
        path: file,
        locks: [expect.objectContaining({ type, mode, start, end })],
      }),
    ]);
    await situation.end();
    expect(await lockPids()).toEqual([]);
  });
});

describe('locks that are shared through fork', () => {
  it.each([
    ['flock', []],
    ['flock whose taker is dead', ['dead-taker']],
    ['OFD lock', ['ofd']],
    ['OFD lock whose taker is dead', ['ofd', 'dead-taker']],
  ])('%s: every holder and nobody else', async (_, mode) => {
    const situation = await startMaker('lockfork', [file, ...mode, '3']);
    const expected = ascending(situation.words.slice(2).map(Number));
    expect(expected.length).toBeGreaterThanOrEqual(3);
    expect(await lockPids()).toEqual(expected);
    await situation.end();
  });

  it.runIf(isRoot)(
    'a lock that was taken inside another pid namespace (only root can make one)',
    async () => {
      const situation = await startMaker('pidns', [file]);
      const expected = ascending([situation.number(0), situation.number(2)]);
      expect(await lockPids()).toEqual(expected);
      await situation.end();
    },
  );
});

describe('waiters', () => {
  it.each(['flock-ex', 'flock-sh', 'posix-read', 'posix-write', 'lease-read', 'lease-write'])(
    '%s: who waits for whom',
    async (kind) => {
      const situation = await startMaker('waiter', [kind, file]);
      const [holder, , waiter] = [situation.number(0), situation.number(1), situation.number(2)];
      const answer = await holders(file);
      expect(answer.holders.filter((each) => each.locks.length > 0).map((each) => each.pid)).toEqual([
        holder,
      ]);
      expect(answer.waiters.map((each) => each.pid)).toEqual([waiter]);
      const { ino } = statSync(file, { bigint: true });
      const lock = (await locks()).locks.find((each) => each.ino === ino);
      expect(lock?.waiters.map((each) => each.pid)).toEqual([waiter]);
      await situation.end();
    },
  );

  it.each(['ofd-read', 'ofd-write'])('%s: somebody waits, and the kernel does not say who', async (kind) => {
    const situation = await startMaker('waiter', [kind, file]);
    const answer = await holders(file);
    expect(answer.waiters.map((each) => [each.pid, each.type])).toEqual([[null, 'OFDLCK']]);
    await situation.end();
  });
});

describe('holders of a file', () => {
  it.skipIf(!hasProgram('flock'))('the flock program and what shares its lock (needs flock)', async () => {
    const situation = await startMaker('lockfork', [file, '1']);
    const named = (await holders(file)).holders.map((holder) => [holder.pid, holder.name]);
    expect(ascending(named.map(([pid]) => pid as number))).toEqual(
      ascending(situation.words.slice(2).map(Number)),
    );
    expect(new Set(named.map(([, name]) => name))).toEqual(new Set(['lockfork']));
    await situation.end();
  });

  it('by another name, and after it was deleted', async () => {
    const situation = await startMaker('locks', ['flock-ex', file]);
    const other = join(folder, 'other name');
    linkSync(file, other);
    const pids = async (target: Parameters<typeof holders>[0]): Promise<number[]> =>
      (await holders(target)).holders.map((holder) => holder.pid);
    expect(await pids(other)).toEqual([situation.number(0)]);
    const { dev, ino } = statSync(file, { bigint: true });
    unlinkSync(file);
    unlinkSync(other);
    expect(await pids({ dev, ino })).toEqual([situation.number(0)]);
    await situation.end();
  });

  it('as cwd, as program, mapped: each role once', async () => {
    const situation = await startMaker('fds', [], { cwd: folder });
    const words = new Map(situation.words.map((word) => word.split('=') as [string, string]));
    const pid = situation.number(0);
    const roles = async (path: string): Promise<string[]> =>
      (await holders(path)).holders.filter((holder) => holder.pid === pid).map((holder) => holder.role);
    expect(await roles(folder)).toEqual(['cwd']);
    expect(await roles(join(words.get('folder') as string, 'mapped'))).toEqual(['map']);
    expect((await roles(`/proc/${pid}/exe`)).sort()).toEqual(['exe', 'map']);
    await situation.end();
  });

  it.skipIf(!hasProgram('fuser'))('fuser names the same processes (needs fuser)', async () => {
    const situation = await startMaker('lockfork', [file, '2']);
    const { stdout } = await run('fuser', [file]);
    const theirs = ascending(stdout.trim().split(/\s+/).map(Number));
    expect(ascending((await holders(file)).holders.map((holder) => holder.pid))).toEqual(theirs);
    await situation.end();
  });

  it('a path that is not there, and arguments of another form', async () => {
    await expect(holders(join(folder, 'none'))).rejects.toBeInstanceOf(FaultError);
    await expect(holders(join(folder, 'none'))).rejects.toMatchObject({
      fault: { kind: 'gone', call: 'realpath' },
    });
    for (const wrong of ['', 'a\0b', 7, null, { dev: 1, ino: 2 }, { dev: -1n, ino: 2n }]) {
      await expect(holders(wrong as never)).rejects.toBeInstanceOf(OptionError);
    }
  });
});
