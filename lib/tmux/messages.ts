/**
 * What the frames say: the one request that is ever sent, and the answers that a server may give. Pure.
 * Numbers and shapes are those of tmux-protocol.h, measured on 2.9a to 3.7c.
 */
import { encodeFrame, type Frame, MAX_PAYLOAD_BYTES } from './frames.js';

const VERSION = 12;
const IDENTIFY_FLAGS = 100;
const IDENTIFY_TERM = 101;
const IDENTIFY_TTYNAME = 102;
const IDENTIFY_DONE = 106;
const IDENTIFY_CLIENTPID = 107;
const IDENTIFY_CWD = 108;
const COMMAND = 200;
const EXIT = 203;
const SHUTDOWN = 210;
const OLD_STDERR = 211;
const OLD_STDIN = 212;
const OLD_STDOUT = 213;
const READ_OPEN = 300;
const READ = 301;
const READ_DONE = 302;
const WRITE_OPEN = 303;
const WRITE = 304;
const WRITE_READY = 305;
const WRITE_CLOSE = 306;
const READ_CANCEL = 307;

/** Without it every character beyond ASCII comes back as `_`. */
const CLIENT_UTF8 = 0x10000;
const INT_BYTES = 4;
/** ssize_t in front of the data of a 212 or 213 frame. */
const OLD_SIZE_BYTES = 8;

/** Bytes of all arguments, each with its NUL. */
export const MAX_ARGUMENT_BYTES = MAX_PAYLOAD_BYTES - INT_BYTES;
/** Newest sources refuse more. */
export const MAX_ARGUMENTS = 1_000;
/** Bytes of input in one frame. */
export const MAX_INPUT_BYTES = MAX_PAYLOAD_BYTES - INT_BYTES;

