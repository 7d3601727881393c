// Run as the first process of a pid namespace: `node thread-pid.mjs OPTIONS` lets a thread have the pid of a process
// that ended, and prints what a poller with these options then has in its table and /proc does not list.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

const { Poller } = createRequire(import.meta.url)('../../dist/index.js');

const poller = new Poller(JSON.parse(process.argv[2]));
const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
await once(child, 'spawn');
poller.poll();
const wasKnown = poller.table.has(child.pid);
child.kill('SIGKILL');
await once(child, 'exit');
writeFileSync('/proc/sys/kernel/ns_last_pid', String(child.pid - 1));
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
await once(worker, 'online');
const isThread = readdirSync('/proc/self/task').includes(String(child.pid));
const { exited } = poller.poll();
const listed = readdirSync('/proc');
const strangers = [...poller.table].map((row) => row.pid).filter((pid) => !listed.includes(String(pid)));
const hasExited = exited.some((row) => row.pid === child.pid);
console.log(JSON.stringify({ wasKnown, isThread, hasExited, strangers }));
process.exit(0);
