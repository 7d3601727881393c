import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sample, UsageSampler, usage } from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { ourThreads } from '../threads.js';
import { isRoot } from './oracle.js';

/** Threads that are kept for the next question. */
const IDLE_THREADS = 4;

async function until(sampler: UsageSampler, enough: (sample: Sample) => boolean): Promise<Sample> {
  for await (const sample of sampler) if (enough(sample)) return sample;
  throw new Error(`the sampler ended: ${sampler.state.reason}`);
}

describe.runIf(isRoot)(
  'a process that stands in the middle of an exec (only root can mount what holds it there)',
  () => {
    let mount: string;
    let situation: Situation;
    let pid: number;

    beforeEach(async () => {
      mount = mkdtempSync(join(tmpdir(), 'procscope-hung-'));
      situation = await startMaker('fusehang', [mount, 'flush', 'private']);
      pid = situation.number(0);
    });
    afterEach(async () => {
      await situation.end();
      rmdirSync(mount);
    });

    it('costs a sampler the io of that process, one thread, and nothing else', async () => {
      const sampler = new UsageSampler(situation.pid, {
        intervalMs: 1,
        tree: true,
        processes: true,
        fields: ['io'],
      });
      try {
        await until(sampler, ({ io, members }) => io !== undefined && members.some((row) => row.pid === pid));
        await situation.send('hang');
        await situation.send('exec');
        const first = await until(sampler, ({ io }) => io === undefined);
        const fault = sampler.state.fault;
        expect(fault).toMatchObject({ kind: 'timeout', call: 'read' });
        expect(fault?.path).toMatch(new RegExp(`^/proc/${pid}/(io|stat)$`));
        const later = await until(sampler, ({ sequence }) => sequence > first.sequence + 200);
        expect(later.io).toBeUndefined();
        expect(later.members.map((member) => member.pid)).toEqual(first.members.map((member) => member.pid));
        expect(later.members.some((member) => member.pid === pid)).toBe(true);
        expect(sampler.state.running).toBe(true);
        // Whoever asks next leaves it out, since a thread waits there already.
        for (let i = 0; i < 20; i++) {
          const [row] = (await usage(pid, { fields: ['io'] })).processes;
          expect(row?.faults.io?.kind).toBe('timeout');
        }
        // The sampler's own, and the one that is parked: those kept for the next question come and go.
        expect(ourThreads()).toBeLessThanOrEqual(2 + IDLE_THREADS);

        await situation.send('serve');
        const whole = await until(sampler, ({ io }) => io !== undefined);
        expect(whole.processes).toBe(first.processes);
      } finally {
        sampler.stop();
      }
    });

    it('as the root of a sampler is a timeout, which is no end of the process', async () => {
      await situation.send('hang');
      await situation.send('exec');
      const sampler = new UsageSampler(pid, { intervalMs: 1, fields: ['io'] });
      // Kernels differ in whether `stat` waits too: without it there is nothing to follow.
      while (sampler.state.fault === undefined) await new Promise((resolve) => setImmediate(resolve));
      expect(sampler.state.fault.kind).toBe('timeout');
      expect(sampler.state.reason).not.toBe('ended');
      sampler.stop();
      expect(sampler.state.running).toBe(false);
      for await (const batch of sampler.batches()) expect(batch.length).toBeGreaterThan(0);
    });
  },
);
