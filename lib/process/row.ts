import { inspect } from 'node:util';
import type { Decoder } from '../native/decode.js';
import type { Fault } from '../native/fault.js';
import {
  type COLUMNS,
  FIELDS,
  fieldBit,
  type NumberColumn,
  type ProcessField,
  ROW_FLAG,
  type TextColumn,
} from '../native/layout.js';
import type { ProcessKey } from './identity.js';
import type { ProcessTable } from './table.js';
import { type CgroupEntry, parseCgroups, parseEnv, splitArguments, splitPids } from './texts.js';

/** Device and inode number of a file. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

const BIT = {
  ppid: fieldBit('ppid'),
  pgid: fieldBit('pgid'),
  sid: fieldBit('sid'),
  tty: fieldBit('tty'),
  tpgid: fieldBit('tpgid'),
  state: fieldBit('state'),
  name: fieldBit('name'),
  start: fieldBit('start'),
  threads: fieldBit('threads'),
  priority: fieldBit('priority'),
  nice: fieldBit('nice'),
  cpu: fieldBit('cpu'),
  rss: fieldBit('rss'),
  vsize: fieldBit('vsize'),
  kernelThread: fieldBit('kernelThread'),
  uid: fieldBit('uid'),
  euid: fieldBit('euid'),
  gid: fieldBit('gid'),
  egid: fieldBit('egid'),
  exeFile: fieldBit('exeFile'),
  pidNamespace: fieldBit('pidNamespace'),
};

/** Properties that show a field whose name is another. */
const SHOWN: Partial<Record<ProcessField, readonly string[]>> = {
  start: ['startKey', 'startTime'],
  exe: ['exe', 'exeDeleted'],
  cwd: ['cwd', 'cwdDeleted'],
  cgroup: ['cgroup', 'cgroups'],
};

/** An object of these values that prints under a class's name. */
export function shownAs(name: string, values: Record<string, unknown>): unknown {
  return Object.assign(Object.create({ constructor: { name } }) as object, values);
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainValue(part)]));
}

/**
 * One process of a table. Every property has three values: a value; `null` = looked, and there is
 * none; `undefined` = not asked for, or could not be read (then `fault(field)` says why).
 */
export class ProcessRow {
  readonly pid: number;
  readonly #table: ProcessTable;
  readonly #decoder: Decoder<typeof COLUMNS>;
  readonly #index: number;
  readonly #present: number;
  /** Whose texts these are, if not its own: they came with an earlier look and did not change. */
  readonly #texts: ProcessRow | undefined;
  #argv: readonly string[] | undefined;

  /** Rows are made by their table. */
  constructor(
    table: ProcessTable,
    decoder: Decoder<typeof COLUMNS>,
    index: number,
    earlier: ProcessRow | undefined = undefined,
  ) {
    this.#table = table;
    this.#decoder = decoder;
    this.#index = index;
    this.pid = (decoder.column('pid') as Int32Array)[index] as number;
    this.#present = (decoder.column('present') as Uint32Array)[index] as number;
    this.#texts = earlier === undefined ? undefined : (earlier.#texts ?? earlier);
  }

  /** Parent; 0 = none that this pid namespace can see. proc_pid_stat(5) field 4. */
  get ppid(): number | undefined {
    return this.#number('ppid', BIT.ppid);
  }

  /** Process group. */
  get pgid(): number | undefined {
    return this.#number('pgid', BIT.pgid);
  }

  /** Session id. */
  get sid(): number | undefined {
    return this.#number('sid', BIT.sid);
  }

  /** Controlling terminal below /dev, such as `pts/3`; null = none. A device that no driver claims is `major:minor`. */
  get tty(): string | null | undefined {
    const device = this.ttyDevice;
    if (device === undefined) return undefined;
    if (device === 0) return null;
    const name = this.#decoded('tty');
    if (name !== undefined && name !== '') return name;
    return `${(device >>> 8) & 0xfff}:${(device & 0xff) | ((device >>> 12) & 0xfff00)}`;
  }

  /** Device number of the controlling terminal in the kernel's packed form; 0 = none. */
  get ttyDevice(): number | undefined {
    return this.#number('ttyDevice', BIT.tty);
  }

  /** Foreground process group of the terminal; values <= 0 mean that the kernel does not say. */
  get tpgid(): number | undefined {
    return this.#number('tpgid', BIT.tpgid);
  }

  /** Kernel state letter: R, S, D, T (stopped), t (traced), Z (zombie), X, I (idle kernel thread). */
  get state(): string | undefined {
    const code = this.#number('state', BIT.state);
    return code === undefined ? undefined : String.fromCharCode(code);
  }

