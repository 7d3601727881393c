/**
 * The session files of agents, from poll to poll. They are read when something shows that they changed,
 * in quick succession while an agent is young and has no session yet, and at a bounded age otherwise.
 */
import { isDeepStrictEqual } from 'node:util';
import { isSessionKind, type Judged } from '../engines/judge.js';
import type { LookAnswer, LookRequest } from '../process/look.js';
import type { HeldAnswer } from './held.js';
import { keyOf, retryMs } from './population.js';
import { type RecordLook, signOf } from './records.js';
import { linkJudged } from './rows.js';
import type { SessionLooks } from './sessions.js';
import type { StoreAnswer } from './stores.js';

interface Watch {
  readonly key: string;
  judged: Judged;
  /** When the program was first seen that it runs. */
  readonly since: number;
  record: RecordLook | undefined;
  held: HeldAnswer | undefined;
  store: StoreAnswer | undefined;
  /** Which of them are an earlier answer. */
  recordKept: boolean;
  heldKept: boolean;
  storeKept: boolean;
  /** Since when the record is found half written; null = it is not. */
  unfinishedSince: number | null;
  tries: number;
  lookAt: number;
}

/** Looks in quick succession, from 50 ms on, each after twice the time. */
const QUICK_LOOKS = 5;
/**
 * A file system may stamp two writes with one time (a clock tick: up to 10 ms): whatever changed is
 * read once more when that has passed.
 */
const SETTLED_MS = 50;
/** A record that stays half written for longer is no record. */
const UNFINISHED_MS = 1_000;
/** Whoever is due within this part of the age is looked at in the same call. */
const TOGETHER = 0.25;

/** Where a record proves the session, its sign tells of changes: open files could add a refusal at most. */
const RECORDED_AGES = 60;

const NOT_LOOKED: RecordLook = { found: undefined };

function isUnfinished({ found }: RecordLook): boolean {
  return !!found && 'problem' in found.reading && found.reading.unfinished === true;
}

function holdsRecord(look: RecordLook | undefined): look is RecordLook {
  return !!look?.found && 'record' in look.found.reading;
}

export class Watched {
  readonly #ageMs: number;
  #watches = new Map<number, Watch>();

