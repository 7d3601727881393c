import { allFaults, discover } from '../agents/discover.js';
import type { PaneHint } from '../agents/once.js';
import { AGENTS_OPTIONS, type AgentsOptions, checkOptions } from '../agents/options.js';
import { canBeHinted } from '../engines/hint.js';
import { ENGINES } from '../engines/index.js';
import { describeFault, OptionError } from '../process/fault.js';
import { requireKnown } from '../process/options.js';
import { checkPane } from '../tmux/pane.js';
import { failureOfTable, type PaneDiscovery, ReadDiscovery } from './discovery.js';

export interface DiscoverPanesOptions extends AgentsOptions {
  /** Engines of programs called `agent`, by pane: they settle what nothing else does. */
  readonly hints?: readonly PaneHint[];
}

/** @throws OptionError */
export function checkHint({ pane, engine }: PaneHint): PaneHint {
  const known = ENGINES.filter(canBeHinted).map((rule) => rule.engine);
  if (!known.includes(engine)) {
    throw new OptionError('engine', `must be one of ${known.join(', ')}: others need no hint`);
  }
  return { pane: checkPane(pane), engine };
}

/**
 * The panes of tmux and the agents that own them. tmux and the process table are read once, however many
 * panes there are. Where neither the table nor a server could be read the answer says so: that is not the
 * same as there being nothing.
 *
 * Rejects with OptionError, or LoadError when no binary loads.
 */
export async function discoverPanes(options: DiscoverPanesOptions = {}): Promise<PaneDiscovery> {
  requireKnown(options, [...AGENTS_OPTIONS, 'hints'], 'options');
  const { hints = [], ...rest } = options;
  if (!Array.isArray(hints)) throw new OptionError('hints', 'must be a list of { pane, engine }');
  const found = await discover(checkOptions(rest), hints.map(checkHint));
  const { cheap, look, answer } = found;
  const failure = failureOfTable(cheap.size, cheap.faults);
  if (failure === null) return new ReadDiscovery(look, answer.entries, allFaults(found));
  const why = failure === 'empty' ? 'it is empty' : describeFault(failure);
  const faults = cheap.faults.map((fault) => ({ pid: null, field: null, ...fault }));
  return { state: 'failed', reason: `the process table could not be read: ${why}`, faults };
}
