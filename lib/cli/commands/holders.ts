import { isAbsolute } from 'node:path';
import type { Fault, Holder, HoldersAnswer, LockWaiter, ProcessTable } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { faultLines, hiddenLines, PROC_ROOT, procRootOf } from '../faults.js';
import { type Cell, columns, printable } from '../text.js';
import { show, type View, WATCH_OPTIONS } from '../watch.js';
import { lockText } from './files.js';

const HEAD: readonly Cell[] = ['PID', 'USER', 'NAME', 'AS', 'ACCESS', 'LOCK', 'PATH'].map((text) => ({
  text,
  styles: ['bold'],
}));

function holderCells(holder: Holder, processes: ProcessTable): Cell[] {
  const { pid, role, fd, access, locks, path } = holder;
  return [
    { text: String(pid) },
    { text: processes.get(pid)?.user ?? '?' },
    { text: holder.name ?? '?' },
    { text: fd === null ? role : `fd ${fd}`, styles: ['cyan'] },
    { text: access === undefined ? '?' : (access ?? '-') },
    { text: lockText(locks) || '-', styles: ['yellow'] },
    { text: path ?? '?' },
  ];
}

function waiterCells(waiter: LockWaiter, processes: ProcessTable): Cell[] {
  const row = waiter.pid === null ? undefined : processes.get(waiter.pid);
  return [
    { text: waiter.pid === null ? '?' : String(waiter.pid) },
    { text: row?.user ?? '?' },
    { text: row?.name ?? '?' },
    { text: 'waits', styles: ['red'] },
    { text: '-' },
    { text: lockText([waiter]), styles: ['yellow'] },
    { text: '' },
  ];
}

async function viewOf(path: string, answer: HoldersAnswer, run: Run): Promise<View> {
  const { holders, waiters, faults } = answer;
  const pids = [...holders, ...waiters].map(({ pid }) => pid).filter((pid) => pid !== null);
  const processes = await run.api.snapshotAsync({ ...procRootOf(run), fields: ['user'], pids });
  const rows = [
    ...holders.map((holder) => holderCells(holder, processes)),
    ...waiters.map((waiter) => waiterCells(waiter, processes)),
  ];
  const none = answer.complete ? 'nobody has' : 'nobody seen to have';
  return {
    json: {
      path,
      ...answer,
      waiters: waiters.map((waiter) => ({
        ...waiter,
        name: waiter.pid === null ? null : processes.get(waiter.pid)?.name,
      })),
    },
    lines: [
      ...(rows.length === 0 ? [printable(`${none} ${path}`)] : columns([HEAD, ...rows], run.paint)),
      ...faultLines(faults, run),
      ...hiddenLines(answer, run),
    ],
    code: rows.length === 0 ? 1 : 0,
  };
}

function refusal(path: string, { kind, call, code }: Fault): string {
  return kind === 'gone' ? `${path}: no such file` : `${path}: ${kind} (errno ${code} from ${call})`;
}

/** Why the file itself could not be looked at, or undefined for any other error. */
function faultOf(error: unknown, run: Run): Fault | undefined {
  return error instanceof run.api.FaultError ? error.fault : undefined;
}

/**
 * What the user named, byte for byte: Node shows an argument that is no UTF-8 with U+FFFD in it, but our own process
 * has it whole.
 */
function bytesOf(operand: string, { api }: Run): string | Buffer {
  if (!operand.includes('\ufffd')) return operand;
  const argv = api
    .snapshot({ pids: [process.pid], fields: ['argv'] })
    .get(process.pid)
    ?.bytes('argv');
  for (let end = argv?.length ?? 0, at = end; argv !== undefined && at > 0; end = at - 1) {
    at = argv.lastIndexOf(0, end - 1) + 1;
    const argument = argv.subarray(at, end);
    if (argument.toString() === operand) return argument;
  }
  return operand;
}

/** Absolute, and otherwise as it was given: `link/..` is not where the link stands. */
function shownPath(operand: string): string {
  try {
    return isAbsolute(operand) ? operand : `${process.cwd()}/${operand}`;
  } catch {
    return operand; // The working directory is gone.
  }
}

async function holdersOnce(operand: string, run: Run): Promise<View> {
  const path = shownPath(operand);
  try {
    return await viewOf(path, await run.api.holders(bytesOf(operand, run), procRootOf(run)), run);
  } catch (error) {
    const fault = faultOf(error, run);
    if (fault === undefined) throw error;
    // A file that is watched may come and go.
    if (run.values['watch'] !== true) throw new Error(refusal(path, fault));
    return { json: { path, fault }, lines: [printable(refusal(path, fault))], code: 1 };
  }
}

export const holders: Command = {
  name: 'holders',
  summary: 'who has a file open, mapped, as cwd, root or exe, or locked, and who waits for a lock on it',
  operands: { text: 'PATH', least: 1, most: 1 },
  options: { ...WATCH_OPTIONS, 'proc-root': PROC_ROOT },
  notes: [
    'Exit code, as with lsof and fuser: 0 somebody has it, 1 nobody has it, or there is no such file',
    '(which is then said on stderr), 2 the command line is wrong.',
  ],
  run: (run) => {
    const operand = run.operands[0] as string;
    if (operand === '') throw new UsageError('holders needs PATH, which is empty');
    return show(run, () => holdersOnce(operand, run));
  },
};
