import { DEFAULT_PROC_ROOT } from './options.js';
import { snapshotAsync } from './snapshot.js';

/** PROC_PID_INIT_INO in include/linux/proc_ns.h: the pid namespace that sees every process. */
const FIRST_PID_NAMESPACE = 0xefff_fffc;
const FIRST_PID = 1;

/** How much of the machine a root of process files can show. */
export interface Sight {
  /** It is of the first pid namespace, whose lock table leaves nothing out. */
  readonly firstNamespace: boolean;
  /** No process that may hold a file is kept from sight. */
  readonly everybody: boolean;
  /** Those of the pids that no living process has. One that may be hidden is not among them. */
  deadAmong(pids: readonly number[]): Promise<ReadonlySet<number>>;
}

export async function sightOf(procRoot: string, deadlineMs: number): Promise<Sight> {
  // Our own pid means somebody else in another root.
  const witness = procRoot === DEFAULT_PROC_ROOT ? process.pid : FIRST_PID;
  const table = await snapshotAsync({
    fields: ['pidNamespace'],
    pids: [FIRST_PID, witness],
    procRoot,
    deadlineMs,
  });
  const firstNamespace = table.get(witness)?.pidNamespace === FIRST_PID_NAMESPACE;
  // With hidepid= the first process is hidden before any other.
  const hides = table.get(FIRST_PID) === undefined;
  return {
    firstNamespace,
    everybody: firstNamespace && !hides,
    deadAmong: async (pids) => {
      if (hides || pids.length === 0) return new Set();
      const now = await snapshotAsync({ pids, procRoot, deadlineMs });
      if (now.faults.length > 0) return new Set();
      const dead = pids.filter((pid) => {
        const row = now.get(pid);
        return row === undefined || (row.state === 'Z' && row.threads === 1);
      });
      return new Set(dead);
    },
  };
}
