import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ProcessUsage, usage } from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { isRoot, ps, statFields, statusLine } from './oracle.js';

const run = promisify(execFile);
const TOP = join(__dirname, '..', '..', '..');
const MIB = 1 << 20;
const PAGE = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
/** In these steps `stat` counts time, in milliseconds. */
const TICK = 10;

/** The numbers that a spin maker prints: `utime=1 stime=2 ...`, in its own units. */
function numbersOf(words: readonly string[]): Record<string, number> {
  return Object.fromEntries(words.slice(1).map((word) => [word.split('=')[0], Number(word.split('=')[1])]));
}

async function withMaker<T>(
  name: string,
  args: readonly string[],
  look: (maker: Situation) => Promise<T>,
): Promise<T> {
  const maker = await startMaker(name, args);
  try {
    return await look(maker);
  } finally {
    await maker.end();
  }
}

async function one(pid: number, options: Parameters<typeof usage>[1] = {}): Promise<ProcessUsage> {
  const { processes, faults } = await usage(pid, options);
  expect(faults).toEqual([]);
  expect(processes).toHaveLength(1);
  return processes[0] as ProcessUsage;
}

/** A line of /proc/pid/io. */
function ioLine(pid: number, key: string): number {
  return Number(new RegExp(`^${key}: (\\d+)$`, 'm').exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}

describe('usage of one process', () => {
  it.each([
    ['user', 120],
    ['system', 120],
  ])('cpu time lies between what the process says before and after: %s', async (kind, ms) => {
    await withMaker('spin', ['cpu', kind, String(ms)], async (maker) => {
      const before = numbersOf(maker.words);
      const row = await one(maker.pid);
      const after = numbersOf((await maker.send('again')).split(' ').slice(1));
      const least = ((before['utime'] as number) + (before['stime'] as number)) / 1000;
      const most = ((after['utime'] as number) + (after['stime'] as number)) / 1000;
      expect(row.runtime).toBeGreaterThanOrEqual(least - 0.001);
      expect(row.runtime).toBeLessThanOrEqual(most);
      const cpu = (row.cpu?.user ?? 0) + (row.cpu?.system ?? 0);
      expect(cpu).toBeGreaterThan(least - 2 * TICK);
      expect(cpu).toBeLessThanOrEqual(most);
      expect(row.runtimeSource).toBe('clock');
      expect([row.cpu?.user, row.cpu?.system]).toEqual(
        statFields(maker.pid)
          .slice(11, 13)
          .map((ticks) => expect.closeTo(Number(ticks) * TICK, -3)),
      );
    });
  });

  it('time, faults and io of children that were waited for', async () => {
    await withMaker('spin', ['forks', '12', '5'], async (maker) => {
      const said = numbersOf(maker.words);
      const row = await one(maker.pid);
      const waited = (row.waitedCpu?.user ?? 0) + (row.waitedCpu?.system ?? 0);
      const exact = ((said['cutime'] as number) + (said['cstime'] as number)) / 1000;
      expect(exact).toBeGreaterThanOrEqual(60);
      expect(waited).toBeGreaterThan(exact - 2 * TICK);
      expect(waited).toBeLessThanOrEqual(exact);
      expect(row.waitedPageFaults?.minor).toBe(Number(statFields(maker.pid)[8]));
      const { total } = await usage(maker.pid, { tree: true });
      expect(total?.cpu?.user).toBe((row.cpu?.user ?? 0) + (row.waitedCpu?.user ?? 0));
    });
  });

  it('memory as ps and the kernel have it', async () => {
    await withMaker('spin', ['mem', '32'], async (maker) => {
      // The kernel may take a page back, or count one late, at any time.
      const rss = (): number => Number.parseInt(statusLine(maker.pid, 'VmRSS'), 10) * 1024;
      const before = rss();
      const row = await one(maker.pid, { fields: ['peakRss', 'swap', 'pss'] });
      const after = rss();
      expect(row.rss).toBeGreaterThanOrEqual(Math.min(before, after));
      expect(row.rss).toBeLessThanOrEqual(Math.max(before, after));
      expect(row.rss).toBeGreaterThanOrEqual(32 * MIB);
      expect(row.vsize).toBe(Number(ps(maker.pid, 'vsz')) * 1024);
      expect(row.peakRss).toBe(Number.parseInt(statusLine(maker.pid, 'VmHWM'), 10) * 1024);
      expect(row.swap).toBe(Number.parseInt(statusLine(maker.pid, 'VmSwap'), 10) * 1024);
      expect(row.pss).toBeGreaterThanOrEqual(32 * MIB - (row.swap ?? 0));
      expect(row.pageFaults?.minor).toBeGreaterThanOrEqual(1);
      expect(row.io).toBeUndefined();
      // Without `status` it is what `stat` has at hand.
      const rough = await one(maker.pid, { fields: [] });
      expect(rough.rss).toBe(Number(statFields(maker.pid)[21]) * PAGE);
    });
  });

  it('io as the kernel counts it', async () => {
    await withMaker('spin', ['io', String(3 * MIB)], async (maker) => {
      const { io } = await one(maker.pid);
      expect(io).toEqual({
        readChars: ioLine(maker.pid, 'rchar'),
        writeChars: ioLine(maker.pid, 'wchar'),
        readCalls: ioLine(maker.pid, 'syscr'),
        writeCalls: ioLine(maker.pid, 'syscw'),
        readBytes: ioLine(maker.pid, 'read_bytes'),
        writeBytes: ioLine(maker.pid, 'write_bytes'),
        cancelledWriteBytes: ioLine(maker.pid, 'cancelled_write_bytes'),
      });
      expect(io?.writeChars).toBeGreaterThanOrEqual(3 * MIB);
    });
  });

  it('threads: time of all, switches over all', async () => {
    await withMaker('spin', ['threads', '3', '20'], async (maker) => {
      const row = await one(maker.pid);
      expect(row.threads).toBe(4);
      expect(row.runtime).toBeGreaterThanOrEqual(60);
      const said = numbersOf(maker.words);
      const switches = (row.switches?.voluntary ?? 0) + (row.switches?.involuntary ?? 0);
      expect(switches).toBeGreaterThanOrEqual((said['nvcsw'] as number) + (said['nivcsw'] as number));
      expect(row.switches?.voluntary).toBeGreaterThan(
        Number(statusLine(maker.pid, 'voluntary_ctxt_switches')),
      );
    });
  });
});

describe('usage of what has little to tell', () => {
  it('a process whose main thread has ended still has its memory', async () => {
    await withMaker('threads', ['3', 'name', 'leader-exits'], async (maker) => {
      const pid = maker.number(0);
      const row = await one(pid, { fields: ['runtime', 'peakRss', 'swap', 'pss'] });
      expect(row).toMatchObject({ state: 'Z', threads: 4, faults: {} });
      const task = readdirSync(`/proc/${pid}/task`).find((tid) => Number(tid) !== pid);
      const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'latin1');
      const kib = (key: string): number => Number(new RegExp(`^${key}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]);
      expect(row.vsize).toBe(kib('VmSize') * 1024);
      expect(row.rss).toBe(kib('VmRSS') * 1024);
      expect(row.peakRss).toBe(kib('VmHWM') * 1024);
      expect(row.pss).toBeGreaterThan(0);
      expect((await one(pid, { fields: [] })).rss).toBeGreaterThan(0);
    });
  });

  it('a zombie has no memory, and its time is still there', async () => {
    await withMaker('zombie', [], async (maker) => {
      const row = await one(maker.number(0), { fields: ['runtime', 'peakRss', 'swap', 'pss'] });
      expect(row).toMatchObject({
        state: 'Z',
        rss: 0,
        vsize: 0,
        peakRss: null,
        swap: null,
        pss: null,
        faults: {},
      });
      expect(row.runtime).toBeGreaterThan(0);
    });
  });

  it('a kernel thread', async (context) => {
    const { processes } = await usage(2, { fields: ['peakRss', 'swap', 'pss'] });
    context.skip(processes[0]?.kernelThread !== true, 'no kernel thread is visible here: a pid namespace');
    expect(processes[0]).toMatchObject({ vsize: 0, peakRss: null, swap: null, pss: null, faults: {} });
  });

  it('a pid that nobody has is a fault, never a throw', async () => {
    for (const tree of [false, true]) {
      const answer = await usage(2 ** 31 - 1, { tree });
      expect(answer).toMatchObject({ processes: [], total: undefined, complete: false });
      expect(answer.faults).toEqual([{ kind: 'gone', code: 0, call: 'open', path: `/proc/${2 ** 31 - 1}` }]);
    }
  });

  it('a root that is not there', async () => {
    const { processes, faults } = await usage(1, { procRoot: '/nonexistent' });
    expect(processes).toEqual([]);
    expect(faults[0]).toMatchObject({ kind: 'gone', call: 'open', path: '/nonexistent' });
  });

  it('what another user is refused is a fault beside the rest', async (context) => {
    context.skip(!isRoot, 'only root can become somebody else');
    const script = `
      process.setgroups([]); process.setgid(65534); process.setuid(65534);
      require(${JSON.stringify(TOP)}).usage(${process.pid}, { fields: ['runtime', 'peakRss', 'io', 'pss', 'switches'] })
        .then(({ processes, total }) => console.log(JSON.stringify({ row: { ...processes[0], startKey: 0 }, total })));`;
    // Loaded before the change of user: the checkout may be closed to others.
    const { stdout } = await run(process.execPath, [
      '-e',
      `require(${JSON.stringify(TOP)}).snapshot();${script}`,
    ]);
    const { row, total } = JSON.parse(stdout);
    expect(row.faults.io).toMatchObject({ kind: 'denied', path: `/proc/${process.pid}/io` });
    expect(row.faults.pss).toMatchObject({ kind: 'denied', call: 'open' });
    expect(row.io).toBeUndefined();
    expect(total.io).toBeUndefined();
    expect(row.runtime).toBeGreaterThan(0);
    expect(row.rss).toBeGreaterThan(0);
    expect(row.peakRss).toBeGreaterThan(0);
    expect(row.switches.voluntary).toBeGreaterThan(0);
  });
});

describe('usage of a tree', () => {
  it('parents before children, each once, and sums over all', async () => {
    await withMaker('zombie', [], async (maker) => {
      const answer = await usage(maker.pid, { tree: true });
      expect(answer.complete).toBe(true);
      expect(answer.processes.map(({ pid }) => pid)).toEqual([maker.pid, maker.number(0)]);
      expect(answer.processes[1]?.ppid).toBe(maker.pid);
      const [parent, child] = answer.processes as [ProcessUsage, ProcessUsage];
      expect(answer.total).toMatchObject({
        processes: 2,
        rss: parent.rss,
        threads: (parent.threads ?? 0) + (child.threads ?? 0),
        pageFaults: { minor: (parent.pageFaults?.minor ?? 0) + (child.pageFaults?.minor ?? 0) },
      });
    });
  });

  it('grows from look to look while children come and go, and counts no time twice', async () => {
    const maker = await startMaker('spin', ['forks', '10', '4']);
    try {
      const answered = maker.send('again');
      let over = false;
      void answered.then(() => {
        over = true;
      });
      let last = 0;
      while (!over) {
        const { total, complete } = await usage(maker.pid, { tree: true, fields: [] });
        const now = (total?.cpu?.user ?? 0) + (total?.cpu?.system ?? 0);
        if (!complete) continue;
        // Each of the counters rounds down by less than a tick: own and waited time of the parent, own of a child.
        expect(now).toBeGreaterThan(last - 6 * TICK);
        last = Math.max(last, now);
      }
      const said = numbersOf((await answered).split(' ').slice(1));
      const exact = ['utime', 'stime', 'cutime', 'cstime'].reduce(
        (sum, key) => sum + (said[key] as number) / 1000,
        0,
      );
      const { total } = await usage(maker.pid, { tree: true, fields: ['runtime'] });
      expect(total?.cpuTime).toBeGreaterThan(exact - 2 * TICK);
      expect(last).toBeLessThanOrEqual(exact);
    } finally {
      await maker.end();
    }
  });
});
