/**
 * Claims by a folder alone stand only where one process of the engine works in that folder: a file tells
 * its folder, and nothing in it tells which of two processes wrote it. Whoever has a stronger claim to a
 * session keeps it from those that only guess.
 */
import { sameId } from './argv-id.js';
import { isSessionKind, type Judged } from './judge.js';
import type { LinkVerdict } from './link.js';

interface Linked {
  readonly judged: Judged;
  readonly link: LinkVerdict;
}

function isOneAgent(left: Judged, right: Judged): boolean {
  const { pid } = right.facts;
  return left.launcher === pid || left.worker === pid;
}

/** Did its own store name the session? Then it is the same store, by whatever path it names its home. */
function knows(id: string, { link: { claim, refused } }: Linked): boolean {
  return (claim !== null && sameId(claim.id, id)) || refused.some((each) => sameId(each.id, id));
}

/** Why another process may as well be the one that writes there; null = it cannot. */
function rivalry({ judged }: Linked, id: string, other: Linked): string | null {
  const { facts, rule, home } = judged;
  const rival = other.judged;
  if (rival === judged || rival.rule !== rule || isOneAgent(judged, rival)) return null;
  if (!isSessionKind(rival.kind)) return null;
  if (rival.home.config !== home.config && !knows(id, other)) return null;
  if (rival.facts.cwd === facts.cwd)
    return `pid ${rival.facts.pid} of ${rule.engine} works in this folder too`;
  if (rival.facts.cwd !== undefined && rival.facts.cwd !== null) return null;
  return `pid ${rival.facts.pid} of ${rule.engine} may work in this folder too: its own could not be read`;
}

function claims(id: string, engine: string, { judged, link: { claim } }: Linked): boolean {
  return judged.rule.engine === engine && claim !== null && sameId(claim.id, id);
}

function isTaken(id: string, engine: string, other: Linked): boolean {
  return claims(id, engine, other) && other.link.claim?.grade !== 'inferred';
}

/** One that only a folder or a time points to. */
function isGuess({ link: { claim } }: Linked): boolean {
  return claim?.grade === 'inferred' && (claim.source === 'folder' || claim.source === 'start');
}

/** Why the claim of `own` does not stand beside those of all others; null = it does. */
function objection(own: Linked, all: readonly Linked[]): string | null {
  const { claim } = own.link;
  if (claim === null || !isGuess(own)) return null;
  const { rule } = own.judged;
  const owner = all.find((other) => other !== own && isTaken(claim.id, rule.engine, other));
  if (owner && !isOneAgent(own.judged, owner.judged)) {
    return `pid ${owner.judged.facts.pid} has a stronger claim to it`;
  }
  for (const other of claim.source === 'start' ? [] : all) {
    const why = rivalry(own, claim.id, other);
    if (why !== null) return why;
  }
  const same = all.find((other) => other !== own && isGuess(other) && claims(claim.id, rule.engine, other));
  if (!same || isOneAgent(own.judged, same.judged)) return null;
  return `as much points to pid ${same.judged.facts.pid}`;
}

function without(link: LinkVerdict, why: string): LinkVerdict {
  const { claim } = link;
  if (claim === null) return link;
  const because = [...link.because, `session unknown: ${claim.id} is not taken: ${why}`];
  return { ...link, claim: null, refused: [...link.refused, { id: claim.id, why }], because };
}

/** The links by pid, without those claims that only one process alone could make. */
export function settleFolders<T extends Linked>(linked: ReadonlyMap<number, T>): ReadonlyMap<number, T> {
  const all = [...linked.values()];
  return new Map(
    [...linked].map(([pid, each]) => {
      const why = objection(each, all);
      return [pid, why === null ? each : { ...each, link: without(each.link, why) }];
    }),
  );
}
