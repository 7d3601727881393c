import type { AmbiguousPane } from '../agents/envelope.js';
import type { AgentEvent } from '../agents/events.js';
import type { PaneHint } from '../agents/once.js';
import { OptionError } from '../process/fault.js';
import { requireKnown } from '../process/options.js';
import type { Pane } from '../tmux/pane.js';
import { setMouse } from '../tmux/settings.js';
import { type DiscoverPanesOptions, discoverPanes } from './discover.js';
import type { PaneAgent, PaneDiscovery } from './discovery.js';
import { type StoredAgent, type TrackedAgent, trackedOf } from './tracked.js';

type Answer = void | Promise<void>;

/** Callbacks are awaited one after the other. Do not await the Reconciler's own trigger() in them. */
export interface ReconcilerCallbacks {
  /** An agent that was not known. */
  readonly onDiscovered?: (agent: PaneAgent) => Answer;
  /** An agent that was known, in every look that sees it; store its identity. */
  readonly onObserved?: (agent: PaneAgent) => Answer;
  /** An agent is gone, and why. */
  readonly onRemoved?: (agent: TrackedAgent, reason: string) => Answer;
  /** The process of an agent has certainly ended; that the agent is removed follows after the looks that it takes. */
  readonly onExited?: (agent: TrackedAgent, reasons: readonly string[]) => Answer;
  /** A pane is ambiguous: once, until it is not any more. */
  readonly onWarning?: (message: string, pane: AmbiguousPane) => Answer;
  /** What a callback, a look or a setting threw or could not do. The loop goes on. */
  readonly onError?: (error: unknown) => Answer;
}

export interface MouseOptions {
  /** Which panes are in sessions of the caller's own: no others are ever changed. */
  readonly sessions: (pane: Pane) => boolean;
  /** Sets it instead of the built-in client of tmux. */
  readonly set?: (pane: Pane) => Promise<{ readonly ok: boolean; readonly message?: string }>;
}

export interface ReconcilerOptions extends ReconcilerCallbacks {
  /** What is asked of `discoverPanes()`. */
  readonly panes?: Omit<DiscoverPanesOptions, 'hints'>;
  /** Looks instead of `discoverPanes()`. */
  readonly discover?: (hints: readonly PaneHint[]) => Promise<PaneDiscovery>;
  /** Agents that the caller knows from before. */
  readonly stored?: readonly StoredAgent[];
  /** Turns the mouse mode of tmux on, once a pane. Default: tmux is never changed. */
  readonly mouse?: MouseOptions;
}

export interface CheckedReconciler {
  readonly callbacks: ReconcilerCallbacks;
  readonly discover: NonNullable<ReconcilerOptions['discover']>;
  readonly tracked: readonly TrackedAgent[];
  readonly mouse: Required<MouseOptions> | null;
}

const CALLBACKS = [
  'onDiscovered',
  'onObserved',
  'onRemoved',
  'onExited',
  'onWarning',
  'onError',
] as const satisfies readonly (keyof ReconcilerCallbacks)[];

/** The exit that a monitor proved, as far as a Reconciler cares. */
export type ExitNews = Pick<Extract<AgentEvent, { type: 'started' | 'exited' }>, 'agent' | 'reasons'>;

/** @throws OptionError that names the option */
export function checkReconciler(options: ReconcilerOptions): CheckedReconciler {
  requireKnown(options, [...CALLBACKS, 'panes', 'discover', 'stored', 'mouse'], 'options');
  for (const name of [...CALLBACKS, 'discover'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new OptionError(name, 'must be of type function');
    }
  }
  const { panes, discover, stored = [], mouse } = options;
  if (panes !== undefined && discover !== undefined) {
    throw new OptionError('panes', 'is for discoverPanes(): discover was given');
  }
  if (!Array.isArray(stored)) throw new OptionError('stored', 'must be a list of agents');
  if (mouse !== undefined && typeof mouse?.sessions !== 'function') {
    throw new OptionError('mouse', 'must say of panes whether they are the own ones: { sessions }');
  }
  return {
    callbacks: options,
    discover: discover ?? ((hints) => discoverPanes({ ...panes, hints })),
    tracked: stored.map(trackedOf),
    mouse: mouse ? { set: (pane) => setMouse(pane), ...mouse } : null,
  };
}
