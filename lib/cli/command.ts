import { parseArgs } from 'node:util';
import type * as procscope from '../index.js';
import type { Paint } from './text.js';

/** What a command may use: the public interface, and nothing else of the library. */
export type Api = typeof procscope;

export interface Stream {
  readonly isTTY?: boolean | undefined;
  /** Size of the terminal. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

export interface Io {
  readonly api: Api;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Calls the listener when the user interrupts (SIGINT), until the answered function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Calls the listener when standard output is a terminal that got another size, until the answered function is called. */
  onResize(listener: () => void): () => void;
  /** Standard input to its end, or until it has more than `most` bytes. */
  readInput(most: number): Promise<Uint8Array>;
}

export interface Run extends Io {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** What stands beside the options, such as pids. */
  readonly operands: readonly string[];
  readonly paint: Paint;
  /** Prints lines; any number of them, which a call with that many arguments would not take. */
  print(lines: string | readonly string[]): void;
}

export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  readonly short?: string;
  readonly help: string;
  /** What stands for the value in the help. */
  readonly value?: string;
}

export interface Command {
  readonly name: string;
  /** What it shows. */
  readonly summary: string;
  /** What the help begins with; default: that it shows what the summary says. */
  readonly intro?: string;
  /** What may stand beside the options; nothing where it is missing. */
  readonly operands?: { readonly text: string; readonly least: number; readonly most: number };
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What else the help says. */
  readonly notes?: readonly string[];
  /** Resolves to the exit code. */
  run(run: Run): Promise<number>;
}

/** The command line cannot be used; the message says what is wrong with it. */
export class UsageError extends Error {}

export const COMMON: Readonly<Record<string, OptionSpec>> = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
  version: { type: 'boolean', short: 'V', help: 'show the version' },
};

/** Options and operands of a command; an unknown option, a missing value or a stray word is refused by name. */
export function readArguments(command: Command, args: readonly string[]): Pick<Run, 'values' | 'operands'> {
  const options: Readonly<Record<string, OptionSpec>> = { ...command.options, ...COMMON };
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: config,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!spec) throw new UsageError(`unknown option ${token.rawName} of ${command.name}`);
    if (spec.type === 'string' && !token.value) throw new UsageError(`${token.rawName} needs a value`);
    if (spec.type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value`);
    }
  }
  return { values: values as Run['values'], operands: positionals };
}

/** @throws UsageError where there are too few or too many operands */
export function checkOperands({ name, operands }: Command, given: readonly string[]): void {
  const { text, least, most } = operands ?? { text: '', least: 0, most: 0 };
  if (given.length < least) throw new UsageError(`${name} needs ${text}`);
  const stray = given[most];
  if (stray === undefined) return;
  const takes =
    most === 0 ? 'no argument' : `no more than ${most === 1 ? 'one argument' : `${most} arguments`}`;
  throw new UsageError(`${name} takes ${takes}: ${stray}`);
}

export function optionHelp(options: Readonly<Record<string, OptionSpec>>): string[] {
  const rows = Object.entries(options).map(([name, { short, value, help }]) => {
    const head = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return [head, help] as const;
  });
  const width = Math.max(...rows.map(([head]) => head.length));
  return rows.map(([head, help]) => `  ${head.padEnd(width)}  ${help}`);
}
