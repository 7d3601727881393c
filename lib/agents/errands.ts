/**
 * Questions that are under way while polls go on. Each has a name and is asked again only when the last
 * one of that name was answered; answers are taken by whoever polls, between two steps and never amid one.
 */
interface Errand {
  readonly since: number;
  readonly done: Promise<void>;
}

export class Errands {
  readonly #clock: () => number;
  readonly #running = new Map<string, Errand>();
  #answers: (() => void)[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get idle(): boolean {
    return this.#running.size === 0 && this.#answers.length === 0;
  }

  runs(name: string): boolean {
    return this.#running.has(name);
  }

  /** `take` gets the answer in `settle()`; an error comes out of there. `lost`: there will be no answer. */
  send<T>(name: string, ask: () => Promise<T>, take: (answer: T) => void, lost: () => void): void {
    const done = (async () => ask())().then(
      (answer) => this.#finish(name, () => take(answer)),
      (error: unknown) =>
        this.#finish(name, () => {
          lost();
          throw error;
        }),
    );
    this.#running.set(name, { since: this.#clock(), done });
  }

  /** Takes the answers that came; whether there were any. */
  settle(): boolean {
    if (this.#answers.length === 0) return false;
    const answers = this.#answers;
    this.#answers = [];
    const errors: unknown[] = [];
    for (const take of answers) {
      try {
        take();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return true;
  }

  /**
   * Waits, for at most `leftMs`, for the next answer to what was asked less than `patienceMs` ago; false =
   * none came.
   */
  async wait(patienceMs: number, leftMs: number): Promise<boolean> {
    if (this.#answers.length > 0) return true;
    const now = this.#clock();
    const fresh = [...this.#running.values()].filter(({ since }) => now - since < patienceMs);
    if (fresh.length === 0) return false;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, leftMs);
    });
    await Promise.race([over, ...fresh.map(({ done }) => done)]);
    clearTimeout(timer);
    return this.#answers.length > 0;
  }

  #finish(name: string, take: () => void): void {
    this.#running.delete(name);
    this.#answers.push(take);
  }
}
