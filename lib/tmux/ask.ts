/** Asks a server: which way, when once more, and what to make of the answer. */
import { endianness } from 'node:os';
import { OptionError } from '../process/fault.js';
import { callBinary } from './binary.js';
import { type Call, callServer, type NoReply, type Reply } from './client.js';
import type { RequestInput } from './conversation.js';
import { failureOf, firstLine, type TmuxFailure, type TmuxWay } from './failure.js';
import { argumentProblem } from './messages.js';
import { type CheckedTmux, checkTmux, flagOf, socketOf, type TmuxOptions } from './options.js';
import { checkSocket, failureOfCheck, type SocketCheck } from './socket-path.js';

/** An answer of a server. `status` other than 0: a command failed, and `stderr` says why. */
export interface TmuxReply {
  readonly ok: true;
  readonly status: number;
  readonly stdout: Buffer;
  /** Text of the server, with U+FFFD for what is no UTF-8. */
  readonly stderr: string;
  readonly way: TmuxWay;
  /** Why the binary had to be taken; null = it was not, or was asked for. */
  readonly fallback: string | null;
}

export interface TmuxNoReply {
  readonly ok: false;
  readonly failure: TmuxFailure;
}

export type TmuxAnswer = TmuxReply | TmuxNoReply;

export interface Question {
  readonly socket: string;
  readonly commands: readonly (readonly string[])[];
  readonly input?: RequestInput;
  /** Whether running it twice does no more than running it once. Only then it is ever sent a second time. */
  readonly idempotent: boolean;
  /** Of the socket, by who looked at it just now. Default: it is looked at. */
  readonly check?: SocketCheck;
}

/** `;` at the end of an argument ends a command, unless a `\` stands before it: cmd_parse_from_arguments() of tmux. */
function escaped(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument;
}

/** The argument list of several commands, run in turn until one fails. */
export function chain(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap((command, at) => [...(at === 0 ? [] : [';']), ...command.map(escaped)]);
}

export async function ask(question: Question, how: CheckedTmux): Promise<TmuxAnswer> {
  const { socket, commands, input, idempotent } = question;
  const argv = chain(commands);
  const problem = argumentProblem(argv);
  if (problem === 'none') throw new OptionError('commands', 'must hold a command');
  if (problem === 'nul') throw new OptionError('commands', 'must not hold NUL');
  const speaks = failureOfCheck(socket, question.check ?? (await checkSocket(socket, how.look)));
  if (speaks !== undefined) return { ok: false, failure: speaks };
  const { timeoutMs, signal, maxOutputBytes } = how;
  const call: Call = { socket, argv, input, timeoutMs, signal, maxOutputBytes };

  const unsendable = problem !== undefined ? 'the arguments do not fit a frame' : reasonAgainstProtocol();
  if (how.way === 'binary' || (how.way === 'auto' && unsendable !== undefined)) {
    return binary(call, how, how.way === 'binary' ? null : (unsendable as string));
  }
  if (unsendable !== undefined) {
    const kind = problem !== undefined ? 'limit' : 'unsupported';
    return { ok: false, failure: failureOf(kind, { path: socket, call: 'connect', message: unsendable }) };
  }
  let answer = await callServer(call);
  // A server that was just ending accepts and closes. Where the next one stands already, it answers.
  if (idempotent && !answer.ok && answer.failure.kind === 'lost') answer = await callServer(call);
  if (answer.ok) return reply(answer, 'protocol', null);
  const again = answer.otherWay && how.way === 'auto' && (idempotent || !answer.failure.mayHaveRun);
  return again ? binary(call, how, answer.failure.message) : { ok: false, failure: answer.failure };
}

/** The frames of a big-endian machine have another layout, which nobody has tried. */
function reasonAgainstProtocol(): string | undefined {
  return endianness() === 'BE' ? 'a big-endian machine' : undefined;
}

async function binary(call: Call, how: CheckedTmux, fallback: string | null): Promise<TmuxAnswer> {
  const answer: Reply | NoReply = await callBinary(call, how.binary);
  return answer.ok ? reply(answer, 'binary', fallback) : { ok: false, failure: answer.failure };
}

function reply({ status, stdout, stderr }: Reply, way: TmuxWay, fallback: string | null): TmuxReply {
  return { ok: true, status, stdout, stderr: stderr.toString('utf8'), way, fallback };
}

/** The failure of a command that the server ran and that did not succeed. */
export function commandFailure(socket: string, answer: TmuxReply): TmuxFailure {
  const { way } = answer;
  const message = firstLine(answer.stderr) || `the command failed with status ${answer.status}`;
  return failureOf('command', { path: socket, call: 'tmux', message, mayHaveRun: true, way });
}

export interface TmuxRequestOptions extends TmuxOptions {
  /** Standard input of the command that reads it (`load-buffer -`); its bytes are in no argument and no log. */
  readonly input?: Uint8Array;
  /**
   * Whether it may be sent a second time, where a connection was lost or a server cannot be understood. Default false.
   */
  readonly idempotent?: boolean;
}

/**
 * Runs commands of tmux on the server of a socket, one after the other until one fails, without starting tmux.
 * Arguments are passed as they are: no shell, and no quoting by the caller, also not of `;`.
 *
 * Rejects with OptionError for an argument of another form (such as one with NUL, of which nothing is sent), never
 * for what a server does.
 */
export async function tmuxRequest(
  socket: string,
  commands: readonly (readonly string[])[],
  options: TmuxRequestOptions = {},
): Promise<TmuxAnswer> {
  const how = checkTmux(options, ['input', 'idempotent']);
  const { input } = options;
  if (input !== undefined && !(input instanceof Uint8Array)) throw new OptionError('input', 'must be bytes');
  const listed =
    Array.isArray(commands) && commands.every((command) => Array.isArray(command) && command.length > 0);
  if (!listed || !commands.flat().every((argument) => typeof argument === 'string')) {
    throw new OptionError('commands', 'must be a list of commands, each a list of strings that is not empty');
  }
  return ask(
    {
      socket: socketOf('socket', socket),
      commands,
      idempotent: flagOf('idempotent', options.idempotent, false),
      ...(input !== undefined && { input: { bytes: input } }),
    },
    how,
  );
}
