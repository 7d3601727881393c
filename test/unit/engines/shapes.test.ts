/** Real processes, recorded on Linux on 2026-11-30; paths and pids are normalised. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { isSessionKind } from '../../../lib/engines/judge.js';
import { facts, judgeAll } from './situation.js';

interface Shape {
  readonly group: string;
  readonly version: string;
  readonly role: string;
  readonly expect: { readonly engine: string | null; readonly kind: string | null; readonly row: boolean };
  readonly comm: string;
  readonly argv: readonly string[];
  readonly exe: string;
  /** `pts`, null, or `unknown` where the recorder did not see it. */
  readonly tty: string | null;
  readonly ppidRole: string;
  readonly cwd: string;
}

const shapes: readonly Shape[] = JSON.parse(readFileSync(join(__dirname, 'shapes.json'), 'utf8'));
const groups = new Map<string, Shape[]>();
for (const shape of shapes) groups.set(shape.group, [...(groups.get(shape.group) ?? []), shape]);

function terminalOf(tty: string | null): string | null | undefined {
  if (tty === 'pts') return 'pts/1';
  return tty === 'unknown' ? undefined : null;
}

/** The processes of a group, each below the one that `ppidRole` names where that one was recorded. */
function processesOf(group: readonly Shape[]): ProcessFacts[] {
  return group.map((shape, index) => {
    const parent = group.findIndex(({ role }) => role === shape.ppidRole);
    return facts({
      pid: 100 + index,
      ppid: parent >= 0 && parent !== index ? 100 + parent : 0,
      startKey: 1_000n,
      name: shape.comm,
      argv: shape.argv,
      exe: shape.exe,
      tty: terminalOf(shape.tty),
      cwd: shape.cwd === '' ? undefined : shape.cwd,
    });
  });
}

describe('recorded processes', () => {
  it('are all there', () => {
    expect(shapes.length).toBe(20);
  });

  it.each([...groups.keys()])('%s', (name) => {
    const group = groups.get(name) as Shape[];
    const { judged } = judgeAll(processesOf(group));
    const seen = group.map(({ role }, index) => {
      const verdict = judged.get(100 + index);
      return {
        role,
        engine: verdict?.rule.engine ?? null,
        kind: verdict?.kind ?? null,
        row: verdict !== undefined && isSessionKind(verdict.kind),
      };
    });
    expect(seen).toEqual(group.map(({ role, expect: right }) => ({ role, ...right })));
  });
});
