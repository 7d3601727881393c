import type { ProcessFacts } from './facts.js';
import { canBePath, isAbsolute, joinPath } from './path.js';
import type { HomeRule } from './rule.js';

export interface EngineHome {
  /** The user's home as the process sees it. */
  readonly user: string | null;
  /** The engine's own folder; null = nothing told it, or no rule knows where the engine has it. */
  readonly config: string | null;
  /** The variable that moves the engine's folder: `HOME` where it has none of its own. */
  readonly variable: string;
  /** What told it: the engine's variable, HOME, or the account of the owner. */
  readonly from: 'variable' | 'home' | 'owner' | null;
}

function absolute(value: string | null | undefined): string | null {
  if (typeof value !== 'string' || !canBePath(value)) return null;
  return isAbsolute(value) && !value.includes('\0') ? value : null;
}

/**
 * The homes of a process: its own environment first. `ownerHome` (null = not known) stands in only
 * where the environment does not name one.
 */
export function homeOf(facts: ProcessFacts, rule: HomeRule, ownerHome: string | null): EngineHome {
  const named = rule.variable === 'HOME' ? null : absolute(facts.env?.[rule.variable]);
  const own = absolute(facts.env?.['HOME']) ?? absolute(facts.env?.['USERPROFILE']);
  const user = own ?? ownerHome;
  if (rule.notKnown !== undefined) return { user, config: null, variable: rule.variable, from: null };
  if (named !== null) {
    const config = rule.below === undefined ? named : joinPath(named, ...rule.below);
    return { user, config, variable: rule.variable, from: 'variable' };
  }
  if (user === null) return { user, config: null, variable: rule.variable, from: null };
  return {
    user,
    config: joinPath(user, ...rule.folder),
    variable: rule.variable,
    from: own !== null ? 'home' : 'owner',
  };
}
