/** Golden cases: one file an engine, recorded or made after a report, each with its right answer. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreMemory } from '../../../lib/agents/store-memory.js';
import { readStores } from '../../../lib/agents/stores.js';
import { argvIdOf } from '../../../lib/engines/argv-id.js';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { heldVerdict, placesOf } from '../../../lib/engines/held.js';
import type { Judged } from '../../../lib/engines/judge.js';
import { type LinkVerdict, linkOf } from '../../../lib/engines/link.js';
import { NOTHING_STORED, type StoredVerdict, storedVerdict } from '../../../lib/engines/stored.js';
import { NO_LINES, withPiece } from '../../../lib/engines/turns/lines.js';
import { NO_TURN, type TurnRule, withMark } from '../../../lib/engines/turns/turn.js';
import { type TurnFinding, turnVerdict } from '../../../lib/engines/turns/verdict.js';
import { FakeFiles } from '../agents/fakes.js';
import { facts } from './situation.js';

export interface Shape {
  /** What stood side by side. A case of the public collection begins with its id: `H12-...`. */
  readonly group: string;
  readonly version: string;
  readonly role: string;
  readonly expect: {
    readonly engine: string | null;
    readonly kind: string | null;
    readonly row: boolean;
    /** What its files and its arguments link it to; left out where they were not recorded. */
    readonly session?: string | null;
    /** Left out where the session says it all. */
    readonly grade?: string;
    /** Left out where nothing of it was recorded. */
    readonly state?: string;
  };
  readonly comm: string;
  readonly argv: readonly string[];
  /** Empty: could not be read. */
  readonly exe: string;
  /** `pts`, null, or `unknown` where the recorder did not see it. */
  readonly tty: string | null;
  readonly ppidRole: string;
  readonly cwd: string;
  /** Where the links of the entry script lead. */
  readonly script?: string;
  readonly openFiles?: readonly string[];
  /** `PATH TYPE` of exclusive locks. */
  readonly locks?: readonly string[];
  /** What lies in the engine's home: times in milliseconds after the start of the process. */
  readonly store?: Readonly<
    Record<string, { readonly text?: string; readonly at: number; readonly uid?: number }>
  >;
  /** Text of the record that the engine keeps of the process. */
  readonly record?: string;
  /** What its engine wrote down of its turns: lines, each a text or the JSON of one; or a row of a database. */
  readonly turns?: {
    readonly what: TurnRule['what'];
    readonly path?: string;
    readonly lines?: readonly unknown[];
    readonly row?: Readonly<Record<string, unknown>>;
  };
  readonly source: string;
}

const FOLDER = join(__dirname, 'golden');
export const FIRST_PID = 100;

/** The cases of each engine, by engine. */
export const GOLDEN: ReadonlyMap<string, readonly Shape[]> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map((file) => [file.replace(/\.json$/, ''), JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))]),
);

/** Cases by group. */
export const GROUPS: ReadonlyMap<string, readonly Shape[]> = [...GOLDEN.values()]
  .flat()
  .reduce(
    (groups, shape) => groups.set(shape.group, [...(groups.get(shape.group) ?? []), shape]),
    new Map<string, Shape[]>(),
  );

function terminalOf(tty: string | null): string | null | undefined {
  if (tty === 'pts') return 'pts/1';
  return tty === 'unknown' ? undefined : null;
}

function scriptOf({ script, argv }: Shape): ProcessFacts['script'] {
  const arg = argv[1];
  return script === undefined || arg === undefined ? undefined : { arg, real: script, file: undefined };
}

/** The processes of a group, each below the one that `ppidRole` names where that one was recorded. */
export function processesOf(group: readonly Shape[]): ProcessFacts[] {
  return group.map((shape, index) => {
    const parent = group.findIndex(({ role }) => role === shape.ppidRole);
    return facts({
      pid: FIRST_PID + index,
      ppid: parent >= 0 && parent !== index ? FIRST_PID + parent : 0,
      startKey: 1_000n,
      name: shape.comm,
      argv: shape.argv,
      exe: shape.exe === '' ? undefined : shape.exe,
      tty: terminalOf(shape.tty),
      cwd: shape.cwd === '' ? undefined : shape.cwd,
      script: scriptOf(shape),
    });
  });
}

/** What the store holds for a process of a case, as the files of the case are laid out. */
async function storedOf(shape: Shape, judged: Judged): Promise<StoredVerdict> {
  const { facts: process, rule, args } = judged;
  if (shape.store === undefined) return NOTHING_STORED;
  const began = process.startTime as number;
  const { look } = new FakeFiles(
    Object.fromEntries(
      Object.entries(shape.store).map(([path, { at, ...file }]) => [path, { ...file, mtimeMs: began + at }]),
    ),
  );
  const id = argvIdOf(args, rule.argvId);
  const query = { judged, rules: rule.stores, argvId: id.forked ? null : id.id, root: '' };
  const context = { homes: [], look, memory: new StoreMemory(), now: began + 3_600_000 };
  return storedVerdict((await readStores([query], context)).get(process.pid));
}

/** What links a process, by its recorded files, where the homes hold no links. */
export async function linkOfShape(shape: Shape, judged: Judged): Promise<LinkVerdict> {
  const { facts: process, rule, home, args } = judged;
  const homes = [{ anchor: home.user ?? '', config: home.config ?? '' }];
  const files = shape.openFiles?.map((path) => ({
    path,
    kind: undefined,
    deleted: false,
    flocked: shape.locks?.includes(`${path} FLOCK`) ?? false,
  }));
  const held = heldVerdict(rule.held, { files, folders: placesOf(rule.held, process, homes), notes: [] });
  const reading = shape.record === undefined ? undefined : rule.pidRecord?.read(shape.record);
  const found = reading === undefined ? null : { path: '/record', uid: process.uid, reading };
  return linkOf(
    process,
    found,
    argvIdOf(args, rule.argvId),
    'ticks',
    rule.linkGap,
    held,
    await storedOf(shape, judged),
  );
}

function turnOfShape({ lines = [], row }: NonNullable<Shape['turns']>, rule: TurnRule) {
  if (rule.what === 'database') {
    const mark = rule.read(row ?? {});
    return mark === null ? NO_TURN : withMark(NO_TURN, mark);
  }
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  return withPiece(NO_LINES, Buffer.from(text), rule).turn;
}

/** What the recorded turns of a process say. */
export function turnsOfShape({ turns }: Shape, { facts: process, rule }: Judged) {
  if (turns === undefined) return null;
  const { what, path = '/transcript' } = turns;
  const own = rule.turns.find((each) => each.what === what);
  if (!own) throw new Error(`${rule.engine} has no ${what}`);
  const problem = own.what === 'database' ? null : (own.unreadable?.(path) ?? null);
  const finding: TurnFinding =
    problem === null ? { what, path, turn: turnOfShape(turns, own) } : { what, path, problem };
  return turnVerdict([finding], { startTime: process.startTime, shared: false });
}
