/** Whether the process that something is meant for is the one that would read it from the terminal of a pane. */
import { OptionError } from '../process/fault.js';
import { type ProcessKey, sameProcess } from '../process/identity.js';
import type { ProcessRow } from '../process/row.js';
import { snapshotAsync } from '../process/snapshot.js';
import type { ProcessTable } from '../process/table.js';

/** Why the process that is to get it is not known to be the one that would read it. */
export type AgentProblem = 'agent-gone' | 'agent-stopped' | 'agent-unknown' | 'agent-elsewhere';

/** Nothing real is nested deeper; a table in which parents go in a circle is. */
const MOST_ANCESTORS = 64;

/** What it takes to name a process: its key, or a row of `agents()`. */
export interface ProcessRef {
  readonly pid: number;
  /** Also in decimal. */
  readonly startKey: bigint | string | null | undefined;
  /** Where there is none at all, the process is one of this boot, as every row is that was just read. */
  readonly bootId?: string | null | undefined;
}

export interface CheckedAgent {
  readonly key: ProcessKey;
  readonly thisBoot: boolean;
}

/** @throws OptionError */
export function checkAgent(agent: unknown): CheckedAgent | undefined {
  if (agent === undefined) return undefined;
  const known = (typeof agent === 'object' && agent !== null ? agent : {}) as Partial<ProcessRef>;
  const { pid, startKey, bootId } = known;
  const decimal = typeof startKey === 'string' && /^\d{1,20}$/.test(startKey);
  if (!Number.isInteger(pid) || !(decimal || typeof startKey === 'bigint' || startKey == null)) {
    throw new OptionError('agent', 'must be an agent or the key of a process: { pid, startKey }');
  }
  const start = startKey == null ? undefined : BigInt(startKey);
  const key = { pid: pid as number, startKey: start, bootId: bootId ?? undefined };
  return { key, thisBoot: !('bootId' in known) };
}

function missing(table: ProcessTable, gone: AgentProblem): AgentProblem {
  return table.faults.some(({ kind }) => kind !== 'gone') ? 'agent-unknown' : gone;
}

/** The process itself, or where it has another terminal (below sudo or script) the nearest above it that has this one. */
async function onTerminal(row: ProcessRow, rootPid: number): Promise<ProcessRow | AgentProblem> {
  let holder = row;
  for (let depth = 0; depth < MOST_ANCESTORS; depth++) {
    // What tmux starts in a pane leads the one session that can have its terminal.
    if (holder.sid === rootPid) return holder;
    const { ppid } = holder;
    if (holder.sid === undefined || ppid === undefined) return 'agent-unknown';
    if (ppid <= 1) return 'agent-elsewhere';
    const table = await snapshotAsync({ pids: [ppid] });
    const parent = table.get(ppid);
    if (parent === undefined) return missing(table, 'agent-elsewhere');
    holder = parent;
  }
  return 'agent-elsewhere';
}

/**
 * What speaks against the process; `other-program` = another process group has the terminal. `rootPid`: what tmux
 * started in the pane. Where the kernel tells no foreground group (gVisor), it is enough to be in the pane.
 */
export async function agentProblem(
  { key, thisBoot }: CheckedAgent,
  rootPid: number,
): Promise<AgentProblem | 'other-program' | undefined> {
  const table = await snapshotAsync({ pids: [key.pid] });
  const row = table.get(key.pid);
  if (row === undefined) return missing(table, 'agent-gone');
  if (row.state === 'Z' || row.state === 'X') return 'agent-gone';
  const same = sameProcess(thisBoot ? { ...key, bootId: row.key.bootId } : key, row.key);
  if (same !== 'same') return same === 'different' ? 'agent-gone' : 'agent-unknown';
  // Ctrl-Z gives the terminal back to the shell, which would run what is meant for the agent.
  if (row.state === 'T') return 'agent-stopped';
  const holder = await onTerminal(row, rootPid);
  if (typeof holder === 'string') return holder;
  const { tpgid, pgid } = holder;
  if (tpgid === undefined || pgid === undefined) return 'agent-unknown';
  return tpgid > 0 && tpgid !== pgid ? 'other-program' : undefined;
}
