// What other programs and the kernel's own files say of a process: the side that the library is
// compared with.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** One column of one process as ps prints it, trimmed. */
export function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-p', String(pid), '-o', `${column}=`], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  }).trim();
}

/** A line of /proc/pid/status, without its key. */
export function statusLine(pid: number, key: string): string {
  const line = readFileSync(`/proc/${pid}/status`, 'latin1')
    .split('\n')
    .find((text) => text.startsWith(`${key}:`));
  if (line === undefined) throw new Error(`no ${key} in status`);
  return line.slice(key.length + 1).trim();
}

/** Fields of /proc/pid/stat from the state on, for a process whose name holds no parenthesis. */
export function statFields(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text
    .slice(text.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
}

export const isRoot = process.getuid?.() === 0;

/** Whether a program is there to compare with. */
export function hasProgram(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
