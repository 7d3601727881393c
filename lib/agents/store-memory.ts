/**
 * What was found in the stores of engines, kept from look to look, so that a look costs as much as what
 * changed: of a folder that was listed before, the status alone is asked, and it is listed again only when
 * its time of writing differs or the listing is old, and its entries are gone through once a listing; of a file that was read before, nothing is read until
 * it was written, and of one that only grows, nothing more at all once its beginning was whole.
 */
import type { StoreReading, StoreRule } from '../engines/store-rule.js';
import type { FileStat, Look, LookAnswer, LookRequest } from '../process/look.js';
import { signOf } from './records.js';

/** What is written into a file leaves its folder as it is: listed anew at this age, its time tells. */
const LISTING_AGE_MS = 30_000;
/** Whoever polls for weeks sees folders and files come and go. */
const MOST_KEPT = 4_096;

export type ListRequest = Extract<LookRequest, { op: 'list' }>;

interface Listing {
  readonly sign: string;
  readonly answer: LookAnswer;
  readonly at: number;
  /**
   * A file system may stamp two changes with one time: a listing counts once it was made twice, the second
   * time later, under one sign.
   */
  readonly settled: boolean;
}

interface Reading {
  readonly stat: Pick<FileStat, 'ino' | 'size' | 'mtimeMs'>;
  readonly reading: StoreReading;
  readonly settled: boolean;
}

const keyOf = ({ root = '', path }: Pick<LookRequest, 'root' | 'path'>): string => `${root}\0${path}`;

function sameFile(left: Reading['stat'], right: Reading['stat']): boolean {
  return left.ino === right.ino && left.size === right.size && left.mtimeMs === right.mtimeMs;
}

export class StoreMemory {
  readonly #clock: () => number;
  readonly #listings = new Map<string, Listing>();
  readonly #readings = new Map<StoreRule, Map<string, Reading>>();
  /** Folders that were listed, and files that were read: for whoever counts. */
  listed = 0;
  read = 0;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The same as `look(requests)`, from memory where the folder did not change. */
  async list(requests: readonly ListRequest[], look: Look): Promise<LookAnswer[]> {
    const now = this.#clock();
    const kept = requests.map((request) => {
      const listing = this.#listings.get(keyOf(request));
      return listing?.settled && now - listing.at < LISTING_AGE_MS ? listing : undefined;
    });
    const asked = requests.filter((_, index) => kept[index] !== undefined);
    const signs = await look(asked.map(statOf));
    let next = 0;
    const stands = kept.map((listing) => listing && signOf(signs[next++] ?? {}) === listing.sign);
    const fresh = requests.filter((_, index) => stands[index] !== true);
    const answers = await look(fresh);
    this.listed += fresh.length;
    next = 0;
    return requests.map((request, index) => {
      const listing = kept[index];
      if (listing && stands[index] === true) return listing.answer;
      const answer = answers[next++] ?? {};
      this.#keep(request, answer, now);
      return answer;
    });
  }

  #keep(request: ListRequest, answer: LookAnswer, now: number): void {
    const key = keyOf(request);
    if (answer.stat === undefined || answer.fault) {
      this.#listings.delete(key);
      return;
    }
    const sign = signOf(answer);
    const before = this.#listings.get(key);
    if (this.#listings.size >= MOST_KEPT) this.#listings.clear();
    this.#listings.set(key, { sign, answer, at: now, settled: before?.sign === sign && before.at < now });
  }

  /** What a file said, if it says the same still. */
  recall(rule: StoreRule, key: string, stat: Reading['stat']): StoreReading | undefined {
    const known = this.#readings.get(rule)?.get(key);
    if (known === undefined || known.stat.ino !== stat.ino) return undefined;
    const whole = rule.appended === true && (known.reading.sessions?.length ?? 0) > 0;
    if (whole) return stat.size >= known.stat.size ? known.reading : undefined;
    return known.settled && sameFile(known.stat, stat) ? known.reading : undefined;
  }

  keep(rule: StoreRule, key: string, stat: Reading['stat'], reading: StoreReading): void {
    this.read++;
    const readings = this.#readings.get(rule) ?? new Map<string, Reading>();
    this.#readings.set(rule, readings);
    const before = readings.get(key);
    if (readings.size >= MOST_KEPT) readings.clear();
    readings.set(key, { stat, reading, settled: before !== undefined && sameFile(before.stat, stat) });
  }
}

function statOf({ path, root, group }: ListRequest): LookRequest {
  const from = { ...(root === undefined ? {} : { root }), ...(group === undefined ? {} : { group }) };
  return { op: 'stat', path, ...from };
}
