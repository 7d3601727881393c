import type { AmbiguousPane } from '../agents/envelope.js';
import type { AgentDelta } from '../agents/monitor.js';
import type { PaneHint } from '../agents/once.js';
import { OptionError } from '../process/fault.js';
import { wholeNumber } from '../process/options.js';
import { type PaneRef, paneKey } from '../tmux/pane.js';
import { checkHint } from './discover.js';
import { isSamePane, type PaneAgent, type ReadDiscovery } from './discovery.js';
import { sharesProcess } from './identity.js';
import {
  type CheckedReconciler,
  checkReconciler,
  type ExitNews,
  type ReconcilerCallbacks,
  type ReconcilerOptions,
} from './reconciler-options.js';
import {
  hides,
  isSameAgent,
  type StoredAgent,
  type Suppressed,
  stillHidden,
  suppressedOf,
  type TrackedAgent,
  trackedFrom,
} from './tracked.js';

/** Confirmed looks in a row without an agent before it is removed: one look may be unlucky. */
export const MISS_LIMIT = 2;
const MOST_MS = 3_600_000;

function warning({ pane, reason, override }: AmbiguousPane, hintable: boolean): string {
  const ways = [override, hintable ? 'a hint for the pane' : null].filter((way) => way !== null);
  const advice = ways.length === 0 ? '' : `; ${ways.join(' or ')} would settle it`;
  return `pane ${pane.id} (${pane.socket}) is ambiguous: ${reason}${advice}`;
}

/**
 * Keeps a list of the agents in panes true: what is new, what is still there, what is gone and why. A look
 * that fails changes nothing, and two confirmed looks without an agent remove it. Whoever polls an
 * `AgentMonitor` passes its deltas on (`take()`), so that an end is told at once.
 */
export class Reconciler {
  readonly #options: CheckedReconciler;
  #tracked: TrackedAgent[];
  #suppressed: Suppressed[] = [];
  #hints: PaneHint[] = [];
  #exits: ExitNews[] = [];
  /** By the key of the pane. */
  readonly #warned = new Map<string, PaneRef>();
  readonly #withMouse = new Map<string, PaneRef>();
  #timer: NodeJS.Timeout | undefined;
  #current: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  /** @throws OptionError for an option that cannot be used */
  constructor(options: ReconcilerOptions = {}) {
    this.#options = checkReconciler(options);
    this.#tracked = [...this.#options.tracked];
  }

  get agents(): readonly TrackedAgent[] {
    return [...this.#tracked];
  }

  /** A pass at once, and then one each so many milliseconds; the timer keeps no program alive. */
  start(intervalMs: number): void {
    const ms = wholeNumber('intervalMs', intervalMs, 1, MOST_MS, 0);
    if (ms === 0) throw new OptionError('intervalMs', 'must be a number of milliseconds');
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.trigger(), ms);
    this.#timer.unref();
    void this.trigger();
  }

  /** No further pass by itself. Resolves when those under way are over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await (this.#queued ?? this.#current);
  }

  /** Resolves after a pass that began after this call. Calls during a pass share the next one. */
  trigger(): Promise<void> {
    if (this.#queued) return this.#queued;
    if (this.#current === undefined) return this.#run();
    this.#queued = this.#current.then(() => {
      this.#queued = undefined;
      return this.#run();
    });
    return this.#queued;
  }

  /**
   * A validated hint of whose program called `agent` runs in a pane; the first look that sees the pane uses it up.
   * @throws OptionError for an engine that needs no hint
   */
  triggerHint(pane: PaneRef, engine: string): Promise<void> {
    const hint = checkHint({ pane, engine });
    this.#hints = [...this.#hints.filter((each) => !isSamePane(hint.pane, each.pane)), hint];
    return this.trigger();
  }

