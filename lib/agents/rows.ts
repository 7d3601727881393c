/** From judged processes and their links to the rows of the envelope. */
import { type ArgvId, argvIdOf } from '../engines/argv-id.js';
import type { Judged } from '../engines/judge.js';
import { isSessionKind } from '../engines/judge.js';
import { arbitrate, type Claimant, type LinkVerdict, linkOf, type StartForm } from '../engines/link.js';
import { bypassesPermissions, gatewayOf, versionOf } from '../engines/probes.js';
import { stateOf } from '../engines/state.js';
import type { Agent } from './envelope.js';
import type { RecordLook } from './records.js';

export interface Linked {
  readonly judged: Judged;
  readonly argvId: ArgvId;
  readonly link: LinkVerdict;
}

function startForm(): StartForm {
  if (process.platform === 'darwin') return 'text';
  return process.platform === 'win32' ? 'filetime' : 'ticks';
}

export function linkJudged(judged: Judged, record: RecordLook | undefined): Linked {
  const argvId = argvIdOf(judged.args, judged.rule.argvId);
  const link = linkOf(judged.facts, record?.found, argvId, startForm(), judged.rule.linkGap);
  return { judged, argvId, link };
}

/** One agent: its processes from the launcher down to the worker. */
interface Chain {
  readonly members: readonly Linked[];
  readonly shown: Linked;
}

/** The launcher chains among the linked processes, each under the process that owns the session. */
function chainsOf(linked: ReadonlyMap<number, Linked>): Chain[] {
  const chains: Chain[] = [];
  for (const first of linked.values()) {
    const launcher = first.judged.launcher;
    if (launcher !== null && linked.has(launcher)) continue;
    const members: Linked[] = [];
    for (let at: Linked | undefined = first; at; ) {
      members.push(at);
      at = at.judged.worker === null ? undefined : linked.get(at.judged.worker);
    }
    const owner = members.find(({ link }) => link.claim?.grade === 'exact');
    chains.push({ members, shown: owner ?? (members.at(-1) as Linked) });
  }
  return chains;
}

function otherEnd({ members, shown }: Chain): number | null {
  const first = members[0] as Linked;
  const last = members.at(-1) as Linked;
  if (shown !== last) return last.judged.facts.pid;
  const top = first.judged.wrapper ?? first.judged.facts.pid;
  return top === shown.judged.facts.pid ? null : top;
}

function kindOf({ judged, link }: Linked, shown: boolean, workerKind: Agent['kind']): Agent['kind'] {
  if (!shown) return 'launcher';
  // The launcher of a chain that owns the session is the agent, and its worker the other end.
  const kind = judged.kind === 'launcher' ? workerKind : judged.kind;
  return kind === 'tui' && link.record?.headless ? 'headless' : kind;
}

interface RowContext {
  readonly launcherPid: number | null;
  readonly kind: Agent['kind'];
  readonly shared: boolean;
  readonly extra: readonly string[];
}

function rowOf({ judged, argvId, link }: Linked, context: RowContext): Agent {
  const { facts, rule } = judged;
  const { state, because } = stateOf(facts.state, link, rule.stateGap);
  const claim = link.claim;
  return {
    engine: rule.engine,
    kind: context.kind,
    pid: facts.pid,
    startTime: facts.startTime ?? null,
    startKey: facts.startKey?.toString() ?? null,
    launcherPid: context.launcherPid,
    ppid: facts.ppid ?? null,
    uid: facts.uid ?? null,
    user: facts.user ?? null,
    tty: facts.tty ?? null,
    cwd: facts.cwd ?? null,
    exe: facts.exe ?? null,
    version: link.record?.version ?? versionOf(judged),
    container: containerOf(judged),
    evidence: judged.evidence,
    because: [...judged.because, ...link.because, ...context.extra, ...because],
    session: {
      id: claim?.id ?? null,
      grade: claim?.grade ?? 'none',
      source: claim?.source ?? null,
      path: claim?.path ?? null,
      shared: context.shared,
      refused: link.refused,
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
export function containerOf({ facts }: Judged): boolean | null {
  return facts.nspid === undefined || facts.nspid.length === 0 ? null : facts.nspid.length > 1;
}

function claimantsOf(chains: readonly Chain[]): Claimant[] {
  return chains.flatMap(({ shown: { judged, link } }) =>
    link.claim === null
      ? []
      : [
          {
            pid: judged.facts.pid,
            engine: judged.rule.engine,
            startKey: judged.facts.startKey,
            statusAt: link.record?.statusAt ?? null,
            claim: link.claim,
          },
        ],
  );
}

/** `notes`: what could not be read, by pid. */
export function rowsOf(
  linked: ReadonlyMap<number, Linked>,
  notes: ReadonlyMap<number, readonly string[]>,
  all: boolean,
): Agent[] {
  const chains = chainsOf(linked);
  const settled = arbitrate(
    claimantsOf(
      chains.filter(({ shown }) => isSessionKind(shown.judged.kind) || shown.judged.kind === 'launcher'),
    ),
  );
  const rows: Agent[] = [];
  for (const chain of chains) {
    const workerKind = (chain.members.at(-1) as Linked).judged.kind;
    for (const member of chain.members) {
      const shown = member === chain.shown;
      const kind = kindOf(member, shown, workerKind);
      if (!all && !isSessionKind(kind)) continue;
      const { pid } = member.judged.facts;
      const settlement = shown ? settled.get(pid) : undefined;
      const extra = [...(notes.get(pid) ?? [])];
      if (settlement?.shared) {
        extra.push(
          settlement.primary === pid
            ? 'session: shared with another live process, which resumed it'
            : `session: shared; its first owner is pid ${settlement.primary}`,
        );
      }
      rows.push(
        rowOf(member, {
          kind,
          extra,
          shared: settlement?.shared ?? false,
          launcherPid: shown ? otherEnd(chain) : null,
        }),
      );
    }
  }
  return rows.sort((a, b) => a.pid - b.pid);
}
