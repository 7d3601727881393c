import type { PollerHandle, PollRequest, RawDelta } from '../native/binding.js';
import { describeFault, type Fault } from '../native/fault.js';
import { FIELDS, fieldBit, type ProcessField } from '../native/layout.js';
import { load } from '../native/load.js';
import { pidOf } from './options.js';
import { PollTable } from './poll-table.js';
import { type EventSource, type PollerOptions, pollRequest } from './poller-options.js';
import type { ProcessRow } from './row.js';
import { ProcessTable } from './table.js';
import {
  closingSignal,
  type Rest,
  restByTimer,
  stoppable,
  ticks,
  type WatchOptions,
  watchOptions,
} from './ticks.js';

/** A process that is the same (pid and start) and no longer looks the same. */
export interface RowChange {
  readonly row: ProcessRow;
  readonly before: ProcessRow;
  readonly fields: readonly ProcessField[];
}

/** What happened between two polls. */
export interface Delta {
  /** New in the table; at the first poll everybody. */
  readonly started: readonly ProcessRow[];
  /** Ended, as they were last seen. A process has ended when it runs no more, whether its parent has taken note or not. */
  readonly exited: readonly ProcessRow[];
  readonly changed: readonly RowChange[];
  /** The table after this poll: one object for the life of the poller. */
  readonly table: PollTable;
  /** What this poll could not see. */
  readonly faults: readonly Fault[];
  /** The processes could not be listed: the table stands as it was, and nothing is reported. */
  readonly failed: boolean;
}

/** What a poller has done, and what it keeps. */
export interface PollerStats {
  /** The help of the kernel that is used; `none` before the first poll. */
  readonly events: EventSource;
  readonly descriptors: number;
  readonly polls: number;
  /** Polls that listed all pids. */
  readonly lists: number;
  /** Reads of the `stat` of one process. */
  readonly glances: number;
  /** Processes of which all fields were read, counted each time. */
  readonly reads: number;
}

/** A poller is asked for what it cannot do in the state that it is in. */
export class PollerStateError extends Error {
  override readonly name = 'PollerStateError';
  readonly code: 'ERR_POLLER_CLOSED' | 'ERR_POLLER_BUSY';

  constructor(code: PollerStateError['code'], message: string) {
    super(`procscope: ${message}`);
    this.code = code;
  }
}

/**
 * Looks at the process table again and again, at a cost that grows with what changed and not with what runs.
 *
 * **How.** Of births the kernel tells by the last pid that it gave out (`/proc/loadavg`), of ends by a pidfd a process
 * (pidfd_open(2)); a program that may listen to the process events connector is told of both and of every exec. While
 * nothing happens a poll looks at no process. What starts is read once; a tracked process, and one in its first second,
 * is looked at in each poll; all others in turn within `maxAgeMs`. Where the kernel gives no such help (a `procRoot`
 * of another machine, a pid namespace other than ours, an old kernel, no descriptors left), each poll lists the pids
 * and looks at those that nothing tells of: dearer, and just as right. Only a zombie that no descriptor was left for may
 * stay in the table up to `maxAgeMs`, or until its parent takes note.
 *
 * **What is reported.** Each process that lives across two polls once as started and once as exited. A process is its
 * pid and its start: a pid given out again is an exit and a start, never a change. A change of what only its memory
 * shows (a title written over the arguments) is seen within `factsAgeMs`, of tracked processes within `trackedAgeMs`.
 *
 * Descriptors that it keeps are closed by `close()`, or when nobody holds it any more.
 */
