/** From judged processes and their links to the rows of the envelope. */
import { type ArgvId, argvIdOf } from '../engines/argv-id.js';
import type { ProcessFacts } from '../engines/facts.js';
import { settleFolders } from '../engines/folder-claims.js';
import { type HeldLook, heldVerdict } from '../engines/held.js';
import { isSessionKind, type Judged } from '../engines/judge.js';
import {
  arbitrate,
  type Claimant,
  type LinkVerdict,
  linkOf,
  type RefusedSession,
  type SessionClaim,
  type Settlement,
  type StartForm,
  strongerClaim,
} from '../engines/link.js';
import { bypassesPermissions, gatewayOf, versionOf } from '../engines/probes.js';
import type { AgentKind } from '../engines/rule.js';
import { stateOf } from '../engines/state.js';
import { type StoreFindings, storedVerdict } from '../engines/stored.js';
import { type TurnFinding, turnVerdict } from '../engines/turns/verdict.js';
import type { Agent } from './envelope.js';
import type { RecordLook } from './records.js';

export interface Linked {
  readonly judged: Judged;
  readonly argvId: ArgvId;
  readonly link: LinkVerdict;
  /** Why the state is unknown where no record tells it. */
  readonly stateGap: string;
}

function startForm({ system = process.platform }: ProcessFacts): StartForm {
  if (system === 'darwin') return 'text';
  return system === 'win32' ? 'filetime' : 'ticks';
}

/** Why nothing tells the session and the state: a record that was there is never called missing. */
function gapsOf({ rule }: Judged, record: RecordLook | undefined): { session: string; state: string } {
  if (record === undefined || record.found === null) return { session: rule.linkGap, state: rule.stateGap };
  if (record.found === undefined) {
    const unread = 'its pid record could not be read';
    return { session: `${unread}, and nothing in its arguments names it`, state: unread };
  }
  const useless = 'its pid record does not count';
  return { session: `${useless}, and nothing in its arguments names it`, state: useless };
}

export function linkJudged(
  judged: Judged,
  record: RecordLook | undefined,
  held: HeldLook | undefined,
  stores?: StoreFindings,
): Linked {
  const { facts, rule } = judged;
  const argvId = argvIdOf(judged.args, rule.argvId);
  const gaps = gapsOf(judged, record);
  const open = heldVerdict(rule.held, held);
  const stored = storedVerdict(stores);
  const link = linkOf(facts, record?.found, argvId, startForm(facts), gaps.session, open, stored);
  return { judged, argvId, link, stateGap: gaps.state };
}

/** One agent: its processes from the launcher down to the worker. */
interface Chain {
  readonly members: readonly Linked[];
  readonly shown: Linked;
  readonly kind: AgentKind;
  /** What the chain says of the pid at its other end. */
  readonly launcherPid: number | null;
}

/** A claim by something that only its owner has; arguments go down a chain from hand to hand. */
function ownsSession({ link: { claim } }: Linked): boolean {
  return claim !== null && claim.source !== 'argv';
}

/** The process that owns the session, else the worker. Descriptors shared through fork are the worker's. */
function ownerOf(members: readonly Linked[]): Linked {
  const upwards = [...members].reverse();
  const owners = upwards.filter(ownsSession).sort((a, b) => strongerClaim(claimOf(a), claimOf(b)));
  return owners[0] ?? (members.at(-1) as Linked);
}

const claimOf = ({ link }: Linked): SessionClaim => link.claim as SessionClaim;

/** What other processes of the chain have open beside the session of its owner. */
function otherClaims(members: readonly Linked[], shown: Linked): RefusedSession[] {
  const own = shown.link.claim?.id.toLowerCase();
  return members
    .filter((member) => member !== shown && ownsSession(member))
    .filter((member) => claimOf(member).id.toLowerCase() !== own)
    .map((member) => ({
      id: claimOf(member).id,
      why: `pid ${member.judged.facts.pid} of the same agent claims it, with no stronger proof`,
    }));
}

function chainOf(members: readonly Linked[]): Chain {
  const shown = ownerOf(members);
  const { judged: first } = members[0] as Linked;
  const { judged: last } = members.at(-1) as Linked;
  const top = first.wrapper ?? first.facts.pid;
  const other = shown.judged === last ? top : last.facts.pid;
  // A launcher that owns the session is the agent: of the kind that its worker has.
  const kind = last.kind === 'tui' && shown.link.record?.headless ? 'headless' : last.kind;
  return { members, shown, kind, launcherPid: other === shown.judged.facts.pid ? null : other };
}

function chainsOf(linked: ReadonlyMap<number, Linked>): Chain[] {
  const chains: Chain[] = [];
  for (const first of linked.values()) {
    if (first.judged.launcher !== null && linked.has(first.judged.launcher)) continue;
    const members: Linked[] = [];
    for (let at: Linked | undefined = first; at; ) {
      members.push(at);
      at = at.judged.worker === null ? undefined : linked.get(at.judged.worker);
    }
    chains.push(chainOf(members));
  }
  return chains;
}

interface RowContext {
  readonly kind: AgentKind;
  readonly launcherPid: number | null;
  readonly settlement: Settlement | undefined;
  /** Sessions of other processes of the chain. */
  readonly others: readonly RefusedSession[];
  /** What could not be read, and what others hold. */
  readonly notes: readonly string[];
  /** What its engine has written down of its turns. */
  readonly turns: readonly TurnFinding[];
}

const NO_LINK: LinkVerdict = { claim: null, refused: [], because: [], record: null };

