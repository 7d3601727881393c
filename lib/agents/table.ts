import type { FileIdentity, ProcessFacts, ResolvedScript } from '../engines/facts.js';
import type { Fault } from '../process/fault.js';
import type { ProcessKey } from '../process/identity.js';

/** What discovery needs of a process row: the rows of `snapshot()` have it. */
export interface AgentRow {
  readonly pid: number;
  readonly ppid: number | null | undefined;
  readonly pgid: number | null | undefined;
  readonly sid: number | null | undefined;
  readonly tty: string | null | undefined;
  readonly tpgid: number | null | undefined;
  readonly state: string | null | undefined;
  readonly uid: number | null | undefined;
  readonly user: string | null | undefined;
  readonly name: string | null | undefined;
  readonly argv: readonly string[] | null | undefined;
  readonly exe: string | null | undefined;
  readonly exeFile: FileIdentity | null | undefined;
  readonly cwd: string | null | undefined;
  readonly root?: string | null | undefined;
  readonly nspid: readonly number[] | null | undefined;
  readonly pidNamespace: number | null | undefined;
  readonly startKey: bigint | null | undefined;
  readonly startTime: number | null | undefined;
  readonly env: Readonly<Record<string, string | null | undefined>> | null | undefined;
  readonly kernelThread: boolean | null | undefined;
  readonly key?: ProcessKey;
  /** The system it is from, where that is not the one we run on: a `process.platform`. */
  readonly system?: string;
  fault(field: string): Fault | undefined;
}

export interface AgentTable extends Iterable<AgentRow> {
  readonly size: number;
  readonly faults: readonly Fault[];
  get(pid: number): AgentRow | undefined;
}

/** The values of a row, each read once: a row decodes on every access. */
export function factsOf(row: AgentRow, script?: ResolvedScript): ProcessFacts {
  return {
    pid: row.pid,
    startKey: row.startKey ?? undefined,
    startTime: row.startTime ?? undefined,
    ppid: row.ppid ?? undefined,
    pgid: row.pgid ?? undefined,
    sid: row.sid ?? undefined,
    tty: row.tty,
    tpgid: row.tpgid ?? undefined,
    state: row.state ?? undefined,
    uid: row.uid ?? undefined,
    user: row.user,
    name: row.name ?? undefined,
    argv: row.argv ?? undefined,
    exe: row.exe,
    exeFile: row.exeFile ?? undefined,
    cwd: row.cwd,
    root: row.root,
    nspid: row.nspid ?? undefined,
    pidNamespace: row.pidNamespace ?? undefined,
    env: row.env ?? undefined,
    script,
    ...(row.system === undefined ? {} : { system: row.system }),
  };
}
