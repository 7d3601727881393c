import type { Arguments } from './args.js';
import type { ArgvIdRule } from './rule.js';

/** `forked`: argv names a session, but this process writes another one. */
export interface ArgvId {
  readonly id: string | null;
  readonly from: string | null;
  readonly forked: boolean;
}

const NO_ID: ArgvId = { id: null, from: null, forked: false };

function wordBehind(words: readonly string[], chain: readonly string[]): string | undefined {
  return chain.every((command, index) => words[index] === command) ? words[chain.length] : undefined;
}

/**
 * The session id that the arguments of an engine name: a flag with its value, or the word behind a
 * subcommand. A value that does not match as a whole is none, and the next flag is tried.
 */
export function argvIdOf(args: Arguments, rule: ArgvIdRule): ArgvId {
  const forked =
    rule.forks.flags.some((name) => args.flags.some((flag) => flag.name === name)) ||
    (args.command !== null && rule.forks.commands.includes(args.command));
  for (const flag of args.flags) {
    if (!rule.flags.includes(flag.name) || flag.value === undefined) continue;
    if (rule.pattern.test(flag.value)) return { id: flag.value, from: flag.name, forked };
  }
  if (args.command === null) return NO_ID;
  for (const chain of [...rule.commands, ...rule.forks.commands.map((command) => [command])]) {
    const word = wordBehind(args.words, chain);
    if (word !== undefined && rule.pattern.test(word)) return { id: word, from: chain.join(' '), forked };
  }
  return NO_ID;
}

/** Ids are compared without regard to case. */
export function sameId(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
