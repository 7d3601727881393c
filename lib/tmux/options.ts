import { setMaxListeners } from 'node:events';
import { isAbsolute } from 'node:path';
import { OptionError } from '../process/fault.js';
import type { Look } from '../process/look.js';
import { requireKnown, shown, wholeNumber } from '../process/options.js';
import { isSignal } from '../process/ticks.js';

/** How to talk to tmux. */
export interface TmuxOptions {
  /** Longest wait for one answer of one server, in milliseconds. Default 2,000. */
  readonly timeoutMs?: number;
  /** Ends the wait; the answer is then a failure of kind `aborted`. */
  readonly signal?: AbortSignal;
  /**
   * `protocol`: over the socket, without a subprocess. `binary`: by starting tmux. `auto` (default): over the socket,
   * and by starting tmux where a server speaks another protocol, the machine is big-endian or the arguments are
   * too long for a frame. Each answer says which way was taken.
   */
  readonly way?: 'auto' | 'protocol' | 'binary';
  /** The program for `binary`: a path, or a name to look for in PATH. Default `tmux`. */
  readonly binary?: string;
  /** Most bytes of an answer. Default 64 MiB. */
  readonly maxOutputBytes?: number;
  /** Looks at files instead of the built-in reader. */
  readonly look?: Look;
}

export const TMUX_OPTIONS: readonly (keyof TmuxOptions)[] = [
  'timeoutMs',
  'signal',
  'way',
  'binary',
  'maxOutputBytes',
  'look',
];

export const DEFAULT_TIMEOUT_MS = 2_000;
const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_OUTPUT_BYTES = 64 << 20;
const MOST_OUTPUT_BYTES = 1 << 30;
const WAYS = ['auto', 'protocol', 'binary'] as const;

export interface CheckedTmux {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly way: (typeof WAYS)[number];
  readonly binary: string;
  readonly maxOutputBytes: number;
  readonly look: Look | undefined;
}

/** @throws OptionError that names the option */
export function checkTmux(options: TmuxOptions, further: readonly string[] = []): CheckedTmux {
  requireKnown(options, [...TMUX_OPTIONS, ...further], 'options');
  const { signal, way = 'auto', binary = 'tmux', look } = options;
  if (signal !== undefined && !isSignal(signal)) throw new OptionError('signal', 'must be an AbortSignal');
  // Each request listens to it, and many panes are many requests: Node would warn of a leak on the user's terminal.
  if (signal !== undefined) setMaxListeners(0, signal);
  if (!WAYS.includes(way)) throw new OptionError('way', `${shown(way)} is none of ${WAYS.join(', ')}`);
  if (typeof binary !== 'string' || binary === '' || binary.includes('\0')) {
    throw new OptionError('binary', 'must be a path or a name: not empty and without NUL');
  }
  if (look !== undefined && typeof look !== 'function') throw new OptionError('look', 'must be a function');
  return {
    timeoutMs: wholeNumber('timeoutMs', options.timeoutMs, 1, MAX_TIMEOUT_MS, DEFAULT_TIMEOUT_MS),
    signal,
    way,
    binary,
    maxOutputBytes: wholeNumber(
      'maxOutputBytes',
      options.maxOutputBytes,
      1,
      MOST_OUTPUT_BYTES,
      DEFAULT_OUTPUT_BYTES,
    ),
    look,
  };
}

/** An absolute path of a socket. */
export function socketOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || !isAbsolute(value) || value.includes('\0')) {
    throw new OptionError(name, 'must be the absolute path of a socket, without NUL');
  }
  return value;
}

/** True, false, or the default where it is undefined. */
export function flagOf(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw new OptionError(name, 'must be true or false');
  return value;
}

/** One of a few words, or the first of them where it is undefined. */
export function wordOf<T extends string>(name: string, value: unknown, words: readonly [T, ...T[]]): T {
  if (value === undefined) return words[0];
  const word = words.find((known) => known === value);
  if (word === undefined) throw new OptionError(name, `${shown(value)} is none of ${words.join(', ')}`);
  return word;
}
