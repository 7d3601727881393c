import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

// comm and args may hold spaces; the start time between them is the one part with a fixed form.
const line = /^\s*(\d+)\s+(\d+)\s+(.*?)\s+(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\s(.*)$/;

async function ps() {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,comm=,lstart=,args='], {
    maxBuffer: 1 << 28,
    env: { ...process.env, LC_ALL: 'C' },
  });
  const rows = [];
  for (const text of stdout.split('\n')) {
    const match = line.exec(text);
    if (!match) continue;
    const [, pid, ppid, name, start, args] = match;
    rows.push({ pid: Number(pid), ppid: Number(ppid), name, startTime: Date.parse(start), argv: args });
  }
  return rows;
}

export default [
  {
    name: 'ps',
    about: 'Node: starts ps and parses pid, ppid, comm, lstart, args',
    facts: ['argv'],
    costUs: 90,
    open: () => ({ look: ps, count: (rows) => rows.length, rows: (rows) => rows }),
  },
];
