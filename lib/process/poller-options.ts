import type { PollRequest } from '../native/binding.js';
import { OptionError } from '../native/fault.js';
import { maskOf, type ProcessField } from '../native/layout.js';
import { load } from '../native/load.js';
import { requireKnown, type SnapshotOptions, shown, snapshotRequest, wholeNumber } from './options.js';

/** Fields of `stat` that change all the time by themselves. */
export const VOLATILE_FIELDS = ['state', 'threads', 'cpu', 'rss', 'vsize'] as const;
export type VolatileField = (typeof VOLATILE_FIELDS)[number];

/** What the kernel may tell of processes, so that a poll need not look at each; by what it takes. */
export type EventSource = 'none' | 'pidfd' | 'connector';
const SOURCES: readonly EventSource[] = ['none', 'pidfd', 'connector'];

export interface PollerOptions
  extends Pick<SnapshotOptions, 'fields' | 'env' | 'procRoot' | 'deadlineMs' | 'maxFieldBytes'> {
  /**
   * Read of every process at each poll, and reported as changes: one read of `stat` a process. Default:
   * none; then a row has these as they were when it was last reported, and of `state` only a stop and
   * its end are reported.
   */
  readonly volatile?: readonly VolatileField[];
  /**
   * Within this many milliseconds `stat` of each process is looked at again (another program or name is
   * seen by that), and the pids are listed whatever the kernel told. Infinity = never. Default 10,000.
   */
  readonly maxAgeMs?: number;
  /** Within this many milliseconds all fields of each process are read again. Infinity = never. Default 120,000. */
  readonly factsAgeMs?: number;
  /** The same for tracked processes. Default 1,000. */
  readonly trackedAgeMs?: number;
  /**
   * Within this many milliseconds `stat` of each tracked process is looked at again. Default 0: in each poll. The
   * end of a process is seen by the next poll whatever this says, and so is an exec that the kernel told of.
   */
  readonly trackedLookMs?: number;
  /** Which help of the kernel to take at most. Default `auto`: the best that this program may have. */
  readonly events?: EventSource | 'auto';
  /** Most descriptors to keep open. Default: a quarter of what this program may have open. */
  readonly maxDescriptors?: number;
}

const KNOWN: readonly (keyof PollerOptions)[] = [
  'fields',
  'env',
  'procRoot',
  'deadlineMs',
  'maxFieldBytes',
  'volatile',
  'maxAgeMs',
  'factsAgeMs',
  'trackedAgeMs',
  'trackedLookMs',
  'events',
  'maxDescriptors',
];
const DEFAULT_MAX_AGE_MS = 10_000;
const DEFAULT_FACTS_AGE_MS = 120_000;
const DEFAULT_TRACKED_AGE_MS = 1_000;
/** Shorter than any interval: at each poll. */
const LEAST_AGE_MS = 1e-6;
const MOST_LOOK_MS = 3_600_000;
const MOST_DESCRIPTORS = 1 << 24;

/** An age as the addon takes it, where 0 means any. */
function ageOf(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !(value >= 0)) {
    throw new OptionError(name, 'must be milliseconds: a number that is not negative');
  }
  return value === Number.POSITIVE_INFINITY ? 0 : Math.max(value, LEAST_AGE_MS);
}

function sourceOf(value: unknown): number {
  if (value === undefined || value === 'auto') return SOURCES.length - 1;
  const index = SOURCES.indexOf(value as EventSource);
  if (index === -1) {
    throw new OptionError('events', `${shown(value)} is none of auto, ${SOURCES.join(', ')}`);
  }
  return index;
}

function volatileMask(value: unknown): number {
  if (value === undefined) return 0;
  if (!Array.isArray(value)) throw new OptionError('volatile', 'must be a list of field names');
  for (const field of value as unknown[]) {
    if (!VOLATILE_FIELDS.includes(field as VolatileField)) {
      throw new OptionError('volatile', `${shown(field)} is none of ${VOLATILE_FIELDS.join(', ')}`);
    }
  }
  return maskOf(value as ProcessField[]);
}

/**
 * Checks the options of a poller and makes the request of them.
 * @throws OptionError that names the option
 */
export function pollRequest(options: PollerOptions): PollRequest {
  requireKnown(options, KNOWN, 'options');
  const { fields, env, procRoot, deadlineMs, maxFieldBytes } = options;
  const rows = snapshotRequest({
    ...(fields !== undefined && { fields }),
    ...(env !== undefined && { env }),
    ...(procRoot !== undefined && { procRoot }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(maxFieldBytes !== undefined && { maxFieldBytes }),
  });
  const everyPoll = volatileMask(options.volatile);
  const { maxDescriptors } = options;
  return {
    ...rows,
    everyPoll,
    maxAgeMs: ageOf('maxAgeMs', options.maxAgeMs, DEFAULT_MAX_AGE_MS),
    factsAgeMs: ageOf('factsAgeMs', options.factsAgeMs, DEFAULT_FACTS_AGE_MS),
    trackedAgeMs: ageOf('trackedAgeMs', options.trackedAgeMs, DEFAULT_TRACKED_AGE_MS),
    trackedLookMs: wholeNumber('trackedLookMs', options.trackedLookMs, 0, MOST_LOOK_MS, 0),
    events: sourceOf(options.events),
    maxDescriptors:
      maxDescriptors === undefined
        ? load().descriptorBudget()
        : wholeNumber('maxDescriptors', maxDescriptors, 0, MOST_DESCRIPTORS, 0),
  };
}
