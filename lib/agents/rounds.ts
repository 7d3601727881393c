/**
 * The work of a poll in which something happened or something is due: what changed is taken in, what is
 * missing is asked for off the main thread, and the rules judge what is new.
 */
import { isDeepStrictEqual } from 'node:util';
import { ENGINES } from '../engines/index.js';
import { type Judged, JudgeMemory, type Judgement, judge } from '../engines/judge.js';
import type { InstalledProgram } from '../engines/match.js';
import type { Fault } from '../process/fault.js';
import type { PaneInventory } from '../tmux/panes.js';
import { type Answer, answerOf, type Findings, wholeFaults } from './answer.js';
import type { Agent, AgentsEnvelope } from './envelope.js';
import { Errands } from './errands.js';
import { type AgentEvent, type Explain, eventsBetween, type KnownEntry } from './events.js';
import { gather, type Installs, installsOf } from './gather.js';
import { findInstalled, installQuery, KEPT_MS } from './installed.js';
import type { CheckedMonitorOptions } from './monitor-options.js';
import { PaneWatch } from './pane-watch.js';
import type { PlacedEntry, Screens } from './panes.js';
import type { AgentPoller, TableDelta } from './poller.js';
import { asCandidates, keyOf, Population, RAN_BEFORE, relativesOf } from './population.js';
import { lookAtSessions } from './sessions.js';
import { type Setting, settingOf } from './setting.js';
import { TurnWatch } from './turn-watch.js';
import { Watched } from './watched.js';

/** Where engines are installed is asked again when something started, and at this age anyway. */
const INSTALLS_AGE_MS = 120_000;
/** Agents stay where they are nearly always, and a process that moved may be known by other signs. */
const MOVING_AGES = 5;
const NOBODY: Judgement = { judged: new Map(), barriers: new Map(), refused: new Map() };

export class Rounds {
  readonly #options: CheckedMonitorOptions;
  readonly #setting: Setting;
  readonly #poller: AgentPoller;
  readonly #clock: () => number;
  readonly #population = new Population();
  readonly #watched: Watched;
  readonly #errands: Errands;
  #installs: Installs;
  /** Where engines are installed was answered, or that took too long. */
  #ready = false;
  #memory = new JudgeMemory();
  #judgedBefore = 0;
  #accounts: ReadonlyMap<number, string> = new Map();
  #judgement = NOBODY;
  readonly #panes: PaneWatch;
  readonly #tracked = new Map<number, string>();
  #answer: Answer = { entries: [], faults: [] };
  #rows: readonly PlacedEntry[] = [];
  #entries: readonly KnownEntry[] = [];
  /** Keys of whatever was judged when the last answer was made. */
  #known: ReadonlySet<string> = new Set();
  #stale = false;
  /** Faults of a read as a whole, by what was read. */
  readonly #whole = new Map<string, readonly Fault[]>();
  #installedAt = Number.NEGATIVE_INFINITY;
  #movedAt = Number.NEGATIVE_INFINITY;
  #signedAt = Number.NEGATIVE_INFINITY;
  #due = Number.NEGATIVE_INFINITY;
  readonly #turns: TurnWatch;
  #tookMs = 0;
  looked = 0;

  constructor(options: CheckedMonitorOptions, poller: AgentPoller, closing: AbortSignal) {
    this.#options = options;
    const { clock, readProcesses: given } = options;
    this.#setting = settingOf(options.agents, { given, clock, closing });
    this.#poller = poller;
    this.#clock = clock;
    this.#watched = new Watched(options.sessionAgeMs);
    const { recordAgeMs, sessionAgeMs } = options;
    this.#turns = new TurnWatch(this.#setting, clock, recordAgeMs, sessionAgeMs);
    this.#errands = new Errands(clock);
    this.#installs = installsOf([], this.#setting);
    this.#panes = new PaneWatch(this.#setting.panes, options.paneAgeMs);
  }

