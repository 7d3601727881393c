import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Poller, type PollerOptions, type ProcessRow } from '../../../lib/index.js';

const folder = mkdtempSync(join(tmpdir(), 'procscope-roots-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open: Poller[] = [];
afterEach(() => {
  for (const poller of open.splice(0)) poller.close();
});

function pollerOf(options: PollerOptions): Poller {
  const poller = new Poller(options);
  open.push(poller);
  return poller;
}

const pidsOf = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid);

/** A root with nothing but the files of one process. */
function emptyRoot(name: string): string {
  const root = join(folder, name);
  rmSync(root, { recursive: true, force: true });
  putProcess(root, 7, 100, 'keeper');
  return root;
}

function putProcess(root: string, pid: number, start: number, comm: string, state = 'S'): void {
  mkdirSync(join(root, String(pid)), { recursive: true });
  const rest = `1 7 7 0 -1 4194304 0 0 0 0 1 2 0 0 20 0 1 0 ${start} 4096 5 18446744073709551615`;
  writeFileSync(join(root, String(pid), 'stat'), `${pid} (${comm}) ${state} ${rest}\n`);
  writeFileSync(join(root, String(pid), 'cmdline'), `${comm}\0`);
}

describe('a poller of another root', () => {
  const EACH = { maxAgeMs: 0, factsAgeMs: 0 } as const;

  it('answers one frozen object while nothing happens', () => {
    const poller = pollerOf({ procRoot: emptyRoot('still'), maxAgeMs: Number.POSITIVE_INFINITY });
    poller.poll();
    const idle = poller.poll();
    expect(Object.isFrozen(idle)).toBe(true);
    expect(poller.poll()).toBe(idle);
    expect([idle.started, idle.exited, idle.changed, idle.faults, idle.failed]).toEqual([
      [],
      [],
      [],
      [],
      false,
    ]);
  });

  it('an idle poll makes no object', async () => {
    // Of a root where nothing can happen; most of the time goes into looking at it.
    const script = `
      const { Poller } = require(${JSON.stringify(join(__dirname, '..', '..', '..'))});
      const poller = new Poller({ procRoot: ${JSON.stringify(emptyRoot('quiet'))} });
      const quiet = (times) => {
        let news = 0;
        for (let i = 0; i < times; i++) {
          const delta = poller.poll();
          news += delta.started.length + delta.exited.length + delta.changed.length;
        }
        return news;
      };
      quiet(3_000);
      let least = Infinity;
      for (let round = 0; round < 10; round++) {
        gc();
        const before = process.memoryUsage().heapUsed;
        quiet(500);
        least = Math.min(least, process.memoryUsage().heapUsed - before);
      }
      console.log(least / 500);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '-e', script], {
      timeout: 60_000,
    });
    // The smallest object takes 12 bytes.
    expect(Number(stdout)).toBeLessThan(6);
  });

  it('sees starts, ends, changes and a pid that was given out again', () => {
    const root = emptyRoot('changing');
    const poller = pollerOf({ procRoot: root, fields: ['argv'], ...EACH });
    expect(pidsOf(poller.poll().started)).toEqual([7]);
    expect(poller.stats.events).toBe('none');
    putProcess(root, 9, 200, 'second');
    expect(pidsOf(poller.poll().started)).toEqual([9]);
    putProcess(root, 9, 200, 'renamed');
    const change = poller.poll().changed[0];
    expect(change?.fields).toEqual(['name', 'argv']);
    putProcess(root, 9, 300, 'renamed');
    const reused = poller.poll();
    expect([pidsOf(reused.exited), pidsOf(reused.started), reused.changed]).toEqual([[9], [9], []]);
    expect(reused.exited[0]?.startKey).toBe(200n);
    expect(reused.started[0]?.startKey).toBe(300n);
    putProcess(root, 9, 300, 'renamed', 'Z');
    expect(pidsOf(poller.poll().exited)).toEqual([9]);
    rmSync(join(root, '7'), { recursive: true });
    putProcess(root, 8, 400, 'other');
    const last = poller.poll();
    expect([pidsOf(last.exited), pidsOf(last.started)]).toEqual([[7], [8]]);
  });

  it('a root that disappears fails the poll and takes nothing away', () => {
    const root = emptyRoot('vanishing');
    const poller = pollerOf({ procRoot: root, ...EACH });
    poller.poll();
    renameSync(root, `${root}.gone`);
    const failed = poller.poll();
    expect([failed.failed, failed.exited, failed.started]).toEqual([true, [], []]);
    expect(failed.faults[0]?.kind).toBe('gone');
    expect(failed.faults[0]?.path).toBe(root);
    expect(poller.table.get(7)?.name).toBe('keeper');
    expect(poller.table.faults).toEqual(failed.faults);
    renameSync(`${root}.gone`, root);
    const back = poller.poll();
    expect([back.failed, back.exited, back.started, back.faults]).toEqual([false, [], [], []]);
  });

  it('watch() tells a failure once, and its end', async () => {
    const root = emptyRoot('flaky');
    const poller = pollerOf({ procRoot: root, ...EACH });
    const deltas = poller.watch({ intervalMs: 1 });
    expect(pidsOf((await deltas.next()).value?.started ?? [])).toEqual([7]);
    renameSync(root, `${root}.gone`);
    expect((await deltas.next()).value?.failed).toBe(true);
    const next = deltas.next();
    // Polls go on meanwhile, and none of them tells the same again.
    const { polls } = poller.stats;
    while (poller.stats.polls < polls + 3) await new Promise(setImmediate);
    renameSync(`${root}.gone`, root);
    const end = (await next).value;
    expect([end?.failed, end?.faults, end?.started]).toEqual([false, [], []]);
    await deltas.return(undefined);
  });
});
