/** What every step of discovery needs to know: the options, once checked, and the ways to read. */
import { ENGINES } from '../engines/index.js';
import type { Override } from '../engines/interest.js';
import type { Look } from '../process/look.js';
import { look as lookAtFiles } from '../process/look-files.js';
import { DEFAULT_PROC_ROOT } from '../process/options.js';
import { snapshotAsync } from '../process/snapshot.js';
import type { CheckedOptions } from './options.js';
import { type PaneReader, paneReader } from './panes.js';
import { StoreMemory } from './store-memory.js';
import type { AgentTable } from './table.js';

/** Read of every process. */
export const CHEAP = ['argv', 'exe'] as const;
/** Read of candidates only: each costs a call, and some can wait for a file system. */
const COSTLY = ['uid', 'user', 'argv', 'exe', 'exeFile', 'cwd', 'root', 'nspid', 'pidNamespace'] as const;
/** Of those, what a process may change without another program. */
export const MOVING = ['uid', 'user', 'cwd', 'root'] as const;

/** `whole`: everything that rules want of a candidate; `moving`: what may have changed since. */
export type ReadRows = (pids: readonly number[], what: 'whole' | 'moving') => Promise<AgentTable>;

export interface Setting {
  readonly options: CheckedOptions;
  readonly look: Look;
  readonly overrides: readonly Override[];
  readonly readRows: ReadRows;
  /** Of the stores of engines, as long as this setting is used. */
  readonly memory: StoreMemory;
  /** Null = panes are not asked for. */
  readonly panes: PaneReader | null;
}

function envKeys(): string[] {
  const keys = ENGINES.flatMap((rule) => [rule.home.variable, ...rule.environment, ...rule.baseUrls]);
  return [...new Set(['HOME', 'USERPROFILE', ...keys])];
}

function overridesOf(options: CheckedOptions): Override[] {
  return ENGINES.flatMap(({ engine }) => {
    const program = options.overrides
      ? options.overrides[engine]
      : process.env[`${engine.toUpperCase()}_PATH`];
    return program ? [{ engine, program }] : [];
  });
}

function machineRows({ procRoot, deadlineMs }: CheckedOptions): ReadRows {
  return (pids, what) =>
    what === 'whole'
      ? snapshotAsync({ fields: [...COSTLY], env: envKeys(), pids, procRoot, deadlineMs })
      : snapshotAsync({ fields: [...MOVING], pids, procRoot, deadlineMs });
}

export interface SettingOptions {
  /** Reads the rows instead of the machine, whose panes then do not count unless they were asked for. */
  readonly given?: ReadRows | undefined;
  readonly clock?: () => number;
  /** Nobody waits for answers of tmux any more. */
  readonly closing?: AbortSignal;
}

export function settingOf(options: CheckedOptions, { given, clock, closing }: SettingOptions = {}): Setting {
  return {
    options,
    look: options.look ?? lookAtFiles,
    overrides: overridesOf(options),
    readRows: given ?? machineRows(options),
    memory: new StoreMemory(clock),
    panes: paneReader(options, given === undefined && options.procRoot === DEFAULT_PROC_ROOT, closing),
  };
}
