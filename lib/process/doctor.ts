import { describeFault, type Fault } from '../native/fault.js';
import { FIELDS, fieldBit, type ProcessField } from '../native/layout.js';
import { load, loadedFile } from '../native/load.js';
import { requireKnown } from './options.js';
import { snapshotAsync } from './snapshot.js';
import type { ProcessTable } from './table.js';

export interface FieldReport {
  /** Whether at least one process gave it. */
  readonly readable: boolean;
  /** Processes whose value is missing, of all that were read. */
  readonly missing: number;
  /** In words, where something is missing. */
  readonly why?: string;
}

/** Whether the machine allows something, and in words why not. */
export interface CapabilityReport {
  readonly available: boolean;
  readonly why?: string;
}

/** What this machine allows, and why a field would be missing. */
export interface DoctorReport {
  readonly platform: string;
  readonly arch: string;
  readonly node: string;
  /** The addon in use. */
  readonly binary: string;
  readonly procRoot: string;
  readonly bootId: string | null;
  readonly processes: number;
  readonly fields: Readonly<Record<ProcessField, FieldReport>>;
  readonly capabilities: Readonly<Record<string, CapabilityReport>>;
  readonly faults: readonly Fault[];
}

/** What doctor() looks at. */
export interface DoctorOptions {
  /** Where the process file system is mounted. Default `/proc`. */
  readonly procRoot?: string;
  /** How long to wait for calls that do not return, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
}

/**
 * Reads every field of every process once (of the environment only one harmless key) and reports what was refused.
 *
 * @throws OptionError for an option that cannot be used, LoadError when no binary loads
 */
export async function doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
  requireKnown(options, ['procRoot', 'deadlineMs'], 'options');
  const table = await snapshotAsync({
    ...options,
    fields: FIELDS.filter((name) => name !== 'env'),
    env: ['HOME'],
  });
  const supported = load().supported();
  const fields = Object.fromEntries(FIELDS.map((name) => [name, fieldReport(table, name, supported)]));
  return {
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
    binary: loadedFile(),
    procRoot: table.procRoot,
    bootId: table.bootId ?? null,
    processes: table.size,
    fields: fields as Record<ProcessField, FieldReport>,
    capabilities: capabilities(table),
    faults: table.faults,
  };
}

function fieldReport(table: ProcessTable, field: ProcessField, supported: number): FieldReport {
  if ((supported & fieldBit(field)) === 0) {
    return { readable: false, missing: table.size, why: `not supported on ${process.platform}` };
  }
  const byReason = new Map<string, number>();
  let missing = 0;
  for (const row of table) {
    const fault = row.fault(field);
    if (fault === undefined) continue;
    missing++;
    const reason = fault.code === 0 ? fault.kind : `${fault.kind} (errno ${fault.code} from ${fault.call})`;
    byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  }
  if (table.size === 0) return { readable: false, missing, why: unreadTable(table) };
  if (missing === 0) return { readable: true, missing };
  const why = [...byReason]
    .map(([reason, count]) => `${reason}: ${count} of ${table.size} processes`)
    .join('; ');
  return { readable: missing < table.size, missing, why };
}

/** Why a table has no row: there is a process on every machine, the one that asks. */
function unreadTable({ faults }: ProcessTable): string {
  const why = [...new Set(faults.map(describeFault))].join('; ');
  return `the process table could not be read: ${why === '' ? 'it is empty' : why}`;
}

/** How many processes refused what ptrace(2) rights protect. */
export interface Refusals {
  /** Processes in the table, and those of them that refused. */
  readonly all: number;
  readonly refused: number;
  /** Processes of other users that did not refuse. */
  readonly othersRead: number;
  readonly isRoot: boolean;
}

/** May cwd, exe, root and environment of processes of other users be read? */
export function foreignReport({ all, refused, othersRead, isRoot }: Refusals): CapabilityReport {
  if (refused === 0) return { available: true };
  const what = `cwd, exe, root and environment of ${refused} of ${all} processes are refused`;
  const why = isRoot
    ? 'some are closed even to root (of another user or pid namespace, confined, or a container without CAP_SYS_PTRACE)'
    : "other users' processes open only to root or CAP_SYS_PTRACE";
  return { available: isRoot ? refused < all : othersRead > 0, why: `${what}: ${why}` };
}

function refusalsOf(table: ProcessTable): Refusals {
  const own = process.geteuid?.();
  let refused = 0;
  let othersRead = 0;
  for (const row of table) {
    if (row.fault('cwd')?.kind === 'denied') refused++;
    else if (row.uid !== undefined && row.uid !== own && row.kernelThread !== true) othersRead++;
  }
  return { all: table.size, refused, othersRead, isRoot: own === 0 };
}

function processReports(table: ProcessTable): Record<string, CapabilityReport> {
  if (table.size === 0) {
    const unread = { available: false, why: unreadTable(table) };
    return { allProcesses: unread, foreignProcesses: unread };
  }
  return {
    allProcesses: table.has(1)
      ? { available: true }
      : {
          available: false,
          why: 'pid 1 is not in the table: hidepid hides other users, or the root is partial',
        },
    foreignProcesses: foreignReport(refusalsOf(table)),
  };
}

/** How a poller learns of starts and ends without a look at each process. */
function eventReports(): Record<string, CapabilityReport> {
  const report = (fault: Fault | null, instead: string): CapabilityReport =>
    fault === null ? { available: true } : { available: false, why: `${describeFault(fault)}; ${instead}` };
  const { connector, pidfd } = load().eventSources();
  return {
    processEvents: report(connector, 'a poller sees exec by looking at processes in turn'),
    exitEvents: report(pidfd, 'a poller lists the pids at each poll'),
  };
}

function capabilities(table: ProcessTable): Record<string, CapabilityReport> {
  const parked = load().parked();
  return {
    ...processReports(table),
    ...eventReports(),
    promptReads:
      parked === 0
        ? { available: true }
        : { available: false, why: `${parked} threads wait for a call that does not return` },
  };
}
