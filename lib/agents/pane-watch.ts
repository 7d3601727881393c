/** The panes and screens of agents from poll to poll. */
import { isDeepStrictEqual } from 'node:util';
import type { Lookup } from '../engines/family.js';
import type { Judgement } from '../engines/judge.js';
import type { Fault } from '../process/fault.js';
import type { Pane } from '../tmux/pane.js';
import type { PaneInventory } from '../tmux/panes.js';
import { wholeFaults } from './answer.js';
import type { AmbiguousPane } from './envelope.js';
import {
  ambiguousPane,
  inventoryFaults,
  type PaneReader,
  type PlacedEntry,
  paneOwners,
  placeEntries,
  readScreens,
  type Screens,
  wantedScreens,
  withScreens,
} from './panes.js';
import type { Entry } from './rows.js';

/** Servers in new places are looked for this often; those that are known are asked each time. */
const THOROUGH_MS = 30_000;

export class PaneWatch {
  readonly #reader: PaneReader | null;
  readonly #ageMs: number;
  #inventory: PaneInventory | undefined;
  #screens: Screens = new Map();
  #askedAt = Number.NEGATIVE_INFINITY;
  #thoroughAt = Number.NEGATIVE_INFINITY;
  #screensDue = false;
  /** Nobody could own a pane: nothing is asked. */
  #wanted = false;
  /** As of the last rows. */
  ambiguous: readonly AmbiguousPane[] = [];

  /** `reader` null: panes are never asked for. */
  constructor(reader: PaneReader | null, ageMs: number) {
    this.#reader = reader;
    this.#ageMs = ageMs;
  }

  /** Rows with their panes. */
  place(entries: readonly Entry[], judgement: Judgement, lookup: Lookup): PlacedEntry[] {
    const excluded = this.#reader?.excluded ?? new Set<number>();
    const owners = paneOwners(this.#inventory?.panes ?? [], { judgement, lookup, excluded });
    this.ambiguous = owners.map(ambiguousPane).filter((each) => each !== null);
    return placeEntries(entries, owners);
  }

  show(placed: readonly PlacedEntry[], lookup: Lookup): PlacedEntry[] {
    return withScreens(placed, this.#screens, lookup);
  }

  get faults(): readonly Fault[] {
    return this.#inventory ? inventoryFaults(this.#inventory) : [];
  }

  /** Other agents than before: their panes are asked for at once. */
  stir(anybody: boolean): void {
    this.#wanted = anybody && this.#reader !== null;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  nextDue(): number {
    return this.#wanted ? this.#askedAt + this.#ageMs : Number.POSITIVE_INFINITY;
  }

  isDue(now: number): boolean {
    return now >= this.nextDue();
  }

  ask(now: number): () => Promise<PaneInventory> {
    const thorough = now - this.#thoroughAt >= THOROUGH_MS;
    if (thorough) this.#thoroughAt = now;
    this.#askedAt = now;
    return () => this.#reading.read(this.#inventory, thorough);
  }

  get #reading(): PaneReader {
    if (this.#reader === null) throw new Error('panes are not asked for');
    return this.#reader;
  }

  /** Whether panes are others than before. */
  take(inventory: PaneInventory): boolean {
    const before = this.#inventory;
    this.#inventory = inventory;
    this.#screensDue = true;
    const faults = (of: PaneInventory | undefined) => wholeFaults(of ? inventoryFaults(of) : []);
    return (
      !isDeepStrictEqual(before?.panes, inventory.panes) ||
      !isDeepStrictEqual(faults(before), faults(inventory))
    );
  }

  /** There was no answer: what is known stands until the next. */
  lost(): void {
    this.#thoroughAt = Number.NEGATIVE_INFINITY;
  }

  /** How many are known. */
  get screens(): number {
    return this.#screens.size;
  }

  get screensAreDue(): boolean {
    return this.#screensDue;
  }

  /** Whose screens are to be read now. */
  askScreens(placed: readonly PlacedEntry[], lookup: Lookup): Pane[] {
    this.#screensDue = false;
    return wantedScreens(placed, lookup);
  }

  readScreens(wanted: readonly Pane[]): Promise<Screens> {
    return readScreens(wanted, this.#reading.screen);
  }

  /** A screen that could not be read stands as it was, for as long as its pane is asked for. */
  takeScreens(wanted: readonly Pane[], read: Screens): boolean {
    const before = this.#screens;
    const now = new Map<string, string>();
    for (const { key } of wanted) {
      const text = read.get(key) ?? before.get(key);
      if (text !== undefined) now.set(key, text);
    }
    this.#screens = now;
    return !isDeepStrictEqual(before, now);
  }
}
