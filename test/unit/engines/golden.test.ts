/** Paths and pids of the cases are normalised; `source` of each says where it comes from. */
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../../lib/engines/index.js';
import { isSessionKind, type Judged } from '../../../lib/engines/judge.js';
import type { EngineRule } from '../../../lib/engines/rule.js';
import { stateOf } from '../../../lib/engines/state.js';
import { FIRST_PID, GOLDEN, GROUPS, linkOfShape, processesOf, type Shape, turnsOfShape } from './shapes.js';
import { judgeAll } from './situation.js';

/** The session and the state of a process, as far as the case tells what they should be. */
async function furtherOf(shape: Shape, judged: Judged): Promise<Partial<Shape['expect']>> {
  const link = await linkOfShape(shape, judged);
  // Whatever is decided, it is said why.
  expect(link.because.some((each) => each.startsWith('session'))).toBe(true);
  const { session, grade, state } = shape.expect;
  return {
    ...(session === undefined ? {} : { session: link.claim?.id ?? null }),
    ...(grade === undefined ? {} : { grade: link.claim?.grade ?? 'none' }),
    ...(state === undefined
      ? {}
      : {
          state: stateOf(judged.facts.state, link, judged.rule.stateGap, turnsOfShape(shape, judged)).state
            .value,
        }),
  };
}

describe('golden cases', () => {
  it('every engine has a file of them, and nobody else', () => {
    expect([...GOLDEN.keys()]).toEqual(ENGINES.map(({ engine }) => engine).sort());
  });

  it.each(ENGINES.map((rule) => [rule.engine, rule] as const))('%s: find and skip', (engine) => {
    const shapes = GOLDEN.get(engine) ?? [];
    const found = shapes.filter(({ expect: right }) => right.engine === engine && right.row);
    const skipped = shapes.filter(({ expect: right }) => !right.row);
    expect(found.length).toBeGreaterThan(0);
    expect(skipped.some(({ expect: right }) => right.engine === null)).toBe(true);
    // Cases of another engine belong into the file of that one.
    expect(shapes.filter(({ expect: right }) => right.engine !== engine && right.row)).toEqual([]);
  });

  // Where a rule has a way to tell, a case shows it; where it has none, the rule says why.
  it.each(ENGINES.map((rule) => [rule.engine, rule] as const))('%s: link and state', (engine, rule) => {
    const shapes = GOLDEN.get(engine) ?? [];
    expect(shapes.filter(({ expect: { session } }) => typeof session === 'string')).not.toEqual([]);
    expect(shapes.filter(({ expect: { session } }) => session === null)).not.toEqual([]);
    const known = shapes.filter(({ expect: { state } }) => state !== undefined && state !== 'unknown');
    expect(known.length > 0, 'a state is known where the engine writes one down, and only there').toBe(
      rule.pidRecord !== null || rule.turns.length > 0,
    );
    // Each way is shown.
    for (const { what } of rule.turns) {
      expect(
        known.some(({ turns }) => turns?.what === what),
        what,
      ).toBe(true);
    }
    expect(rule.stateGap).not.toBe('');
    expect(rule.linkGap).not.toBe('');
    expect(rule.held.gap).not.toBe('');
  });

  it.each([...GROUPS.keys()])('%s', async (name) => {
    const group = GROUPS.get(name) as readonly Shape[];
    const { judged } = judgeAll(processesOf(group));
    const looking = group.map(async (shape, index) => {
      const { role } = shape;
      const verdict = judged.get(FIRST_PID + index);
      return {
        role,
        engine: verdict?.rule.engine ?? null,
        kind: verdict?.kind ?? null,
        row: verdict !== undefined && isSessionKind(verdict.kind),
        ...(verdict ? await furtherOf(shape, verdict) : {}),
      };
    });
    const seen = await Promise.all(looking);
    expect(seen).toEqual(group.map(({ role, expect: right }) => ({ role, ...right })));
  });
});

describe('rules', () => {
  const sourcesOf = (rule: EngineRule) =>
    [
      ...rule.names,
      ...rule.layouts,
      ...rule.kinds,
      ...rule.bypass,
      ...rule.held.files,
      ...rule.stores,
      rule.home,
      rule.argvId,
      ...(rule.pidRecord ? [rule.pidRecord] : []),
      ...rule.turns,
    ].map(({ source }) => source);

  it.each(ENGINES.map((rule) => [rule.engine, rule] as const))('%s dates every statement', (_, rule) => {
    for (const source of sourcesOf(rule)) {
      expect(source.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(source.what).not.toBe('');
      // What was measured was measured on some version.
      if (source.how === 'measured') expect(source.version).not.toBeNull();
    }
  });

  it('one option is not said to take a value and to take none', () => {
    for (const { engine, options } of ENGINES) {
      const all = Object.values(options).flat();
      expect(new Set(all).size, engine).toBe(all.length);
    }
  });
});