  /**
   * Hides one exact runtime (pane, engine, pid and start) until a look proves that it is gone. It is dropped without
   * a word.
   * @throws OptionError where the runtime has no identity
   */
  suppress(runtime: StoredAgent): void {
    const hidden = suppressedOf(runtime);
    this.#suppressed.push(hidden);
    this.#tracked = this.#tracked.filter(
      ({ engine, pane, chain }) =>
        engine !== hidden.engine || !isSamePane(hidden.pane, pane) || !sharesProcess(chain, hidden.chain),
    );
  }

  /** News of an AgentMonitor: ends that it proved are told at once and start a pass. */
  take(delta: Pick<AgentDelta, 'events'>): Promise<void> {
    const exits = delta.events.filter(({ type }) => type === 'exited');
    if (exits.length === 0) return Promise.resolve();
    this.#exits.push(...exits.map(({ agent, reasons }) => ({ agent, reasons })));
    return this.trigger();
  }

  #run(): Promise<void> {
    // Not before it counts as under way: a callback may trigger the next.
    const pass = Promise.resolve()
      .then(() => this.#pass())
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#current = undefined;
      });
    this.#current = pass;
    return pass;
  }

  async #pass(): Promise<void> {
    await this.#tellExits();
    const hints = this.#hints;
    const seen = await this.#options.discover(hints);
    if (seen.state === 'failed') {
      await this.#report(new Error(seen.reason));
      return;
    }
    this.#hints = this.#hints.filter((hint) => !hints.includes(hint) || seen.status(hint.pane) === 'unknown');
    await this.#reconcile(seen);
    await this.#warn(seen);
    await this.#setMouse(seen);
    // A proven end needs no wait between the looks that confirm it.
    if (this.#tracked.some(({ ended, misses }) => ended !== null && misses > 0)) void this.trigger();
  }

  async #tellExits(): Promise<void> {
    for (const { agent, reasons } of this.#exits.splice(0)) {
      const { pid, startKey } = agent;
      const known = this.#tracked.find(
        ({ identity, ended }) => ended === null && identity?.pid === pid && identity.startKey === startKey,
      );
      if (known === undefined) continue;
      const ended = { ...known, ended: reasons.join('; ') };
      this.#replace(known, ended);
      await this.#call('onExited', ended, reasons);
    }
  }

  async #reconcile(seen: ReadDiscovery): Promise<void> {
    const hidden = this.#suppressed;
    const isHidden = (found: PaneAgent): boolean => hidden.some((each) => hides(each, found));
    this.#suppressed = hidden.map((each) => stillHidden(each, seen)).filter((each) => each !== null);
    const settled = new Set<PaneAgent>();
    for (const known of [...this.#tracked]) {
      // A callback may have hidden it meanwhile.
      if (!this.#tracked.includes(known)) continue;
      const found = seen.agentOf(known.pane);
      if (found) settled.add(found);
      if (found && !isHidden(found)) await this.#meet(known, found);
      else await this.#missing(known, seen);
    }
    for (const found of seen.agents) {
      if (!settled.has(found) && !isHidden(found)) await this.#discover(found);
    }
  }

  async #meet(known: TrackedAgent, found: PaneAgent): Promise<void> {
    if (isSameAgent(known, found)) {
      this.#replace(known, trackedFrom(found));
      await this.#call('onObserved', found);
      return;
    }
    await this.#remove(known, `process replaced in ${known.pane.id}`);
    await this.#discover(found);
  }

  async #missing(known: TrackedAgent, seen: ReadDiscovery): Promise<void> {
    const { id } = known.pane;
    const status = seen.status(known.pane);
    if (status === 'unknown') return;
    const pane = seen.pane(known.pane);
    if (pane && (seen.ambiguityOf(pane) || seen.isUncertain(pane))) return;
    // The engine is still being installed or started.
    if (pane && known.placeholder && known.identity && seen.runs(known.identity)) return;
    const misses = known.misses + 1;
    if (misses < MISS_LIMIT) {
      this.#replace(known, { ...known, misses });
      return;
    }
    const what = pane ? `no supported engine process in ${id}` : `pane ${id} absent`;
    await this.#remove(known, `${what} after ${MISS_LIMIT} confirmed scans`);
  }

  #discover(found: PaneAgent): Promise<void> {
    this.#tracked.push(trackedFrom(found));
    return this.#call('onDiscovered', found);
  }

  #remove(known: TrackedAgent, reason: string): Promise<void> {
    this.#tracked = this.#tracked.filter((each) => each !== known);
    return this.#call('onRemoved', known, reason);
  }

  /** Nothing where it is not kept any more: a callback may have suppressed it. */
  #replace(known: TrackedAgent, by: TrackedAgent): void {
    this.#tracked = this.#tracked.map((each) => (each === known ? by : each));
  }

  async #warn(seen: ReadDiscovery): Promise<void> {
    const now = new Map(
      seen.ambiguousPanes.map((each) => [paneKey(each.pane.socket, each.pane.server, each.pane.id), each]),
    );
    for (const [key, pane] of this.#warned) {
      if (!now.has(key) && seen.status(pane) !== 'unknown') this.#warned.delete(key);
    }
    for (const [key, each] of now) {
      if (this.#warned.has(key) || this.#isKnownBarrier(each, seen)) continue;
      this.#warned.set(key, each.pane);
      const hintable = each.override !== null && each.contenders.every(({ engine }) => engine === null);
      await this.#call('onWarning', warning(each, hintable), each);
    }
  }

  /** The unresolved program is the agent that a hint settled before. */
  #isKnownBarrier({ pane, contenders }: AmbiguousPane, seen: ReadDiscovery): boolean {
    const chain = this.#tracked.find((each) => isSamePane(pane, each.pane))?.chain ?? [];
    return contenders.every(({ engine, pid }) => {
      const now = engine === null ? seen.identityOf(pid) : null;
      return now !== null && sharesProcess(chain, [now]);
    });
  }

  async #setMouse(seen: ReadDiscovery): Promise<void> {
    const { mouse } = this.#options;
    if (mouse === null) return;
    for (const [key, pane] of this.#withMouse) {
      if (seen.status(pane) === 'absent') this.#withMouse.delete(key);
    }
    for (const pane of seen.panes.filter(({ key }) => !this.#withMouse.has(key))) {
      try {
        if (!mouse.sessions(pane)) continue;
        const done = await mouse.set(pane);
        if (done.ok) this.#withMouse.set(pane.key, pane);
        else await this.#report(new Error(`mouse mode of ${pane.id}: ${done.message ?? 'not set'}`));
      } catch (error) {
        await this.#report(error);
      }
    }
  }

  async #call<Name extends Exclude<keyof ReconcilerCallbacks, 'onError'>>(
    name: Name,
    ...given: Parameters<NonNullable<ReconcilerCallbacks[Name]>>
  ): Promise<void> {
    const callback = this.#options.callbacks[name] as ((...all: typeof given) => unknown) | undefined;
    try {
      await callback?.(...given);
    } catch (error) {
      await this.#report(error);
    }
  }

  async #report(error: unknown): Promise<void> {
    try {
      await this.#options.callbacks.onError?.(error);
    } catch {
      // Whoever reports errors by an error has none to tell it to.
    }
  }
}