export class Poller {
  /** The processes as the last poll left them. */
  readonly table: PollTable;
  readonly #request: PollRequest;
  readonly #handle: PollerHandle;
  readonly #nothing: Delta;
  readonly #closing = closingSignal();
  #inFlight = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws OptionError that names the option, LoadError when no binary loads */
  constructor(options: PollerOptions = {}) {
    this.#request = pollRequest(options);
    this.#handle = load().pollerOpen(this.#request);
    this.table = new PollTable(this.#request.procRoot);
    this.#nothing = Object.freeze({
      started: Object.freeze([]),
      exited: Object.freeze([]),
      changed: Object.freeze([]),
      table: this.table,
      faults: Object.freeze([]),
      failed: false,
    });
  }

  /**
   * Polls on the calling thread's time. Calls that might not return are made elsewhere and waited for no longer
   * than `deadlineMs`. While nothing happens the answer is one and the same frozen object.
   * @throws PollerStateError when closed, or while pollAsync() is under way
   */
  poll(): Delta {
    this.#requireOpen();
    if (this.#inFlight > 0) {
      throw new PollerStateError('ERR_POLLER_BUSY', 'poll() while pollAsync() is under way');
    }
    return this.#accept(load().pollerPoll(this.#handle, this.#request.fields));
  }

  /**
   * The same off the main thread, which only asks whether anything happened. Calls queue one behind the other.
   * Rejects with PollerStateError when closed, never for what the system answered.
   */
  pollAsync(): Promise<Delta> {
    this.#inFlight += 1;
    const delta = this.#last.then(() => this.#pollOnce());
    this.#last = delta.then(
      () => this.#done(),
      () => this.#done(),
    );
    return delta;
  }

  /**
   * Deltas with news, the first at once. A poller tells each thing once: whoever else polls it takes news away. A consumer that is slow polls less often and misses nothing that lives on:
   * nothing queues. A failure is told once, and its end too. Ends with the signal, or when the poller is closed.
   * @throws OptionError that names the option
   */
  watch(options: WatchOptions = {}): AsyncGenerator<Delta, void, undefined> {
    const { intervalMs, signals } = watchOptions(options);
    return this.#deltas(intervalMs, [...signals, this.#closing.signal]);
  }

  /** Looks at this process in each poll from now on, until it ends. False if it is not in the table. */
  track(pid: number): boolean {
    return this.#wish(pid, true);
  }

  /** Back to a look within `maxAgeMs`. False if it is not in the table. */
  untrack(pid: number): boolean {
    return this.#wish(pid, false);
  }

  get stats(): PollerStats {
    this.#requireOpen();
    return load().pollerState(this.#handle);
  }

  /** Gives back every descriptor. The table stays readable. */
  close(): void {
    if (this.#closed) return;
    this.#closing.abort();
    load().pollerClose(this.#handle);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  async *#deltas(
    intervalMs: number,
    signals: readonly AbortSignal[],
  ): AsyncGenerator<Delta, void, undefined> {
    let trouble = '';
    for await (const _ of ticks(intervalMs, signals, this.#restWhileQuiet)) {
      const delta = await this.pollAsync().catch((error: unknown) => {
        if (!this.#closed) throw error;
      });
      if (delta === undefined) return;
      const now = delta.faults.map(describeFault).join('\n');
      const told = now === trouble;
      trouble = now;
      const news = delta.started.length + delta.exited.length + delta.changed.length > 0;
      if (news || !told) yield delta;
    }
  }

  /** The looks that find nothing are made by a thread that wakes nobody. */
  readonly #restWhileQuiet: Rest = (firstMs, intervalMs, signals) => {
    const binding = load();
    const wait = binding.pollerWait(this.#handle, firstMs, intervalMs);
    if (wait === null) return restByTimer(firstMs, intervalMs, signals);
    return stoppable(signals, () => binding.pollerStopWait(wait.handle), wait.over);
  };

  async #pollOnce(): Promise<Delta> {
    this.#requireOpen();
    const binding = load();
    if (binding.pollerIdle(this.#handle)) return this.#accept(undefined);
    return this.#accept(await binding.pollerPollAsync(this.#handle, this.#request.fields));
  }

  #done(): void {
    this.#inFlight -= 1;
  }

  #wish(pid: number, on: boolean): boolean {
    this.#requireOpen();
    const known = this.table.has(pidOf('pid', pid));
    if (known) load().pollerTrack(this.#handle, pid, on);
    return known;
  }

  #requireOpen(): void {
    if (this.#closed) throw new PollerStateError('ERR_POLLER_CLOSED', 'the poller is closed');
  }

  #accept(raw: RawDelta | undefined): Delta {
    const { table } = this;
    if (raw === undefined) {
      table.faults = this.#nothing.faults;
      return this.#nothing;
    }
    table.faults = raw.faults;
    if (raw.bootId !== '') table.bootId = raw.bootId;
    const exited: ProcessRow[] = [];
    for (const pid of raw.exited) {
      const row = table.remove(pid);
      if (row !== undefined) exited.push(row);
    }
    const started: ProcessRow[] = [];
    const changed: RowChange[] = [];
    const rows = new ProcessTable(raw, this.#request);
    const pids = rows.columns.pid as Int32Array;
    for (let index = 0; index < rows.size; index++) {
      const mask = raw.changed[index] as number;
      const before = mask === 0 ? undefined : table.get(pids[index] as number);
      if (before === undefined) {
        const row = rows.row(index);
        started.push(row);
        table.put(row);
      } else {
        const row = (mask & TEXTS) === 0 ? rows.rowAfter(index, before) : rows.row(index);
        changed.push({ row, before, fields: fieldsOf(mask) });
        table.put(row);
      }
    }
    return { started, exited, changed, table, faults: raw.faults, failed: raw.failed };
  }
}

const FIELD_LISTS = new Map<number, readonly ProcessField[]>();

/** The fields of a mask; few masks come up, and each has one list. */
function fieldsOf(mask: number): readonly ProcessField[] {
  let fields = FIELD_LISTS.get(mask);
  if (fields === undefined) {
    fields = Object.freeze(FIELDS.filter((field) => (mask & fieldBit(field)) !== 0));
    FIELD_LISTS.set(mask, fields);
  }
  return fields;
}

/** Mask of the fields that are texts: if one changed, all came anew. */
const TEXTS = ['name', 'tty', 'user', 'argv', 'exe', 'cwd', 'root', 'cgroup', 'env', 'nspid'].reduce(
  (mask, field) => mask | fieldBit(field as ProcessField),
  0,
);
