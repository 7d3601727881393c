import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  type Delta,
  doctor,
  OptionError,
  Poller,
  type PollerOptions,
  type ProcessRow,
} from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { ps } from './oracle.js';

const folder = mkdtempSync(join(tmpdir(), 'procscope-poller-'));
/** A program that sleeps, under a name of our own. */
const napper = join(folder, 'napper');
copyFileSync(execFileSync('sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).trim(), napper);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open: { close(): void }[] = [];
const stages: Situation[] = [];
afterEach(async () => {
  for (const poller of open.splice(0)) poller.close();
  for (const stage of stages.splice(0)) await stage.end();
});

function pollerOf(options: PollerOptions): Poller {
  const poller = new Poller(options);
  open.push(poller);
  return poller;
}

async function actor(): Promise<Situation> {
  const stage = await startMaker('actor');
  stages.push(stage);
  return stage;
}

async function forked(stage: Situation): Promise<number> {
  return Number((await stage.send('fork')).split(' ')[1]);
}

const pidsOf = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid);
const changeOf = (delta: Delta, pid: number) => delta.changed.find(({ row }) => row.pid === pid);

const WAYS: readonly (readonly [string, PollerOptions])[] = [
  ['the connector, where it is allowed', { events: 'auto' }],
  ['pidfds', { events: 'pidfd' }],
  ['pidfds, but no descriptor to spare', { events: 'pidfd', maxDescriptors: 0 }],
  ['nothing told by the kernel', { events: 'none' }],
];

describe.each(WAYS)('a poller with %s', (_, way) => {
  it('reports a start once and an end once, and both in the poll after they happened', async () => {
    const stage = await actor();
    const poller = pollerOf({ ...way, fields: ['argv', 'exe'] });
    expect(pidsOf(poller.poll().started)).toContain(stage.pid);
    const pid = await forked(stage);
    const delta = poller.poll();
    const row = delta.started.find((each) => each.pid === pid);
    expect(row?.ppid).toBe(stage.pid);
    expect(row?.argv).toEqual(delta.table.get(stage.pid)?.argv);
    expect(pidsOf(poller.poll().started)).not.toContain(pid);
    await stage.send(`end ${pid}`);
    await stage.send(`reap ${pid}`);
    const after = poller.poll();
    expect(after.exited.filter((each) => each.pid === pid)).toEqual([row]);
    expect(after.table.has(pid)).toBe(false);
    expect(pidsOf(poller.poll().exited)).not.toContain(pid);
  });

  it('takes a process that nobody waited for as ended, and does not tell of it again', async () => {
    const stage = await actor();
    const pid = await forked(stage);
    const poller = pollerOf({ ...way, volatile: ['threads'] });
    poller.poll();
    await stage.send(`end ${pid}`);
    expect(ps(pid, 'stat')).toMatch(/^Z/);
    expect(pidsOf(poller.poll().exited)).toContain(pid);
    await stage.send(`reap ${pid}`);
    const after = poller.poll();
    expect([...pidsOf(after.exited), ...pidsOf(after.started)]).not.toContain(pid);
  });

  it('a zombie that was there before is not in the table', async () => {
    const zombie = await startMaker('zombie');
    stages.push(zombie);
    const poller = pollerOf(way);
    expect(pidsOf(poller.poll().started)).not.toContain(zombie.number(0));
    expect(poller.table.has(zombie.number(0))).toBe(false);
  });

  it('sees another program in a young process at the next poll', async () => {
    const stage = await actor();
    const poller = pollerOf({ ...way, fields: ['argv', 'exe'] });
    poller.poll();
    const pid = await forked(stage);
    poller.poll();
    await stage.send(`exec ${pid} ${napper}`);
    const change = changeOf(poller.poll(), pid);
    expect(change?.fields).toEqual(['name', 'argv', 'exe']);
    expect(change?.row.argv).toEqual([napper, '600']);
    expect(change?.row.exe).toBe(napper);
    expect(change?.before.name).toBe('actor');
    expect(change?.row.startKey).toBe(change?.before.startKey);
    expect(poller.table.get(pid)).toBe(change?.row);
  });

  it('takes a thread that runs another program for the process that it becomes', async () => {
    const stage = await actor();
    const pid = await forked(stage);
    const poller = pollerOf({ ...way, fields: ['argv'] });
    poller.poll();
    poller.track(pid);
    await stage.send(`takeover ${pid} ${napper}`);
    const delta = poller.poll();
    expect([...pidsOf(delta.exited), ...pidsOf(delta.started)]).not.toContain(pid);
    expect(changeOf(delta, pid)?.row.argv).toEqual([napper, '600']);
    await stage.send(`end ${pid}`);
    expect(pidsOf(poller.poll().exited)).toContain(pid);
  });

  it('sees a stop, its end and a new name of a tracked process, and shares what did not change', async () => {
    const stage = await actor();
    const pid = await forked(stage);
    const poller = pollerOf({ ...way, fields: ['argv'] });
    poller.poll();
    expect(poller.track(pid)).toBe(true);
    await stage.send(`stop ${pid}`);
    const stop = changeOf(poller.poll(), pid);
    expect(stop?.fields).toEqual(['state']);
    expect(stop?.row.state).toBe('T');
    expect(stop?.row.argv).toBe(stop?.before.argv);
    await stage.send(`go ${pid}`);
    expect(changeOf(poller.poll(), pid)?.fields).toEqual(['state']);
    await stage.send(`name ${pid} another name`);
    const renamed = changeOf(poller.poll(), pid);
    expect(renamed?.fields).toEqual(['name']);
    expect(renamed?.row.name).toBe(ps(pid, 'comm'));
    expect(renamed?.row.argv).toEqual(stop?.row.argv);
  });

  it('reports nothing of a process to which nothing happened', async () => {
    const stage = await actor();
    const pid = await forked(stage);
    const poller = pollerOf({ ...way, fields: ['argv', 'exe', 'cwd', 'uid'] });
    poller.poll();
    poller.track(pid);
    for (let i = 0; i < 50; i++) {
      const { started, exited, changed } = poller.poll();
      const told = [...started, ...exited, ...changed.map(({ row }) => row)];
      expect(pidsOf(told).filter((each) => each === pid || each === stage.pid)).toEqual([]);
    }
  });
});

describe('a poller', () => {
  it('sees a title written over the arguments within the age of a tracked process', async () => {
    const stage = await startMaker('title', ['first', 'argument']);
    stages.push(stage);
    const poller = pollerOf({ fields: ['argv'], trackedAgeMs: 0 });
    poller.poll();
    poller.track(stage.pid);
    await stage.send(`set ${Buffer.from('worker: idle').toString('hex')}`);
    const change = changeOf(poller.poll(), stage.pid);
    expect(change?.fields).toEqual(['argv']);
    expect(change?.row.argv).toEqual(['worker: idle']);
  });

  it('looks at everybody within maxAgeMs, also at what nobody tracks', async () => {
    const stage = await actor();
    const pid = await forked(stage);
    const poller = pollerOf({ events: 'pidfd', maxAgeMs: 0, fields: ['argv'] });
    poller.poll();
    await stage.send(`name ${pid} quiet change`);
    expect(changeOf(poller.poll(), pid)?.fields).toEqual(['name']);
  });

  it('pollAsync() tells the same, and calls queue', async () => {
    const stage = await actor();
    const poller = pollerOf({ fields: ['argv'] });
    await poller.pollAsync();
    const pid = await forked(stage);
    const [first, second] = await Promise.all([poller.pollAsync(), poller.pollAsync()]);
    expect(pidsOf(first.started)).toContain(pid);
    expect(pidsOf(second.started)).not.toContain(pid);
    const pending = poller.pollAsync();
    expect(() => poller.poll()).toThrow(expect.objectContaining({ code: 'ERR_POLLER_BUSY' }));
    await pending;
    expect(poller.poll().failed).toBe(false);
  });

  it('watch() gives the first table, then news, and ends with its signal', async () => {
    const stage = await actor();
    const poller = pollerOf({});
    const controller = new AbortController();
    let pid = 0;
    const seen: string[] = [];
    for await (const delta of poller.watch({ intervalMs: 5, signal: controller.signal })) {
      if (pid === 0) {
        expect(pidsOf(delta.started)).toContain(process.pid);
        pid = await forked(stage);
        continue;
      }
      if (pidsOf(delta.started).includes(pid)) {
        seen.push('started');
        await stage.send(`end ${pid}`);
      }
      if (pidsOf(delta.exited).includes(pid)) {
        seen.push('exited');
        controller.abort();
      }
    }
    expect(seen).toEqual(['started', 'exited']);
  });

  it('watch() ends when the poller is closed, in the middle of a wait and of a poll', async () => {
    const poller = pollerOf({});
    const deltas = [3_600_000, 1, 1].map((intervalMs) => poller.watch({ intervalMs }));
    // Who comes first has all the news; the others wait for some.
    await deltas[0]?.next();
    const next = deltas.map(async (each) => {
      let last = await each.next();
      while (last.done !== true) last = await each.next();
      return last.value;
    });
    poller.close();
    expect(await Promise.all(next)).toEqual([undefined, undefined, undefined]);
  });

  it('refuses options of a wrong kind, and a signal that is none', () => {
    for (const wrong of [
      { fields: null },
      { env: 0 },
      { volatile: 'cpu' },
      { maxAgeMs: -1 },
      { events: 'bpf' },
    ]) {
      expect(() => new Poller(wrong as never)).toThrow(OptionError);
    }
    const signal = Object.create(AbortSignal.prototype) as AbortSignal;
    expect(() => pollerOf({}).watch({ signal })).toThrow(OptionError);
  });

  it('close() gives back every descriptor', () => {
    const count = (): number => readdirSync('/proc/self/fd').length;
    const before = count();
    const poller = pollerOf({ events: 'pidfd' });
    poller.poll();
    expect(poller.stats.descriptors).toBeGreaterThan(0);
    poller.close();
    expect(count()).toBe(before);
    expect(() => poller.poll()).toThrow(expect.objectContaining({ code: 'ERR_POLLER_CLOSED' }));
    expect(poller.table.has(process.pid)).toBe(true);
  });

  it('is right where the kernel has no pidfds, and says so', async () => {
    const { maker } = await import('../../makers/build.mjs');
    const script = `
      const { Poller } = require(${JSON.stringify(join(__dirname, '..', '..', '..'))});
      const { spawn } = require('node:child_process');
      const { once } = require('node:events');
      (async () => {
        const poller = new Poller({ events: 'pidfd' });
        poller.poll();
        const child = spawn('sleep', ['600'], { stdio: 'ignore' });
        const of = (rows) => rows.filter((row) => row.pid === child.pid).length;
        await once(child, 'spawn');
        const started = of(poller.poll().started);
        const again = of(poller.poll().started);
        child.kill('SIGKILL');
        await once(child, 'exit');
        const exited = of(poller.poll().exited);
        console.log(JSON.stringify([poller.stats.events, started, again, exited]));
      })();`;
    const args = ['pidfd_open', process.execPath, '-e', script];
    const { stdout } = await promisify(execFile)(maker('without'), args, { timeout: 60_000 });
    expect(JSON.parse(stdout)).toEqual(['none', 1, 0, 1]);
  });

  it.each(['auto', 'pidfd'])('owes a look to whoever it had no descriptor for (%s)', async (events) => {
    const script = `
      const { Poller } = require(${JSON.stringify(join(__dirname, '..', '..', '..'))});
      const fs = require('node:fs');
      const { spawn } = require('node:child_process');
      const { once } = require('node:events');
      (async () => {
        const old = spawn('sleep', ['600'], { stdio: 'ignore' });
        await once(old, 'spawn');
        const poller = new Poller({ events: '${events}', fields: ['argv'], maxAgeMs: Infinity });
        poller.poll();
        // Until it is not young any more, and so no longer looked at in each poll.
        while (Date.now() - poller.table.get(old.pid).startTime < 1500) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          poller.poll();
        }
        const young = spawn('sleep', ['600'], { stdio: 'ignore' });
        await once(young, 'spawn');
        const held = [];
        try {
          for (;;) held.push(fs.openSync('/dev/null'));
        } catch {}
        const short = poller.poll();
        old.kill('SIGKILL');
        await once(old, 'exit');
        poller.poll();
        for (const fd of held) fs.closeSync(fd);
        const { exited } = poller.poll();
        const told = exited.some(({ pid }) => pid === old.pid) || !poller.table.has(old.pid);
        const row = poller.table.get(young.pid);
        console.log(JSON.stringify([short.failed || short.faults.length > 0, told, row?.name, row?.argv]));
        young.kill('SIGKILL');
      })();`;
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, '-e', script],
      { timeout: 60_000 },
    );
    expect(JSON.parse(stdout)).toEqual([true, true, 'sleep', ['sleep', '600']]);
  });

  it('keeps no more descriptors than it may', () => {
    const poller = pollerOf({ events: 'pidfd', maxDescriptors: 10 });
    poller.poll();
    poller.poll();
    expect(poller.stats.descriptors).toBeLessThanOrEqual(10);
    expect(poller.poll().failed).toBe(false);
  });

  it('doctor() says which source of events there is, and why not another', async () => {
    const { processEvents, exitEvents } = (await doctor()).capabilities;
    const poller = pollerOf({});
    poller.poll();
    const best = processEvents?.available ? 'connector' : 'pidfd';
    expect(poller.stats.events).toBe(exitEvents?.available ? best : poller.stats.events);
    for (const report of [processEvents, exitEvents]) {
      expect(report?.available === true || (report?.why ?? '') !== '').toBe(true);
    }
  });
});
