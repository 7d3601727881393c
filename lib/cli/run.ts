import { COMMON, type Command, type Io, optionHelp, readOptions, UsageError } from './command.js';
import { agents } from './commands/agents.js';
import { doctor } from './commands/doctor.js';
import { sockets } from './commands/sockets.js';
import { painter, printable } from './text.js';

/** The first is the default. */
const COMMANDS: readonly Command[] = [agents, doctor, sockets];

const USAGE = 2;
const FAILED = 1;

function helpOf(command: Command): string[] {
  return [
    `usage: procscope ${command.name} [options]`,
    '',
    `Shows ${command.summary}.`,
    '',
    ...optionHelp({ ...command.options, ...COMMON }),
  ];
}

function help(): string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'usage: procscope [command] [options]',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    ...optionHelp(COMMON),
    '',
    'procscope COMMAND --help shows the options of a command. NO_COLOR switches colours off.',
  ];
}

/** Colours only where a person looks and has not asked for none (no-color.org). */
function wantsColour(io: Io): boolean {
  return io.stdout.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
}

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const named = args[0] !== undefined && !args[0].startsWith('-');
  const print = (...lines: readonly string[]): void => {
    io.stdout.write(`${lines.join('\n')}\n`);
  };
  if (!named && (args[0] === '--help' || args[0] === '-h')) {
    print(...help());
    return 0;
  }
  const command = named ? COMMANDS.find(({ name }) => name === args[0]) : COMMANDS[0];
  if (!command) {
    const known = COMMANDS.map(({ name }) => name).join(', ');
    throw new UsageError(`unknown command ${args[0]}; known are ${known}`);
  }
  const values = readOptions(command, named ? args.slice(1) : args);
  if (values['help'] === true) {
    print(...helpOf(command));
    return 0;
  }
  if (values['version'] === true) {
    print(io.version);
    return 0;
  }
  return command.run({ ...io, values, print, paint: painter(wantsColour(io)) });
}

/** Runs a command line; resolves to its exit code: 0, 1 = could not look, 2 = the command line is wrong. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const wrong =
      error instanceof UsageError ||
      (error instanceof Error && 'code' in error && error.code === 'ERR_PROCSCOPE_OPTION');
    for (const line of message.trimEnd().split('\n')) io.stderr.write(`procscope: ${printable(line)}\n`);
    if (wrong) io.stderr.write('procscope: see procscope --help\n');
    return wrong ? USAGE : FAILED;
  }
}