  /** comm: at most 15 bytes (kernel threads: more), any bytes; with U+FFFD for what is no UTF-8. */
  get name(): string | undefined {
    return (this.#present & BIT.name) === 0 ? undefined : this.#decoded('name');
  }

  /** Start in the kernel's own unit (Linux: clock ticks since boot). With pid the identity. */
  get startKey(): bigint | undefined {
    if ((this.#present & BIT.start) === 0) return undefined;
    return this.#decoder.column('startKey')?.[this.#index];
  }

  /** Start in milliseconds since the epoch. It moves with the wall clock: for people, never an identity. */
  get startTime(): number | undefined {
    const time = this.#number('startTime', BIT.start);
    return Number.isNaN(time) ? undefined : time;
  }

  /** Threads, the main one included. */
  get threads(): number | undefined {
    return this.#number('threads', BIT.threads);
  }

  /** Kernel priority as proc_pid_stat(5) field 18 gives it; negative for realtime policies. */
  get priority(): number | undefined {
    return this.#number('priority', BIT.priority);
  }

  /** -20 (high) to 19 (low). */
  get nice(): number | undefined {
    return this.#number('nice', BIT.nice);
  }

  /** Processor time used so far, in milliseconds, in steps of a clock tick. */
  get cpu(): { readonly user: number; readonly system: number } | undefined {
    const user = this.#number('userCpu', BIT.cpu);
    const system = this.#number('systemCpu', BIT.cpu);
    return user === undefined || system === undefined ? undefined : { user, system };
  }

  /** Resident memory in bytes, as `stat` counts it (the kernel keeps it approximate). */
  get rss(): number | undefined {
    return this.#number('rss', BIT.rss);
  }

  /** Virtual memory in bytes. */
  get vsize(): number | undefined {
    return this.#number('vsize', BIT.vsize);
  }

  /** Whether it is a thread of the kernel (PF_KTHREAD), which has no program and no files. */
  get kernelThread(): boolean | undefined {
    return (this.#present & BIT.kernelThread) === 0 ? undefined : this.#flag(ROW_FLAG.kernelThread);
  }

  /** Real user id. */
  get uid(): number | undefined {
    return this.#number('uid', BIT.uid);
  }

  /** Effective user id: whose rights the process has now. */
  get euid(): number | undefined {
    return this.#number('euid', BIT.euid);
  }

  /** Real group id. */
  get gid(): number | undefined {
    return this.#number('gid', BIT.gid);
  }

  /** Effective group id. */
  get egid(): number | undefined {
    return this.#number('egid', BIT.egid);
  }

  /** Name of the effective user; null = the name service knows none. */
  get user(): string | null | undefined {
    return this.#nullable('user');
  }

  /**
   * Arguments, each with U+FFFD for what is no UTF-8; `[]` for kernel threads and zombies. A title
   * that the process wrote over its arguments stands alone, without the NULs that pad it: two or more
   * empty arguments behind a single one look the same and are not shown; `bytes('argv')` has them.
   */
  get argv(): readonly string[] | undefined {
    if (this.#texts !== undefined) return this.#texts.argv;
    if (this.#argv !== undefined) return this.#argv;
    const bytes = this.bytes('argv');
    if (bytes === undefined) return undefined;
    this.#argv = Object.freeze(splitArguments(bytes).map((part) => part.toString('utf8')));
    return this.#argv;
  }

  /** Path of the running image without the ` (deleted)` of the kernel; null = none (kernel thread, zombie). */
  get exe(): string | null | undefined {
    return this.#nullable('exe');
  }

  /** Whether the path no longer leads to the running image. */
  get exeDeleted(): boolean | undefined {
    if (this.exe === undefined || this.#flag(ROW_FLAG.exeDeletedUnknown)) return undefined;
    return this.#flag(ROW_FLAG.exeDeleted);
  }

  /** Identity of the running image, right also after its path was replaced; null = none. */
  get exeFile(): FileIdentity | null | undefined {
    if ((this.#present & BIT.exeFile) === 0) return undefined;
    const ino = this.#decoder.column('exeIno')?.[this.#index];
    const dev = this.#decoder.column('exeDev')?.[this.#index];
    if (ino === undefined || dev === undefined) return undefined;
    return ino === 0n ? null : { dev, ino };
  }

  /** Working directory as seen from our root; null = none (kernel thread, zombie). */
  get cwd(): string | null | undefined {
    return this.#nullable('cwd');
  }

  /** Whether the working directory was removed. */
  get cwdDeleted(): boolean | undefined {
    if (this.cwd === undefined || this.#flag(ROW_FLAG.cwdDeletedUnknown)) return undefined;
    return this.#flag(ROW_FLAG.cwdDeleted);
  }

  /** Root directory as seen from ours. */
  get root(): string | null | undefined {
    return this.#nullable('root');
  }

  /** Inode number of the pid namespace. */
  get pidNamespace(): number | undefined {
    if ((this.#present & BIT.pidNamespace) === 0) return undefined;
    return Number(this.#decoder.column('pidNamespace')?.[this.#index]);
  }

  /** Pids from the outermost namespace that the root can see inward: the last is what the process itself sees. */
  get nspid(): readonly number[] | undefined {
    const text = this.#text('nspid');
    return text === undefined ? undefined : splitPids(text);
  }

  /** Path in the unified (v2) hierarchy; null = in none. */
  get cgroup(): string | null | undefined {
    return this.cgroups === undefined
      ? undefined
      : (this.cgroups.find((entry) => entry.hierarchy === 0)?.path ?? null);
  }

  /** Every hierarchy, as cgroups(7) describes /proc/pid/cgroup. */
  get cgroups(): readonly CgroupEntry[] | undefined {
    const text = this.#text('cgroup');
    return text === undefined ? undefined : parseCgroups(text);
  }

  /** The asked keys of the environment: value, null = not set, undefined = not known (it was cut). */
  get env(): Readonly<Record<string, string | null | undefined>> | undefined {
    const bytes = this.bytes('env');
    return bytes === undefined ? undefined : parseEnv(bytes, this.#table.envKeys);
  }

  /** What identifies this process; compare with sameProcess(). */
  get key(): ProcessKey {
    return { bootId: this.#table.bootId, pid: this.pid, startKey: this.startKey };
  }

  /**
   * Exact bytes of a text field, as the kernel gave them (argv: each argument ends with NUL).
   * Undefined where the field was not asked for or could not be read. A view: do not write to it.
   */
  bytes(field: TextColumn): Buffer | undefined {
    if ((this.#present & fieldBit(field)) === 0) return undefined;
    const from = this.#texts ?? this;
    return from.#decoder.bytes(field, from.#index);
  }

  /** Why a field is missing or cut; undefined = it is whole, or was not asked for. */
  fault(field: ProcessField): Fault | undefined {
    const found = this.#decoder.rowFaults(this.#index).find((fault) => fault.field === FIELDS.indexOf(field));
    if (found === undefined) return undefined;
    const { kind, code, call } = found;
    return { kind, code, call, path: this.#table.faultPath(this.pid, field) };
  }

  /** Fields of this row that have a fault. */
  get faultyFields(): readonly ProcessField[] {
    return this.#decoder.rowFaults(this.#index).map((fault) => FIELDS[fault.field] as ProcessField);
  }

  /**
   * What was asked for as one plain object: null where there is none or it could not be read, then with
   * its fault in `faults`. The environment is left out: it holds secrets. Numbers that do not fit a
   * double are decimal strings.
   */
  toJSON(): Record<string, unknown> {
    const plain: Record<string, unknown> = { pid: this.pid };
    for (const field of FIELDS) {
      if (!this.#table.asked(field) || field === 'env') continue;
      for (const name of SHOWN[field] ?? [field]) plain[name] = plainValue(this[name as 'name']);
    }
    const faulty = this.faultyFields.map((field) => [field, this.fault(field)]);
    return { ...plain, faults: Object.fromEntries(faulty) };
  }

  /** console.log() of a row shows the row. */
  [inspect.custom](): unknown {
    return shownAs('ProcessRow', this.toJSON());
  }

  #flag(flag: number): boolean {
    return (((this.#decoder.column('flags') as Uint8Array)[this.#index] as number) & flag) !== 0;
  }

  #number(column: NumberColumn, bit: number): number | undefined {
    if ((this.#present & bit) === 0) return undefined;
    return this.#decoder.column(column)?.[this.#index] as number | undefined;
  }

  #text(field: TextColumn): string | undefined {
    return (this.#present & fieldBit(field)) === 0 ? undefined : this.#decoded(field);
  }

  #decoded(field: TextColumn): string | undefined {
    const from = this.#texts ?? this;
    return from.#table.text(field, from.#index);
  }

  #nullable(field: TextColumn): string | null | undefined {
    const text = this.#text(field);
    return text === '' ? null : text;
  }
}
