// A poller beside a program that starts and ends processes faster than they can be followed one by one, so that
// pids come round within fractions of a second. The program keeps the ledger that the reports are set against.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Poller, type PollerOptions } from '../../../lib/index.js';
import type { Comparison, Log } from '../../churn/compare.mjs' with { 'resolution-mode': 'import' };
import type { Churn } from '../../churn/run.mjs' with { 'resolution-mode': 'import' };
import { isRoot } from './oracle.js';

const run = promisify(execFile);

const TOTAL = 400;
/** Pids below 300 are given out once; what is above comes round all the time. */
const PIDS = 340;
const FAST: Churn = { rate: 500, total: TOTAL, spanMs: 10, intervalMs: 10, pids: PIDS };

let churn: (asked: Churn) => Promise<{ ledger: string; log: Log }>;
let compare: (ledger: string, log: Log) => Comparison;
let namespaceFlags: () => string[] | null;
let canListen: boolean;

beforeAll(async () => {
  ({ churn, namespaceFlags } = await import('../../churn/run.mjs'));
  ({ compare } = await import('../../churn/compare.mjs'));
  const poller = new Poller({ events: 'connector' });
  poller.poll();
  canListen = poller.stats.events === 'connector';
  poller.close();
});

/** The comparison must have had something to say, and nothing to complain of. */
function expectRight(result: Comparison): void {
  expect(result.problems).toEqual([]);
  expect(result.failedPolls).toBe(0);
  for (const judged of [result.starts, result.exits, result.names]) expect(judged).toBeGreaterThan(0);
}

const NO_NAMESPACE = 'a pid namespace is refused here';

describe('under churn, 0 missed, 0 doubled, 0 misattributed', () => {
  it.for<[string, Partial<Churn>]>([
    ['without help of the kernel', { options: { events: 'none' } }],
    ['with pidfds', { options: { events: 'pidfd' } }],
    [
      'with a counter of pids that goes all the way round between two polls',
      { options: { events: 'pidfd' }, rate: 1000, spanMs: 3, intervalMs: 15 },
    ],
    ['with a few descriptors, off the main thread', { options: { maxDescriptors: 8 }, async: true }],
  ])('%s', async ([, options], context) => {
    context.skip(namespaceFlags() === null, NO_NAMESPACE);
    const { ledger, log } = await churn({ ...FAST, ...options });
    const result = compare(ledger, log);
    expectRight(result);
    expect(result.children).toBe(TOTAL);
    expect(result.reused).toBeGreaterThanOrEqual(TOTAL - PIDS);
  });

  // The kernel speaks of all processes to listeners in the first namespaces only, where pids are not ours to bound.
  it('with the connector', async (context) => {
    context.skip(!canListen, 'the kernel lets this program not listen');
    context.skip(!isRoot, 'only root may choose pids, which is what makes them come round here');
    const { pids, ...outside } = FAST;
    const { ledger, log } = await churn({
      ...outside,
      rate: 300,
      total: 300,
      options: { events: 'connector' },
    });
    const result = compare(ledger, log);
    expectRight(result);
    expect(result.reused).toBeGreaterThan(0);
  });
});

describe('a thread that gets the pid of a process', () => {
  it.for<[string, PollerOptions]>([
    ['without help of the kernel', { events: 'none', maxDescriptors: 0 }],
    ['with pidfds, none of which it may keep', { events: 'pidfd', maxDescriptors: 0 }],
  ])('is no process: %s', async ([, options], context) => {
    const flags = namespaceFlags();
    context.skip(flags === null, NO_NAMESPACE);
    const script = join(__dirname, '../../churn/thread-pid.mjs');
    const words = [...(flags ?? []), process.execPath, script, JSON.stringify(options)];
    const { stdout } = await run('unshare', words);
    expect(JSON.parse(stdout)).toEqual({ wasKnown: true, isThread: true, hasExited: true, strangers: [] });
  });
});

describe('the comparison itself', () => {
  it('agrees with whole snapshots, and finds each report that is taken away', async (context) => {
    context.skip(namespaceFlags() === null, NO_NAMESPACE);
    const { ledger, log } = await churn({ ...FAST, plain: true });
    expectRight(compare(ledger, log));
    for (const kind of ['started', 'exited'] as const) {
      const doctored = structuredClone(log);
      // In the middle, so that polls follow in which the lack shows.
      const news = doctored.news.filter((one) => one[kind].length > 0);
      news[news.length >> 1]?.[kind].pop();
      expect(compare(ledger, doctored).problems).not.toEqual([]);
    }
  });
});
