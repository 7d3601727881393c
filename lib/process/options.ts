import { resolve } from 'node:path';
import type { SnapshotRequest } from '../native/binding.js';
import { OptionError } from '../native/fault.js';
import { FIELDS, fieldBit, isField, maskOf, type ProcessField, STAT_FIELDS } from '../native/layout.js';

export interface SnapshotOptions {
  /**
   * What to read beside the base of a row (pid, ppid, pgid, sid, tty, tpgid, state, name, start,
   * threads, priority, nice, cpu, rss, vsize, kernelThread: one read of `stat` gives them all).
   * Default: none beside the base.
   */
  readonly fields?: readonly ProcessField[];
  /** Keys of the environment to read; each row then has them in `env`. No other value is kept. */
  readonly env?: readonly string[];
  /** Only these processes. Default: all. */
  readonly pids?: Iterable<number>;
  /** Where the process file system is mounted. Default `/proc`. */
  readonly procRoot?: string;
  /** How long to wait for calls that do not return, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
  /** Longest argv, environment or cgroup that is read, in bytes; what is cut has a `truncated` fault. Default 1 MiB. */
  readonly maxFieldBytes?: number;
  /** False: read exactly `fields` and not the base, not even the start that identifies a process. */
  readonly identity?: boolean;
}

const KNOWN = ['fields', 'env', 'pids', 'procRoot', 'deadlineMs', 'maxFieldBytes', 'identity'];

export const DEFAULT_PROC_ROOT = '/proc';
const DEFAULT_DEADLINE_MS = 1_000;
const MAX_DEADLINE_MS = 600_000;
const DEFAULT_FIELD_BYTES = 1 << 20;
const MAX_FIELD_BYTES = 1 << 28;
const MAX_PID = 0x7fff_ffff;
const MAX_ENV_KEYS = 256;

/** Refuses anything but an object whose keys are all known. */
export function requireKnown(options: unknown, known: readonly string[], what: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new OptionError(what, 'must be an object');
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw new OptionError(key, `is no option here; known are ${known.join(', ')}`);
    }
  }
}

/** A whole number between `least` and `most`, or the default where it is undefined. */
export function wholeNumber(
  name: string,
  value: unknown,
  least: number,
  most: number,
  fallback: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new OptionError(name, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

/** An absolute path of the process file system. */
export function procRootOf(value: unknown): string {
  if (value === undefined) return DEFAULT_PROC_ROOT;
  if (typeof value !== 'string' || value === '' || value.includes('\0')) {
    throw new OptionError('procRoot', 'must be a path: not empty and without NUL');
  }
  return resolve(value);
}

/** A pid as the system gives them out: a positive 32-bit number. */
export function pidOf(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_PID) {
    throw new OptionError(name, `must hold pids: whole numbers from 1 to ${MAX_PID}`);
  }
  return value;
}

/**
 * Checks the options of snapshot() and makes the request of them.
 * @throws OptionError that names the option
 */
export function snapshotRequest(options: SnapshotOptions): SnapshotRequest {
  requireKnown(options, KNOWN, 'options');
  const env = envKeys(options.env);
  if (options.identity !== undefined && typeof options.identity !== 'boolean') {
    throw new OptionError('identity', 'must be true or false');
  }
  const fields = fieldMask(options.fields, env.length > 0, options.identity !== false);
  if (fields === 0) throw new OptionError('fields', 'must name a field when identity is false');
  return {
    procRoot: procRootOf(options.procRoot),
    fields,
    env,
    pids: options.pids === undefined ? undefined : pidList('pids', options.pids),
    maxFieldBytes: wholeNumber(
      'maxFieldBytes',
      options.maxFieldBytes,
      1,
      MAX_FIELD_BYTES,
      DEFAULT_FIELD_BYTES,
    ),
    deadlineMs: deadlineOf(options.deadlineMs),
  };
}

function fieldMask(fields: unknown, hasEnv: boolean, identity: boolean): number {
  if (fields !== undefined && !Array.isArray(fields)) {
    throw new OptionError('fields', 'must be a list of field names');
  }
  let mask = identity ? maskOf(STAT_FIELDS) : 0;
  for (const field of (fields ?? []) as unknown[]) {
    if (typeof field !== 'string' || !isField(field)) {
      throw new OptionError('fields', `no field ${shown(field)}; known are ${FIELDS.join(', ')}`);
    }
    if (field === 'env' && !hasEnv) throw new OptionError('env', 'must name the keys that are to be read');
    mask |= fieldBit(field);
  }
  if (hasEnv) mask |= fieldBit('env');
  return mask >>> 0;
}

/** A value of the caller's as an error may show it: whatever it is, showing it does not throw. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : `of type ${typeof value}`;
}

function envKeys(env: unknown): readonly string[] {
  if (env === undefined) return [];
  if (!Array.isArray(env) || env.length > MAX_ENV_KEYS) {
    throw new OptionError('env', `must be a list of at most ${MAX_ENV_KEYS} keys`);
  }
  for (const key of env as unknown[]) {
    if (typeof key !== 'string' || key === '' || /[=\0]/.test(key)) {
      throw new OptionError('env', 'each key must be a string, not empty and without = or NUL');
    }
  }
  // A copy: rows are decoded by position long after the caller may have changed the list.
  return [...(env as string[])];
}

/** The pids of an option, ascending and each once. */
export function pidList(name: string, pids: unknown): Int32Array {
  if (typeof pids !== 'object' || pids === null || !(Symbol.iterator in pids)) {
    throw new OptionError(name, 'must be a list of pids');
  }
  const unique = new Set<number>();
  for (const pid of pids as Iterable<unknown>) unique.add(pidOf(name, pid));
  return Int32Array.from(unique).sort();
}

export function deadlineOf(value: unknown): number {
  return wholeNumber('deadlineMs', value, 1, MAX_DEADLINE_MS, DEFAULT_DEADLINE_MS);
}
