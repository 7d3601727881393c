import type { Fault } from '../native/fault.js';
import type { LookAnswer } from './look.js';
import { look } from './look-files.js';
import { DEFAULT_PROC_ROOT } from './options.js';
import { snapshotAsync } from './snapshot.js';
import type { ProcessUsage } from './usage-row.js';

/**
 * Numbers of a whole cgroup (v2), which also count what ended and was never waited for. Undefined where the
 * controller is not enabled there, or the kernel is too old (`memory.peak` came with 5.19). Times are
 * milliseconds, sizes bytes. Source: Documentation/admin-guide/cgroup-v2.rst.
 */
export interface CgroupUsage {
  /** Below the mount of the hierarchy. */
  readonly path: string;
  /** cpu.stat. */
  readonly cpu: { readonly total: number; readonly user: number; readonly system: number } | undefined;
  /** memory.current and memory.peak. */
  readonly memory: number | undefined;
  readonly memoryPeak: number | undefined;
  /** io.stat, over all devices. */
  readonly io:
    | {
        readonly readBytes: number;
        readonly writeBytes: number;
        readonly readCalls: number;
        readonly writeCalls: number;
      }
    | undefined;
  /** pids.current: tasks, that is threads. */
  readonly tasks: number | undefined;
}

export interface CgroupAnswer {
  /** null: the processes are not alone in one group. */
  readonly value: CgroupUsage | null | undefined;
  readonly faults: readonly Fault[];
}

const FILE_BYTES = 1 << 20;
const PROCS = 'cgroup.procs';
const GROUP = 'cgroup.stat';
const NUMBERS = ['cpu.stat', 'memory.current', 'memory.peak', 'io.stat', 'pids.current'] as const;

/** The group of processes that were just read, if it holds exactly them. */
export async function cgroupUsage(
  processes: readonly ProcessUsage[],
  { procRoot, deadlineMs }: { readonly procRoot: string; readonly deadlineMs: number },
): Promise<CgroupAnswer> {
  if (procRoot !== DEFAULT_PROC_ROOT) {
    // The mounts of another machine are not ours to walk.
    return {
      value: undefined,
      faults: [{ kind: 'unsupported', code: 0, call: 'query', path: `${procRoot}/self/mountinfo` }],
    };
  }
  const living = processes.filter(({ state }) => state !== 'Z').map(({ pid }) => pid);
  const table = await snapshotAsync({ fields: ['cgroup'], pids: living, deadlineMs });
  const paths = new Set<string | null>();
  for (const row of table) {
    const path = row.cgroup;
    if (path === undefined) {
      const fault = row.fault('cgroup');
      return { value: undefined, faults: fault === undefined ? [] : [fault] };
    }
    paths.add(path);
  }
  const [path] = paths;
  if (paths.size !== 1 || path === undefined || path === null || table.size !== living.length) {
    return { value: null, faults: table.faults };
  }
  const [mounts] = await look(
    [{ op: 'read', path: `${procRoot}/self/mountinfo`, maxBytes: FILE_BYTES }],
    deadlineMs,
  );
  if (mounts?.bytes === undefined) return { value: undefined, faults: mounts?.fault ? [mounts.fault] : [] };
  const folder = folderOf(mounts.bytes.toString('utf8'), path);
  if (folder === undefined) return { value: null, faults: [] };
  return readGroup(folder, path, living, deadlineMs);
}

/** Where a group of the v2 hierarchy is mounted; undefined if no mount shows it. proc_pid_mountinfo(5). */
export function folderOf(mountinfo: string, path: string): string | undefined {
  for (const line of mountinfo.split('\n')) {
    const [mount, source] = line.split(' - ', 2);
    if (mount === undefined || source === undefined || !source.startsWith('cgroup2 ')) continue;
    const [, , , root, point] = mount.split(' ').map(unescaped);
    if (root === undefined || point === undefined) continue;
    const top = root === '/' ? '' : root;
    if (path === top || path.startsWith(`${top}/`)) return `${point}${path.slice(top.length)}`;
  }
  return undefined;
}

/** Blanks and backslashes are octal there. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

/** Reads the numbers of the group in a folder if it holds exactly `pids`, and no group below it. */
export async function readGroup(
  folder: string,
  path: string,
  pids: readonly number[],
  deadlineMs: number,
): Promise<CgroupAnswer> {
  const answers = await look(
    [PROCS, GROUP, ...NUMBERS].map((name) => ({
      op: 'read' as const,
      path: `${folder}/${name}`,
      group: folder,
      maxBytes: FILE_BYTES,
    })),
    deadlineMs,
  );
  const [procs, group, ...numbers] = answers as [LookAnswer, LookAnswer, ...LookAnswer[]];
  if (procs.bytes === undefined) return { value: undefined, faults: procs.fault ? [procs.fault] : [] };
  const inside = new Set(procs.bytes.toString('latin1').split('\n').filter(Boolean).map(Number));
  const below = keyed(group.bytes).get('nr_descendants') ?? 0;
  if (below !== 0 || inside.size !== pids.length || !pids.every((pid) => inside.has(pid))) {
    return { value: null, faults: [] };
  }
  const [cpu, memory, peak, io, tasks] = numbers.map(({ bytes }) => bytes);
  // A controller that is not enabled has no file, and that is no fault.
  const faults = numbers.flatMap(({ fault }) =>
    fault === undefined || fault.kind === 'gone' ? [] : [fault],
  );
  return {
    value: {
      path,
      cpu: cpuOf(keyed(cpu)),
      memory: wholeOf(memory),
      memoryPeak: wholeOf(peak),
      io: ioOf(io),
      tasks: wholeOf(tasks),
    },
    faults,
  };
}

/** Lines of `key number`. */
function keyed(bytes: Buffer | undefined): ReadonlyMap<string, number> {
  const lines = bytes?.toString('latin1').split('\n') ?? [];
  const pairs = lines.map((line) => /^(\S+) (\d+)$/.exec(line)).filter((found) => found !== null);
  return new Map(pairs.map(([, key, value]) => [key as string, Number(value)]));
}

function wholeOf(bytes: Buffer | undefined): number | undefined {
  const text = bytes?.toString('latin1').trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function cpuOf(stat: ReadonlyMap<string, number>): CgroupUsage['cpu'] {
  const [total, user, system] = ['usage_usec', 'user_usec', 'system_usec'].map((key) => stat.get(key));
  if (total === undefined || user === undefined || system === undefined) return undefined;
  return { total: total / 1000, user: user / 1000, system: system / 1000 };
}

/** `8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0`, one line a device. */
function ioOf(bytes: Buffer | undefined): CgroupUsage['io'] {
  if (bytes === undefined) return undefined;
  const text = bytes.toString('latin1');
  const add = (key: string): number => {
    const found = text.matchAll(new RegExp(`(?<= )${key}=(\\d+)`, 'g'));
    return [...found].reduce((total, [, value]) => total + Number(value), 0);
  };
  return {
    readBytes: add('rbytes'),
    writeBytes: add('wbytes'),
    readCalls: add('rios'),
    writeCalls: add('wios'),
  };
}
