import type { RawBatch, SamplerHandle } from '../native/binding.js';
import { type ColumnArray, Decoder } from '../native/decode.js';
import { type Fault, OptionError } from '../native/fault.js';
import { load } from '../native/load.js';
import { MEMBER_COLUMNS, SAMPLE_COLUMNS, usageBit } from '../native/usage-layout.js';
import { pidOf, requireKnown, wholeNumber } from './options.js';
import { isSignal } from './ticks.js';
import { flag, usageFields } from './usage.js';
import { type CpuTime, type IoUsage, ioOf, type PageFaults } from './usage-row.js';

export const SAMPLER_FIELDS = ['rss', 'io'] as const;

export interface SamplerOptions {
  /** Milliseconds between looks: 1 (1 kHz) or more, fractions allowed. Default 100. */
  readonly intervalMs?: number;
  /** Follow the process and all below it. Default false. */
  readonly tree?: boolean;
  /**
   * What to read at every look beside processor time. `rss`: memory, which is otherwise read with the counters, at
   * least every 10 ms. `io`: the numbers of proc_pid_io(5), read with the counters. Default: none.
   */
  readonly fields?: readonly (typeof SAMPLER_FIELDS)[number][];
  /** Keep the row of each process in each sample. Default false. */
  readonly processes?: boolean;
  /** Samples that are kept for a slow reader; then the oldest go. Default 4,096. */
  readonly capacity?: number;
  /** Stops the sampler when it aborts. */
  readonly signal?: AbortSignal;
}

/** One process in one sample. */
export interface SampledProcess {
  readonly pid: number;
  readonly startKey: bigint;
  readonly ppid: number;
  readonly threads: number;
  /** Milliseconds on a processor since the process started, of the process itself. */
  readonly cpu: number;
  /** Of one core since the sample before; undefined in the first sample of a process. */
  readonly percent: number | undefined;
  /** Bytes. */
  readonly rss: number;
  readonly vsize: number;
}

/** One look. Times are milliseconds, sizes bytes; cpu, pageFaults and io count from the first look and never go back. */
export interface Sample {
  /** Number of the look, from 0. A gap is what was dropped. */
  readonly sequence: number;
  /** On the clock of `process.hrtime()`. */
  readonly time: number;
  /** Deadlines since the look before that passed without a look. */
  readonly missed: number;
  /** Processes that were followed, that were new in this look, and that had ended. */
  readonly processes: number;
  readonly started: number;
  readonly ended: number;
  readonly threads: number;
  /** On a processor, of all members and of what they waited for. */
  readonly cpu: number;
  /** The same as user and system time, in steps of a clock tick. */
  readonly cpuTime: CpuTime;
  /** Of one core since the look before; undefined in the first. */
  readonly percent: number | undefined;
  readonly rss: number;
  readonly vsize: number;
  readonly pageFaults: PageFaults;
  /** Undefined: not asked for, or not to be had of one of the processes. */
  readonly io: IoUsage | undefined;
  /** With `processes: true`. */
  readonly members: readonly SampledProcess[];
}

export interface SamplerState {
  readonly running: boolean;
  /** Why it is over: `stopped`, `ended` (the root process did), `fault` (it could not be followed). */
  readonly reason: 'stopped' | 'ended' | 'fault' | undefined;
  /** What could not be read, the last of it. */
  readonly fault: Fault | undefined;
  /** Looks made, deadlines that passed without one, looks that nobody took in time. */
  readonly taken: number;
  readonly missed: number;
  readonly dropped: number;
  /** Processor time of the sampling thread and of what reads for it, in milliseconds. */
  readonly ownCpu: number;
}

type SampleColumns = {
  readonly [K in keyof typeof SAMPLE_COLUMNS]: ColumnArray<typeof SAMPLE_COLUMNS, K>;
};

/** Samples as they were taken: packed, oldest first. Objects are made when they are asked for. */
export class SampleBatch implements Iterable<Sample> {
  /** Samples that were lost before the first of these, since the batch before. */
  readonly dropped: number;
  readonly #samples: Decoder<typeof SAMPLE_COLUMNS>;
  readonly #members: Decoder<typeof MEMBER_COLUMNS>;
  readonly #io: boolean;
  #firstMember: readonly number[] | undefined;

