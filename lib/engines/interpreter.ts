/**
 * Interpreters and their own options: what stands between the interpreter's name and the script.
 * The same letter means different things to each (`-p` prints in node and is "privileged" in bash).
 */
import { NODE_SWITCHES, NODE_VALUES } from './node-options.js';
import type { Entry } from './program.js';

interface InterpreterRule {
  readonly family: string;
  readonly names: readonly string[];
  /** Options whose next item is their value. */
  readonly values: readonly string[];
  /** Options without a value. What is neither may or may not take the next item. */
  readonly switches: readonly string[];
  /** Options after which there is no script: code on the command line, or a check of a file. */
  readonly inline: readonly string[];
  /** Words that run the script behind them. */
  readonly runs: readonly string[];
  /** Words that do something else than run a script. */
  readonly other: readonly string[];
  /** How items of several one-letter options are read; null = they are not. */
  readonly letters: { readonly inline: string; readonly values: string; readonly module: string } | null;
}

const NO_LETTERS = null;

const RULES: readonly InterpreterRule[] = [
  {
    family: 'node',
    names: ['node', 'nodejs'],
    values: NODE_VALUES,
    switches: NODE_SWITCHES,
    inline: ['-c', '--check', '-e', '--eval', '-p', '--print', '-pe', '--run', '--test'],
    runs: [],
    other: [],
    letters: NO_LETTERS,
  },
  {
    family: 'bun',
    names: ['bun'],
    values: ['-r', '--preload', '--require', '--import', '--cwd', '--conditions', '--env-file', '--config'],
    switches: ['--bun', '-b', '--hot', '--inspect', '--no-install', '--silent', '--smol', '--watch', '-i'],
    inline: ['-e', '--eval', '-p', '--print'],
    runs: ['run'],
    other: ['x', 'install', 'i', 'add', 'remove', 'test', 'build', 'create', 'exec', 'repl', 'upgrade', 'pm'],
    letters: NO_LETTERS,
  },
  {
    family: 'deno',
    names: ['deno'],
    values: [
      '-c',
      '--config',
      '--import-map',
      '--cert',
      '--location',
      '--seed',
      '-L',
      '--log-level',
      '--ext',
      '--conditions',
      '--preload',
      '--import',
      '--require',
    ],
    switches: [
      '-A',
      '-E',
      '-N',
      '-R',
      '-W',
      '-q',
      '--allow-all',
      '--allow-env',
      '--allow-ffi',
      '--allow-import',
      '--allow-net',
      '--allow-read',
      '--allow-run',
      '--allow-sys',
      '--allow-write',
      '--cached-only',
      '--check',
      '--inspect',
      '--inspect-brk',
      '--inspect-wait',
      '--no-check',
      '--quiet',
      '--unstable',
      '--watch',
    ],
    inline: [],
    runs: ['run'],
    other: [
      'eval',
      'test',
      'task',
      'install',
      'fmt',
      'lint',
      'repl',
      'serve',
      'bench',
      'compile',
      'cache',
      'lsp',
    ],
    letters: NO_LETTERS,
  },
  {
    family: 'python',
    names: ['python', 'pythonw'],
    values: ['--check-hash-based-pycs'],
    switches: [],
    inline: [],
    runs: [],
    other: [],
    letters: { inline: 'c', values: 'WXQ', module: 'm' },
  },
  {
    family: 'shell',
    names: ['bash', 'zsh', 'sh', 'dash'],
    values: ['--rcfile', '--init-file', '--emulate'],
    switches: [
      '--login',
      '--noediting',
      '--noprofile',
      '--norc',
      '--posix',
      '--restricted',
      '--verbose',
      '--debugger',
    ],
    inline: ['--command'],
    runs: [],
    other: [],
    // `-s` reads the code from standard input.
    letters: { inline: 'cs', values: 'oO', module: '' },
  },
];

