import { isAbsolute } from 'node:path';
import { ENGINES } from '../engines/index.js';
import { MAX_PATH_LENGTH } from '../engines/path.js';
import { OptionError } from '../process/fault.js';
import type { Look } from '../process/look.js';
import { procRootOf, requireKnown, wholeNumber } from '../process/options.js';
import { socketOf } from '../tmux/options.js';
import type { ReadFiles } from './held.js';
import type { ReadPanes, ReadScreen } from './panes.js';
import type { AgentTable } from './table.js';

export interface AgentsOptions {
  /** Where the process files lie. Default `/proc`. */
  readonly procRoot?: string;
  /** Further homes in which engines may keep their files, beside those of the processes themselves. */
  readonly homes?: readonly string[];
  /** Also answer services, helpers and launchers. Default false. */
  readonly all?: boolean;
  /** Longest wait for one scan of the processes, in milliseconds. */
  readonly deadlineMs?: number;
  /** Folders in which launchers are looked for. Default: the PATH of this process. */
  readonly pathEnv?: string;
  /** Program of an engine, by engine: a path or a base name. Default: `<ENGINE>_PATH` of this process. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Judges these processes instead of reading the machine. */
  readonly table?: AgentTable;
  /** Reads the descriptors of agents instead of the built-in reader; with `table` alone none are read. */
  readonly openFiles?: ReadFiles;
  /** Looks at files instead of the built-in reader. */
  readonly look?: Look;
  /**
   * Sockets of tmux servers whose panes count; an empty list: tmux is not asked. Default: those of this user,
   * and none for processes that were given (`table`) or are read from another root.
   */
  readonly tmuxSockets?: readonly string[];
  /**
   * Pids of the caller's own programs: neither these nor what runs below them own a pane. Default: this
   * process.
   */
  readonly exclude?: readonly number[];
  /** Reads the panes instead of the built-in client of tmux. */
  readonly readPanes?: ReadPanes;
  /** Reads the screen of a pane instead of the built-in client of tmux. */
  readonly readScreen?: ReadScreen;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export const AGENTS_OPTIONS: readonly (keyof AgentsOptions)[] = [
  'procRoot',
  'homes',
  'all',
  'deadlineMs',
  'pathEnv',
  'overrides',
  'table',
  'openFiles',
  'look',
  'tmuxSockets',
  'exclude',
  'readPanes',
  'readScreen',
  'now',
];
const DEFAULT_DEADLINE_MS = 1_000;
const MAX_DEADLINE_MS = 600_000;

function isPath(value: unknown): boolean {
  return typeof value === 'string' && isAbsolute(value) && !value.includes('\0');
}

function expectType(options: AgentsOptions, name: keyof AgentsOptions, type: string): void {
  const value: unknown = options[name];
  if (value !== undefined && (typeof value !== type || value === null)) {
    throw new OptionError(name, `must be of type ${type}`);
  }
}

function checkOverrides(overrides: unknown): void {
  if (overrides === undefined) return;
  const prototype: unknown =
    typeof overrides === 'object' && overrides !== null ? Object.getPrototypeOf(overrides) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw new OptionError('overrides', 'must be a plain object of programs by engine');
  }
  const known = ENGINES.map(({ engine }) => engine);
  for (const [engine, program] of Object.entries(overrides as Record<string, unknown>)) {
    if (!known.includes(engine)) {
      throw new OptionError(
        'overrides',
        `no engine ${JSON.stringify(engine)}; known are ${known.join(', ')}`,
      );
    }
    if (typeof program !== 'string' || program === '' || program.length > MAX_PATH_LENGTH) {
      throw new OptionError('overrides', `of ${engine} must be a path or a base name`);
    }
  }
}

function checkTable(table: unknown): void {
  if (table === undefined) return;
  const given = (typeof table === 'object' && table !== null ? table : {}) as Partial<AgentTable>;
  if (
    typeof given.get !== 'function' ||
    typeof given[Symbol.iterator] !== 'function' ||
    typeof given.size !== 'number' ||
    !Array.isArray(given.faults)
  ) {
    throw new OptionError('table', 'must be a table of processes: size, faults, get() and iteration');
  }
}

function isPid(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** What the panes are asked with. */
function checkPanes({ tmuxSockets, exclude, readPanes }: AgentsOptions): void {
  if (tmuxSockets !== undefined && !Array.isArray(tmuxSockets)) {
    throw new OptionError('tmuxSockets', 'must be a list of paths');
  }
  for (const socket of tmuxSockets ?? []) socketOf('tmuxSockets', socket);
  if (exclude !== undefined && !(Array.isArray(exclude) && exclude.every(isPid))) {
    throw new OptionError('exclude', 'must be a list of pids');
  }
  if (tmuxSockets !== undefined && readPanes !== undefined) {
    throw new OptionError('tmuxSockets', 'is for the built-in client: readPanes was given');
  }
}

export interface CheckedOptions extends AgentsOptions {
  readonly procRoot: string;
  readonly homes: readonly string[];
  readonly all: boolean;
  readonly deadlineMs: number;
}

/** Throws an OptionError for an option that is unknown or cannot be used. */
export function checkOptions(options: AgentsOptions): CheckedOptions {
  requireKnown(options, AGENTS_OPTIONS, 'options');
  expectType(options, 'all', 'boolean');
  expectType(options, 'pathEnv', 'string');
  expectType(options, 'openFiles', 'function');
  expectType(options, 'look', 'function');
  expectType(options, 'readPanes', 'function');
  expectType(options, 'readScreen', 'function');
  expectType(options, 'now', 'function');
  checkOverrides(options.overrides);
  checkPanes(options);
  checkTable(options.table);
  const { homes = [] } = options;
  if (!Array.isArray(homes) || !homes.every(isPath)) {
    throw new OptionError('homes', 'must be a list of absolute paths');
  }
  return {
    ...options,
    homes,
    all: options.all ?? false,
    procRoot: procRootOf(options.procRoot),
    deadlineMs: wholeNumber('deadlineMs', options.deadlineMs, 1, MAX_DEADLINE_MS, DEFAULT_DEADLINE_MS),
  };
}
