/** Whose turns are to be read: sessions that are linked, and whose engine keeps no status that tells more. */
import { isSessionKind, type Judged } from '../engines/judge.js';
import type { SessionClaim } from '../engines/link.js';
import type { HeldAnswer } from './held.js';
import type { Entry } from './rows.js';
import { rootOf } from './sessions.js';
import type { Setting } from './setting.js';
import type { TurnQuery } from './transcripts.js';

export interface TurnSources {
  readonly judged: ReadonlyMap<number, Judged>;
  readonly held: ReadonlyMap<number, HeldAnswer>;
}

export function turnQueries(
  entries: readonly Entry[],
  { judged, held }: TurnSources,
  setting: Setting,
): TurnQuery[] {
  return entries.flatMap(({ agent }): TurnQuery[] => {
    const { session, state, pid } = agent;
    const own = judged.get(pid);
    if (!own || !isSessionKind(agent.kind) || own.rule.turns.length === 0) return [];
    if (session.id === null || session.grade === 'none' || state.source === 'pid-record') return [];
    const claim: SessionClaim = {
      id: session.id,
      grade: session.grade,
      source: session.source ?? '',
      path: session.path,
    };
    const files = held.get(pid)?.files ?? [];
    const open = files.filter(({ deleted }) => deleted !== true).map(({ path }) => path);
    return [{ judged: own, claim, open, root: rootOf(own, setting) }];
  });
}

/** Tells two lists of queries apart. */
export function keyOfQueries(queries: readonly TurnQuery[]): string {
  return JSON.stringify(
    queries.map(({ judged, claim, root }) => [
      judged.facts.pid,
      String(judged.facts.startKey),
      judged.rule.engine,
      judged.home.config,
      judged.facts.cwd,
      claim.id,
      claim.path,
      root,
    ]),
  );
}
