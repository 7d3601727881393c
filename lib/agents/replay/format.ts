/**
 * The file `replay.json` of a capture: what rules may know of some processes, as plain values, for any
 * system. See docs/replay.md. Whoever sends one may have written anything into it: each value is checked.
 */
import type { Fault, FaultKind } from '../../process/fault.js';

export const REPLAY_FILE = 'replay.json';
export const REPLAY_FORMAT = 1;
/** A record, so that a kind more does not compile without being listed. */
const FAULT_KINDS: Readonly<Record<FaultKind, true>> = {
  denied: true,
  gone: true,
  unsupported: true,
  timeout: true,
  truncated: true,
  malformed: true,
  limit: true,
  io: true,
  internal: true,
};
const SYSTEMS = ['linux', 'darwin', 'win32'] as const;

export type System = (typeof SYSTEMS)[number];

/** A capture that cannot be replayed. `path` names the file. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
  readonly code = 'ERR_PROCSCOPE_REPLAY';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
}

/** Left out = could not be read; null = there is none. */
export interface ReplayProcess {
  readonly pid: number;
  readonly ppid?: number | null;
  readonly pgid?: number | null;
  readonly sid?: number | null;
  readonly tpgid?: number | null;
  readonly uid?: number | null;
  readonly pidNamespace?: number | null;
  readonly startTime?: number | null;
  /** In decimal: it may not fit a double. */
  readonly startKey?: string | null;
  readonly tty?: string | null;
  readonly state?: string | null;
  readonly user?: string | null;
  readonly name?: string | null;
  readonly exe?: string | null;
  readonly cwd?: string | null;
  readonly argv?: readonly string[] | null;
  readonly nspid?: readonly number[] | null;
  readonly env?: Readonly<Record<string, string | null>> | null;
  /** Left out = its descriptors could not be read. */
  readonly openFiles?: readonly ReplayOpenFile[];
  readonly faults?: Readonly<Record<string, Fault>>;
}

export interface ReplayOpenFile {
  readonly path: string;
  /** `file` when left out. */
  readonly kind?: string;
  readonly deleted?: boolean;
  /** It carries an exclusive flock. Left out: it does not. */
  readonly flocked?: boolean;
}

/** `text` left out: the file was there, and its contents were not captured. */
export interface ReplayFile {
  readonly path: string;
  readonly text?: string;
  readonly uid?: number;
  readonly mtimeMs?: number;
}

export interface Replay {
  readonly system: System;
  /** When it was captured, in milliseconds since the epoch; left out: now. */
  readonly now?: number;
  readonly processes: readonly ReplayProcess[];
  readonly files: readonly ReplayFile[];
  /** Where links lead: path by path. */
  readonly links: Readonly<Record<string, string>>;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isWhole: Check = (value) => Number.isSafeInteger(value);
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isFlag: Check = (value) => typeof value === 'boolean';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const recordOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);

const isFault: Check = (value) =>
  isObject(value) &&
  isText(value['kind']) &&
  Object.hasOwn(FAULT_KINDS, value['kind'] as string) &&
  isWhole(value['code']) &&
  isText(value['call']) &&
  isText(value['path']);

type Shape = Readonly<Record<string, readonly [check: Check, what: string]>>;

const WHOLE = [orNull(isWhole), 'a whole number'] as const;
const TEXT = [orNull(isText), 'a text'] as const;

const PROCESS: Shape = {
  pid: [(value) => isWhole(value) && (value as number) > 0, 'a whole number from 1'],
  ...Object.fromEntries(['ppid', 'pgid', 'sid', 'tpgid', 'uid', 'pidNamespace'].map((name) => [name, WHOLE])),
  ...Object.fromEntries(['tty', 'state', 'user', 'name', 'exe', 'cwd'].map((name) => [name, TEXT])),
  startTime: [orNull(isNumber), 'a number of milliseconds'],
  startKey: [
    orNull((value) => isText(value) && /^\d{1,20}$/.test(value as string)),
    'a whole number as a text',
  ],
  argv: [orNull(listOf(isText)), 'a list of texts'],
  nspid: [orNull(listOf(isWhole)), 'a list of whole numbers'],
  env: [orNull(recordOf(orNull(isText))), 'texts or null by key'],
  openFiles: [listOf(isObject), 'a list of open files'],
  faults: [recordOf(isFault), 'faults by field, each with kind, code, call and path'],
};
const OPEN_FILE: Shape = {
  path: [isText, 'a text'],
  kind: [isText, 'a text'],
  deleted: [isFlag, 'true or false'],
  flocked: [isFlag, 'true or false'],
};
const FILE: Shape = {
  path: [isText, 'a text'],
  text: [isText, 'a text'],
  uid: [isWhole, 'a whole number'],
  mtimeMs: [isNumber, 'a number of milliseconds'],
};

function checkShape(value: unknown, shape: Shape, needed: string, spot: string, path: string): void {
  if (!isObject(value)) throw new ReplayError(path, `${spot} must be an object`);
  if (value[needed] === undefined) throw new ReplayError(path, `${spot} has no ${needed}`);
  for (const [name, given] of Object.entries(value)) {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!known) throw new ReplayError(path, `${spot} has an unknown field ${JSON.stringify(name)}`);
    if (!known[0](given)) throw new ReplayError(path, `${spot}.${name} must be ${known[1]}`);
  }
}

function listIn(value: Readonly<Record<string, unknown>>, name: string, path: string): readonly unknown[] {
  const list = value[name] ?? [];
  if (!Array.isArray(list)) throw new ReplayError(path, `${name} must be a list`);
  return list;
}

/** @throws ReplayError that names the file, and the place in it */
export function parseReplay(text: string, path: string): Replay {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ReplayError(path, `is no JSON: ${(cause as Error).message}`, { cause });
  }
  if (!isObject(value)) throw new ReplayError(path, 'must hold an object');
  if (value['format'] !== REPLAY_FORMAT) {
    throw new ReplayError(path, `format must be ${REPLAY_FORMAT}, and is ${JSON.stringify(value['format'])}`);
  }
  const system = value['system'] as System;
  if (!SYSTEMS.includes(system)) throw new ReplayError(path, `system must be one of ${SYSTEMS.join(', ')}`);
  const processes = listIn(value, 'processes', path);
  const seen = new Set<unknown>();
  for (const [at, each] of processes.entries()) {
    checkShape(each, PROCESS, 'pid', `processes[${at}]`, path);
    const { pid, openFiles = [] } = each as ReplayProcess;
    if (seen.has(pid)) throw new ReplayError(path, `processes[${at}] has the pid ${pid} of another one`);
    seen.add(pid);
    for (const [index, file] of openFiles.entries()) {
      checkShape(file, OPEN_FILE, 'path', `processes[${at}].openFiles[${index}]`, path);
    }
  }
  const files = listIn(value, 'files', path);
  for (const [at, each] of files.entries()) checkShape(each, FILE, 'path', `files[${at}]`, path);
  const links = value['links'] ?? {};
  if (!recordOf(isText)(links)) throw new ReplayError(path, 'links must be paths by path');
  const { now } = value;
  if (now !== undefined && !isNumber(now))
    throw new ReplayError(path, 'now must be a number of milliseconds');
  return { system, processes, files, links, ...(now === undefined ? {} : { now }) } as Replay;
}
