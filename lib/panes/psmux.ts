/**
 * psmux, a tmux for Windows: what its processes and the files of its data folder tell. Pure functions, since
 * it has no protocol that is known here.
 *
 * Reported 2026-11-30: each pane is a `pwsh.exe` child of `tmux.exe`, called with a start script of about
 * 4 KB; the programs are `psmux.exe`, `pmux.exe` and `tmux.exe`; a file `<session>.port` lies in its data folder
 * for each session.
 */

import type { AgentRow } from '../agents/table.js';
import { programName } from '../engines/path.js';

export interface PsmuxPane {
  /** The psmux process that started it. */
  readonly serverPid: number;
  /** Its shell: the agents below it are found like those below a pane of tmux. */
  readonly rootPid: number;
}

export interface PsmuxSession {
  readonly name: string;
  /** TCP port on which the server of the session listens. */
  readonly port: number;
}

type Row = Pick<AgentRow, 'pid' | 'ppid' | 'name' | 'exe' | 'startKey'>;

const SERVERS = ['psmux', 'pmux', 'tmux'];
const SHELL = 'pwsh';

/** By the program alone: the command line of a pane is a script that may hold any word. */
function runs({ exe, name }: Row, programs: readonly string[]): boolean {
  const text = typeof exe === 'string' ? exe : name;
  return typeof text === 'string' && programs.includes(programName(text));
}

/** A parent that is younger than its child only has the pid of the real one. */
function canBeParent(parent: Row, child: Row): boolean {
  return parent.startKey == null || child.startKey == null || parent.startKey <= child.startKey;
}

/** The panes of psmux among the processes of a machine, by pid. */
export function psmuxPanes(rows: Iterable<Row>): PsmuxPane[] {
  const all = [...rows];
  const servers = new Map(all.filter((row) => runs(row, SERVERS)).map((row) => [row.pid, row]));
  return all
    .flatMap((row) => {
      const server = typeof row.ppid === 'number' ? servers.get(row.ppid) : undefined;
      const isPane = server !== undefined && runs(row, [SHELL]) && canBeParent(server, row);
      return isPane ? [{ serverPid: server.pid, rootPid: row.pid }] : [];
    })
    .sort((a, b) => a.rootPid - b.rootPid);
}

/** The sessions that the `.port` files of a data folder name, by name; a file that holds no port names none. */
export function psmuxSessions(
  files: Iterable<{ readonly name: string; readonly text: string }>,
): PsmuxSession[] {
  const found: PsmuxSession[] = [];
  for (const { name, text } of files) {
    const session = /^(.+)\.port$/s.exec(name)?.[1];
    const digits = /^\ufeff?\s*(\d{1,5})\s*$/.exec(text)?.[1];
    const port = Number(digits);
    if (session !== undefined && port > 0 && port < 65_536) found.push({ name: session, port });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
