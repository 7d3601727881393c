import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const TOP = join(__dirname, '..', '..', '..');

/** Runs a script in a Node of its own, with `procscope` as the built package. */
async function node(script: string, args: readonly string[] = []): Promise<string> {
  const prelude = `const procscope = require(${JSON.stringify(TOP)}); const { Worker } = require('node:worker_threads');`;
  const { stdout } = await run(process.execPath, [...args, '-e', `${prelude}\n${script}`], {
    timeout: 110_000,
  });
  return stdout;
}

const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { snapshot, snapshotAsync } = require(workerData);
  (async () => {
    for (let i = 0; i < 30; i++) {
      if (!snapshot({ fields: ['argv', 'cwd'] }).has(process.pid)) throw new Error('not seen');
      if (!(await snapshotAsync({ fields: ['exe'] })).has(process.pid)) throw new Error('not seen');
    }
    parentPort.postMessage('done');
  })();`;

describe('several environments in one process', () => {
  it('a worker and the main thread use the addon at once', async () => {
    const out = await node(`
      const worker = new Worker(${JSON.stringify(WORKER)}, { eval: true, workerData: ${JSON.stringify(TOP)} });
      let over = false;
      worker.on('message', (text) => { over = true; console.log(text); });
      (async () => {
        while (!over) {
          if (!procscope.snapshot().has(process.pid)) throw new Error('not seen');
          if (!(await procscope.snapshotAsync({ fields: ['argv'] })).has(process.pid)) throw new Error('not seen');
        }
      })();`);
    expect(out).toBe('done\n');
  });

  it('only workers load it, one after another, and each ends with looks under way', async () => {
    const out = await node(`
      const code = \`
        const { parentPort, workerData } = require('node:worker_threads');
        const { snapshotAsync } = require(workerData);
        for (let i = 0; i < 8; i++) snapshotAsync({ fields: ['argv', 'cwd', 'exe'] });
        parentPort.postMessage('started');\`;
      (async () => {
        for (let i = 0; i < 10; i++) {
          const worker = new Worker(code, { eval: true, workerData: ${JSON.stringify(TOP)} });
          await new Promise((resolve) => worker.once('message', resolve));
          await worker.terminate();
        }
        console.log('done');
      })();`);
    expect(out).toBe('done\n');
  });

  it('workers that end while a watch waits leave no thread waiting', async () => {
    const out = await node(`
      const { readdirSync, readFileSync } = require('node:fs');
      const { setTimeout: rest } = require('node:timers/promises');
      const nameOf = (id) => {
        try { return readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim(); } catch { return ''; }
      };
      const threads = () => readdirSync('/proc/self/task').map(nameOf).filter((name) => name === 'procscope').length;
      const code = \`
        const { parentPort, workerData } = require('node:worker_threads');
        const { Poller } = require(workerData);
        (async () => {
          const watch = new Poller({ fields: [] }).watch({ intervalMs: 3_600_000 });
          await watch.next();
          watch.next();
          parentPort.postMessage('waits');
        })();\`;
      (async () => {
        const start = async () => {
          const worker = new Worker(code, { eval: true, workerData: ${JSON.stringify(TOP)} });
          await new Promise((resolve) => worker.once('message', resolve));
          return worker;
        };
        for (let i = 0; i < 10; i++) await (await start()).terminate();
        // Idle threads end after a few seconds: what is left then waits for something.
        while (threads() > 0) await rest(50);
        console.log('done');
      })();`);
    expect(out).toBe('done\n');
  });

  it('process.exit() with looks under way ends at once and cleanly', async () => {
    const out = await node(`
      for (let i = 0; i < 8; i++) procscope.snapshotAsync({ fields: ['argv', 'cwd', 'exe'] });
      setImmediate(() => { console.log('exit'); process.exit(0); });`);
    expect(out).toBe('exit\n');
  });

  it('a look under way keeps the event loop alive, and nothing does afterwards', async () => {
    const out = await node(`procscope.snapshotAsync().then((table) => console.log(table.has(process.pid)));`);
    expect(out).toBe('true\n');
  });
});
