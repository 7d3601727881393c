import { readFileSync } from 'node:fs';

/** Clock ticks in a second of /proc/self/stat: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * CPU time in milliseconds, user and system: of all threads of this process from getrusage, in
 * microseconds; and of children that were waited for (`cutime`, `cstime`), which Node only gets
 * from /proc/self/stat, in ticks of 10 ms. Trials that start children therefore cost at least some
 * hundred milliseconds in all.
 */
export function cpuMs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const fields = fieldsOf('self');
  const ticks = Number(fields[13]) + Number(fields[14]);
  return (userCPUTime + systemCPUTime) / 1000 + (ticks * 1000) / ticksPerSecond;
}

/** The same of another process and its own threads, in ticks. */
export function cpuMsOf(pid) {
  const fields = fieldsOf(pid);
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** What follows the name in /proc/<pid>/stat, `state` first. */
function fieldsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
