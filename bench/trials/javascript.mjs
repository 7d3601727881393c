// The same facts with nothing but node:fs.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

function link(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function rowOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  const fields = stat.slice(close + 2).split(' ');
  const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  argv.pop();
  return {
    pid: Number(pid),
    name: stat.slice(open + 1, close),
    state: fields[0],
    ppid: Number(fields[1]),
    startTicks: fields[19],
    argv,
    cwd: link(`/proc/${pid}/cwd`),
    exe: link(`/proc/${pid}/exe`),
  };
}

function table() {
  const rows = [];
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 49 || first > 57) continue;
    try {
      rows.push(rowOf(name));
    } catch {
      // It ended between the listing and the look.
    }
  }
  return rows;
}

export default [
  {
    name: 'node-fs',
    about: 'JavaScript: readFileSync and readlinkSync on /proc',
    facts: ['argv', 'cwd', 'exe'],
    costUs: 80,
    open: () => ({ look: table, count: (rows) => rows.length, rows: (rows) => rows }),
  },
];
