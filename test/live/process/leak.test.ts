import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { OUR_THREADS } from '../threads.js';

const run = promisify(execFile);
const TOP = join(__dirname, '..', '..', '..');

interface Measure {
  readonly descriptors: number;
  readonly rss: number;
  readonly threads: number;
}

/**
 * Repeats `work` in a Node of its own and measures after a warm-up and at the end. Every field is
 * asked for, of a row that has all of them, one that is gone, and (with `all`) of the whole table.
 */
async function measure(work: string, warmup: number, total: number): Promise<[Measure, Measure]> {
  const script = `
    const fs = require('node:fs');
    const { FIELDS, snapshot, snapshotAsync } = require(${JSON.stringify(TOP)});
    const fields = FIELDS.filter((name) => name !== 'env');
    const env = ['HOME', 'NOT_SET'];
    const work = ${work};
    ${OUR_THREADS}
    const measure = async () => {
      // The library keeps threads for the next question, and ends them when none comes.
      await untilOurs(0);
      for (let i = 0; i < 5; i++) {
        gc();
        await new Promise(setImmediate); // What was collected gives back what it held.
      }
      const status = fs.readFileSync('/proc/self/status', 'utf8');
      return {
        descriptors: fs.readdirSync('/proc/self/fd').length - (work.kept?.() ?? 0),
        rss: Number(/VmRSS:\\s+(\\d+)/.exec(status)[1]) * 1024,
        threads: Number(/Threads:\\s+(\\d+)/.exec(status)[1]),
      };
    };
    (async () => {
      let before;
      for (let i = 0; i < ${total}; i++) {
        if (i === ${warmup}) before = await measure();
        await work(i);
      }
      console.log(JSON.stringify([before, await measure()]));
    })();`;
  const { stdout } = await run(process.execPath, ['--expose-gc', '-e', script], { timeout: 600_000 });
  return JSON.parse(stdout) as [Measure, Measure];
}

/** What the allocator and the compiler of the runtime may still move after the warm-up. */
const SLACK_BYTES = 12 << 20;

function expectFlat([before, after]: [Measure, Measure]): void {
  expect(after.descriptors).toBe(before.descriptors);
  expect(after.threads).toBe(before.threads);
  expect(after.rss - before.rss).toBeLessThan(SLACK_BYTES);
}

describe('nothing is kept', () => {
  it('100,000 snapshots of every field', async () => {
    const touch = `(table) => { for (const row of table) { row.argv; row.env; row.user; row.faultyFields; } }`;
    const work = `(touch => () => touch(snapshot({ fields, env, pids: [process.pid, 1, 2147483647] })))(${touch})`;
    expectFlat(await measure(work, 20_000, 100_000));
  }, 600_000);

  it('10,000 asynchronous snapshots', async () => {
    const work = `() => snapshotAsync({ fields, env, pids: [process.pid, 1, 2147483647] })`;
    expectFlat(await measure(work, 2_000, 10_000));
  }, 600_000);

  it('2,000 snapshots of the whole table, and as many of roots that fail', async () => {
    const work = `() => { snapshot({ fields }); snapshot({ procRoot: '/nonexistent' }); snapshot({ procRoot: '/var' }); }`;
    expectFlat(await measure(work, 500, 2_000));
  }, 600_000);

  it('100,000 idle polls, and 2,500 that read and report everybody', async () => {
    const poll = (options: string): string => `(() => {
      const poller = new (require(${JSON.stringify(TOP)}).Poller)(${options});
      return Object.assign(() => poller.poll(), { kept: () => poller.stats.descriptors });
    })()`;
    const busy = "{ fields: ['argv'], volatile: ['cpu', 'rss'], maxAgeMs: 0 }";
    expectFlat(await measure(poll(busy), 500, 3_000));
    expectFlat(await measure(poll('{}'), 20_000, 120_000));
  });

  it('1,000 pollers, closed or only let go', async () => {
    const work = `(i) => {
      const poller = new (require(${JSON.stringify(TOP)}).Poller)({ events: i % 2 ? 'auto' : 'pidfd' });
      poller.poll();
      if (i % 10 === 0) gc();
      else poller.close();
      return new Promise(setImmediate);
    }`;
    expectFlat(await measure(work, 200, 1_000));
  });
});
