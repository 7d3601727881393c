import { execFile } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holders, openFiles, snapshot, snapshotAsync } from '../../../lib/index.js';
import { look } from '../../../lib/process/look-files.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { isRoot } from '../process/oracle.js';

const run = promisify(execFile);
const TOP = join(__dirname, '..', '..', '..');

describe.runIf(isRoot)('a file system that answers nothing any more (only root can mount one here)', () => {
  let mount: string;
  let situation: Situation;
  let pid: number;
  let fd: number;

  beforeAll(async () => {
    mount = mkdtempSync(join(tmpdir(), 'procscope-hung-'));
    situation = await startMaker('fusehang', [mount, 'private']);
    [pid, fd] = [situation.number(0), situation.number(1)];
    await situation.send('hang');
  });
  afterAll(async () => {
    await situation.end();
    rmdirSync(mount);
  });

  it('stat through its links does hang, for everybody who asks', async () => {
    const [cwd] = await look([{ op: 'stat', path: `/proc/${pid}/cwd` }], 200);
    expect(cwd?.fault?.kind).toBe('timeout');
  });

  it('snapshot gives cwd and exe, and loses no other row', async () => {
    for (const table of [
      snapshot({ fields: ['cwd', 'exe', 'exeFile'] }),
      await snapshotAsync({ fields: ['cwd', 'exe'] }),
    ]) {
      expect(table.faults).toEqual([]);
      expect(table.get(pid)?.cwd).toBe(mount);
      expect(table.get(pid)?.exe?.endsWith('/fusehang')).toBe(true);
      expect(table.get(process.pid)?.cwd).toBe(process.cwd());
    }
  });

  it('openFiles of it and of all: paths and descriptors are there', async () => {
    for (const target of [pid, 'all'] as const) {
      const table = await openFiles(target);
      expect(table.faults).toEqual([]);
      const held = [...table].find((row) => row.pid === pid && row.fd === fd);
      expect(held?.path).toBe(`${mount}/file`);
      expect(held?.flags).toBeTypeOf('number');
      // The kernel knows which file it is without asking the server; if not, that says so.
      if (held?.ino === undefined) expect(held?.fault('stat')?.kind).toBe('timeout');
      else expect(held.kind).toBe('file');
    }
  });

  it('holders of another file are found all the same', async () => {
    const answer = await holders(process.execPath);
    expect(answer.holders.some((holder) => holder.pid === process.pid && holder.role === 'exe')).toBe(true);
  });

  it('10,000 polls leave no thread and no descriptor, and the process exits while reads are stuck', async () => {
    const script = `
      const fs = require('node:fs');
      const { snapshotAsync, openFiles } = require(${JSON.stringify(TOP)});
      const { look } = require(${JSON.stringify(join(TOP, 'dist/process/look-files.js'))});
      const count = () => [fs.readdirSync('/proc/self/task').length, fs.readdirSync('/proc/self/fd').length];
      const poll = async (i) => {
        const [answer] = await look([{ op: 'stat', path: '/proc/${pid}/cwd' }], 100);
        if (answer.fault?.kind !== 'timeout') throw new Error('did not hang');
        await snapshotAsync({ fields: ['cwd', 'exe', 'exeFile'], pids: [${pid}] });
        await openFiles(${pid});
      };
      (async () => {
        for (let i = 0; i < 500; i++) await poll(i);
        const before = count();
        for (let i = 500; i < 10000; i++) await poll(i);
        // The thread of the last answer may still hold its folder for a moment; what leaks never goes.
        let after = count();
        for (; after[1] > before[1]; after = count()) await new Promise((resolve) => setImmediate(resolve));
        console.log(JSON.stringify({ before, after }));
      })();`;
    const { stdout } = await run(process.execPath, ['-e', script], { timeout: 300_000 });
    const { before, after } = JSON.parse(stdout) as Record<'before' | 'after', [number, number]>;
    // Up to four idle threads come and go; a leak would be thousands.
    expect(after[0]).toBeLessThanOrEqual(before[0] + 4);
    expect(after[1]).toBeLessThanOrEqual(before[1]);
  }, 300_000);
});
