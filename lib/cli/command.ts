import { parseArgs } from 'node:util';
import type * as procscope from '../index.js';
import type { Paint } from './text.js';

/** What a command may use: the public interface, and nothing else of the library. */
export type Api = Pick<typeof procscope, 'agents' | 'doctor' | 'sockets'>;

export interface Stream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface Io {
  readonly api: Api;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

export interface Run extends Omit<Io, 'stdout'> {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly paint: Paint;
  print(...lines: readonly string[]): void;
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
  readonly summary: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Resolves to the exit code. */
  run(run: Run): Promise<number>;
}

/** The command line cannot be used; the message says what is wrong with it. */
export class UsageError extends Error {}

export const COMMON: Readonly<Record<string, OptionSpec>> = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
  version: { type: 'boolean', short: 'V', help: 'show the version' },
};

/** Values of the options of a command; an unknown option, a missing value or a stray word is refused by name. */
export function readOptions(command: Command, args: readonly string[]): Run['values'] {
  const options: Readonly<Record<string, OptionSpec>> = { ...command.options, ...COMMON };
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short === undefined ? {} : { short }) },
    ]),
  );
  const { values, tokens } = parseArgs({
    args: [...args],
    options: config,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new UsageError(`${command.name} takes no argument: ${token.value}`);
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!spec) throw new UsageError(`unknown option ${token.rawName} of ${command.name}`);
    if (spec.type === 'string' && !token.value) throw new UsageError(`${token.rawName} needs a value`);
    if (spec.type === 'boolean' && token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value`);
    }
  }
  return values as Run['values'];
}

export function optionHelp(options: Readonly<Record<string, OptionSpec>>): string[] {
  const rows = Object.entries(options).map(([name, { short, value, help }]) => {
    const head = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return [head, help] as const;
  });
  const width = Math.max(...rows.map(([head]) => head.length));
  return rows.map(([head, help]) => `  ${head.padEnd(width)}  ${help}`);
}
