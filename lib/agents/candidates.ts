/**
 * The cheap question before the costly one: which processes could be an agent at all? What this
 * keeps is judged with all facts; what it drops is never looked at again.
 */
import type { ProcessFacts } from '../engines/facts.js';
import { type Interest, interestOf, type Override } from '../engines/interest.js';
import type { InstalledProgram } from '../engines/match.js';
import { canBePath } from '../engines/path.js';
import { derive } from '../engines/program.js';
import type { EngineRule } from '../engines/rule.js';

export interface Candidates {
  /** Named or placed like an engine's program. */
  readonly named: readonly ProcessFacts[];
  /** Run a script whose links must be resolved before anything can be said. */
  readonly scripted: readonly { readonly facts: ProcessFacts; readonly script: string }[];
}

/** What the rules want, and where their programs are installed under whatever name. */
export class TextFilter {
  readonly interest: Interest;
  readonly #paths: ReadonlySet<string>;

  constructor(
    rules: readonly EngineRule[],
    installed: readonly InstalledProgram[],
    overrides: readonly Override[],
  ) {
    this.interest = interestOf(rules, overrides);
    this.#paths = new Set(installed.map(({ path }) => path));
  }

  isInstalled(text: string | null | undefined): boolean {
    return typeof text === 'string' && this.#paths.has(text);
  }

  /** Does any rule care for a path or a word, or is it an installed program? */
  interests(text: string): boolean {
    return this.interest.wants(text) || this.isInstalled(text);
  }
}

/** Why a process deserves the costly facts: its name, or the script that it runs; null = it does not. */
export function candidacyOf(facts: ProcessFacts, filter: TextFilter): 'named' | { script: string } | null {
  const glance = filter.interest.glance(facts);
  if (glance === 'wanted' || filter.isInstalled(facts.exe) || filter.isInstalled(facts.argv?.[0])) {
    return 'named';
  }
  if (glance === 'nothing') return null;
  const { word, entry, comm } = derive(facts);
  if (
    (word !== undefined && filter.interests(word)) ||
    (entry !== null && filter.interests(entry.text)) ||
    (comm !== null && filter.interest.wantsComm(comm))
  ) {
    return 'named';
  }
  return entry?.form === 'script' && canBePath(entry.text) ? { script: entry.text } : null;
}

export function candidatesOf(all: Iterable<ProcessFacts>, filter: TextFilter): Candidates {
  const named: ProcessFacts[] = [];
  const scripted: { facts: ProcessFacts; script: string }[] = [];
  for (const facts of all) {
    const candidacy = candidacyOf(facts, filter);
    if (candidacy === 'named') named.push(facts);
    else if (candidacy !== null) scripted.push({ facts, ...candidacy });
  }
  return { named, scripted };
}
