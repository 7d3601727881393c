/**
 * Reads the arguments of a program item by item. A prompt is one item and stays one: nothing here
 * ever joins or splits on spaces. Several short options in one item (`-pc`) are not taken apart: which
 * parser each engine has, and so what the item means, was not measured. It is one unknown option, and
 * what stands behind it is no certain subcommand.
 */

/** How the options of a program take values. An option that is not listed has unknown arity. */
export interface OptionShape {
  /** Take no value. */
  readonly switches: readonly string[];
  /** Take the next item, whatever it is. */
  readonly values: readonly string[];
  /** Take the next item unless it begins with `-`. */
  readonly optional: readonly string[];
  /** Take all next items up to one that begins with `-`. */
  readonly lists: readonly string[];
}

export interface Flag {
  readonly name: string;
  /** From `--flag=value` or the item that the shape gives to the flag. */
  readonly value: string | undefined;
}

export interface Arguments {
  readonly flags: readonly Flag[];
  /** Items that are no option and no option's value. */
  readonly words: readonly string[];
  /**
   * The first word, when it is certain that it is no value of an option before it and it does not
   * stand behind `--`: the place where programs look for a subcommand.
   */
  readonly command: string | null;
}

function valueCount(items: readonly string[], from: number, flag: string, shape: OptionShape): number {
  const next = items[from];
  if (next === undefined) return 0;
  if (shape.values.includes(flag)) return 1;
  if (shape.optional.includes(flag)) return next.startsWith('-') ? 0 : 1;
  if (!shape.lists.includes(flag)) return 0;
  let count = 0;
  while (items[from + count]?.startsWith('-') === false) count++;
  return count;
}

export function readArguments(items: readonly string[], shape: OptionShape): Arguments {
  const flags: Flag[] = [];
  const words: string[] = [];
  let command: string | null = null;
  let certain = true;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as string;
    if (item === '--') {
      words.push(...items.slice(at + 1));
      break;
    }
    if (!item.startsWith('-') || item === '-') {
      if (words.length === 0 && certain) command = item;
      words.push(item);
      continue;
    }
    const equals = item.startsWith('--') ? item.indexOf('=') : -1;
    if (equals > 0) {
      flags.push({ name: item.slice(0, equals), value: item.slice(equals + 1) });
      continue;
    }
    const taken = valueCount(items, at + 1, item, shape);
    const known =
      taken > 0 ||
      shape.switches.includes(item) ||
      shape.optional.includes(item) ||
      shape.values.includes(item) ||
      shape.lists.includes(item);
    // The next item of an unknown option may be its value: `command` is then a guess, and stays null.
    if (!known) certain = false;
    flags.push({ name: item, value: items[at + 1] });
    at += taken;
  }
  return { flags, words, command };
}

export function hasFlag(args: Arguments, ...names: string[]): boolean {
  return args.flags.some((flag) => names.includes(flag.name));
}