function sharing(pid: number, settlement: Settlement | undefined): string[] {
  if (!settlement?.shared) return [];
  return settlement.primary === pid
    ? ['session: shared with another live process, which resumed it']
    : [`session: shared; its first owner is pid ${settlement.primary}`];
}

function rowOf({ judged, argvId, link: found, stateGap }: Linked, context: RowContext): Agent {
  const { facts, rule } = judged;
  const isSession = isSessionKind(context.kind);
  const link = isSession ? found : NO_LINK;
  const shared = context.settlement?.shared ?? false;
  const turn = isSession ? turnVerdict(context.turns, { startTime: facts.startTime, shared }) : null;
  const { state, because } = stateOf(facts.state, link, stateGap, turn);
  const reasons = isSession ? [...link.because, ...sharing(facts.pid, context.settlement), ...because] : [];
  return {
    engine: rule.engine,
    kind: context.kind,
    pid: facts.pid,
    // Derived from the clock at each look: below a millisecond it differs from look to look.
    startTime: facts.startTime === undefined ? null : Math.round(facts.startTime),
    startKey: facts.startKey?.toString() ?? null,
    launcherPid: context.launcherPid,
    ppid: facts.ppid ?? null,
    uid: facts.uid ?? null,
    user: facts.user ?? null,
    tty: facts.tty ?? null,
    cwd: facts.cwd ?? null,
    exe: facts.exe ?? null,
    version: link.record?.version ?? versionOf(judged),
    container: isContained(facts),
    evidence: judged.evidence,
    because: [...judged.because, ...context.notes, ...reasons],
    session: {
      id: link.claim?.id ?? null,
      grade: link.claim?.grade ?? 'none',
      source: link.claim?.source ?? null,
      path: link.claim?.path ?? null,
      shared,
      refused: [...link.refused, ...context.others],
    },
    state,
    pane: null,
    resumeId: argvId.forked ? null : argvId.id,
    bypassPermissions: bypassesPermissions(judged),
    gateway: gatewayOf(judged),
    homes: judged.home,
  };
}

/** More pids than one: the process lives in a namespace below the one that is read. */
export function isContained({ nspid }: ProcessFacts): boolean | null {
  return nspid === undefined || nspid.length === 0 ? null : nspid.length > 1;
}

function claimantOf({ shown: { judged, link } }: Chain): Claimant | null {
  if (link.claim === null) return null;
  return {
    pid: judged.facts.pid,
    engine: judged.rule.engine,
    startKey: judged.facts.startKey,
    statusAt: link.record?.statusAt ?? null,
    claim: link.claim,
  };
}

/**
 * Why the files of an engine's service are not those of its windows: it writes for all of them, and
 * nothing in its descriptors tells which session is whose.
 */
function serviceNotes({ judged, link }: Linked, services: readonly Linked[]): string[] {
  if (link.claim?.grade === 'exact') return [];
  const { facts, rule, home } = judged;
  return services
    .filter((service) => service.judged.rule === rule && service.judged.home.config === home.config)
    .filter((service) => service.judged.facts.uid === facts.uid)
    .map((service) => {
      const { pid } = service.judged.facts;
      return `session: the ${rule.engine} service ${pid} has session files of this home open; it writes for every window, so they link none`;
    });
}

function isHoldingService({ judged, link }: Linked): boolean {
  if (judged.kind !== 'service') return false;
  const byFile = link.claim?.source === 'open-file' || link.claim?.source === 'lock';
  return byFile || (link.claim === null && link.refused.length > 0);
}

/** A row, and the processes of its agent. */
export interface Entry {
  readonly agent: Agent;
  /** Pids from the launcher down to the worker; of a launcher's own row its pid alone. */
  readonly chain: readonly number[];
  /** What was decided about its session beside those of all others; undefined = it claims none. */
  readonly settlement: Settlement | undefined;
}

/**
 * The rows of the envelope, by pid. `notes`: what could not be read, `turns`: what was written down of the
 * sessions, both by pid.
 */
export function entriesOf(
  found: ReadonlyMap<number, Linked>,
  notes: ReadonlyMap<number, readonly string[]>,
  all: boolean,
  turns: ReadonlyMap<number, readonly TurnFinding[]> = new Map(),
): Entry[] {
  const linked = settleFolders(found);
  const chains = chainsOf(linked);
  const services = [...linked.values()].filter(isHoldingService);
  const claimants = chains.filter(({ kind }) => isSessionKind(kind)).map(claimantOf);
  const settled = arbitrate(claimants.filter((claimant) => claimant !== null));
  const entries: Entry[] = [];
  for (const { members, shown, kind, launcherPid } of chains) {
    for (const member of members) {
      const { pid } = member.judged.facts;
      const context =
        member === shown
          ? { kind, launcherPid, settlement: settled.get(pid), others: otherClaims(members, shown) }
          : { kind: 'launcher' as const, launcherPid: null, settlement: undefined, others: [] };
      if (!all && !isSessionKind(context.kind)) continue;
      const held = isSessionKind(context.kind) ? serviceNotes(member, services) : [];
      const agent = rowOf(member, {
        ...context,
        notes: [...(notes.get(pid) ?? []), ...held],
        turns: turns.get(pid) ?? [],
      });
      const chain = member === shown ? members.map(({ judged }) => judged.facts.pid) : [pid];
      entries.push({ agent, chain, settlement: context.settlement });
    }
  }
  return entries.sort((a, b) => a.agent.pid - b.agent.pid);
}
