// Runs as the first process of a pid namespace with a /proc of its own: an agent ends, its pid is given
// to another agent, and the events that a monitor reports of that are printed as JSON.
// reuse.mjs LIBRARY FIRST-PROGRAM SECOND-PROGRAM
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [library, firstProgram, secondProgram] = process.argv.slice(2);
const { AgentMonitor, snapshot } = createRequire(import.meta.url)(library);

/** Resolves once the program itself runs. */
async function start(program) {
  const child = spawn(program, { stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

/** Node makes threads when it pleases, and a thread takes a pid as well: then it is tried again. */
async function startAs(pid, program) {
  for (;;) {
    writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
    const child = await start(program);
    if (child.pid === pid) return child;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

const monitor = new AgentMonitor({ pathEnv: '', overrides: {}, tmuxSockets: [] });
const polls = [];
const poll = async () => {
  const { events } = await monitor.poll();
  polls.push(events.map(({ type, agent, reasons }) => ({ type, ...agent, reason: reasons[0] })));
};

const first = await start(firstProgram);
// A later pid was given out than the one that is given out again: as where the pids were used up.
await once(spawn('true'), 'exit');
await poll();
first.kill('SIGKILL');
await once(first, 'exit');
while (snapshot({ pids: [first.pid] }).size > 0);
const second = await startAs(first.pid, secondProgram);
await poll();
second.kill('SIGKILL');
await once(second, 'exit');
await poll();
monitor.close();
process.stdout.write(JSON.stringify({ pid: first.pid, polls }));
