import type { Lock, ProcessTable } from '../../index.js';
import type { Command, Run } from '../command.js';
import { faultLines, hiddenLines, PROC_ROOT, procRootOf } from '../faults.js';
import { type Cell, columns } from '../text.js';
import { show, type View, WATCH_OPTIONS } from '../watch.js';

const HEAD: readonly Cell[] = ['TYPE', 'MODE', 'RANGE', 'HOLDERS', 'WAITERS', 'FILE'].map((text) => ({
  text,
  styles: ['bold'],
}));

function processText(pids: readonly (number | null)[], processes: ProcessTable): string {
  const texts = [...new Set(pids)].map((pid) =>
    pid === null ? '?' : `${pid}/${processes.get(pid)?.name ?? '?'}`,
  );
  return texts.join(', ');
}

function rangeText({ start, end }: Lock): string {
  if (start === 0n && end === null) return 'whole';
  return `${start}-${end ?? 'end'}`;
}

function cellsOf(lock: Lock, processes: ProcessTable): Cell[] {
  const holders = lock.holders.map(({ pid }) => pid);
  const waiters = lock.waiters.map(({ pid }) => pid);
  return [
    { text: lock.type, styles: ['cyan'] },
    // ADVISORY and ACTIVE are what every lock is unless it says something else.
    { text: /^(ADVISORY|ACTIVE)$/.test(lock.state) ? lock.mode : `${lock.mode} ${lock.state.toLowerCase()}` },
    { text: rangeText(lock) },
    { text: processText(holders, processes) || '?' },
    {
      text: processText(waiters, processes) || '-',
      ...(waiters.length > 0 ? { styles: ['red'] as const } : {}),
    },
    { text: lock.path ?? `(device ${lock.major}:${lock.minor}, inode ${lock.ino})` },
  ];
}

async function look(run: Run): Promise<View> {
  const root = procRootOf(run);
  const answer = await run.api.locks(root);
  const pids = answer.locks
    .flatMap(({ holders, waiters }) => [...holders, ...waiters])
    .map(({ pid }) => pid)
    .filter((pid) => pid !== null);
  const processes = await run.api.snapshotAsync({ ...root, pids });
  const rows = answer.locks.map((lock) => cellsOf(lock, processes));
  const none = answer.complete ? 'no file is locked' : 'no lock seen';
  return {
    json: answer,
    lines: [
      ...(rows.length === 0 ? [none] : columns([HEAD, ...rows], run.paint)),
      ...faultLines(answer.faults, run),
      ...hiddenLines(answer, run),
    ],
    code: rows.length === 0 ? 1 : 0,
  };
}

export const locks: Command = {
  name: 'locks',
  summary: 'file locks with everyone who holds them and who waits',
  options: { ...WATCH_OPTIONS, 'proc-root': PROC_ROOT },
  notes: ['Exit code: 0 there are locks, 1 none was found, 2 the command line is wrong.'],
  run: (run) => show(run, () => look(run)),
};
