/** What a Reconciler keeps of one agent, and of one runtime that is hidden. */
import { OptionError } from '../process/fault.js';
import { checkPane, type PaneRef } from '../tmux/pane.js';
import { isSamePane, type PaneAgent, type ReadDiscovery } from './discovery.js';
import { type RuntimeIdentity, readIdentity, sameRuntime, sharesProcess } from './identity.js';

/** An agent as the caller keeps it. */
export interface StoredAgent {
  readonly engine: string;
  readonly pane: PaneRef;
  /** Null or unreadable: whoever of its engine is found in the pane is adopted. */
  readonly identity?: unknown;
  /** Identities of its launcher chain. */
  readonly chain?: readonly unknown[];
  /** The identity is that of the pane's first process, until the engine has started. */
  readonly placeholder?: boolean;
}

export interface TrackedAgent {
  readonly engine: string;
  readonly pane: PaneRef;
  readonly identity: RuntimeIdentity | null;
  readonly chain: readonly RuntimeIdentity[];
  readonly placeholder: boolean;
  /** As it was last seen; null = it was stored, and not seen since. */
  readonly found: PaneAgent | null;
  /** Confirmed looks in a row that did not see it. */
  readonly misses: number;
  /** Why its process is proven to have ended; null = it is not. */
  readonly ended: string | null;
}

/** @throws OptionError */
export function trackedOf(stored: StoredAgent): TrackedAgent {
  if (typeof stored !== 'object' || stored === null || typeof stored.engine !== 'string') {
    throw new OptionError('stored', 'must be agents: { engine, pane, identity }');
  }
  const { engine, placeholder = false, chain = [] } = stored;
  if (!Array.isArray(chain)) throw new OptionError('stored', 'must have a list as chain, or none');
  const identity = readIdentity(stored.identity);
  const known = chain.map(readIdentity).filter((each) => each !== null);
  const whole = identity === null ? known : [identity, ...known];
  return {
    ...{ engine, pane: checkPane(stored.pane), identity, chain: whole, placeholder },
    ...{ found: null, misses: 0, ended: null },
  };
}

export function trackedFrom(found: PaneAgent): TrackedAgent {
  const { engine, pane, identity } = found;
  const chain = withIdentity(found);
  return { engine, pane, identity, chain, placeholder: false, found, misses: 0, ended: null };
}

function withIdentity({ identity, chain }: PaneAgent): readonly RuntimeIdentity[] {
  return chain.some((each) => sameRuntime(each, identity)) ? chain : [identity, ...chain];
}

/** Is what was found the agent that was known: the same process, another of its launcher chain, or one to adopt? */
export function isSameAgent(known: TrackedAgent, found: PaneAgent): boolean {
  if (known.engine !== found.engine) return false;
  if (known.identity === null || known.placeholder) return true;
  return sharesProcess(known.chain, withIdentity(found));
}

/** One exact runtime that the caller does not want to see. */
export interface Suppressed {
  readonly engine: string;
  readonly pane: PaneRef;
  readonly chain: readonly RuntimeIdentity[];
}

/** @throws OptionError */
export function suppressedOf(runtime: StoredAgent): Suppressed {
  const { engine, pane, chain } = trackedOf(runtime);
  if (chain.length === 0) throw new OptionError('runtime', 'must have an identity: { pid, startKey }');
  return { engine, pane, chain };
}

export function hides({ engine, pane, chain }: Suppressed, found: PaneAgent): boolean {
  return engine === found.engine && isSamePane(found.pane, pane) && sharesProcess(chain, withIdentity(found));
}

/** What is left to hide after a look; null = the runtime is proven to be gone. */
export function stillHidden(hidden: Suppressed, seen: ReadDiscovery): Suppressed | null {
  const found = seen.agentOf(hidden.pane);
  if (found && hides(hidden, found)) return { ...hidden, chain: withIdentity(found) };
  const status = seen.status(hidden.pane);
  if (status === 'unknown') return hidden;
  return status === 'present' && hidden.chain.some((each) => seen.runs(each)) ? hidden : null;
}
