import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELDS, openFiles, Poller, snapshot, snapshotAsync, sockets, usage } from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { untilOurThreads } from '../threads.js';
import { isRoot } from './oracle.js';

describe.runIf(isRoot)('a process that is stuck in an exec (only root can mount what holds it there)', () => {
  let mount: string;
  let situation: Situation;
  let pid: number;

  beforeAll(async () => {
    mount = mkdtempSync(join(tmpdir(), 'procscope-hung-'));
    situation = await startMaker('fusehang', [mount, 'flush', 'private']);
    pid = situation.number(0);
    await situation.send('hang');
    await situation.send('exec');
    // The exec has begun when the kernel lets nobody look at the io numbers.
    const begun = async (): Promise<boolean> =>
      (await usage(pid, { fields: ['io'], deadlineMs: 200 })).processes[0]?.faults.io?.kind === 'timeout';
    while (!(await begun())) await new Promise((resolve) => setImmediate(resolve));
  });
  afterAll(async () => {
    await situation.end();
    rmdirSync(mount);
  });

  it('holds up no table: its own row says what did not come, and no other is lost', async () => {
    const all = FIELDS.filter((name) => name !== 'env');
    for (const fields of [['ppid'], ['name', 'exe', 'cwd'], all] as (typeof FIELDS)[number][][]) {
      for (const table of [snapshot({ fields }), await snapshotAsync({ fields })]) {
        expect(table.faults).toEqual([]);
        const row = table.get(pid);
        expect(row).toBeDefined();
        // Older kernels let some of it be read.
        for (const field of row?.faultyFields ?? []) expect(row?.fault(field)?.kind).toBe('timeout');
        expect(table.get(process.pid)?.ppid ?? process.ppid).toBe(process.ppid);
        expect(table.get(situation.pid)?.faultyFields).toEqual([]);
      }
    }
  });

  it('holds up no other question, and costs one thread', async () => {
    for (let i = 0; i < 10; i++) {
      snapshot({ fields: ['ppid', 'cwd'] });
      const files = await openFiles('all', { kinds: ['directory'] });
      expect([...files].some((row) => row.pid === process.pid)).toBe(true);
      await usage(pid, { fields: ['io'] });
      await sockets({ kinds: ['unix'] });
    }
    await untilOurThreads(1);
  });

  it.each(['pidfd', 'none'] as const)(
    'holds up no poll (%s), and is known when it can be read',
    async (events) => {
      const poller = new Poller({ events, fields: ['argv'], deadlineMs: 300 });
      const first = poller.poll();
      expect(first.failed).toBe(false);
      expect(first.table.get(process.pid)?.ppid).toBe(process.ppid);
      const row = first.table.get(pid);
      expect(row).toBeDefined();
      for (const field of row?.faultyFields ?? []) expect(row?.fault(field)?.kind).toBe('timeout');
      poller.track(pid);
      for (let i = 0; i < 10; i++) {
        const { failed, exited } = i % 2 === 0 ? poller.poll() : await poller.pollAsync();
        expect([failed, exited.some((each) => each.pid === pid)]).toEqual([false, false]);
      }
      expect(poller.table.has(pid)).toBe(true);
      poller.close();
      await untilOurThreads(1);
    },
  );

  it('is whole again when the exec goes on', async () => {
    const poller = new Poller({ fields: ['exe'], deadlineMs: 300 });
    poller.poll();
    poller.track(pid);
    await situation.send('serve');
    const isWhole = (): boolean => snapshot({ fields: ['ppid', 'exe'] }).get(pid)?.faultyFields.length === 0;
    while (!isWhole()) await new Promise((resolve) => setImmediate(resolve));
    const whole = snapshot({ fields: ['ppid'] }).get(pid);
    expect(whole?.ppid).toBe(situation.pid);
    poller.poll();
    expect(poller.table.get(pid)?.startKey).toBe(whole?.startKey);
    expect(poller.table.get(pid)?.faultyFields).toEqual([]);
    poller.close();
  });
});
