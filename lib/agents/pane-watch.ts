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
  type Screens,
  wantedScreens,
  withScreens,
} from './panes.js';
import type { Entry } from './rows.js';
import { ScreenMemory } from './screen-memory.js';

/** Servers in new places are looked for this often; those that are known are asked each time. */
const THOROUGH_MS = 30_000;

/** As far as agents show their panes: what is written to a screen is looked at there. */
function samePanes(before: readonly Pane[], now: readonly Pane[]): boolean {
  if (before.length !== now.length) return false;
  return now.every((pane, at) => {
    const { key, rootPid, sessionName, sessionId, windowId, title, dead } = before[at] as Pane;
    return (
      pane.key === key &&
      pane.rootPid === rootPid &&
      pane.sessionName === sessionName &&
      pane.sessionId === sessionId &&
      pane.windowId === windowId &&
      pane.title === title &&
      pane.dead === dead
    );
  });
}

export class PaneWatch {
  readonly #reader: PaneReader | null;
  readonly #ageMs: number;
  #inventory: PaneInventory | undefined;
  readonly #screens = new ScreenMemory();
  #askedAt = Number.NEGATIVE_INFINITY;
  #thoroughAt = Number.NEGATIVE_INFINITY;
  #screensDue = false;
  /** Keys of the panes whose screens tell something; undefined = to be found out. */
  #screensOf: ReadonlySet<string> | undefined;
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
    return withScreens(placed, this.#screens.texts, lookup);
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

  /** Whether panes are others than before, or are told of with other faults. */
  take(inventory: PaneInventory): boolean {
    const before = this.#inventory;
    this.#inventory = inventory;
    this.#screensDue = true;
    if (before === undefined || !samePanes(before.panes, inventory.panes)) return true;
    if (before.state !== 'failed' && inventory.state !== 'failed') return false;
    const faults = (of: PaneInventory) => wholeFaults(inventoryFaults(of));
    return !isDeepStrictEqual(faults(before), faults(inventory));
  }

  /** There was no answer: what is known stands until the next. */
  lost(): void {
    this.#thoroughAt = Number.NEGATIVE_INFINITY;
  }

  get screensAreDue(): boolean {
    return this.#screensDue;
  }

  /** Agents or their states may be others than before. */
  stirScreens(): void {
    this.#screensOf = undefined;
  }

  /** The screens that are to be read now; null = none is, and whatever is known of screens still counts. */
  askScreens(placed: () => readonly PlacedEntry[], lookup: Lookup, now: number): ScreenErrand | null {
    this.#screensDue = false;
    const keys = this.#screensOf ?? new Set(wantedScreens(placed(), lookup).map(({ key }) => key));
    this.#screensOf = keys;
    const wanted = (this.#inventory?.panes ?? []).filter(({ key }) => keys.has(key));
    // Whoever could not be asked for its panes cannot be asked for their screens, and would hold up those of others.
    const running = this.#inventory?.servers.filter(({ state }) => state === 'running') ?? [];
    const told = new Map(running.map(({ socket, at }) => [socket, at]));
    const asked = this.#screens.due(wanted, now).filter(({ socket }) => told.has(socket));
    const take = (read: Screens): boolean =>
      this.#screens.take(wanted, { asked, read, now }, ({ socket }) => told.get(socket));
    if (asked.length > 0) return { ask: () => this.#reading.screens(asked), take };
    return wanted.length < this.#screens.texts.size ? { ask: async () => new Map(), take } : null;
  }
}

export interface ScreenErrand {
  readonly ask: () => Promise<Screens>;
  /** Whether any screen is another than before. */
  readonly take: (read: Screens) => boolean;
}
