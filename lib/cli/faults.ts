import { resolve } from 'node:path';
import { describeFault, type Fault, type FaultKind } from '../index.js';
import type { Run } from './command.js';
import { plural, printable } from './text.js';

export const PROC_ROOT = {
  type: 'string',
  value: 'DIR',
  help: 'where the process files lie (default /proc)',
} as const;

/** The option as the library takes it. */
export function procRootOf({ values }: Run): { readonly procRoot?: string } {
  const root = values['proc-root'];
  return root === undefined ? {} : { procRoot: root as string };
}

/** Faults of one process each, and those of the whole answer. */
function sorted(faults: readonly Fault[], procRoot: string) {
  const ofPid = new Map<number, FaultKind>();
  const whole: Fault[] = [];
  const before = `${resolve(procRoot)}/`;
  for (const fault of faults) {
    const pid = fault.path.startsWith(before) ? /^\d+/.exec(fault.path.slice(before.length)) : null;
    if (pid === null) whole.push(fault);
    else if (!ofPid.has(Number(pid[0]))) ofPid.set(Number(pid[0]), fault.kind);
  }
  return { ofPid, whole };
}

/** What could not be looked at, in a line or two: how many processes and why, and every other fault. */
export function faultLines(faults: readonly Fault[], run: Run): string[] {
  const { ofPid, whole } = sorted(faults, procRootOf(run).procRoot ?? '/proc');
  const counts = new Map<FaultKind, number>();
  for (const kind of ofPid.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const [only] = counts.keys();
  const reasons =
    counts.size === 1 ? only : [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ');
  const processes =
    counts.size === 0 ? [] : [`could not look at ${plural(ofPid.size, 'process', 'processes')}: ${reasons}`];
  return [...processes, ...whole.map((fault) => printable(describeFault(fault)))].map((line) =>
    run.paint(line, 'yellow'),
  );
}

/** What may be missing from an answer although nothing failed. */
export function hiddenLines(
  answer: { readonly complete: boolean; readonly faults: readonly Fault[] },
  run: Run,
) {
  if (answer.complete || answer.faults.length > 0) return [];
  return [run.paint('not all processes are seen from here: a pid namespace, or hidepid=', 'yellow')];
}
