/** What is on the screens of agents, read again only where something was written to them. */
import type { Pane } from '../tmux/pane.js';
import type { Screens } from './panes.js';

/** A screen is read again at this age although nothing shows that it changed (clear-history, a clock set back). */
const MOST_AGE_MS = 30_000;

interface Kept {
  /** Undefined = it could not be read yet. */
  readonly text: string | undefined;
  /** What the pane told before it was read; undefined = that tells nothing. */
  readonly mark: string | undefined;
  readonly readAt: number;
}

/** The time is that of a window: a pane that was moved to another one may find there the time it was read at. */
function markOf({ activity, windowId, width, height }: Pane): string | undefined {
  return activity === undefined ? undefined : `${activity} ${windowId} ${width}x${height}`;
}

/** Was the second over in which the last output came? Until then more may come that has the same time. */
function isSettled({ activity }: Pane, askedAt: number | undefined): boolean {
  return activity !== undefined && askedAt !== undefined && Math.floor(askedAt / 1_000) > activity;
}

export class ScreenMemory {
  #kept = new Map<string, Kept>();
  #texts: Screens = new Map();

  get texts(): Screens {
    return this.#texts;
  }

  /** Those of `wanted` that have to be read. */
  due(wanted: readonly Pane[], now: number): Pane[] {
    return wanted.filter((pane) => {
      const kept = this.#kept.get(pane.key);
      const same = kept?.mark !== undefined && kept.mark === markOf(pane);
      return !(same && now - kept.readAt < MOST_AGE_MS);
    });
  }

  /**
   * `read` are the screens of `asked`, which are some of `wanted`; the others stand as they were, and so does one that
   * could not be read. `askedAt`: when its server told of a pane, in milliseconds since the epoch. Whether any differs.
   */
  take(
    wanted: readonly Pane[],
    { asked, read, now }: { readonly asked: readonly Pane[]; readonly read: Screens; readonly now: number },
    askedAt: (pane: Pane) => number | undefined,
  ): boolean {
    const before = this.#kept;
    this.#kept = new Map(
      wanted.flatMap(({ key }) => (before.has(key) ? [[key, before.get(key) as Kept]] : [])),
    );
    for (const pane of asked) {
      const text = read.get(pane.key);
      const mark = text !== undefined && isSettled(pane, askedAt(pane)) ? markOf(pane) : undefined;
      this.#kept.set(pane.key, { text: text ?? before.get(pane.key)?.text, mark, readAt: now });
    }
    const texts = new Map<string, string>();
    for (const [key, { text }] of this.#kept) if (text !== undefined) texts.set(key, text);
    const differs =
      texts.size !== this.#texts.size || [...texts].some(([key, text]) => this.#texts.get(key) !== text);
    this.#texts = texts;
    return differs;
  }
}
