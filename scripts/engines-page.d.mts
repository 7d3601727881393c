import type { EngineRule } from '../lib/engines/rule.js';

export interface PageCase {
  readonly group: string;
  readonly expect: {
    readonly engine: string | null;
    readonly row: boolean;
    readonly session?: string | null;
    readonly state?: string;
  };
}

export function enginesPage(
  engines: readonly EngineRule[],
  golden: ReadonlyMap<string, readonly PageCase[]>,
): string;
