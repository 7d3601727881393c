import type { Fault } from '../native/fault.js';
import { FIELDS, fieldBit, type ProcessField } from '../native/layout.js';
import { load, loadedFile } from '../native/load.js';
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

export interface DoctorOptions {
  readonly procRoot?: string;
}

/** Reads every field of every process once (of the environment only one harmless key) and reports what was refused. */
export async function doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
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
  if (missing === 0) return { readable: table.size > 0, missing };
  const why = [...byReason]
    .map(([reason, count]) => `${reason}: ${count} of ${table.size} processes`)
    .join('; ');
  return { readable: missing < table.size, missing, why };
}

function capabilities(table: ProcessTable): Record<string, CapabilityReport> {
  const parked = load().parked();
  const refused = [...table].filter((row) => row.fault('cwd')?.kind === 'denied').length;
  return {
    allProcesses: table.has(1)
      ? { available: true }
      : {
          available: false,
          why: 'pid 1 is not in the table: hidepid hides other users, or the root is partial',
        },
    foreignProcesses:
      refused === 0
        ? { available: true }
        : {
            available: false,
            why: `cwd, exe, root and environment of ${refused} processes are refused: other users' processes open only to root or CAP_SYS_PTRACE`,
          },
    promptReads:
      parked === 0
        ? { available: true }
        : { available: false, why: `${parked} threads wait for a call that does not return` },
  };
}
