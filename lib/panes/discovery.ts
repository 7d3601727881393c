/** One look at all panes and all processes, and what can be asked of it. */

import { hidingFaults } from '../agents/answer.js';
import type { Agent, AgentFault, AmbiguousPane } from '../agents/envelope.js';
import type { OneLook } from '../agents/once.js';
import { ambiguousPane, type PlacedEntry } from '../agents/panes.js';
import { ancestorsOf } from '../engines/family.js';
import type { Evidence } from '../engines/findings.js';
import type { EngineHome } from '../engines/homes.js';
import type { AgentKind } from '../engines/rule.js';
import type { Fault } from '../process/fault.js';
import type { Pane, PaneRef } from '../tmux/pane.js';
import { type RuntimeIdentity, sameRuntime } from './identity.js';

/** The agent that owns a pane. */
export interface PaneAgent {
  readonly engine: string;
  readonly pane: Pane;
  /** Where the pane is, as tmux says. */
  readonly paneCwd: string | null;
  /** Where the process itself is. */
  readonly cwd: string | null;
  readonly identity: RuntimeIdentity;
  /** Its processes from the launcher down to the worker; the identity is one of them. */
  readonly chain: readonly RuntimeIdentity[];
  /** Null = could not be read. */
  readonly argv: readonly string[] | null;
  readonly resumeId: string | null;
  readonly kind: AgentKind;
  readonly evidence: Evidence;
  readonly gateway: string | null;
  readonly homes: EngineHome;
  /** Everything else that is known, as agents() gives it. */
  readonly row: Agent;
}

export interface RunningProcess {
  readonly pid: number;
  readonly startKey: string | null;
  readonly name: string | null;
  readonly executable: string | null;
  /** Steps below the first process of the pane. */
  readonly depth: number;
}

/** Nothing can be said: the process table could not be read. */
export interface FailedDiscovery {
  readonly state: 'failed';
  readonly reason: string;
  readonly faults: readonly AgentFault[];
}

export type PaneDiscovery = ReadDiscovery | FailedDiscovery;

const sameServer = (a: Pane['server'], b: Pane['server']): boolean => a.pid === b.pid && a.start === b.start;

/** Is the pane the one that is named? A name without a server fits any. */
export function isSamePane(pane: PaneRef, named: PaneRef): boolean {
  if (pane.socket !== named.socket || pane.id !== named.id) return false;
  return !pane.server || !named.server || sameServer(pane.server, named.server);
}

/** What was seen in one look. Where a server could not be asked, nothing is said of its panes alone. */
export class ReadDiscovery {
  readonly state = 'read';
  readonly agents: readonly PaneAgent[];
  /** Agents of plain terminals, editors and other multiplexers: known by their tty and session leader alone. */
  readonly outside: readonly Agent[];
  readonly ambiguousPanes: readonly AmbiguousPane[];
  /** Of servers that answered. */
  readonly panes: readonly Pane[];
  /** Sockets of servers that could not be asked: their panes are unknown, and so are their agents. */
  readonly frozen: readonly string[];
  readonly faults: readonly AgentFault[];
  readonly scanned: number;
  readonly #look: OneLook;
  /** Keys of panes below which a process could not be read. */
  readonly #hiding: ReadonlySet<string>;

  constructor(look: OneLook, entries: readonly PlacedEntry[], faults: readonly AgentFault[]) {
    this.#look = look;
    const servers = look.inventory?.servers ?? [];
    this.frozen = servers.flatMap(({ state, socket }) => (state === 'failed' ? [socket] : []));
    this.panes = servers.flatMap(({ state, panes }) => (state === 'failed' ? [] : [...panes]));
    const answered = new Set(this.panes.map(({ key }) => key));
    const known = look.owners.filter(({ pane }) => answered.has(pane.key));
    this.ambiguousPanes = known.map(ambiguousPane).filter((each) => each !== null);
    this.agents = entries.flatMap((entry) => {
      const found =
        entry.pane !== null && answered.has(entry.pane.key) ? this.#agent(entry, entry.pane) : null;
      return found === null ? [] : [found];
    });
    this.outside = entries.filter(({ pane }) => pane === null).map(({ agent }) => agent);
    this.faults = faults;
    this.scanned = look.table.size;
    this.#hiding = this.#hidden();
  }

