import { OptionError } from '../process/fault.js';
import { requireKnown, wholeNumber } from '../process/options.js';
import type { PollerOptions } from '../process/poller-options.js';
import { AGENTS_OPTIONS, type AgentsOptions, type CheckedOptions, checkOptions } from './options.js';
import type { AgentPoller } from './poller.js';
import type { AgentTable } from './table.js';

/** What the monitor's own poller takes as it is. */
const PASSED_ON = [
  'events',
  'maxAgeMs',
  'factsAgeMs',
  'trackedAgeMs',
  'trackedLookMs',
  'maxDescriptors',
] as const;
type PassedOn = Pick<PollerOptions, (typeof PASSED_ON)[number]>;

/** Those of `agents()` but `table` and `now`, and those of the poller that bound how late a change is seen. */
export interface MonitorOptions extends Omit<AgentsOptions, 'table' | 'now'>, PassedOn {
  /**
   * Milliseconds after which a poll asks anew whether the records of agents were written; 0 = each poll
   * asks. Default 250. It is one call for all agents, off the main thread, and dearer than an idle poll. As often an own
   * poller looks at agents themselves, unless `trackedLookMs` says otherwise: a stop is seen by that, an end by any poll.
   */
  readonly recordAgeMs?: number;
  /**
   * Milliseconds after which open files and locks of agents are read again, where nothing showed a change before.
   * Default 1,000. Their cwd and user: five times that. The open files of an agent whose session is proven by its
   * record can add nothing but a refused session: sixty times that.
   */
  readonly sessionAgeMs?: number;
  /**
   * Milliseconds after which panes and the screens of agents are read again; other agents than before are looked for
   * at once. Default 1,000.
   */
  readonly paneAgeMs?: number;
  /**
   * Longest that a poll waits for what it asked, in milliseconds: it then answers what is known, and a
   * later poll the rest. Default 200.
   */
  readonly patienceMs?: number;
  /** Gives the changes of the process table instead of a poller of its own; it is not closed. */
  readonly poller?: AgentPoller;
  /** Reads all facts of these processes instead of the built-in reader. */
  readonly readProcesses?: (pids: readonly number[]) => Promise<AgentTable>;
  /** Milliseconds of a clock that is never set, for all ages. Default `performance.now`. */
  readonly clock?: () => number;
}

const OWN = [
  ...PASSED_ON,
  'recordAgeMs',
  'sessionAgeMs',
  'paneAgeMs',
  'patienceMs',
  'poller',
  'readProcesses',
  'clock',
] as const;
const DEFAULT_RECORD_AGE_MS = 250;
const DEFAULT_SESSION_AGE_MS = 1_000;
const DEFAULT_PANE_AGE_MS = 1_000;
const DEFAULT_PATIENCE_MS = 200;
const MOST_MS = 3_600_000;

export interface CheckedMonitorOptions {
  readonly agents: CheckedOptions;
  readonly recordAgeMs: number;
  readonly sessionAgeMs: number;
  readonly paneAgeMs: number;
  readonly patienceMs: number;
  readonly poller: AgentPoller | undefined;
  readonly readProcesses: MonitorOptions['readProcesses'];
  readonly clock: () => number;
  readonly passedOn: PassedOn;
}

function checkPoller(poller: unknown, given: PassedOn): void {
  if (poller === undefined) return;
  const parts = (typeof poller === 'object' && poller !== null ? poller : {}) as Partial<AgentPoller>;
  if (![parts.poll, parts.track, parts.untrack].every((part) => typeof part === 'function')) {
    throw new OptionError('poller', 'must be a poller: poll(), track() and untrack()');
  }
  const [first] = Object.keys(given);
  if (first !== undefined) throw new OptionError(first, 'is for the own poller: one was given');
}

function expectFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new OptionError(name, 'must be of type function');
  }
}

/** Throws an OptionError for an option that is unknown or cannot be used. */
export function checkMonitorOptions(options: MonitorOptions): CheckedMonitorOptions {
  const forAgents = AGENTS_OPTIONS.filter((name) => name !== 'table' && name !== 'now');
  requireKnown(options, [...forAgents, ...OWN], 'options');
  const passedOn: PassedOn = Object.fromEntries(
    PASSED_ON.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );
  checkPoller(options.poller, passedOn);
  expectFunction('readProcesses', options.readProcesses);
  expectFunction('clock', options.clock);
  const own: readonly string[] = OWN;
  const rest = Object.fromEntries(Object.entries(options).filter(([name]) => !own.includes(name)));
  const ms = (
    name: 'recordAgeMs' | 'sessionAgeMs' | 'paneAgeMs' | 'patienceMs',
    least: number,
    fallback: number,
  ) => wholeNumber(name, options[name], least, MOST_MS, fallback);
  return {
    agents: checkOptions(rest),
    recordAgeMs: ms('recordAgeMs', 0, DEFAULT_RECORD_AGE_MS),
    sessionAgeMs: ms('sessionAgeMs', 1, DEFAULT_SESSION_AGE_MS),
    paneAgeMs: ms('paneAgeMs', 1, DEFAULT_PANE_AGE_MS),
    patienceMs: ms('patienceMs', 0, DEFAULT_PATIENCE_MS),
    poller: options.poller,
    readProcesses: options.readProcesses,
    clock: options.clock ?? (() => performance.now()),
    passedOn,
  };
}
