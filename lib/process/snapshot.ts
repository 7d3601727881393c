import { load } from '../native/load.js';
import { type SnapshotOptions, snapshotRequest } from './options.js';
import { ProcessTable } from './table.js';

/**
 * Reads the process table once, on the calling thread's time. Calls that might not return are made
 * on a thread of our own and waited for no longer than `deadlineMs`; what they would have given is
 * then missing with a `timeout` fault.
 *
 * Sources: proc_pid_stat(5), proc_pid_status(5), proc_pid_cmdline(5) and their neighbours.
 * @throws OptionError for an option that cannot be used, LoadError when no binary loads
 */
export function snapshot(options: SnapshotOptions = {}): ProcessTable {
  const request = snapshotRequest(options);
  return new ProcessTable(load().snapshot(request), request);
}

/**
 * The same off the main thread, which is busy only while it takes over the packed rows.
 * Rejects with OptionError or LoadError, never for what the system answered.
 */
export async function snapshotAsync(options: SnapshotOptions = {}): Promise<ProcessTable> {
  const request = snapshotRequest(options);
  return new ProcessTable(await load().snapshotAsync(request), request);
}