  /** Batches are made by their sampler. */
  constructor(raw: RawBatch, io: boolean) {
    this.dropped = raw.dropped;
    this.#samples = new Decoder(raw.samples, SAMPLE_COLUMNS);
    this.#members = new Decoder(raw.members, MEMBER_COLUMNS);
    this.#io = io;
  }

  get length(): number {
    return this.#samples.rows;
  }

  /** One typed array a value, one element a sample, for those who want no objects. */
  column<K extends keyof typeof SAMPLE_COLUMNS>(name: K): SampleColumns[K] {
    return this.#samples.column(name) as SampleColumns[K];
  }

  at(index: number): Sample {
    if (!Number.isInteger(index) || index < 0 || index >= this.length) {
      throw new RangeError(`sample ${index} of a batch of ${this.length}`);
    }
    const raw = (name: keyof typeof SAMPLE_COLUMNS): number => this.column(name)[index] as number;
    const percent = raw('percent');
    return {
      sequence: raw('sequence'),
      time: raw('time'),
      missed: raw('missed'),
      processes: raw('processes'),
      started: raw('started'),
      ended: raw('ended'),
      threads: raw('threads'),
      cpu: raw('cpu'),
      cpuTime: { user: raw('user'), system: raw('system') },
      percent: Number.isNaN(percent) ? undefined : percent,
      rss: raw('rss'),
      vsize: raw('vsize'),
      pageFaults: { minor: raw('minorFaults'), major: raw('majorFaults') },
      io: this.#io && (raw('present') & usageBit('io')) !== 0 ? ioOf(raw) : undefined,
      members: this.#membersOf(index),
    };
  }

  *[Symbol.iterator](): Generator<Sample, void, undefined> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  #membersOf(index: number): SampledProcess[] {
    this.#firstMember ??= this.#indexMembers();
    const first = this.#firstMember;
    const members: SampledProcess[] = [];
    for (let row = first[index] as number; row < (first[index + 1] as number); row++) {
      const raw = (name: keyof typeof MEMBER_COLUMNS): number => Number(this.#members.column(name)?.[row]);
      const percent = raw('percent');
      members.push({
        pid: raw('pid'),
        startKey: this.#members.column('startKey')?.[row] as bigint,
        ppid: raw('ppid'),
        threads: raw('threads'),
        cpu: raw('cpu'),
        percent: Number.isNaN(percent) ? undefined : percent,
        rss: raw('rss'),
        vsize: raw('vsize'),
      });
    }
    return members;
  }

  /** First row of the members of each sample, and one past the last. */
  #indexMembers(): number[] {
    const samples = this.#members.column('sample') as Uint32Array;
    const first: number[] = [];
    let row = 0;
    for (let index = 0; index <= this.length; index++) {
      while (row < samples.length && (samples[row] as number) < index) row++;
      first.push(row);
    }
    return first;
  }
}

const KNOWN = ['intervalMs', 'tree', 'fields', 'processes', 'capacity', 'signal'];
const DEFAULT_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 3_600_000;
const DEFAULT_CAPACITY = 4_096;
const MAX_CAPACITY = 1 << 20;

function intervalOf(value: unknown): number {
  if (value === undefined) return DEFAULT_INTERVAL_MS;
  if (typeof value !== 'number' || !(value >= 1 && value <= MAX_INTERVAL_MS)) {
    throw new OptionError('intervalMs', `must be a number from 1 to ${MAX_INTERVAL_MS}`);
  }
  return value;
}

