/**
 * Which program is a process? The image alone does not tell: an interpreter runs a script, `env`
 * and `ori` stand before the real command, and a title change destroys argv.
 */
import { entryOf, interpreterOf } from './interpreter.js';
import { baseName, programName } from './path.js';

export interface Entry {
  readonly form: 'script' | 'module';
  /** The script or module as it stands in argv. */
  readonly text: string;
  /** An option before it of which nobody knows whether it takes a value: the entry may be that value. */
  readonly doubt: string | null;
}

export interface Program {
  /** Path of the running image; null = the kernel says there is none; undefined = could not be read. */
  readonly image: string | null | undefined;
  /** The word that was called, after `env` and `ori`: argv[0] of the program. */
  readonly word: string | undefined;
  /** The interpreter that runs the program, by its family; null = the program is native. */
  readonly interpreter: string | null;
  /** What the interpreter runs; null: native, inline code, or nothing to be seen. */
  readonly entry: Entry | null;
  /** Items after the word or after the entry. */
  readonly args: readonly string[];
  /** Launchers that were read through, outermost first. */
  readonly through: readonly string[];
  /** The image is an interpreter but argv does not call one: the process renamed itself. */
  readonly retitled: boolean;
  /** comm, where it can be told apart from a thread name. */
  readonly comm: string | null;
}

const ENV_VALUES = ['-u', '--unset', '-C', '--chdir', '-S', '--split-string'];
const ORI_VALUES = ['--model', '--log-level', '--completions'];
const ASSIGNMENT = /^[^=\s/][^=]*=/;

/** Index of the command behind `env [options] [NAME=value]...`. */
function behindEnv(argv: readonly string[], from: number): number {
  let at = from;
  for (; at < argv.length; at++) {
    const item = argv[at] as string;
    if (item === '--') continue;
    if (ENV_VALUES.includes(item)) at++;
    else if (!item.startsWith('-') && !ASSIGNMENT.test(item)) break;
  }
  return at;
}

function behindOri(argv: readonly string[], from: number): number {
  let at = from;
  for (; at < argv.length; at++) {
    const item = argv[at] as string;
    if (ORI_VALUES.includes(item)) at++;
    else if (!item.startsWith('-')) break;
  }
  return at;
}

const LAUNCHERS: ReadonlyMap<string, (argv: readonly string[], from: number) => number> = new Map([
  ['env', behindEnv],
  ['ori', behindOri],
]);

/** Does a program of this base name stand before the real command? */
export function isLauncher(name: string): boolean {
  return LAUNCHERS.has(name);
}

const NO_LAUNCHERS: readonly string[] = [];

interface Called {
  /** Index of the word that calls the program. */
  readonly start: number;
  /** Its base name, as names are compared; undefined = there is no word. */
  readonly name: string | undefined;
  readonly through: readonly string[];
}

function readThrough(argv: readonly string[]): Called {
  let through = NO_LAUNCHERS;
  let start = 0;
  let name: string | undefined;
  while (start < argv.length) {
    name = programName(argv[start] as string);
    const behind = LAUNCHERS.get(name);
    if (!behind) break;
    const next = behind(argv, start + 1);
    if (next >= argv.length) break;
    through = [...through, name];
    start = next;
  }
  return { start, name, through };
}

export interface ProgramFacts {
  readonly name: string | undefined;
  readonly argv: readonly string[] | undefined;
  readonly exe: string | null | undefined;
}

/** Facts never change: whatever asks for the program of the same ones shares what the first derived. */
const derived = new WeakMap<ProgramFacts, Program>();

export function programOf(facts: ProgramFacts): Program {
  let program = derived.get(facts);
  if (program === undefined) {
    program = derive(facts);
    derived.set(facts, program);
  }
  return program;
}

/** The same, not kept: for those of which nothing more will be asked. */
export function derive(facts: ProgramFacts): Program {
  const argv = facts.argv ?? [];
  const image = facts.exe;
  const imageName = typeof image === 'string' ? baseName(image) : undefined;
  const imageIsInterpreter = imageName !== undefined && interpreterOf(imageName) !== null;
  const { start, name, through } = readThrough(argv);
  const word = argv[start];
  const byWord = name === undefined ? null : interpreterOf(name);
  // `exec -a` gives an interpreter any first word (cursor's launcher does): the image decides then,
  // unless a launcher stands before the program, because the image is the launcher's.
  const byImage = through.length === 0 && imageName !== undefined ? interpreterOf(imageName) : null;
  const interpreter = byImage ?? byWord;
  const found = interpreter === null ? null : entryOf(interpreter, argv, start + 1);
  const entry = found?.entry ?? null;
  const comm = facts.name !== undefined && !imageIsInterpreter && interpreter === null ? facts.name : null;
  return {
    image,
    word,
    interpreter,
    entry,
    args: found ? argv.slice(found.next) : argv.slice(start + 1),
    through,
    retitled: imageIsInterpreter && through.length === 0 && byWord === null && entry === null,
    comm,
  };
}
