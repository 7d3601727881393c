/** Who started whom, as far as it can be trusted, and which parents only pass a program through. */
import type { ProcessFacts } from './facts.js';
import { programName } from './path.js';
import { programOf } from './program.js';

export type Lookup = (pid: number) => ProcessFacts | undefined;

/** Programs that run another one for somebody: alone they are no agent, before an agent they are its launcher. */
const WRAPPERS = new Set([
  'npx',
  'npx-cli.js',
  'npm',
  'npm-cli.js',
  'pnpm',
  'pnpm.cjs',
  'pnpx',
  'yarn',
  'yarn.js',
  'bunx',
  'uvx',
  'pipx',
  'sudo',
  'doas',
  'script',
  'unbuffer',
  'rlwrap',
  'timeout',
  'nice',
  'nohup',
  'stdbuf',
  'env',
  'ori',
]);

function names(facts: ProcessFacts): string[] {
  const program = programOf(facts);
  const texts = [program.entry?.text, program.word];
  if (program.interpreter === null) texts.push(program.image ?? undefined, program.comm ?? undefined);
  // npm renames itself to what it was asked: `npm exec @openai/codex`.
  if (program.retitled) texts.push(program.word?.split(' ', 1)[0]);
  return texts.filter((text) => text !== undefined).map(programName);
}

/**
 * `wrapper`: runs a program for somebody. `shell`: runs a command line, which is what npx and script put
 * between themselves and the program. `other`: what it starts is its own affair.
 */
type Standing = 'wrapper' | 'shell' | 'other';

/** Agents of one terminal have their ancestors in common. */
const standings = new WeakMap<ProcessFacts, Standing>();

function standingOf(facts: ProcessFacts): Standing {
  let standing = standings.get(facts);
  if (standing === undefined) {
    const { interpreter, entry } = programOf(facts);
    const runsLine = interpreter === 'shell' && entry === null && (facts.argv?.length ?? 0) > 1;
    if (names(facts).some((name) => WRAPPERS.has(name))) standing = 'wrapper';
    else standing = runsLine ? 'shell' : 'other';
    standings.set(facts, standing);
  }
  return standing;
}

/** The parent, unless its pid was given to a younger process since. */
export function parentOf(facts: ProcessFacts, lookup: Lookup): ProcessFacts | undefined {
  if (facts.ppid === undefined || facts.ppid <= 0 || facts.ppid === facts.pid) return undefined;
  const parent = lookup(facts.ppid);
  if (!parent) return undefined;
  const younger =
    parent.startKey !== undefined && facts.startKey !== undefined && parent.startKey > facts.startKey;
  return younger ? undefined : parent;
}

/** Parents from the nearest up. A table read in several steps may hold a cycle: each process comes once. */
export function* ancestorsOf(facts: ProcessFacts, lookup: Lookup): Generator<ProcessFacts> {
  const seen = new Set([facts.pid]);
  for (let at = parentOf(facts, lookup); at && !seen.has(at.pid); at = parentOf(at, lookup)) {
    seen.add(at.pid);
    yield at;
  }
}

/** Pid of the outermost wrapper that stands, without a gap, above a process; null = none does. */
export function wrapperAbove(facts: ProcessFacts, lookup: Lookup): number | null {
  let outermost: number | null = null;
  for (const ancestor of ancestorsOf(facts, lookup)) {
    const standing = standingOf(ancestor);
    if (standing === 'wrapper') outermost = ancestor.pid;
    else if (standing === 'other') break;
  }
  return outermost;
}
