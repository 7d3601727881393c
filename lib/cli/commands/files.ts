import {
  type Fault,
  FILE_FIELDS,
  FILE_ROLES,
  type FileRole,
  type LockMark,
  type OpenFile,
} from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { faultLines, PROC_ROOT, procRootOf } from '../faults.js';
import { type Cell, columns, plural } from '../text.js';
import { show, type View, WATCH_OPTIONS } from '../watch.js';

const MOST_PIDS = 10_000;
/** Kinds whose size is that of what they hold. */
const SIZED = ['file', 'directory', 'memfd', 'block'];
const HEAD: readonly Cell[] = ['PID', 'NAME', 'FD', 'ACCESS', 'KIND', 'LOCK', 'SIZE', 'PATH'].map((text) => ({
  text,
  styles: ['bold'],
}));

export function pidOf(text: string): number {
  const pid = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (pid >= 1 && pid <= 0x7fff_ffff) return pid;
  throw new UsageError(`not a pid: ${text}`);
}

function targetOf(operands: readonly string[]): 'all' | readonly number[] {
  if (!operands.includes('all')) return operands.map(pidOf);
  if (operands.length > 1) throw new UsageError('all stands alone');
  return 'all';
}

/** `flock write`-like text for each lock. */
export function lockText(marks: readonly LockMark[]): string {
  return marks.map(({ type, mode }) => `${type.toLowerCase()} ${mode}`).join(', ');
}

function pathText(file: OpenFile): string {
  if (file.path === undefined) return `(${faultsOf(file)[0]?.kind ?? 'not read'})`;
  // The inode of a pipe or a socket is its name already.
  const told = Object.entries(file.details ?? {}).filter(([key]) => key !== 'inode');
  const details = told.map(([key, value]) => `${key}=${value}`);
  const marks = [...(file.deleted === true ? ['deleted'] : []), ...details];
  return marks.length === 0 ? file.path : `${file.path} (${marks.join(', ')})`;
}

function faultsOf(file: OpenFile): Fault[] {
  return FILE_FIELDS.map((field) => file.fault(field)).filter((fault) => fault !== undefined);
}

function sizeText({ size, kind }: OpenFile): string {
  if (size === undefined) return '?';
  return kind !== undefined && SIZED.includes(kind) ? String(size) : '-';
}

function cellsOf(file: OpenFile, name: string | undefined): Cell[] {
  const access = file.access;
  return [
    { text: String(file.pid) },
    { text: name ?? '?' },
    { text: file.fd === null ? file.role : String(file.fd), styles: ['cyan'] },
    { text: access === undefined ? '?' : (access ?? '-') },
    { text: file.kind ?? '?' },
    { text: file.locks === undefined ? '?' : lockText(file.locks) || '-', styles: ['yellow'] },
    { text: sizeText(file) },
    { text: pathText(file), ...(file.path === undefined ? { styles: ['dim'] as const } : {}) },
  ];
}

/** A row that only says why nothing could be read is no file that was found. */
const isFile = (file: OpenFile): boolean => file.path !== undefined || file.ino !== undefined;

async function look(run: Run, target: 'all' | readonly number[]): Promise<View> {
  const { values, api } = run;
  const root = procRootOf(run);
  const table = await api.openFiles(target, {
    ...root,
    ...(values['kind'] === undefined ? {} : { kinds: values['kind'] as readonly string[] }),
    ...(values['role'] === undefined ? {} : { roles: values['role'] as readonly FileRole[] }),
  });
  const files = [...table];
  const found = files.filter(isFile).length;
  const names = await api.snapshotAsync({ ...root, pids: new Set(files.map(({ pid }) => pid)) });
  const faults = [...table.faults, ...files.flatMap(faultsOf).filter(({ kind }) => kind !== 'gone')];
  const gone = target === 'all' ? 0 : table.vanished;
  return {
    json: {
      files: files.map((file) => ({ name: names.get(file.pid)?.name ?? null, ...file.toJSON() })),
      vanished: table.vanished,
      faults: table.faults,
    },
    lines: [
      ...(files.length === 0
        ? []
        : columns([HEAD, ...files.map((file) => cellsOf(file, names.get(file.pid)?.name))], run.paint)),
      ...(gone > 0 ? [`${plural(gone, 'process is', 'processes are')} not there`] : []),
      ...(found === 0 && gone === 0 ? ['no file found'] : []),
      ...faultLines(faults, run),
    ],
    code: found > 0 ? 0 : 1,
  };
}

export const files: Command = {
  name: 'files',
  summary: 'what processes have open: descriptors, cwd, root, exe and mapped files',
  operands: { text: 'PID...|all', least: 1, most: MOST_PIDS },
  options: {
    kind: {
      type: 'string',
      multiple: true,
      value: 'KIND',
      help: 'only this kind: file, directory, socket, pipe ...',
    },
    role: { type: 'string', multiple: true, value: 'ROLE', help: `only this role: ${FILE_ROLES.join(', ')}` },
    ...WATCH_OPTIONS,
    'proc-root': PROC_ROOT,
  },
  notes: [
    'Exit code: 0 files were found, 1 none was found or could be looked at, 2 the command line is wrong.',
  ],
  run: (run) => {
    const target = targetOf(run.operands);
    return show(run, () => look(run, target));
  },
};
