/** One file of cases an engine. Paths and pids are normalised; `source` says where a case comes from. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argvIdOf } from '../../../lib/engines/argv-id.js';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { heldVerdict, placesOf } from '../../../lib/engines/held.js';
import { ENGINES } from '../../../lib/engines/index.js';
import { isSessionKind, type Judged } from '../../../lib/engines/judge.js';
import { linkOf } from '../../../lib/engines/link.js';
import { facts, judgeAll } from './situation.js';

interface Shape {
  readonly group: string;
  readonly version: string;
  readonly role: string;
  readonly expect: {
    readonly engine: string | null;
    readonly kind: string | null;
    readonly row: boolean;
    /** What its open files and its arguments link it to; left out where they were not recorded. */
    readonly session?: string | null;
  };
  readonly comm: string;
  readonly argv: readonly string[];
  readonly exe: string;
  /** `pts`, null, or `unknown` where the recorder did not see it. */
  readonly tty: string | null;
  readonly ppidRole: string;
  readonly cwd: string;
  readonly openFiles?: readonly string[];
  /** `PATH TYPE` of exclusive locks. */
  readonly locks?: readonly string[];
  readonly source: string;
}

const FOLDER = join(__dirname, 'golden');
const files = readdirSync(FOLDER).sort();
const groups = new Map<string, Shape[]>();
for (const file of files) {
  const shapes: readonly Shape[] = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  for (const shape of shapes) groups.set(shape.group, [...(groups.get(shape.group) ?? []), shape]);
}

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

/** The session of a process by its recorded files, where the homes hold no links. */
function sessionOf(shape: Shape, judged: Judged): string | null {
  const { facts: process, rule, home } = judged;
  const homes = [{ anchor: home.user ?? '', config: home.config ?? '' }];
  const files = shape.openFiles?.map((path) => ({
    path,
    kind: undefined,
    deleted: false,
    flocked: shape.locks?.includes(`${path} FLOCK`) ?? false,
  }));
  const held = heldVerdict(rule.held, { files, folders: placesOf(rule.held, process, homes), notes: [] });
  const argvId = argvIdOf(judged.args, rule.argvId);
  const { claim, because } = linkOf(process, null, argvId, 'ticks', rule.linkGap, held);
  // Whatever is decided, it is said why.
  expect(because.some((each) => each.startsWith('session'))).toBe(true);
  return claim?.id ?? null;
}

describe('golden cases', () => {
  it('every engine has some', () => {
    expect(files).toEqual(ENGINES.map(({ engine }) => `${engine}.json`).sort());
    for (const { engine } of ENGINES) {
      const linked = [...groups.values()].flat().filter(({ expect: { session } }) => session);
      expect(linked.filter(({ expect: right }) => right.engine === engine).length, engine).toBeGreaterThan(0);
      const rows = [...groups.values()]
        .flat()
        .filter((shape) => shape.expect.engine === engine && shape.expect.row);
      expect(rows.length, engine).toBeGreaterThan(0);
    }
  });

  it.each([...groups.keys()])('%s', (name) => {
    const group = groups.get(name) as Shape[];
    const { judged } = judgeAll(processesOf(group));
    const seen = group.map((shape, index) => {
      const { role } = shape;
      const verdict = judged.get(100 + index);
      return {
        role,
        engine: verdict?.rule.engine ?? null,
        kind: verdict?.kind ?? null,
        row: verdict !== undefined && isSessionKind(verdict.kind),
        ...(verdict && shape.expect.session !== undefined ? { session: sessionOf(shape, verdict) } : {}),
      };
    });
    expect(seen).toEqual(group.map(({ role, expect: right }) => ({ role, ...right })));
  });
});

describe('rules', () => {
  it.each(ENGINES.map((rule) => [rule.engine, rule] as const))('%s dates every statement', (_, rule) => {
    const sources = [
      ...rule.names,
      ...rule.layouts,
      ...rule.kinds,
      ...rule.bypass,
      ...rule.held.files,
      rule.home,
      rule.argvId,
      ...(rule.pidRecord ? [rule.pidRecord] : []),
    ].map(({ source }) => source);
    for (const source of sources) {
      expect(source.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(source.what).not.toBe('');
      // What was measured was measured on some version.
      if (source.how === 'measured') expect(source.version).not.toBeNull();
    }
  });
});