function int(value: number): Buffer {
  const bytes = Buffer.alloc(INT_BYTES);
  bytes.writeInt32LE(value, 0);
  return bytes;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`, 'utf8');

/** Why an argument list cannot be sent; undefined = it can. */
export type ArgumentProblem = 'none' | 'nul' | 'too-long' | 'too-many';

export function argumentProblem(argv: readonly string[]): ArgumentProblem | undefined {
  if (argv.length === 0) return 'none';
  if (argv.some((argument) => argument.includes('\0'))) return 'nul';
  if (argv.length > MAX_ARGUMENTS) return 'too-many';
  const bytes = argv.reduce((sum, argument) => sum + Buffer.byteLength(argument, 'utf8') + 1, 0);
  return bytes > MAX_ARGUMENT_BYTES ? 'too-long' : undefined;
}

/**
 * The whole request as one block of bytes: who we are, and the command.
 * @throws RangeError for arguments that argumentProblem() names
 */
export function encodeRequest(argv: readonly string[], pid: number): Buffer {
  const problem = argumentProblem(argv);
  if (problem !== undefined) throw new RangeError(`arguments that cannot be sent: ${problem}`);
  return Buffer.concat([
    encodeFrame(IDENTIFY_FLAGS, int(CLIENT_UTF8)),
    encodeFrame(IDENTIFY_TERM, text('dumb')),
    // There is no terminal, but a server up to 3.5 ends without this frame.
    encodeFrame(IDENTIFY_TTYNAME, text('')),
    encodeFrame(IDENTIFY_CWD, text('/')),
    encodeFrame(IDENTIFY_CLIENTPID, int(pid)),
    encodeFrame(IDENTIFY_DONE, Buffer.alloc(0)),
    encodeFrame(COMMAND, Buffer.concat([int(argv.length), ...argv.map(text)])),
  ]);
}

/** Says that `stream` may be written to; `error` is an errno, 0 = none. */
export function encodeWriteReady(stream: number, error: number): Buffer {
  return encodeFrame(WRITE_READY, Buffer.concat([int(stream), int(error)]));
}

/** All of the input and its end; `error` is an errno, 0 = none. */
export function encodeInput(stream: number, bytes: Uint8Array, error: number): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_INPUT_BYTES) {
    frames.push(encodeFrame(READ, Buffer.concat([int(stream), bytes.subarray(at, at + MAX_INPUT_BYTES)])));
  }
  frames.push(encodeFrame(READ_DONE, Buffer.concat([int(stream), int(error)])));
  return frames;
}

/**
 * The same for servers up to 3.0, which take blocks of one size and end on any other: `blockBytes` is the
 * size of the data in the blocks that this very server sent.
 */
export function encodeOldInput(bytes: Uint8Array, blockBytes: number): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; ; at += blockBytes) {
    const part = bytes.subarray(at, at + blockBytes);
    const block = Buffer.alloc(OLD_SIZE_BYTES + blockBytes);
    block.writeBigInt64LE(BigInt(part.length), 0);
    block.set(part, OLD_SIZE_BYTES);
    frames.push(encodeFrame(OLD_STDIN, block));
    if (part.length === 0) return frames;
  }
}

export type Answer =
  /** The server wants to write to a descriptor of ours, or (-1) to a path. */
  | { readonly type: 'write-open'; readonly stream: number; readonly fd: number }
  | { readonly type: 'write'; readonly stream: number; readonly bytes: Buffer }
  | { readonly type: 'write-close'; readonly stream: number }
  /** The server wants to read a descriptor of ours, or (-1) a path. */
  | { readonly type: 'read-open'; readonly stream: number; readonly fd: number }
  | { readonly type: 'read-cancel'; readonly stream: number }
  | { readonly type: 'exit'; readonly status: number; readonly message: string }
  /** Servers up to 3.0. */
  | { readonly type: 'old-output'; readonly fd: 1 | 2; readonly bytes: Buffer; readonly blockBytes: number }
  | { readonly type: 'old-input' }
  | { readonly type: 'version'; readonly version: number }
  | { readonly type: 'shutdown' }
  /** A type that no answer to a command has. */
  | { readonly type: 'unknown'; readonly number: number };

/** A frame of a known type with a payload that this type does not have. */
export class MessageError extends Error {
  constructor(frame: Frame) {
    super(`a frame of type ${frame.type} with ${frame.payload.length} bytes`);
    this.name = 'MessageError';
  }
}

/** @throws MessageError */
export function decodeAnswer(frame: Frame): Answer {
  const { type, version, payload } = frame;
  const need = (holds: boolean): void => {
    if (!holds) throw new MessageError(frame);
  };
  switch (type) {
    case VERSION:
      return { type: 'version', version };
    case EXIT:
      return decodeExit(payload, need);
    case SHUTDOWN:
      return { type: 'shutdown' };
    case OLD_STDOUT:
    case OLD_STDERR:
      return decodeOldOutput(payload, type === OLD_STDOUT ? 1 : 2, need);
    case OLD_STDIN:
      need(payload.length === 0);
      return { type: 'old-input' };
    case READ_OPEN:
      need(payload.length >= 2 * INT_BYTES);
      return { type: 'read-open', stream: payload.readInt32LE(0), fd: payload.readInt32LE(INT_BYTES) };
    case WRITE_OPEN:
      need(payload.length >= 3 * INT_BYTES);
      return { type: 'write-open', stream: payload.readInt32LE(0), fd: payload.readInt32LE(INT_BYTES) };
    case WRITE:
      need(payload.length >= INT_BYTES);
      return { type: 'write', stream: payload.readInt32LE(0), bytes: payload.subarray(INT_BYTES) };
    case WRITE_CLOSE:
    case READ_CANCEL:
      need(payload.length === INT_BYTES);
      return { type: type === WRITE_CLOSE ? 'write-close' : 'read-cancel', stream: payload.readInt32LE(0) };
    default:
      return { type: 'unknown', number: type };
  }
}

function decodeExit(payload: Buffer, need: (holds: boolean) => void): Answer {
  if (payload.length === 0) return { type: 'exit', status: 0, message: '' };
  need(payload.length >= INT_BYTES);
  const words = payload.subarray(INT_BYTES);
  need(words.length === 0 || words[words.length - 1] === 0);
  const end = words.indexOf(0);
  return {
    type: 'exit',
    status: payload.readInt32LE(0),
    message: words.toString('utf8', 0, Math.max(end, 0)),
  };
}

function decodeOldOutput(payload: Buffer, fd: 1 | 2, need: (holds: boolean) => void): Answer {
  need(payload.length > OLD_SIZE_BYTES);
  const blockBytes = payload.length - OLD_SIZE_BYTES;
  const size = payload.readBigInt64LE(0);
  need(size >= 0n && size <= BigInt(blockBytes));
  const bytes = payload.subarray(OLD_SIZE_BYTES, OLD_SIZE_BYTES + Number(size));
  return { type: 'old-output', fd, bytes, blockBytes };
}
