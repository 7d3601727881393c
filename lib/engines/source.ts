/** Where the statements of a rule come from. */
import type { Source } from './rule.js';

export function measured(what: string, version: string, date: string): Source {
  return { how: 'measured', what, version, date };
}

export function reported(what: string, version: string | null, date: string): Source {
  return { how: 'reported', what, version, date };
}
