/**
 * What of a process may be shown: an explanation is pasted into bug reports, and arguments hold prompts
 * and secrets. Shown is what rules look at; of the rest its length.
 */
import type { ProcessFacts } from '../engines/facts.js';
import { type Program, programOf } from '../engines/program.js';
import type { EngineRule } from '../engines/rule.js';

/** Who logs in at a URL. RFC 3986, 3.2.1. */
const USER_INFO = /(?<=:\/\/)[^\s/@]+(?=@)/g;

function hidden(item: string): string {
  return `<${item.length} letters>`;
}

function optionsOf(rule: EngineRule): ReadonlySet<string> {
  const { switches, values, optional, lists } = rule.options;
  const used = [...rule.argvId.flags, ...rule.argvId.forks.flags, ...rule.bypass.map(({ flag }) => flag)];
  return new Set([...switches, ...values, ...optional, ...lists, ...used]);
}

/** Values that a rule compares: an id, or what switches off questions. */
function isRead(item: string, rule: EngineRule): boolean {
  if (rule.argvId.pattern.test(item)) return true;
  return rule.bypass.some(({ value }) => value === item);
}

/** What may be a subcommand: the first word of a prompt in one item is none. */
const SUBCOMMAND = /^[a-z][a-z-]{0,23}$/;

/** `command`: the first word, which the kind rules compare with subcommands. */
function shownArguments(items: readonly string[], rule: EngineRule | null, command: string | null): string[] {
  if (rule === null) return items.map(hidden);
  const options = optionsOf(rule);
  return items.map((item) => {
    const equals = item.indexOf('=');
    const flag = item.startsWith('--') && equals > 0 ? item.slice(0, equals) : item;
    if (options.has(flag)) {
      const value = item.slice(flag.length + 1);
      if (flag === item) return item;
      return isRead(value, rule) ? item : `${flag}=${hidden(value)}`;
    }
    const isCommand = item === command && SUBCOMMAND.test(item);
    return isCommand || isRead(item, rule) ? item : hidden(item);
  });
}

/** Only the first word of a title: what a program writes over its arguments may hold all of them. */
function shownWord(word: string): string {
  const gap = word.search(/\s/);
  return gap <= 0 ? word : `${word.slice(0, gap)} ${hidden(word.slice(gap + 1))}`;
}

export interface Shown {
  readonly facts: ProcessFacts;
  readonly program: Program;
}

export function shownOf(facts: ProcessFacts, rule: EngineRule | null, command: string | null): Shown {
  const program = programOf(facts);
  const argv = facts.argv ?? [];
  // Inline code, or nothing behind an interpreter: all of it is text.
  const code = program.interpreter !== null && program.entry === null;
  const args = code ? program.args.map(hidden) : shownArguments(program.args, rule, command);
  const before = argv.slice(0, argv.length - program.args.length).map(shownBefore);
  const env = Object.entries(facts.env ?? {}).map(
    ([key, value]) =>
      [key, typeof value === 'string' ? value.replace(USER_INFO, '<secret>') : value] as const,
  );
  return {
    facts: {
      ...facts,
      argv: facts.argv === undefined ? undefined : [...before, ...args],
      env: facts.env === undefined ? undefined : Object.fromEntries(env),
    },
    program: {
      ...program,
      args,
      word: program.word === undefined ? undefined : shownWord(program.word),
      through: program.through,
    },
  };
}

/** Options of interpreters and assignments of `env` carry values: their names tell enough. */
function shownBefore(item: string): string {
  const equals = item.indexOf('=');
  return equals > 0 ? `${item.slice(0, equals)}=${hidden(item.slice(equals + 1))}` : shownWord(item);
}
