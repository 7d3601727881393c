/** What a caller says of a pane, for programs whose name alone proves nothing. */
import { type MatchVerdict, SCORES } from './match.js';
import type { EngineRule } from './rule.js';

/** Can a hint settle whose program it is? Only where engines share a name that proves none of them. */
export function canBeHinted(rule: EngineRule): boolean {
  return rule.namesWithProof.length > 0;
}

/** The weakest of all evidence. */
export function hintedAs(rule: EngineRule): Extract<MatchVerdict, { outcome: 'engine' }> {
  const evidence = 'pane-hook-hint';
  return {
    outcome: 'engine',
    rule,
    evidence: { rule: evidence, score: SCORES[evidence], from: 'hint', confidence: 'low' },
    placeKind: null,
    because: [`hint: the caller says that the program of this pane is ${rule.engine}`],
  };
}
