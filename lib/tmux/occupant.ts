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

/** @throws OptionError */
export function checkAgent(agent: unknown): ProcessKey | undefined {
  if (agent === undefined) return undefined;
  const { pid } = (typeof agent === 'object' && agent !== null ? agent : {}) as Partial<ProcessKey>;
  if (!Number.isInteger(pid))
    throw new OptionError('agent', 'must be the key of a process: { bootId, pid, startKey }');
  return agent as ProcessKey;
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
  agent: ProcessKey,
  rootPid: number,
): Promise<AgentProblem | 'other-program' | undefined> {
  const table = await snapshotAsync({ pids: [agent.pid] });
  const row = table.get(agent.pid);
  if (row === undefined) return missing(table, 'agent-gone');
  if (row.state === 'Z' || row.state === 'X') return 'agent-gone';
  const same = sameProcess(agent, row.key);
  if (same !== 'same') return same === 'different' ? 'agent-gone' : 'agent-unknown';
  // Ctrl-Z gives the terminal back to the shell, which would run what is meant for the agent.
  if (row.state === 'T') return 'agent-stopped';
  const holder = await onTerminal(row, rootPid);
  if (typeof holder === 'string') return holder;
  const { tpgid, pgid } = holder;
  if (tpgid === undefined || pgid === undefined) return 'agent-unknown';
  return tpgid > 0 && tpgid !== pgid ? 'other-program' : undefined;
}