  constructor(ageMs: number) {
    this.#ageMs = ageMs;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Those that are judged now; `since` tells when the program was first seen that a process runs. */
  follow(judged: ReadonlyMap<number, Judged>, since: (pid: number) => number, now: number): void {
    const watches = new Map<number, Watch>();
    for (const [pid, each] of judged) {
      if (!(isSessionKind(each.kind) || each.kind === 'launcher' || each.kind === 'service')) continue;
      const key = `${keyOf(pid, each.facts.startKey)} ${each.rule.engine}`;
      const known = this.#watches.get(pid);
      const began = since(pid);
      if (known?.key === key && known.since === began) {
        if (asksElsewhere(known.judged, each)) known.lookAt = now;
        known.judged = each;
        watches.set(pid, known);
      } else {
        const earlier = known?.key === key ? known : undefined;
        watches.set(pid, {
          key,
          judged: each,
          since: began,
          record: earlier?.record,
          held: earlier?.held,
          store: earlier?.store,
          recordKept: false,
          heldKept: false,
          storeKept: false,
          unfinishedSince: null,
          tries: 0,
          lookAt: now,
        });
      }
    }
    this.#watches = watches;
  }

  /** What was found so far, for an answer. */
  findings(): Pick<SessionLooks, 'records' | 'held' | 'stores'> & { readonly kept: ReadonlySet<string> } {
    const records = new Map<number, RecordLook>();
    const held = new Map<number, HeldAnswer>();
    const stores = new Map<number, StoreAnswer>();
    const kept = new Set<string>();
    for (const [pid, watch] of this.#watches) {
      const record = watch.record ?? (watch.judged.rule.pidRecord && !watch.held ? NOT_LOOKED : undefined);
      if (record) records.set(pid, record);
      if (watch.held) held.set(pid, watch.held);
      if (watch.store) stores.set(pid, watch.store);
      if (watch.recordKept || watch.storeKept) kept.add(`${pid} session`);
      if (watch.heldKept) kept.add(`${pid} openFiles`);
    }
    return { records, held, stores, kept };
  }

  /** Who is to be looked at now; a look that is due takes those along that would be soon. */
  due(now: number): Judged[] {
    const watches = [...this.#watches.values()];
    if (!watches.some(({ lookAt }) => lookAt <= now)) return [];
    const soon = now + this.#ageMs * TOGETHER;
    return watches.filter(({ lookAt }) => lookAt <= soon).map(({ judged }) => judged);
  }

  nextDue(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { lookAt } of this.#watches.values()) next = Math.min(next, lookAt);
    return next;
  }

  /** No look at these until its answer came. */
  asked(judged: readonly Judged[]): void {
    for (const { facts } of judged) {
      const watch = this.#watches.get(facts.pid);
      if (watch) watch.lookAt = Number.POSITIVE_INFINITY;
    }
  }

  /** There will be no answer. */
  lost(judged: readonly Judged[], now: number): void {
    for (const { facts } of judged) {
      const watch = this.#watches.get(facts.pid);
      if (watch) watch.lookAt = now + retryMs(watch.tries++);
    }
  }

  /** What was found of them; whether that is anything new. */
  take(judged: readonly Judged[], { records, held, stores }: SessionLooks, now: number): boolean {
    let news = false;
    for (const each of judged) {
      const { pid } = each.facts;
      const watch = this.#watches.get(pid);
      if (watch?.key !== `${keyOf(pid, each.facts.startKey)} ${each.rule.engine}`) continue;
      const before = looksOf(watch);
      takeRecord(watch, records.get(pid), now);
      takeHeld(watch, held.get(pid));
      takeStore(watch, stores.get(pid));
      this.#schedule(watch, before[0]?.sign !== watch.record?.sign, now);
      news ||= !isDeepStrictEqual(before, looksOf(watch));
    }
    return news;
  }

  /** Where to ask whether records were written, by pid. */
  spots(): Map<number, LookRequest> {
    const spots = new Map<number, LookRequest>();
    for (const [pid, { record, lookAt }] of this.#watches) {
      if (record?.spot && lookAt !== Number.POSITIVE_INFINITY) spots.set(pid, record.spot);
    }
    return spots;
  }

  /** Whoever's record differs from the one that was read is due. */
  compare(spots: ReadonlyMap<number, LookRequest>, answers: readonly LookAnswer[], now: number): void {
    for (const [index, [pid, spot]] of [...spots].entries()) {
      const watch = this.#watches.get(pid);
      const answer = answers[index];
      if (!watch || !answer || watch.record?.spot !== spot) continue;
      if (signOf(answer) !== watch.record.sign) watch.lookAt = Math.min(watch.lookAt, now);
    }
  }

  #schedule(watch: Watch, written: boolean, now: number): void {
    const { judged, record, held, store } = watch;
    const { claim } = linkJudged(judged, record, held, store).link;
    const proven = claim?.grade === 'exact';
    const ageMs = this.#ageMs * (proven && claim.source === 'pid-record' ? RECORDED_AGES : 1);
    const quick = !proven && watch.tries < QUICK_LOOKS;
    const rest = quick ? Math.min(ageMs, retryMs(watch.tries)) : ageMs;
    watch.tries++;
    watch.lookAt = now + (written || watch.unfinishedSince !== null ? Math.min(rest, SETTLED_MS) : rest);
  }
}

/** Other homes, another root: the files lie elsewhere. Another folder or kind: other rules of the store speak. */
function asksElsewhere(before: Judged, now: Judged): boolean {
  return (
    !isDeepStrictEqual(before.home, now.home) ||
    before.facts.root !== now.facts.root ||
    before.facts.cwd !== now.facts.cwd ||
    before.kind !== now.kind
  );
}

function looksOf({ record, held, store, recordKept, heldKept, storeKept }: Watch) {
  return [record, held, store, recordKept, heldKept, storeKept] as const;
}

/** A store that could not be looked at leaves what it said; one that nobody asked has nothing to say. */
function takeStore(watch: Watch, look: StoreAnswer | undefined): void {
  const before = watch.store;
  watch.storeKept = look?.fault !== undefined && before !== undefined && (!before.fault || watch.storeKept);
  watch.store = watch.storeKept && before && look?.fault ? { ...before, fault: look.fault } : look;
}

function takeRecord(watch: Watch, look: RecordLook | undefined, now: number): void {
  const before = watch.record;
  const unfinished = look !== undefined && isUnfinished(look);
  watch.unfinishedSince = unfinished ? (watch.unfinishedSince ?? now) : null;
  const waits = watch.unfinishedSince !== null && now - watch.unfinishedSince < UNFINISHED_MS;
  if (waits && look && holdsRecord(before)) {
    watch.record = { ...before, ...(look.sign === undefined ? {} : { sign: look.sign }) };
    return;
  }
  const failed = look?.found === undefined && look?.fault !== undefined;
  watch.recordKept = failed && before?.found !== undefined;
  watch.record = watch.recordKept ? { ...before, ...look, found: before?.found } : look;
}

function takeHeld(watch: Watch, look: HeldAnswer | undefined): void {
  const before = watch.held;
  const worse = look?.fault !== undefined && before !== undefined && (!before.fault || watch.heldKept);
  // The pid belongs to somebody else by now, which is for the poller to say.
  const unread = look !== undefined && look.files === undefined && !look.fault && before !== undefined;
  watch.heldKept = worse;
  if (worse) watch.held = { ...before, fault: look.fault };
  else if (!unread) watch.held = look;
}
