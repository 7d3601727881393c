/** Does an agent that was known before still run? */
import { OptionError } from '../process/fault.js';
import { checkPane, type Pane, type PaneRef } from '../tmux/pane.js';
import { type DiscoverPanesOptions, discoverPanes } from './discover.js';
import type { PaneAgent, PaneDiscovery, ReadDiscovery, RunningProcess } from './discovery.js';
import { describeIdentity, type RuntimeIdentity, readIdentity, sameRuntime } from './identity.js';

/** What was stored of an agent. */
export interface KnownRuntime {
  readonly engine: string;
  readonly pane: PaneRef;
  /** As it was stored. Nothing, or a form that cannot be read: whoever is found is adopted. */
  readonly identity?: unknown;
  /** The identity is that of the pane's first process, which stands in until the engine has started. */
  readonly placeholder?: boolean;
}

export type GoneReason = 'no-engine' | 'pane-absent' | 'process-changed';
export type UnknownReason = 'table' | 'tmux' | 'ambiguous';

export interface RuntimeAlive {
  readonly state: 'alive';
  /** To be stored from now on. */
  readonly identity: RuntimeIdentity;
  /** It was taken over from what was found, since none that can be read was stored. */
  readonly adopted: boolean;
  /** Null: the process lives, and its pane shows another agent or a program that is not known any more. */
  readonly agent: PaneAgent | null;
}

export interface RuntimeGone {
  readonly state: 'gone';
  readonly reason: GoneReason;
  readonly message: string;
  readonly stored: RuntimeIdentity | null;
  /** Of reason `process-changed`. */
  readonly found: RuntimeIdentity | null;
  /** What runs in the pane instead, shallowest first. */
  readonly running: readonly RunningProcess[];
}

export interface RuntimeUnknown {
  readonly state: 'unknown';
  readonly reason: UnknownReason;
  readonly message: string;
}

export type RuntimeCheck = RuntimeAlive | RuntimeGone | RuntimeUnknown;

interface Stored extends KnownRuntime {
  readonly identity: RuntimeIdentity | null;
}

function unknown(reason: UnknownReason, message: string): RuntimeUnknown {
  return { state: 'unknown', reason, message };
}

function alive(identity: RuntimeIdentity, agent: PaneAgent | null, adopted = false): RuntimeAlive {
  return { state: 'alive', identity, adopted, agent };
}

function changed(stored: RuntimeIdentity, found: PaneAgent, running: RunningProcess[]): RuntimeGone {
  const [before, now] = [stored, found.identity].map(describeIdentity);
  const message = `process changed in ${found.pane.id}: ${before} was known, ${now} runs`;
  return { state: 'gone', reason: 'process-changed', message, stored, found: found.identity, running };
}

/** The pane is there, and its owner is known. */
function inPane(seen: ReadDiscovery, pane: Pane, { engine, identity, placeholder }: Stored): RuntimeCheck {
  const owner = seen.agentOf(pane);
  const found = owner?.engine === engine ? owner : undefined;
  if (found && (identity === null || placeholder === true))
    return alive(found.identity, found, identity === null);
  if (found && identity && found.chain.some((each) => sameRuntime(each, identity))) {
    return alive(found.identity, found);
  }
  // A process is who it is by pid and start, whatever program it runs by now.
  if (identity && seen.runs(identity) && seen.isIn(identity.pid, pane)) {
    return alive(seen.identityOf(identity.pid) ?? identity, null);
  }
  const ambiguity = seen.ambiguityOf(pane);
  if (ambiguity) return unknown('ambiguous', `pane ${pane.id} is ambiguous: ${ambiguity.reason}`);
  if (!found && seen.isUncertain(pane)) {
    return unknown('table', `a process in pane ${pane.id} could not be read`);
  }
  const running = seen.running(pane);
  if (found && identity) return changed(identity, found, running);
  const message = `no ${engine} process in pane ${pane.id}`;
  return { state: 'gone', reason: 'no-engine', message, stored: identity, found: null, running };
}

/** What a look says of an agent that was known before. */
export function runtimeIn(seen: PaneDiscovery, known: KnownRuntime): RuntimeCheck {
  if (seen.state === 'failed') return unknown('table', seen.reason);
  const stored = { ...known, identity: readIdentity(known.identity) };
  const { id, socket } = known.pane;
  const status = seen.status(known.pane);
  if (status === 'unknown') return unknown('tmux', `the tmux server at ${socket} could not be asked`);
  const pane = seen.pane(known.pane);
  if (pane) return inPane(seen, pane, stored);
  const { identity } = stored;
  const message = `pane ${id} is absent`;
  return { state: 'gone', reason: 'pane-absent', message, stored: identity, found: null, running: [] };
}

/**
 * Does an agent that was known before still run in its pane? `unknown` where tmux or the process table could
 * not be asked: that is never taken for an end.
 *
 * Rejects with OptionError, or LoadError when no binary loads.
 */
export async function checkRuntime(
  known: KnownRuntime,
  options: DiscoverPanesOptions = {},
): Promise<RuntimeCheck> {
  if (typeof known !== 'object' || known === null || typeof known.engine !== 'string') {
    throw new OptionError('known', 'must be an agent: { engine, pane, identity }');
  }
  const pane = checkPane(known.pane);
  return runtimeIn(await discoverPanes(at(pane, options)), { ...known, pane });
}

/** Only the server of the pane is asked, unless the caller says who is. */
function at({ socket }: PaneRef, options: DiscoverPanesOptions): DiscoverPanesOptions {
  return options.tmuxSockets || options.readPanes ? options : { ...options, tmuxSockets: [socket] };
}

export type RootProcess =
  | { readonly state: 'alive'; readonly identity: RuntimeIdentity; readonly name: string | null }
  | { readonly state: 'gone'; readonly reason: 'pane-absent' | 'no-process'; readonly message: string }
  | RuntimeUnknown;

/** What a look says of the first process of a pane. */
export function rootIn(seen: PaneDiscovery, named: PaneRef): RootProcess {
  if (seen.state === 'failed') return unknown('table', seen.reason);
  const status = seen.status(named);
  if (status === 'unknown') return unknown('tmux', `the tmux server at ${named.socket} could not be asked`);
  const pane = seen.pane(named);
  if (!pane) return { state: 'gone', reason: 'pane-absent', message: `pane ${named.id} is absent` };
  const [first] = seen.running(pane, 1);
  const identity = first && first.depth === 0 ? seen.identityOf(first.pid) : null;
  if (first && identity && seen.runs(identity)) return { state: 'alive', identity, name: first.name };
  return { state: 'gone', reason: 'no-process', message: `the process of pane ${named.id} has ended` };
}

/**
 * Whatever sits in a pane, agent or not: what stands in for an agent that is still being installed or started.
 *
 * Rejects with OptionError, or LoadError when no binary loads.
 */
export async function rootProcess(pane: PaneRef, options: DiscoverPanesOptions = {}): Promise<RootProcess> {
  const named = checkPane(pane);
  return rootIn(await discoverPanes(at(named, options)), named);
}