const BY_NAME: ReadonlyMap<string, InterpreterRule> = new Map(
  RULES.flatMap((rule) => rule.names.map((name) => [name, rule] as const)),
);
const BY_FAMILY: ReadonlyMap<string, InterpreterRule> = new Map(RULES.map((rule) => [rule.family, rule]));
/** The name of a version: `python3`, `python3.12`. */
const PYTHON = /^python\d+(?:\.\d+)?w?$/;

function ruleOf(name: string): InterpreterRule | undefined {
  let plain = name.toLowerCase();
  if (plain.endsWith('.exe')) plain = plain.slice(0, -'.exe'.length);
  // A login shell is called with a dash before its name.
  if (plain.startsWith('-')) plain = plain.slice(1);
  return BY_NAME.get(plain) ?? (PYTHON.test(plain) ? BY_FAMILY.get('python') : undefined);
}

/** Family of the interpreter with this base name; null when it is none. */
export function interpreterOf(name: string): string | null {
  return ruleOf(name)?.family ?? null;
}

/** `unknown`: nobody knows whether the option takes the next item. */
type Step =
  | { readonly skip: number; readonly unknown?: boolean }
  | { readonly module: string; readonly skip: number }
  | 'inline';

/** One item of clustered letters: `-Im module`, `-lc code`, `+O extglob`. */
function readLetters(
  item: string,
  next: string | undefined,
  letters: NonNullable<InterpreterRule['letters']>,
): Step {
  for (let at = 1; at < item.length; at++) {
    const letter = item[at] as string;
    const rest = item.slice(at + 1);
    if (letters.inline.includes(letter)) return 'inline';
    if (letter === letters.module) {
      if (rest !== '') return { module: rest, skip: 1 };
      return next === undefined ? 'inline' : { module: next, skip: 2 };
    }
    if (letters.values.includes(letter)) return { skip: rest === '' ? 2 : 1 };
  }
  return { skip: 1 };
}

function readOption(item: string, next: string | undefined, rule: InterpreterRule): Step {
  const long = item.startsWith('--');
  const head = long ? (item.split('=', 1)[0] as string) : item;
  // Node takes `_` for `-` in the names of its options.
  const name = rule.family === 'node' && long ? head.replaceAll('_', '-') : head;
  if (rule.inline.includes(name)) return 'inline';
  if (!long && rule.letters) return readLetters(item, next, rule.letters);
  if (head !== item) return { skip: 1 };
  if (rule.values.includes(name)) return { skip: 2 };
  return rule.switches.includes(name) || name.startsWith('--no-') ? { skip: 1 } : { skip: 1, unknown: true };
}

/**
 * The entry of an interpreter's command line and the index of the item after it. Null: code on the
 * command line, an interactive interpreter, or a subcommand that runs no script.
 */
export function entryOf(
  family: string,
  argv: readonly string[],
  from: number,
): { readonly entry: Entry; readonly next: number } | null {
  const rule = BY_FAMILY.get(family);
  if (!rule) return null;
  let running = false;
  let doubt: string | null = null;
  for (let at = from; at < argv.length; ) {
    const item = argv[at] as string;
    if (item === '--') {
      const text = argv[at + 1];
      return text === undefined ? null : { entry: { form: 'script', text, doubt }, next: at + 2 };
    }
    if (item === '-') return null;
    if (item.startsWith('-') || (family === 'shell' && item.startsWith('+'))) {
      const step = readOption(item, argv[at + 1], rule);
      if (step === 'inline') return null;
      if ('module' in step)
        return { entry: { form: 'module', text: step.module, doubt }, next: at + step.skip };
      if (step.unknown) doubt ??= item;
      at += step.skip;
      continue;
    }
    if (!running && rule.runs.includes(item)) {
      running = true;
      at++;
      continue;
    }
    if (!running && rule.other.includes(item)) return null;
    return { entry: { form: 'script', text: item, doubt }, next: at + 1 };
  }
  return null;
}