  /** `unknown`: the server of the pane could not be asked, or servers could not be looked for. */
  status(named: PaneRef): 'present' | 'absent' | 'unknown' {
    if (this.frozen.includes(named.socket)) return 'unknown';
    if (this.pane(named)) return 'present';
    const { inventory } = this.#look;
    if (inventory === undefined) return 'unknown';
    const asked = inventory.servers.some(({ socket }) => socket === named.socket);
    const searched = inventory.state !== 'failed' || inventory.faults.length === 0;
    return asked || searched ? 'absent' : 'unknown';
  }

  pane(named: PaneRef): Pane | undefined {
    return this.panes.find((pane) => isSamePane(pane, named));
  }

  agentOf(named: PaneRef): PaneAgent | undefined {
    return this.agents.find(({ pane }) => isSamePane(pane, named));
  }

  ambiguityOf(named: PaneRef): AmbiguousPane | undefined {
    return this.ambiguousPanes.find(({ pane }) => isSamePane(pane, named));
  }

  /** A process of the pane could not be read: an agent that is not seen there may still be there. */
  isUncertain({ key }: Pane): boolean {
    return this.#hiding.has(key);
  }

  runs(identity: RuntimeIdentity): boolean {
    const now = this.identityOf(identity.pid);
    const state = this.#look.table.get(identity.pid)?.state;
    return now !== null && sameRuntime(identity, now) && state !== 'Z' && state !== 'X';
  }

  identityOf(pid: number): RuntimeIdentity | null {
    const row = this.#look.table.get(pid);
    if (row?.startKey == null) return null;
    const exe = this.#look.lookup(pid)?.exe ?? null;
    return { bootId: row.key?.bootId ?? null, pid, startKey: row.startKey.toString(), executable: exe };
  }

  /** Does the process run below the first process of the pane, or on its terminal? */
  isIn(pid: number, pane: Pane): boolean {
    const facts = this.#look.lookup(pid);
    if (facts === undefined) return false;
    if (facts.pid === pane.rootPid || `/dev/${facts.tty}` === pane.tty) return true;
    return [...ancestorsOf(facts, this.#look.lookup)].some((above) => above.pid === pane.rootPid);
  }

  /** What runs in a pane, shallowest first. */
  running(pane: Pane, limit = 4): RunningProcess[] {
    const found: RunningProcess[] = [];
    for (const { pid } of pane.dead ? [] : this.#look.table) {
      const facts = this.#look.lookup(pid);
      if (facts === undefined || facts.state === 'Z') continue;
      const line = [facts, ...ancestorsOf(facts, this.#look.lookup)];
      const depth = line.findIndex((each) => each.pid === pane.rootPid);
      if (depth < 0) continue;
      const { name = null, exe = null, startKey } = facts;
      found.push({ pid, startKey: startKey?.toString() ?? null, name, executable: exe, depth });
    }
    return found.sort((a, b) => a.depth - b.depth || a.pid - b.pid).slice(0, limit);
  }

  #agent({ agent, chain }: PlacedEntry, pane: Pane): PaneAgent | null {
    const identity = this.identityOf(agent.pid);
    if (identity === null) return null;
    const { engine, cwd, resumeId, kind, evidence, gateway, homes } = agent;
    return {
      ...{ engine, pane, paneCwd: pane.cwd, cwd, identity, resumeId, kind, evidence, gateway, homes },
      chain: chain.map((pid) => this.identityOf(pid)).filter((each) => each !== null),
      argv: this.#look.lookup(agent.pid)?.argv ?? null,
      row: agent,
    };
  }

  #hidden(): ReadonlySet<string> {
    const { table, lookup } = this.#look;
    const byRoot = new Map(this.panes.map(({ rootPid, key }) => [rootPid, key]));
    const found = new Set<string>();
    for (const row of table) {
      const facts = hidingFaults(row).length > 0 ? lookup(row.pid) : undefined;
      if (facts === undefined) continue;
      for (const each of [facts, ...ancestorsOf(facts, lookup)]) {
        const key = byRoot.get(each.pid);
        if (key !== undefined) found.add(key);
      }
    }
    return found;
  }
}

/** Faults after which a table may lack processes that are there. */
export function failureOfTable(size: number, faults: readonly Fault[]): Fault | 'empty' | null {
  const cut = faults.find(({ kind }) => kind === 'timeout' || kind === 'limit');
  return cut ?? (size === 0 ? (faults[0] ?? 'empty') : null);
}