  get #movingAgeMs(): number {
    return MOVING_AGES * this.#options.sessionAgeMs;
  }

  get #judged(): ReadonlyMap<number, Judged> {
    return this.#judgement.judged;
  }

  get judged(): number {
    return this.#judgedBefore + this.#memory.matched;
  }

  get agents(): readonly Agent[] {
    return this.#rows.map(({ agent }) => agent);
  }

  get envelope(): AgentsEnvelope {
    const hiding = this.#population.hiding.filter(({ pid }) => pid === null || !this.#judged.has(pid));
    return {
      agents: this.agents,
      scanned: this.#population.scanned,
      tookMs: this.#tookMs,
      faults: [...wholeFaults([...this.#whole.values()].flat()), ...this.#answer.faults, ...hiding],
      ambiguousPanes: this.#panes.ambiguous,
    };
  }

  isDue(now: number): boolean {
    return now >= this.#due || !this.#errands.idle || this.#stale || this.#population.dirty;
  }

  async run(table: TableDelta, now: number, stopped: () => boolean): Promise<AgentEvent[]> {
    this.#whole.set('table', table.faults);
    if (table.failed) return [];
    try {
      this.#absorb(table, now);
      this.#askSigns(now);
      this.#turns.begin(now);
      await this.#settle(now, stopped);
      if (stopped()) return [];
      const events = this.#stale ? this.#report() : [];
      this.#population.forgetEnds();
      return events;
    } finally {
      this.#plan();
      this.#tookMs = this.#clock() - now;
    }
  }

  #absorb(table: TableDelta, now: number): void {
    this.#population.absorb(table, this.#installs, now);
    // A new program may have come with what started.
    const stirred = table.started.length > 0 || table.changed.length > 0;
    if (now - this.#installedAt >= (stirred ? KEPT_MS : INSTALLS_AGE_MS)) this.#askInstalls(now);
  }

  /** Takes answers, judges and asks until nothing is left to wait for, or until patience is over. */
  async #settle(began: number, stopped: () => boolean): Promise<void> {
    const { patienceMs } = this.#options;
    while (!stopped()) {
      this.#errands.settle();
      if (this.#population.dirty) this.#judge();
      this.#ask(this.#clock());
      const left = patienceMs - (this.#clock() - began);
      if (left > 0 && (await this.#errands.wait(patienceMs, left))) continue;
      if (this.#ready) return;
      this.#ready = true;
    }
  }

  #send<T>(name: string, ask: () => Promise<T>, take: (answer: T) => void, lost = (): void => {}): void {
    this.looked++;
    this.#errands.send(name, ask, take, lost);
  }

  #askInstalls(now: number): void {
    if (this.#errands.runs('installs')) return;
    this.#installedAt = now;
    const take = (installed: readonly InstalledProgram[]): void => {
      const origin = this.#ready ? 'its program was found to be installed' : RAN_BEFORE;
      this.#ready = true;
      if (isDeepStrictEqual(installed, this.#installs.installed)) return;
      this.#installs = installsOf(installed, this.#setting);
      this.#judgedBefore = this.judged;
      this.#memory = new JudgeMemory();
      this.#population.reconsider(this.#installs, origin, this.#clock());
    };
    const lost = (): void => {
      this.#installedAt = Number.NEGATIVE_INFINITY;
    };
    this.#send('installs', () => findInstalled(installQuery(this.#setting)), take, lost);
  }

  /** Asks of every agent at once whether its record was written. */
  #askSigns(now: number): void {
    if (now - this.#signedAt < this.#options.recordAgeMs || this.#errands.runs('signs')) return;
    const spots = this.#watched.spots();
    if (spots.size === 0) return;
    this.#signedAt = now;
    this.#send(
      'signs',
      () => this.#setting.look([...spots.values()]),
      (answers) => this.#watched.compare(spots, answers, this.#clock()),
    );
  }

  #ask(now: number): void {
    if (this.#ready) this.#askFacts(now);
    this.#askSessions(now);
    this.#askMoving(now);
    this.#askTurns(now);
    if (this.#ready) this.#askPanes(now);
  }

  #askPanes(now: number): void {
    const panes = this.#panes;
    if (!this.#errands.runs('panes') && panes.isDue(now)) {
      const take = (inventory: PaneInventory): void => {
        if (panes.take(inventory)) this.#stale = true;
        this.#whole.set('panes', panes.faults);
      };
      this.#send('panes', panes.ask(now), take, () => panes.lost());
    }
    if (this.#stale) panes.stirScreens();
    if (!panes.screensAreDue || this.#errands.runs('screens')) return;
    const screens = panes.askScreens(() => this.#placed(), this.#population.lookup, now);
    if (screens === null) return;
    const take = (read: Screens): void => {
      if (screens.take(read)) this.#stale = true;
    };
    this.#send('screens', screens.ask, take);
  }

  /** Asks of every linked session at once whether its turns went on, as often as of records. */
  #askTurns(now: number): void {
    const watch = this.#turns;
    if (this.#stale) watch.stir();
    if (this.#errands.runs('turns')) return;
    const errand = watch.ask(now, () => {
      const sources = this.#findings();
      const { entries } = this.#stale ? answerOf(sources, this.#options.agents.all) : this.#answer;
      return { entries, sources };
    });
    if (errand === null) return;
    const take = (turns: TurnWatch['turns']): void => {
      if (errand.take(turns)) this.#stale = true;
    };
    this.#send('turns', errand.ask, take, errand.lost);
  }

  #askFacts(now: number): void {
    const due = this.#errands.runs('facts') ? [] : this.#population.due(now);
    if (due.length === 0) return;
    for (const candidate of due) candidate.askAt = Number.POSITIVE_INFINITY;
    const installs = this.#installs;
    this.#send(
      'facts',
      () => gather(asCandidates(due), installs, this.#setting),
      (gathered) => {
        if (gathered.accounts.size > 0) this.#accounts = gathered.accounts;
        this.#whole.set('facts', gathered.tableFaults);
        this.#population.take(due, gathered, this.#clock());
      },
      () => this.#population.lost(due, this.#clock()),
    );
  }

  #askSessions(now: number): void {
    const due = this.#errands.runs('sessions') ? [] : this.#watched.due(now);
    if (due.length === 0) return;
    // The first look at anybody's record: from here on its age counts.
    if (this.#watched.spots().size === 0) this.#signedAt = now;
    this.#watched.asked(due);
    this.#send(
      'sessions',
      () => lookAtSessions(due, this.#setting),
      (looks) => {
        this.#whole.set('sessions', looks.faults);
        if (this.#watched.take(due, looks, this.#clock())) this.#stale = true;
      },
      () => this.#watched.lost(due, this.#clock()),
    );
  }

  #askMoving(now: number): void {
    if (now - this.#movedAt < this.#movingAgeMs || this.#errands.runs('moving')) return;
    const pids = [...this.#tracked.keys()];
    if (pids.length === 0) return;
    this.#movedAt = now;
    this.#send(
      'moving',
      () => this.#setting.readRows(pids, 'moving'),
      (rows) => {
        this.#whole.set('moving', rows.faults);
        this.#population.refresh(pids, rows);
      },
    );
  }

  #judge(): void {
    const population = this.#population;
    population.dirty = false;
    const facts = [...population.candidates].flatMap((candidate) => candidate.facts ?? []);
    this.#judgement = judge(facts, {
      rules: ENGINES,
      installed: this.#installs.installed,
      overrides: this.#setting.overrides,
      lookup: population.lookup,
      ownerHome: ({ uid }) => (uid === undefined ? null : (this.#accounts.get(uid) ?? null)),
      memory: this.#memory,
    });
    const { judged, barriers } = this.#judgement;
    population.relatives = relativesOf(judged.values(), population.lookup);
    this.#panes.stir(judged.size + barriers.size > 0);
    const since = (pid: number) => population.get(pid)?.since ?? 0;
    this.#watched.follow(judged, since, this.#clock());
    this.#track();
    this.#stale = true;
  }

  /** The poller looks closer at whoever may be shown. */
  #track(): void {
    const wanted = new Map<number, string>();
    for (const [pid, { kind, facts }] of this.#judged) {
      if (kind !== 'helper' || this.#options.agents.all) wanted.set(pid, keyOf(pid, facts.startKey));
    }
    for (const [pid, key] of this.#tracked) {
      if (wanted.get(pid) === key) continue;
      this.#tracked.delete(pid);
      if (!wanted.has(pid)) this.#poller.untrack(pid);
    }
    // All that may move was read just now.
    if (this.#tracked.size === 0) this.#movedAt = this.#clock();
    for (const [pid, key] of wanted) {
      if (this.#tracked.has(pid)) continue;
      this.#tracked.set(pid, key);
      this.#poller.track(pid);
    }
  }

  /** The answer as it stands now, and what differs from the last one. */
  #report(): AgentEvent[] {
    this.#stale = false;
    this.#answer = this.#answered();
    this.#rows = this.#panes.show(this.#placed(), this.#population.lookup);
    const keyOfPid = (pid: number) => keyOf(pid, this.#judged.get(pid)?.facts.startKey);
    const entries = this.#rows.map((entry) => ({
      ...entry,
      key: keyOfPid(entry.agent.pid),
      processes: entry.chain.map(keyOfPid),
    }));
    const events = eventsBetween(this.#entries, entries, this.#explain());
    this.#entries = entries;
    this.#known = new Set([...this.#judged.keys()].map(keyOfPid));
    return events;
  }

  /** All that is known now. */
  #findings(): Findings {
    const { kept, ...looks } = this.#watched.findings();
    return { judged: this.#judged, ...looks, ...this.#population.troubles(kept), turns: this.#turns.turns };
  }

  #answered(): Answer {
    return answerOf(this.#findings(), this.#options.agents.all);
  }

  /** The rows with their panes, as it stands now. */
  #placed(): PlacedEntry[] {
    const { entries } = this.#stale ? this.#answered() : this.#answer;
    return this.#panes.place(entries, this.#judgement, this.#population.lookup);
  }

  #explain(): Explain {
    const known = this.#known;
    return {
      started: ({ agent, key }) => {
        if (known.has(key)) return [`its process counts as ${agent.kind} now`, ...agent.because];
        return [this.#population.get(agent.pid)?.origin ?? 'its process started', ...agent.because];
      },
      exited: ({ agent, key }) => {
        const proof = this.#population.endOf(key);
        if (proof !== undefined) return [proof];
        const now = this.#judged.get(agent.pid);
        return now === undefined
          ? ['its process runs another program now']
          : [`its process counts as ${now.rule.engine} ${now.kind} now`, ...now.because];
      },
      moved: (from, to) => {
        const proof = this.#population.endOf(from.key);
        const why = proof === undefined ? 'goes on as its launcher or worker' : `has ended: ${proof}`;
        return `pid ${from.agent.pid} ${why}; pid ${to.agent.pid} of the same agent is its row now`;
      },
    };
  }

  /** When a poll has something to do although nothing happened. */
  #plan(): void {
    const { recordAgeMs } = this.#options;
    const watches = this.#watched.size > 0;
    // A read that failed as a whole says nothing any more once everybody's facts came.
    if (this.#population.nextDue() === Number.POSITIVE_INFINITY && !this.#errands.runs('facts'))
      this.#whole.delete('facts');
    this.#due = Math.min(
      this.#population.nextDue(),
      this.#watched.nextDue(),
      this.#tracked.size > 0 ? this.#movedAt + this.#movingAgeMs : Number.POSITIVE_INFINITY,
      watches && this.#watched.spots().size > 0 ? this.#signedAt + recordAgeMs : Number.POSITIVE_INFINITY,
      this.#turns.nextDue(),
      this.#panes.nextDue(),
      this.#installedAt + INSTALLS_AGE_MS,
    );
  }
}
