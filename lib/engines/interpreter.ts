/**
 * Interpreters and their own options: what stands between the interpreter's name and the script.
 * The same letter means different things to each (`-p` prints in node and is "privileged" in bash).
 */
import type { Entry } from './program.js';

interface InterpreterRule {
  readonly family: string;
  readonly names: RegExp;
  /** Options whose next item is their value. */
  readonly values: readonly string[];
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
    names: /^(?:node|nodejs)$/,
    values: [
      '-r',
      '--require',
      '--loader',
      '--experimental-loader',
      '--import',
      '-C',
      '--conditions',
      '--inspect-port',
      '--env-file',
      '--title',
      '--input-type',
      '--watch-path',
    ],
    inline: ['-c', '--check', '-e', '--eval', '-p', '--print', '-pe', '--run', '--test'],
    runs: [],
    other: [],
    letters: NO_LETTERS,
  },
  {
    family: 'bun',
    names: /^bun$/,
    values: ['-r', '--preload', '--require', '--import', '--cwd', '--conditions', '--env-file', '--config'],
    inline: ['-e', '--eval', '-p', '--print'],
    runs: ['run'],
    other: ['x', 'install', 'i', 'add', 'remove', 'test', 'build', 'create', 'exec', 'repl', 'upgrade', 'pm'],
    letters: NO_LETTERS,
  },
  {
    family: 'deno',
    names: /^deno$/,
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
    names: /^python(?:\d+(?:\.\d+)?)?w?$/,
    values: ['--check-hash-based-pycs'],
    inline: [],
    runs: [],
    other: [],
    letters: { inline: 'c', values: 'WXQ', module: 'm' },
  },
  {
    family: 'shell',
    names: /^(?:bash|zsh|sh|dash)$/,
    values: ['--rcfile', '--init-file', '--emulate'],
    inline: ['--command'],
    runs: [],
    other: [],
    // `-s` reads the code from standard input.
    letters: { inline: 'cs', values: 'oO', module: '' },
  },
];

function ruleOf(name: string): InterpreterRule | null {
  const plain = name.toLowerCase().replace(/\.exe$/, '');
  // A login shell is called with a dash before its name.
  return RULES.find((rule) => rule.names.test(plain.replace(/^-/, ''))) ?? null;
}

/** Family of the interpreter with this base name; null when it is none. */
export function interpreterOf(name: string): string | null {
  return ruleOf(name)?.family ?? null;
}

type Step = { readonly skip: number } | { readonly module: string; readonly skip: number } | 'inline';

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
  const name = item.startsWith('--') ? (item.split('=', 1)[0] as string) : item;
  if (rule.inline.includes(name)) return 'inline';
  if (item.startsWith('--')) return { skip: name === item && rule.values.includes(item) ? 2 : 1 };
  if (rule.letters) return readLetters(item, next, rule.letters);
  return { skip: rule.values.includes(item) ? 2 : 1 };
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
  const rule = RULES.find((each) => each.family === family);
  if (!rule) return null;
  let running = false;
  for (let at = from; at < argv.length; ) {
    const item = argv[at] as string;
    if (item === '--') {
      const text = argv[at + 1];
      return text === undefined ? null : { entry: { form: 'script', text }, next: at + 2 };
    }
    if (item === '-') return null;
    if (item.startsWith('-') || (family === 'shell' && item.startsWith('+'))) {
      const step = readOption(item, argv[at + 1], rule);
      if (step === 'inline') return null;
      if ('module' in step) return { entry: { form: 'module', text: step.module }, next: at + step.skip };
      at += step.skip;
      continue;
    }
    if (!running && rule.runs.includes(item)) {
      running = true;
      at++;
      continue;
    }
    if (!running && rule.other.includes(item)) return null;
    return { entry: { form: 'script', text: item }, next: at + 1 };
  }
  return null;
}
