import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { OptionError, UsageSampler, usage } from '../../../lib/index.js';
import { folderOf, readGroup } from '../../../lib/process/cgroup.js';

const PIDS: readonly unknown[] = [0, -1, 1.5, 2 ** 31, Number.NaN, '1', undefined];

const MISTAKES: readonly [string, unknown][] = [
  ['options', null],
  ['feilds', { feilds: [] }],
  ['fields', { fields: 'io' }],
  ['fields', { fields: ['cpu'] }],
  ['tree', { tree: 1 }],
];

const USAGE_MISTAKES: readonly [string, unknown][] = [
  ['procRoot', { procRoot: '' }],
  ['deadlineMs', { deadlineMs: 0 }],
];

const SAMPLER_MISTAKES: readonly [string, unknown][] = [
  ['intervalMs', { intervalMs: 0.5 }],
  ['intervalMs', { intervalMs: '10' }],
  ['intervalMs', { intervalMs: Number.POSITIVE_INFINITY }],
  ['capacity', { capacity: 0 }],
  ['capacity', { capacity: 2 ** 40 }],
  ['fields', { fields: ['pss'] }],
  ['processes', { processes: 'all' }],
  ['signal', { signal: {} }],
];

const named = (option: string) => expect.objectContaining({ option, code: 'ERR_PROCSCOPE_OPTION' });

describe('mistakes name the option', () => {
  it.each(PIDS)('pid %s', async (pid) => {
    await expect(usage(pid as number)).rejects.toThrow(named('pid'));
    expect(() => new UsageSampler(pid as number)).toThrow(named('pid'));
  });
  it.each([...MISTAKES, ...USAGE_MISTAKES])('usage: %s in %j', async (option, options) => {
    await expect(usage(process.pid, options as never)).rejects.toThrow(OptionError);
    await expect(usage(process.pid, options as never)).rejects.toThrow(named(option));
  });
  it.each([...MISTAKES, ...SAMPLER_MISTAKES])('sampler: %s in %j', (option, options) => {
    expect(() => new UsageSampler(process.pid, options as never)).toThrow(named(option));
  });
});

const top = mkdtempSync(join(tmpdir(), 'procscope-usage-'));
afterAll(() => rmSync(top, { recursive: true }));

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(top, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

describe('a recorded root', () => {
  const stat = (pid: number, ppid: number, start: number): string =>
    `${pid} (a) b) S ${ppid} 1 1 0 -1 0 11 12 13 14 3 4 5 6 20 0 1 0 ${start} 8192 2 0\n`;
  const root = folder('proc', {
    '7/stat': stat(7, 1, 50),
    '7/status': 'Name:\ta\nVmHWM:\t 9 kB\nVmSwap:\t 1 kB\n',
    '7/io': 'not what the kernel writes',
    '7/task/7/schedstat': '2000000 1 1\n',
    '7/task/8/schedstat': '500000 1 1\n',
    '7/task/7/status': 'voluntary_ctxt_switches:\t2\nnonvoluntary_ctxt_switches:\t3\n',
    '7/task/8/status': 'voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t7\n',
    '9/stat': stat(9, 7, 60),
  });

  it('gives what is there, and a fault for each thing that is not', async () => {
    const { processes, total, complete, cgroup, faults } = await usage(7, {
      procRoot: root,
      tree: true,
      fields: ['runtime', 'peakRss', 'swap', 'io', 'switches', 'cgroup'],
    });
    expect(complete).toBe(true);
    expect(processes.map(({ pid }) => pid)).toEqual([7, 9]);
    expect(processes[0]).toMatchObject({
      startKey: 50n,
      name: 'a) b',
      cpu: { user: 30, system: 40 },
      waitedCpu: { user: 50, system: 60 },
      pageFaults: { minor: 11, major: 13 },
      waitedPageFaults: { minor: 12, major: 14 },
      runtime: 2.5,
      runtimeSource: 'threads',
      peakRss: 9216,
      swap: 1024,
      switches: { voluntary: 7, involuntary: 10 },
      io: undefined,
      faults: { io: { kind: 'malformed', code: 0, call: 'parse', path: `${root}/7/io` } },
    });
    expect(processes[1]?.faults).toMatchObject({ peakRss: { kind: 'gone' }, switches: { kind: 'gone' } });
    expect(total).toMatchObject({ processes: 2, cpu: { user: 160, system: 200 }, io: undefined });
    expect(total?.switches).toBeUndefined();
    expect(cgroup).toBeUndefined();
    expect(faults).toMatchObject([{ kind: 'unsupported' }]);
  });
});

describe('cgroup', () => {
  const files = {
    'cgroup.procs': '5\n3\n',
    'cgroup.stat': 'nr_descendants 0\nnr_dying_descendants 1\n',
    'cpu.stat': 'usage_usec 3500\nuser_usec 2000\nsystem_usec 1500\nnr_periods 0\n',
    'memory.current': '4096\n',
    'memory.peak': '8192\n',
    'io.stat':
      '8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=90 dios=91\n8:16 rbytes=10 wbytes=20 rios=30 wios=40\n',
    'pids.current': '6\n',
  };

  it('tells the numbers of a group that holds exactly these', async () => {
    const answer = await readGroup(folder('alone', files), '/alone', [3, 5], 1000);
    expect(answer).toEqual({
      value: {
        path: '/alone',
        cpu: { total: 3.5, user: 2, system: 1.5 },
        memory: 4096,
        memoryPeak: 8192,
        io: { readBytes: 11, writeBytes: 22, readCalls: 33, writeCalls: 44 },
        tasks: 6,
      },
      faults: [],
    });
  });

  it('answers null when somebody else is in it, in a group below it, or one of these is not', async () => {
    const alone = folder('same', files);
    expect((await readGroup(alone, '/', [3], 1000)).value).toBeNull();
    expect((await readGroup(alone, '/', [3, 5, 9], 1000)).value).toBeNull();
    expect((await readGroup(alone, '/', [3, 9], 1000)).value).toBeNull();
    const parent = folder('parent', { ...files, 'cgroup.stat': 'nr_descendants 1\n' });
    expect((await readGroup(parent, '/', [3, 5], 1000)).value).toBeNull();
  });

  it('leaves out what the kernel does not count there', async () => {
    const bare = folder('bare', { 'cgroup.procs': '3\n', 'memory.current': 'max\n' });
    const answer = await readGroup(bare, '/bare', [3], 1000);
    expect(answer.faults).toEqual([]);
    expect(answer.value).toEqual({
      path: '/bare',
      cpu: undefined,
      memory: undefined,
      memoryPeak: undefined,
      io: undefined,
      tasks: undefined,
    });
    const missing = await readGroup(join(top, 'none'), '/none', [3], 1000);
    expect(missing.value).toBeUndefined();
    expect(missing.faults).toMatchObject([{ kind: 'gone' }]);
  });

  it('finds the folder through the mount that shows the group', () => {
    const line = (root: string, point: string) =>
      `30 23 0:26 ${root} ${point} rw,nosuid shared:9 - cgroup2 none rw`;
    const v1 = '31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu';
    expect(folderOf(`${v1}\n${line('/', '/sys/fs/cgroup')}`, '/a/b')).toBe('/sys/fs/cgroup/a/b');
    expect(folderOf(line('/a', '/cg\\040x'), '/a/b')).toBe('/cg x/b');
    expect(folderOf(line('/a', '/cg'), '/ab')).toBeUndefined();
    expect(folderOf(line('/a', '/cg'), '/a')).toBe('/cg');
    expect(folderOf(v1, '/a')).toBeUndefined();
  });
});
