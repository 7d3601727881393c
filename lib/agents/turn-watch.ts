/** The turns of linked sessions from poll to poll. */
import { isDeepStrictEqual } from 'node:util';
import type { TurnFinding } from '../engines/turns/verdict.js';
import type { Entry } from './rows.js';
import type { Setting } from './setting.js';
import { Transcripts, type TurnQuery } from './transcripts.js';
import { keyOfQueries, type TurnSources, turnQueries } from './turns.js';

const NOBODY = keyOfQueries([]);

type Turns = ReadonlyMap<number, readonly TurnFinding[]>;

export interface TurnErrand {
  readonly ask: () => Promise<Turns>;
  /** Whether any turn went on. */
  readonly take: (turns: Turns) => boolean;
  readonly lost: () => void;
}

export class TurnWatch {
  readonly #setting: Setting;
  readonly #ageMs: number;
  readonly #transcripts: Transcripts;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** This poll has yet to ask whether the turns went on: once, however long it waits for others. */
  #due = false;
  /** Others may be linked than when the queries were made. */
  #stirred = true;
  #queries: readonly TurnQuery[] = [];
  #key = NOBODY;
  /** Whose turns were read in the last look. */
  #readOf = NOBODY;
  /** As of the last answer. */
  turns: Turns = new Map();

  /** `retryMs`: how long a file that is not there is not looked for again. */
  constructor(setting: Setting, clock: () => number, ageMs: number, retryMs: number) {
    this.#setting = setting;
    this.#ageMs = ageMs;
    this.#transcripts = new Transcripts(setting.look, clock, retryMs);
  }

  /** A poll begins. */
  begin(now: number): void {
    this.#due = now >= this.nextDue();
  }

  /** What is linked, or how, may be another than before. */
  stir(): void {
    this.#stirred = true;
  }

  nextDue(): number {
    return this.#key === NOBODY ? Number.POSITIVE_INFINITY : this.#askedAt + this.#ageMs;
  }

  /** What is to be asked now; null = nothing. `known`: all that is linked. */
  ask(now: number, known: () => { entries: readonly Entry[]; sources: TurnSources }): TurnErrand | null {
    if (this.#stirred) {
      const { entries, sources } = known();
      this.#queries = turnQueries(entries, sources, this.#setting);
      this.#key = keyOfQueries(this.#queries);
      this.#stirred = false;
    }
    const same = this.#key === this.#readOf;
    if (same && (!this.#due || this.#queries.length === 0)) return null;
    this.#askedAt = now;
    this.#due = false;
    this.#readOf = this.#key;
    const queries = this.#queries;
    return {
      ask: () => this.#transcripts.read(queries),
      take: (turns) => {
        const before = this.turns;
        this.turns = turns;
        return !isDeepStrictEqual(turns, before);
      },
      lost: () => {
        this.#readOf = '';
      },
    };
  }
}
