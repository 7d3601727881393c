/** Servers that did not answer the last time: who asks all of them again and again must not wait for them each time. */
import type { FailedPanes, ServerPanes } from './panes.js';

/** Far more than a server that runs needs, and little beside the time between two looks. */
const HOLD_UP_MS = 100;

export class SilentServers {
  readonly #underWay = new Map<string, Promise<ServerPanes>>();
  /** Answered, and too late to be waited for. */
  readonly #awake = new Set<string>();

  /**
   * What `ask` answers, and where `before` was a failure whatever stood then, unless the answer comes at once. The
   * question goes on meanwhile, and none is added to it: a server that is stopped keeps them all.
   */
  async answer(before: ServerPanes | undefined, ask: () => Promise<ServerPanes>): Promise<ServerPanes> {
    if (before?.state !== 'failed' || this.#awake.delete(before.socket)) return ask();
    const { socket } = before;
    const asked = this.#underWay.get(socket) ?? this.#begin(socket, ask);
    const answer = await atOnce(asked, before);
    if (answer.state !== 'failed') this.#awake.delete(socket);
    return answer;
  }

  #begin(socket: string, ask: () => Promise<ServerPanes>): Promise<ServerPanes> {
    const asked = ask().then((answer) => {
      if (answer.state !== 'failed') this.#awake.add(socket);
      return answer;
    });
    const over = (): void => {
      this.#underWay.delete(socket);
    };
    this.#underWay.set(socket, asked);
    asked.then(over, over);
    return asked;
  }
}

async function atOnce(asked: Promise<ServerPanes>, before: FailedPanes): Promise<ServerPanes> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<ServerPanes>((resolve) => {
    timer = setTimeout(() => resolve(before), HOLD_UP_MS);
  });
  const answer = await Promise.race([asked, over]);
  clearTimeout(timer);
  return answer;
}
