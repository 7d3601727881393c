import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FIELDS, type ProcessRow, snapshot } from '../../../lib/index.js';
import { startMaker } from '../../makers/start.js';
import { isRoot } from './oracle.js';

const EAGAIN = 11;
const ALL = FIELDS.filter((field) => field !== 'env');

function look(pid: number): ProcessRow {
  const row = snapshot({ fields: ALL, env: ['HOME'] }).get(pid);
  if (row === undefined) throw new Error(`pid ${pid} is not in the table`);
  return row;
}

describe('processes in a special state', () => {
  it('case 13: a zombie has no program any more, which is not the same as unreadable', async () => {
    const situation = await startMaker('zombie');
    const row = look(situation.number(0));
    expect(row.state).toBe('Z');
    expect(row.argv).toEqual([]);
    for (const field of ['exe', 'exeFile', 'cwd', 'root'] as const) {
      expect([field, row[field]]).toEqual([field, null]);
    }
    expect(row.env).toBeUndefined();
    expect(row.fault('env')?.kind).toMatch(/^(gone|denied)$/);
    expect(row.startKey).toBeTypeOf('bigint');
    await situation.end();
  });

  it('case 43: a stopped process', async () => {
    const situation = await startMaker('stopped');
    expect(look(situation.number(0)).state).toBe('T');
    await situation.end();
  });

  it('case 32: threads, and a main thread that was renamed', async () => {
    const situation = await startMaker('threads', ['5', 'MainThread']);
    const row = look(situation.number(0));
    expect(row.threads).toBe(6);
    expect(row.name).toBe('MainThread');
    expect(row.argv?.slice(1)).toEqual(['5', 'MainThread']);
    await situation.end();
  });

  it('a process whose main thread has ended is read from a thread that lives', async () => {
    const situation = await startMaker('threads', ['2', 'MainThread', 'leader-exits']);
    const pid = situation.number(0);
    const row = look(pid);
    expect(row.state).toBe('Z');
    expect(row.argv?.slice(1)).toEqual(['2', 'MainThread', 'leader-exits']);
    expect(row.exe?.endsWith('/threads')).toBe(true);
    expect(row.cwd).toBe(process.cwd());
    expect(row.env?.['HOME']).toBe(process.env['HOME'] ?? null);
    expect(row.faultyFields).toEqual([]);
    await situation.end();
  });
});

function commOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').slice(0, -1);
  } catch {
    return undefined; // A worker of the kernel that ended meanwhile.
  }
}

/** The kernel's own thread, where this pid namespace shows it. */
const kthreadd = existsSync('/proc/2/comm') && readFileSync('/proc/2/comm', 'utf8') === 'kthreadd\n';

describe.runIf(kthreadd)('kernel threads (where pid 2 is kthreadd)', () => {
  it('case 14: have no program, and their names may be longer than 15 bytes', () => {
    const row = look(2);
    expect(row.kernelThread).toBe(true);
    expect(row.argv).toEqual([]);
    if (isRoot) {
      expect([row.exe, row.exeFile]).toEqual([null, null]);
      expect({ ...row.env }).toEqual({ HOME: null });
    }
    const threads = [...snapshot()].filter(
      (each) => each.kernelThread === true && !each.name?.startsWith('kworker/'),
    );
    // Workers are named after what they do just now.
    expect(threads.length).toBeGreaterThan(1);
    for (const each of threads) expect(each.name).toBe(commOf(each.pid) ?? each.name);
  });
});

describe('programs and directories that are gone', () => {
  it.each([
    ['case 15: unlinked program', 'exe', true],
    ['replaced program', 'replaced', true],
    ['case 18: a program really called so', 'suffix', false],
    ['a program called so and unlinked', 'suffix-gone', true],
  ])('%s', async (_, mode, deleted) => {
    const situation = await startMaker('deleted', [mode]);
    const pid = situation.number(0);
    const row = look(pid);
    expect(row.exe).toBe(situation.words.slice(1).join(' '));
    expect(row.exeDeleted).toBe(deleted);
    const { dev, ino } = statSync(`/proc/${pid}/exe`, { bigint: true });
    expect(row.exeFile).toEqual({ dev, ino });
    await situation.end();
  });

  it.each([
    ['case 16: removed working directory', 'cwd', true],
    ['a directory really called so', 'cwd-suffix', false],
  ])('%s', async (_, mode, deleted) => {
    const situation = await startMaker('deleted', [mode]);
    const row = look(situation.number(0));
    expect(row.cwd).toBe(situation.words.slice(1).join(' '));
    expect(row.cwdDeleted).toBe(deleted);
    await situation.end();
  });
});

describe('processes that end while they are read', () => {
  it('give no wrong row: what is there belongs to one process', async () => {
    const situation = await startMaker('churn', ['2000', '1000000']);
    const parent = situation.number(0);
    let rows = 0;
    let images = 0;
    while (rows < 500 || images < 20) {
      const table = snapshot({
        fields: ['argv', 'exe', 'cwd', 'exeFile', 'uid'],
        env: ['MAKER_CHURN_CHILD'],
      });
      expect(table.faults).toEqual([]);
      for (const row of table) {
        if (row.ppid !== parent) continue;
        rows++;
        if (check(row) === 'churn-child') images++;
      }
    }
    await situation.end();
  });
});

/**
 * A child of the churn is a fork of its maker, or the image that it became (every fourth does); or
 * it is gone, or in the middle of the exec, field by field. Answers the name in argv[0].
 */
function check(row: ProcessRow): string | undefined {
  for (const field of row.faultyFields) {
    const fault = row.fault(field);
    // Who is not root is refused a process of his own that has given up its memory and is not yet a zombie.
    const expected = ['gone', EAGAIN, ...(isRoot ? [] : ['denied'])];
    expect(fault?.kind === 'io' && field === 'argv' ? fault.code : fault?.kind).toBeOneOf(expected);
  }
  if (typeof row.exe === 'string') expect(row.exe.endsWith('/churn')).toBe(true);
  if (row.argv === undefined) return undefined;
  if (row.argv.length === 0) {
    expect(row.state).toMatch(/^[ZX]$/);
    return undefined;
  }
  const name = (row.argv[0] as string).split('/').at(-1) as string;
  expect(row.argv).toHaveLength(3);
  if (name === 'churn') expect(row.argv.slice(1)).toEqual(['2000', '1000000']);
  else expect([name, row.argv[2]?.split('=')[0]]).toEqual(['churn-child', '--child']);
  return name;
}
