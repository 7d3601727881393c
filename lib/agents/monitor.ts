import type { Fault } from '../process/fault.js';
import { Poller, PollerStateError } from '../process/poller.js';
import { closingSignal, ticks, type WatchOptions, watchOptions } from '../process/ticks.js';
import type { Agent, AgentsEnvelope } from './envelope.js';
import type { AgentEvent } from './events.js';
import { checkMonitorOptions, type MonitorOptions } from './monitor-options.js';
import type { AgentPoller, TableDelta } from './poller.js';
import { Rounds } from './rounds.js';
import { CHEAP } from './setting.js';

/** What happened between two polls. */
export interface AgentDelta {
  /** Exits first, then changes, then starts. The first poll reports every agent as started. */
  readonly events: readonly AgentEvent[];
  /** The process table could not be read: nothing is reported, and every row is as old as the last read. */
  readonly failed: boolean;
  /** Why, and what else could not be read of the table as a whole in this poll. */
  readonly faults: readonly Fault[];
}

/** Counted since the monitor was made. */
export interface MonitorStats {
  readonly polls: number;
  /** Processes that were held against the rules of the engines. */
  readonly judged: number;
  /** Calls that looked at files or processes, off the main thread; each is one for all agents. */
  readonly looked: number;
}

const NOTHING: AgentDelta = Object.freeze({
  events: Object.freeze([]) as readonly AgentEvent[],
  failed: false,
  faults: Object.freeze([]) as readonly Fault[],
});

function isEmpty({ started, exited, changed, faults, failed }: TableDelta): boolean {
  return (
    started.length === 0 && exited.length === 0 && changed.length === 0 && faults.length === 0 && !failed
  );
}

/**
 * The agents of this machine, poll after poll: the rows are those of `agents()` at the same moment, at
 * a cost that grows with what changed. `poll()` is for who has a loop of their own, `watch()` for who
 * has none.
 *
 * An exit is reported by the poll that proves it. A read that fails reports nothing: the earlier answer
 * stands, and `faults` and the row's `because` say that it is old.
 */
export class AgentMonitor {
  readonly #poller: AgentPoller;
  readonly #close: () => void;
  readonly #clock: () => number;
  readonly #rounds: Rounds;
  readonly #nothing = Promise.resolve(NOTHING);
  #turn: Promise<AgentDelta> | undefined;
  #polls = 0;
  /** The last poll of the table could not see everything. */
  #troubled = false;
  readonly #closing = closingSignal();

  /** @throws OptionError for an option that cannot be used, LoadError when no binary loads */
  constructor(options: MonitorOptions = {}) {
    const checked = checkMonitorOptions(options);
    const { procRoot, deadlineMs } = checked.agents;
    if (checked.poller === undefined) {
      const own = new Poller({
        // A stop of an agent is told as late as its status, and its end at once.
        trackedLookMs: checked.recordAgeMs,
        ...checked.passedOn,
        ...{ fields: [...CHEAP], procRoot, deadlineMs },
      });
      this.#poller = own;
      this.#close = () => own.close();
    } else {
      this.#poller = checked.poller;
      this.#close = () => {};
    }
    this.#clock = checked.clock;
    this.#rounds = new Rounds(checked, this.#poller, this.#closing.signal);
  }

  get stats(): MonitorStats {
    return { polls: this.#polls, judged: this.#rounds.judged, looked: this.#rounds.looked };
  }

  /** The agents as of the last poll, by pid. */
  get agents(): readonly Agent[] {
    return this.#rounds.agents;
  }

  /** The answer of `agents()` as of the last poll; `tookMs` is the time of the last poll that had to do something. */
  get envelope(): AgentsEnvelope {
    return this.#rounds.envelope;
  }

  /**
   * What happened since the last poll. The process table is read before this returns; a promise of one
   * and the same delta comes back where nothing happened. Calls that come meanwhile wait for their turn.
   *
   * Rejects when the monitor or its poller is closed, and with what an injected reader threw: the next
   * poll then asks again.
   */
  poll(): Promise<AgentDelta> {
    const pass = () => this.#pass();
    const turn = this.#turn === undefined ? this.#pass() : this.#turn.then(pass, pass);
    if (turn === this.#nothing) return turn;
    this.#turn = turn;
    const over = () => {
      if (this.#turn === turn) this.#turn = undefined;
    };
    turn.then(over, over);
    return turn;
  }

  /**
   * Polls again and again and yields each delta with news: events, or that the table cannot be read any
   * more, or can again. A monitor tells each thing once: whoever else polls it takes news away. Nothing is queued for a slow consumer: while it is busy nobody polls, and the
   * next delta tells what happened since the last. Ends with the signal, or when the monitor is closed.
   */
  watch(options: WatchOptions = {}): AsyncGenerator<AgentDelta, void, undefined> {
    const { intervalMs, signals } = watchOptions(options);
    return this.#deltas(intervalMs, [...signals, this.#closing.signal]);
  }

  /** Gives back what the monitor holds; later polls reject. A poller that was given stays open. */
  close(): void {
    if (this.#closed) return;
    this.#closing.abort();
    this.#close();
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  async *#deltas(
    intervalMs: number,
    signals: readonly AbortSignal[],
  ): AsyncGenerator<AgentDelta, void, undefined> {
    let failed = false;
    for await (const _ of ticks(intervalMs, signals)) {
      const delta = await this.poll().catch((error: unknown) => {
        if (!this.#closed) throw error;
      });
      if (delta === undefined) return;
      if (delta.events.length > 0 || delta.failed !== failed) yield delta;
      failed = delta.failed;
    }
  }

  #pass(): Promise<AgentDelta> {
    if (this.#closed) {
      return Promise.reject(new PollerStateError('ERR_POLLER_CLOSED', 'the monitor is closed'));
    }
    this.#polls++;
    try {
      const delta = this.#poller.poll();
      const now = this.#clock();
      if (isEmpty(delta) && !this.#troubled && !this.#rounds.isDue(now)) return this.#nothing;
      return this.#work(delta, now);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #work(table: TableDelta, now: number): Promise<AgentDelta> {
    this.#troubled = table.failed || table.faults.length > 0;
    const events = await this.#rounds.run(table, now, () => this.#closed);
    if (events.length === 0 && table.faults.length === 0 && !table.failed) return NOTHING;
    return { events, failed: table.failed, faults: table.faults };
  }
}