/**
 * Looks at a process, or at it and all below it, again and again, on a thread of its own: JavaScript that is
 * busy delays no look. Deadlines are absolute on the monotonic clock, so they do not drift; those that a late
 * look ran over are counted as `missed` and never made up for. Samples wait in native memory; a reader that is
 * slow loses the oldest, and is told how many.
 *
 * **What it follows.** Percent and sums come from differences of one process, identified by pid and start; a
 * process that gets the pid of another begins at zero. A member stays one until it ends, also when its parent ends
 * first. New members are looked for with the counters, at least every 10 ms: among the children of main threads
 * where the kernel lists them, in the whole table within 250 ms after anything was started, and every 5 s in
 * any case. Of a process that came and went in between, its time is counted once its parent has waited for it.
 * Missed is: one whose parent ignores SIGCHLD or ended first; what such a one started; and what a member used
 * between its last look and an end that nobody waited for.
 *
 * **What is exact when.** Processor time is read at every look, in steps of a nanosecond, where the system has
 * clocks of other processes (else in clock ticks). Counters (user and system apart, waited-for time, threads, page
 * faults) move in clock ticks or are read at least every 10 ms. What was counted of an ended process is held against
 * what its parent then gains, so nothing counts twice; rounding to clock ticks may hold back up to two ticks a process.
 *
 * **What does not come.** A process in the middle of an exec that is stuck holds back its io numbers, and on newer
 * kernels all its counters. The sampler waits a tenth of a second for the first look at such a process and then goes on:
 * `state.fault` is a timeout, `io` is undefined, and the sums of that process stand still until its numbers come again.
 * Of a root that does not answer from the first there is nothing to follow: the sampler ends with that fault.
 *
 * The event loop is kept alive only while somebody waits in the iterator. A sampler that nobody holds any more, or
 * whose worker thread ends, stops.
 */
export class UsageSampler implements AsyncIterable<Sample> {
  readonly pid: number;
  readonly #handle: SamplerHandle;
  readonly #io: boolean;
  readonly #forget: () => void;
  /** Of the batch that the iterator took last. */
  #unseen: Iterator<Sample, void> | undefined;

  /** @throws OptionError that names the option, LoadError when no binary loads */
  constructor(pid: number, options: SamplerOptions = {}) {
    requireKnown(options, KNOWN, 'options');
    this.pid = pidOf('pid', pid);
    const fields = usageFields(options.fields, SAMPLER_FIELDS, []);
    const { signal } = options;
    if (signal !== undefined && !isSignal(signal)) {
      throw new OptionError('signal', 'must be an AbortSignal');
    }
    this.#io = fields.includes('io');
    const request = {
      pid: this.pid,
      tree: flag('tree', options.tree),
      memory: fields.includes('rss'),
      io: this.#io,
      members: flag('processes', options.processes),
      capacity: wholeNumber('capacity', options.capacity, 1, MAX_CAPACITY, DEFAULT_CAPACITY),
      intervalMs: intervalOf(options.intervalMs),
    };
    const binding = load();
    const handle = binding.samplerStart(request);
    this.#handle = handle;
    // Held weakly: a signal may live as long as the program, and a sampler that nobody holds any more must not.
    const held = new WeakRef(handle);
    const stop = (): void => {
      const sampler = held.deref();
      if (sampler !== undefined) binding.samplerStop(sampler);
    };
    signal?.addEventListener('abort', stop, { once: true });
    this.#forget = () => signal?.removeEventListener('abort', stop);
    if (signal?.aborted) this.stop();
  }

  /** Takes the samples that are there, without waiting; those that the iterator took before are not among them. */
  drain(): SampleBatch {
    return new SampleBatch(load().samplerDrain(this.#handle), this.#io);
  }

  get state(): SamplerState {
    const { end, fault, ...counts } = load().samplerState(this.#handle);
    return { running: end === 'running', reason: end === 'running' ? undefined : end, fault, ...counts };
  }

  /** Stops looking. Samples that were taken can still be drained. */
  stop(): void {
    this.#forget();
    load().samplerStop(this.#handle);
  }

  /**
   * Whole batches as they come, for readers that are too slow for single samples; ends when the sampler does, which
   * `state` explains. Leaving the loop does not stop the sampler.
   */
  async *batches(): AsyncGenerator<SampleBatch, void, undefined> {
    for (let batch = await this.#next(); batch !== undefined; batch = await this.#next()) yield batch;
  }

  /** Sample by sample. A loop that is left can be taken up again: what it had not seen is not lost. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Sample, void, undefined> {
    for (;;) {
      if (this.#unseen === undefined) {
        const batch = await this.#next();
        if (batch === undefined) return;
        this.#unseen = batch[Symbol.iterator]();
      }
      const { value, done } = this.#unseen.next();
      if (done) this.#unseen = undefined;
      else yield value;
    }
  }

  async #next(): Promise<SampleBatch | undefined> {
    for (;;) {
      // Asked first: what was taken before the end is drained after it was seen.
      const over = !this.state.running;
      const batch = this.drain();
      if (batch.length > 0) return batch;
      if (over) {
        this.#forget();
        return undefined;
      }
      await load().samplerWait(this.#handle);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
  }
}
