// What is taken out of a captured process tree. Pure: texts in, texts out. The rule is to keep what is
// known to be harmless, not to look for what is harmful; the search for secrets is a second net.
import { KNOWN_FLAGS, PLAIN_WORDS } from './known.mjs';

export { KNOWN_FLAGS };

/** Keys of the environment that are captured; of most only that they were set. */
export const ENV_KEYS = [
  'HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'TERM',
  'TMUX',
  'TMUX_PANE',
  'VSCODE_PID',
];
const HARMLESS_VALUES = new Set(ENV_KEYS);

const STATUS_LINES =
  /^(State|Tgid|Ngid|Pid|PPid|TracerPid|Uid|Gid|FDSize|NStgid|NSpid|NSpgid|NSsid|Kthread|Vm\w+|Rss\w+|Threads|Sig\w+|Shd\w+|Cap\w+|\w*ctxt_switches):/;
const INTERPRETERS = /^(node|nodejs|bun|deno|python[\d.]*|ruby|perl|sh|bash|dash|zsh|fish)$/;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Tokens that say themselves what they are. */
const MARKED_SECRETS =
  /(?<![A-Za-z0-9])(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|npm|xox[a-z]|hf|key|tok|pat)[-_][A-Za-z0-9_-]{8,}|github_pat_\w{8,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|eyJ[\w-]{6,}(?:\.[\w-]+)*/g;
/** Who logs in, and by what, in front of the host of a URL. RFC 3986, 3.2.1. */
const USER_INFO = /(?<=:\/\/)[^\s/@]+(?=@)/g;
const SECRET_WORD =
  '(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|private)[-_]?key|credentials?|cookie|authorization)';
/** A flag, variable or header that says what its value is, and the value. */
const NAMED_SECRETS = new RegExp(
  `([\\w-]*${SECRET_WORD}[\\w-]*["']?\\s*[=:]\\s*["']?|--?[\\w-]*${SECRET_WORD}[\\w-]*\\s+["']?)` +
    `(?:(?:bearer|basic|token)\\s+)?[^\\s"'&;,]+`,
  'gi',
);
/** Such a flag, whose value is the next argument. */
const SECRET_FLAG = new RegExp(`^--?[\\w-]*${SECRET_WORD}[\\w-]*$`, 'i');
const LONG_RUN = /[A-Za-z0-9+=_~-]{20,}/g;
/** The same with the slash of base64, where it stands in no path: there each name is judged by itself. */
const LONG_BASE64 = /(?<![\w+=/.~-])[A-Za-z0-9+=_-][A-Za-z0-9+/=_-]{23,}/g;
/** A part of an everyday name: a word, a version, a short number, `x64`. */
const PLAIN_PART = /^([A-Z]?[a-z]{1,14}|[A-Z]{1,8}|v?\d{1,4}|[a-z]{1,4}\d{1,2})?$/;

const SECRET = '<secret>';
const ARGUMENT = '<arg>';

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A name as a word of its own: `bob` in `/srv/bob/x` and `-home-bob-x`, not in `bobsled`. */
function wordPattern(names) {
  const usable = [...new Set(names)].filter((name) => name !== '' && !PLAIN_WORDS.has(name));
  if (usable.length === 0) return null;
  const longestFirst = usable.sort((a, b) => b.length - a.length).map(escaped);
  return new RegExp(`(?<![A-Za-z0-9])(?:${longestFirst.join('|')})(?![A-Za-z0-9])`, 'gi');
}

/** Digits, capitals and small letters in one run are what random tokens have and everyday names have not. */
const isMixed = (run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run);

/** The time in the name of a session file: it is how the rules know the file. */
const TIME = /(?<!\d)20\d\d-\d\d-\d\dT\d\d-\d\d-\d\d(?!\d)/g;

function isPlainRun(run) {
  const timeless = run.replace(TIME, '');
  return !isMixed(timeless) && timeless.split(/[-_+=~]/).every((part) => PLAIN_PART.test(part));
}

function withoutSecrets(text) {
  return text
    .replace(USER_INFO, SECRET)
    .replace(MARKED_SECRETS, SECRET)
    .replace(LONG_BASE64, (run) => (isMixed(run) ? SECRET : run))
    .replace(LONG_RUN, (run) => (isPlainRun(run) ? run : SECRET));
}

/** Builds the functions for one capture: an id is replaced by the same stand-in wherever it stands. */
export function redaction({ homes, user, otherUsers, hosts }) {
  const ids = new Map();
  const standIn = (id) => {
    const key = id.toLowerCase();
    if (!ids.has(key)) ids.set(key, String(ids.size + 1).padStart(12, '0'));
    return `00000000-0000-4000-8000-${ids.get(key)}`;
  };
  const replacements = [
    ...homes
      .map((home, at) => [home, at === 0 ? '/home/user' : '/home/other'])
      .filter(([home]) => home.length > 1)
      .sort(([a], [b]) => b.length - a.length)
      .map(([home, name]) => [new RegExp(`(?<![\\w.-])${escaped(home)}(?![\\w.-])`, 'g'), name]),
    [wordPattern(user === null ? [] : [user]), 'user'],
    [wordPattern(otherUsers), 'other'],
    [wordPattern(hosts), 'host'],
  ].filter(([pattern]) => pattern !== null);

  const text = (given) => {
    // Ids first, and out of reach of the search for secrets.
    const parts = given.split(UUID);
    const found = [...given.matchAll(UUID)].map(([id]) => standIn(id));
    const clean = (part) =>
      withoutSecrets(replacements.reduce((all, [pattern, name]) => all.replace(pattern, name), part));
    return parts.map((part, at) => clean(part) + (found[at] ?? '')).join('');
  };

  const argument = (given) => {
    const [, flag, value] = /^(--?[^=]+)(=.*)?$/s.exec(given) ?? [];
    if (flag !== undefined && KNOWN_FLAGS.has(flag))
      return value === undefined ? flag : `${flag}=${operand(value.slice(1))}`;
    return operand(given);
  };
  /** An id stays, as its stand-in: it is what a session is found by. */
  const operand = (given) => {
    if (given.replace(UUID, '') === '' && given !== '') return text(given);
    return KNOWN_FLAGS.has(given) ? given : ARGUMENT;
  };

  /** Whatever does not look like a secret, and is not called one. */
  const kept = (given, at, all) => {
    if (at > 0 && SECRET_FLAG.test(all[at - 1]) && !given.startsWith('-')) return SECRET;
    return text(given.replace(NAMED_SECRETS, `$1${SECRET}`));
  };

  const argv = ([program, ...rest], keepArguments = false) => {
    if (program === undefined) return [];
    if (keepArguments) return [program, ...rest].map(kept);
    const interpreted = INTERPRETERS.test(program.slice(program.lastIndexOf('/') + 1));
    // What an interpreter runs is the program; behind -c or -e it is code, and not kept.
    const script = interpreted && rest[0]?.includes('/') && !/\s/.test(rest[0]) ? [text(rest[0])] : [];
    // A title written over the arguments is one string with all of them in it.
    const [name, ...words] = program.split(' ');
    const title = words.length === 0 ? text(name) : [text(name), ...words.map(argument)].join(' ');
    return [title, ...script, ...rest.slice(script.length).map(argument)];
  };

  const environ = (entries, keys) =>
    entries.flatMap((entry) => {
      const at = entry.indexOf('=');
      const key = entry.slice(0, at);
      if (at < 1 || !keys.includes(key)) return [];
      return [`${key}=${HARMLESS_VALUES.has(key) ? text(entry.slice(at + 1)) : '<value>'}`];
    });

  const stat = (line) => {
    const [open, close] = [line.indexOf('('), line.lastIndexOf(')')];
    return open < 0 || close < open
      ? ''
      : line.slice(0, open + 1) + text(line.slice(open + 1, close)) + line.slice(close);
  };
  const status = (given) =>
    given
      .split('\n')
      .flatMap((line) => {
        if (line.startsWith('Name:\t')) return [`Name:\t${text(line.slice(6))}`];
        return STATUS_LINES.test(line) ? [line] : [];
      })
      .map((line) => `${line}\n`)
      .join('');
  const maps = (given) =>
    given
      .split('\n')
      .map((line) => {
        // Address, rights, offset, device, inode, then the path. proc_pid_maps(5).
        const [, facts, path] = /^(\S+ \S+ \S+ \S+ \d+ *)(.*)$/.exec(line) ?? [];
        return facts === undefined ? '' : facts + text(path);
      })
      .join('\n');
  return { text, argv, environ, status, stat, maps };
}
