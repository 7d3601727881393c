/** A captured fixture as options of `agents()`: the rules run on it as they run on a machine. */
import { join } from 'node:path';
import { describeFault, type Fault } from '../../process/fault.js';
import { look } from '../../process/look-files.js';
import type { AgentFile, ReadFiles } from '../held.js';
import type { AgentsOptions } from '../options.js';
import type { AgentRow, AgentTable } from '../table.js';
import { parseReplay, REPLAY_FILE, type Replay, ReplayError, type ReplayProcess } from './format.js';
import { lookOf } from './look.js';

const MOST_BYTES = 64 << 20;
const NOT_CAPTURED: Fault = { kind: 'unsupported', code: 0, call: 'replay', path: 'openFiles' };

function rowOf(process: ReplayProcess, { system }: Replay): AgentRow {
  const { faults = {}, openFiles: _, startKey, ...values } = process;
  return {
    ppid: undefined,
    pgid: undefined,
    sid: undefined,
    tty: undefined,
    tpgid: undefined,
    state: undefined,
    uid: undefined,
    user: undefined,
    name: undefined,
    argv: undefined,
    exe: undefined,
    cwd: undefined,
    nspid: undefined,
    pidNamespace: undefined,
    startTime: undefined,
    env: undefined,
    ...values,
    system,
    exeFile: undefined,
    startKey: typeof startKey === 'string' ? BigInt(startKey) : undefined,
    kernelThread: false,
    fault: (field) => (Object.hasOwn(faults, field) ? faults[field] : undefined),
  };
}

function tableOf(replay: Replay): AgentTable {
  const rows = new Map(replay.processes.map((each) => [each.pid, rowOf(each, replay)]));
  return {
    size: rows.size,
    faults: [],
    get: (pid) => rows.get(pid),
    [Symbol.iterator]: () => rows.values(),
  };
}

function filesOf({ pid, openFiles }: ReplayProcess): AgentFile[] {
  const plain = { pid, fault: () => undefined };
  if (openFiles === undefined) {
    const unread = { path: undefined, kind: undefined, deleted: undefined, locks: undefined };
    return [{ ...plain, ...unread, fd: null, fault: () => NOT_CAPTURED }];
  }
  return openFiles.map(({ path, kind = 'file', deleted = false, flocked = false }, fd) => ({
    ...plain,
    fd,
    path,
    kind,
    deleted,
    locks: flocked ? [{ type: 'FLOCK', mode: 'write' }] : [],
  }));
}

function openFilesOf({ processes }: Replay): ReadFiles {
  return async (asked) => {
    const pids = new Set(asked.map(({ pid }) => pid));
    const rows = processes.filter(({ pid }) => pids.has(pid)).flatMap(filesOf);
    return { faults: [], [Symbol.iterator]: () => rows.values() };
  };
}

export function replayOptions(replay: Replay): AgentsOptions {
  const { now } = replay;
  return {
    ...(now === undefined ? {} : { now: () => now }),
    table: tableOf(replay),
    openFiles: openFilesOf(replay),
    look: lookOf(replay),
    pathEnv: '',
    overrides: {},
  };
}

/**
 * Reads a captured fixture (`scripts/capture.mjs`, docs/replay.md) as options of `agents()` and
 * `explainAgent()`, on any system and of any system. Nothing of this machine goes into the answer.
 *
 * @throws ReplayError (rejects) when the folder, its `replay.json` or a value in it cannot be used; it names
 *   the file
 */
export async function readReplay(folder: string): Promise<AgentsOptions> {
  const path = join(folder, REPLAY_FILE);
  const [answer] = await look([{ op: 'read', path, maxBytes: MOST_BYTES }]);
  if (answer?.bytes === undefined) {
    const why = answer?.fault ? describeFault(answer.fault) : 'no answer';
    throw new ReplayError(path, `cannot be read: ${why}`);
  }
  if (answer.truncated) throw new ReplayError(path, `is larger than ${MOST_BYTES} bytes`);
  return replayOptions(parseReplay(answer.bytes.toString('utf8'), path));
}
