import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Sample, UsageSampler, usage } from '../../../lib/index.js';
import { startMaker } from '../../makers/start.js';

const run = promisify(execFile);
const TOP = join(__dirname, '..', '..', '..');
const TICK = 10;

/** Microseconds that a spin maker says it used, own and waited for, in milliseconds. */
function saidCpu(words: readonly string[]): number {
  const keys = ['utime', 'stime', 'cutime', 'cstime'];
  const values = words.filter((word) => keys.includes(word.split('=')[0] as string));
  return values.reduce((sum, word) => sum + Number(word.split('=')[1]) / 1000, 0);
}

/** Runs a script in a Node of its own, with `procscope` as the built package. */
async function node(script: string): Promise<string> {
  const prelude = `const procscope = require(${JSON.stringify(TOP)});`;
  const { stdout } = await run(process.execPath, ['--expose-gc', '-e', `${prelude}\n${script}`], {
    timeout: 110_000,
  });
  return stdout;
}

/** Reads samples until one satisfies `enough`. */
async function until(sampler: UsageSampler, enough: (sample: Sample) => boolean): Promise<Sample[]> {
  const seen: Sample[] = [];
  for await (const sample of sampler) {
    seen.push(sample);
    if (enough(sample)) break;
  }
  return seen;
}

describe('UsageSampler', () => {
  it('counts the time of a process as the process itself does', async () => {
    const maker = await startMaker('spin', ['cpu', 'user', '80']);
    const sampler = new UsageSampler(maker.pid, { intervalMs: 2, processes: true, fields: ['rss', 'io'] });
    try {
      const [first] = await until(sampler, () => true);
      expect(first).toMatchObject({ sequence: 0, cpu: 0, percent: undefined, processes: 1 });
      expect(first?.members).toMatchObject([{ pid: maker.pid, percent: undefined }]);
      const cpuOf = (sample: Sample | undefined): number => sample?.members[0]?.cpu ?? Number.NaN;
      const said = saidCpu((await maker.send('again')).split(' '));
      // getrusage() rounds down, so what it said of itself is reached.
      const samples = await until(sampler, (sample) => cpuOf(sample) >= said);
      const last = samples.at(-1) as Sample;
      expect(cpuOf(first)).toBeLessThan(said);
      expect(last.cpu).toBeCloseTo(cpuOf(last) - cpuOf(first), 3);
      expect(cpuOf(last)).toBeLessThan(saidCpu((await maker.send('again')).split(' ')));
      expect(last.rss).toBeGreaterThan(0);
      expect(last.io?.writeCalls).toBeGreaterThanOrEqual(0);
      for (const [index, sample] of samples.entries()) {
        const before = samples[index - 1] ?? (first as Sample);
        expect(sample.sequence).toBe(before.sequence + 1);
        expect(sample.cpu).toBeGreaterThanOrEqual(before.cpu);
        expect(sample.percent).toBeCloseTo(
          ((sample.cpu - before.cpu) / (sample.time - before.time)) * 100,
          5,
        );
      }
    } finally {
      sampler.stop();
      await maker.end();
    }
  });

  it('counts children that come and go, and none of them twice', async () => {
    const maker = await startMaker('spin', ['forks', '25', '4']);
    const sampler = new UsageSampler(maker.pid, { intervalMs: 1, tree: true, fields: ['io'] });
    try {
      await until(sampler, () => true);
      const words = (await maker.send('again')).split(' ');
      const used = saidCpu(words) - saidCpu(maker.words);
      expect(used).toBeGreaterThanOrEqual(100);
      // Two looks at the counters later, everything is settled.
      const settled = Number(process.hrtime.bigint()) / 1e6 + 3 * TICK;
      const samples = await until(sampler, ({ time }) => time > settled);
      const last = samples.at(-1) as Sample;
      expect(last.processes).toBe(1);
      expect(last.cpu).toBeLessThan(used + 2 * TICK);
      expect(last.cpu).toBeGreaterThan(used - 6 * TICK);
      for (let i = 1; i < samples.length; i++) {
        expect((samples[i] as Sample).cpu).toBeGreaterThanOrEqual((samples[i - 1] as Sample).cpu);
      }
    } finally {
      sampler.stop();
      await maker.end();
    }
  });

  it('shows each process of the tree, an ended one that nobody waited for too', async () => {
    const maker = await startMaker('zombie');
    const sampler = new UsageSampler(maker.pid, { intervalMs: 5, tree: true, processes: true });
    try {
      const samples = await until(sampler, ({ processes }) => processes === 2);
      const pids = samples.at(-1)?.members.map(({ pid }) => pid);
      expect(pids).toEqual([maker.pid, maker.number(0)]);
    } finally {
      sampler.stop();
      await maker.end();
    }
  });

  it('ends by itself, and says why', async () => {
    const maker = await startMaker('spin', ['mem', '1']);
    const sampler = new UsageSampler(maker.pid, { intervalMs: 1 });
    await until(sampler, () => true);
    await maker.end();
    const rest = await until(sampler, () => false);
    expect(sampler.state).toMatchObject({ running: false, reason: 'ended' });
    expect(sampler.state.taken).toBeGreaterThanOrEqual(rest.length + 1);
    expect(sampler.drain().length).toBe(0);

    const nobody = new UsageSampler(2 ** 31 - 1);
    expect(await until(nobody, () => false)).toEqual([]);
    expect(nobody.state).toMatchObject({
      reason: 'fault',
      fault: { kind: 'gone', path: `/proc/${2 ** 31 - 1}` },
    });
  });

  it('tells a slow reader what it lost', async () => {
    const sampler = new UsageSampler(process.pid, { intervalMs: 1, capacity: 3 });
    while (sampler.state.dropped < 5) await new Promise((resolve) => setImmediate(resolve));
    sampler.stop();
    const all: number[] = [];
    let dropped = 0;
    for await (const batch of sampler.batches()) {
      dropped += batch.dropped;
      all.push(...batch.column('sequence'));
    }
    expect(dropped).toBeGreaterThanOrEqual(5);
    expect(all[0]).toBe(dropped);
    expect(() => sampler.drain().at(0)).toThrow(RangeError);
  });

  it('many that wait hold up nothing else', async () => {
    const samplers = Array.from({ length: 20 }, () => new UsageSampler(process.pid, { intervalMs: 60_000 }));
    const over = samplers.map((sampler) => until(sampler, () => false));
    expect((await usage(process.pid)).processes).toHaveLength(1);
    for (const sampler of samplers) sampler.stop();
    await Promise.all(over);
  });

  it('refuses by name what only has the prototype of a signal', () => {
    const signal = Object.create(AbortSignal.prototype) as AbortSignal;
    expect(() => new UsageSampler(process.pid, { signal })).toThrow(
      expect.objectContaining({ name: 'OptionError', option: 'signal' }),
    );
  });

  it('stops when its signal aborts, also before it began', async () => {
    const control = new AbortController();
    const sampler = new UsageSampler(process.pid, { intervalMs: 60_000, signal: control.signal });
    const over = until(sampler, () => false);
    control.abort();
    expect((await over).length).toBeLessThanOrEqual(1);
    expect(sampler.state.reason).toBe('stopped');
    const late = new UsageSampler(process.pid, { signal: control.signal });
    await until(late, () => false);
    expect(late.state.running).toBe(false);
  });
});

