import {
  COMMON,
  type Command,
  checkOperands,
  type Io,
  optionHelp,
  type Run,
  readArguments,
  UsageError,
} from './command.js';
import { agents } from './commands/agents.js';
import { capture } from './commands/capture.js';
import { doctor } from './commands/doctor.js';
import { files } from './commands/files.js';
import { holders } from './commands/holders.js';
import { locks } from './commands/locks.js';
import { panes } from './commands/panes.js';
import { send } from './commands/send.js';
import { sockets } from './commands/sockets.js';
import { tree } from './commands/tree.js';
import { usage } from './commands/usage.js';
import { painter, printable } from './text.js';

/** The first is the default. */
const COMMANDS: readonly Command[] = [
  agents,
  panes,
  send,
  capture,
  tree,
  files,
  holders,
  locks,
  sockets,
  usage,
  doctor,
];

const USAGE = 2;
const FAILED = 1;

function helpOf(command: Command): string[] {
  return [
    ['usage: procscope', command.name, '[options]', command.operands?.text ?? ''].join(' ').trimEnd(),
    '',
    command.intro ?? `Shows ${command.summary}.`,
    '',
    ...optionHelp({ ...command.options, ...COMMON }),
    ...(command.notes === undefined ? [] : ['', ...command.notes]),
  ];
}

function help(): string[] {
  const standard = COMMANDS[0] as Command;
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'usage: procscope [command] [options]',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `Options of ${standard.name}, the default:`,
    ...optionHelp({ ...standard.options, ...COMMON }),
    '',
    'procscope COMMAND --help shows the options of a command. NO_COLOR switches colours off.',
    'Exit codes: 0 = found or done, 1 = found nothing, or could not look, 2 = the command line is wrong.',
  ];
}

/** Colours only where a person looks and has not asked for none (no-color.org). */
function wantsColour(io: Io): boolean {
  return io.stdout.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
}

function commandOf(name: string): Command {
  const command = COMMANDS.find((each) => each.name === name);
  if (command) return command;
  throw new UsageError(`unknown command ${name}; known are ${COMMANDS.map((each) => each.name).join(', ')}`);
}

/** `procscope help [COMMAND]` */
function runHelp(name: string | undefined, print: Run['print']): number {
  print(name === undefined ? help() : helpOf(commandOf(name)));
  return 0;
}

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const named = args[0] !== undefined && !args[0].startsWith('-');
  const print = (lines: string | readonly string[]): void => {
    if (lines.length > 0) io.stdout.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`);
  };
  if (!named && (args[0] === '--help' || args[0] === '-h')) return runHelp(undefined, print);
  if (args[0] === 'help') return runHelp(args[1], print);
  if (args[0] === 'version') {
    print(io.version);
    return 0;
  }
  const command = named ? commandOf(args[0] as string) : (COMMANDS[0] as Command);
  const { values, operands } = readArguments(command, named ? args.slice(1) : args);
  if (values['help'] === true) {
    print(helpOf(command));
    return 0;
  }
  if (values['version'] === true) {
    print(io.version);
    return 0;
  }
  checkOperands(command, operands);
  return command.run({ ...io, values, operands, print, paint: painter(wantsColour(io)) });
}

/** Runs a command line; resolves to its exit code: 0, 1 = found nothing or could not look, 2 = the command line is wrong. */
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
