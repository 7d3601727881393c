/** From what was found written down of a session to what that says of one live process. */
import { currentMark, type TurnRule, type TurnState } from './turn.js';

/** `turn`: what the file tells; `problem`: why it tells nothing, in words that follow "state unknown:". */
export type TurnFinding = {
  readonly what: TurnRule['what'];
  readonly path: string;
} & ({ readonly turn: TurnState } | { readonly problem: string });

export interface TurnVerdict {
  readonly value: 'idle' | 'busy' | 'waiting' | 'unknown';
  readonly raw: string | null;
  readonly source: TurnRule['what'] | null;
  readonly at: number | null;
  readonly waitingFor: string | null;
  /** Completes "state unknown: ..." or, where it is known, "state: ...". */
  readonly why: string;
}

export interface TurnOwner {
  /** Milliseconds since the epoch; undefined = not known. */
  readonly startTime: number | undefined;
  /** Another live process writes the same session. */
  readonly shared: boolean;
}

/** Starts are derived from two clocks. */
const START_SLACK_MS = 1_000;

function objectionTo(turn: TurnState, { startTime, shared }: TurnOwner): string | null {
  const mark = currentMark(turn);
  if (shared) return 'several live processes write the session, and its turns do not tell whose they are';
  if (turn.skipped > 0) return `a later record of ${turn.skipped} bytes is too long to be read`;
  if (mark?.value === 'unknown') return `no rule knows ${JSON.stringify(mark.raw)}`;
  if (mark === null || mark.value === 'idle' || turn.latest === null || startTime === undefined) return null;
  // Whoever was killed amid a turn leaves it open for ever.
  const old = turn.latest + START_SLACK_MS < startTime;
  return old ? 'the open turn is older than this process: whoever wrote it is gone' : null;
}

/** The first finding that tells something; null = nobody found anything. */
export function turnVerdict(findings: readonly TurnFinding[], owner: TurnOwner): TurnVerdict | null {
  let best: TurnVerdict | null = null;
  for (const finding of findings) {
    const { what, path } = finding;
    const mark = 'turn' in finding ? currentMark(finding.turn) : null;
    if (mark === null || !('turn' in finding)) {
      const why = 'problem' in finding ? finding.problem : `the ${what} ${path} tells of no turn`;
      best ??= { value: 'unknown', raw: null, source: null, at: null, waitingFor: null, why };
      continue;
    }
    const { raw, at } = mark;
    const why = objectionTo(finding.turn, owner);
    if (why === null) {
      const told = `${raw} in the ${what} ${path}`;
      return { value: mark.value, raw, source: what, at, waitingFor: mark.waitingFor, why: told };
    }
    if (best === null || best.raw === null) {
      best = { value: 'unknown', raw, source: what, at, waitingFor: null, why };
    }
  }
  return best;
}