describe('UsageSampler and its environment', () => {
  it('keeps no event loop alive unless somebody waits', async () => {
    expect(
      await node(`new procscope.UsageSampler(process.pid, { intervalMs: 1 }); console.log('over');`),
    ).toBe('over\n');
    const out = await node(`(async () => {
      for await (const { sequence } of new procscope.UsageSampler(process.pid, { intervalMs: 1 })) {
        if (sequence >= 20) { console.log('waited'); break; }
      }
    })();`);
    expect(out).toBe('waited\n');
  });

  it('ends when nobody holds it any more, also while its signal lives', async () => {
    const out = await node(`
      const fs = require('node:fs');
      const ours = () => fs.readdirSync('/proc/self/task').map((id) => {
        try { return fs.readFileSync('/proc/self/task/' + id + '/comm', 'utf8'); } catch { return ''; }
      }).filter((name) => name === 'procscope\\n').length;
      const control = new AbortController();
      const start = (i) => new procscope.UsageSampler(process.pid, i % 2 ? { signal: control.signal } : {});
      let held = Array.from({ length: 10 }, (_, i) => start(i));
      (async () => {
        while (ours() < held.length) await new Promise((resolve) => setImmediate(resolve));
        held = [];
        // Four idle threads may be kept for the next question.
        while (ours() > 4) {
          await new Promise((resolve) => setImmediate(resolve));
          gc();
        }
        console.log(control.signal.aborted);
      })();`);
    expect(out).toBe('false\n');
  });

  it('ends with the worker thread that made it', async () => {
    const out = await node(`
      const { Worker } = require('node:worker_threads');
      const fs = require('node:fs');
      const code = \`
        const { parentPort, workerData } = require('node:worker_threads');
        const { UsageSampler } = require(workerData);
        const sampler = new UsageSampler(process.pid, { intervalMs: 1 });
        (async () => { for await (const sample of sampler) parentPort.postMessage('sample'); })();\`;
      const threads = () => fs.readdirSync('/proc/self/task').length;
      (async () => {
        procscope.snapshotAsync();
        for (let i = 0; i < 10; i++) {
          const worker = new Worker(code, { eval: true, workerData: ${JSON.stringify(TOP)} });
          await new Promise((resolve) => worker.once('message', resolve));
          await worker.terminate();
        }
        // Idle threads are kept for the next question: four at most.
        const most = threads() + 4;
        while (fs.readdirSync('/proc/self/task').map((id) => {
          try { return fs.readFileSync('/proc/self/task/' + id + '/comm', 'utf8'); } catch { return ''; }
        }).filter((name) => name === 'procscope\\n').length > 4) await new Promise((resolve) => setImmediate(resolve));
        console.log(threads() <= most);
      })();`);
    expect(out).toBe('true\n');
  });

  it('10,000 samplers leave no thread and no descriptor', async () => {
    const out = await node(`
      const fs = require('node:fs');
      const ours = () => fs.readdirSync('/proc/self/task').map((id) => {
        try { return fs.readFileSync('/proc/self/task/' + id + '/comm', 'utf8'); } catch { return ''; }
      }).filter((name) => name === 'procscope\\n').length;
      const descriptors = () => fs.readdirSync('/proc/self/fd').length;
      const turn = () => new Promise((resolve) => setImmediate(resolve));
      (async () => {
        const one = async (i) => {
          const sampler = new procscope.UsageSampler(process.pid, { intervalMs: 1, fields: ['rss', 'io'] });
          if (i % 10 === 0) for await (const sample of sampler) break;
          sampler.stop();
          if (i % 50 === 0) await turn();
        };
        for (let i = 0; i < 100; i++) await one(i);
        while (ours() > 4) await turn();
        const before = descriptors();
        for (let i = 0; i < 10_000; i++) await one(i);
        // The last ones may still be ending; what leaks never goes.
        while (ours() > 4 || descriptors() > before) await turn();
        console.log('flat');
      })();`);
    expect(out).toBe('flat\n');
  });
});
