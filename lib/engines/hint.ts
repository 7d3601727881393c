/** What a caller says of a pane, for programs whose name alone proves nothing. */
import { evidenceOf } from './findings.js';
import type { MatchVerdict } from './match.js';
import type { EngineRule } from './rule.js';

/** Can a hint settle whose program it is? Only where engines share a name that proves none of them. */
export function canBeHinted(rule: EngineRule): boolean {
  return rule.namesWithProof.length > 0;
}

/** The weakest of all evidence. */
export function hintedAs(
  rule: EngineRule,
  { considered }: MatchVerdict,
): Extract<MatchVerdict, { outcome: 'engine' }> {
  return {
    outcome: 'engine',
    considered,
    rule,
    evidence: evidenceOf('pane-hook-hint', 'hint', true),
    placeKind: null,
    because: [`hint: the caller says that the program of this pane is ${rule.engine}`],
  };
}
