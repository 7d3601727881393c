/** One request and its answer as a machine without a socket: bytes in, bytes to send out, an outcome at the end. */
import { constants } from 'node:os';
import { FrameDecoder, FrameError, PROTOCOL_VERSION } from './frames.js';
import {
  type Answer,
  decodeAnswer,
  encodeInput,
  encodeOldInput,
  encodeWriteReady,
  MessageError,
} from './messages.js';

/** What a command may read as its standard input. */
export interface RequestInput {
  readonly bytes: Uint8Array;
  /**
   * Asked when the server wants the bytes, with what it has written so far: `later` asks again after the next
   * output, `refuse` fails the command. Default: at once.
   */
  readonly admit?: (output: Buffer) => 'now' | 'later' | 'refuse';
}

export interface ConversationOptions {
  readonly input?: RequestInput;
  /** Most bytes of output and errors together. */
  readonly maxOutputBytes: number;
}

export type Outcome =
  | {
      readonly kind: 'exit';
      readonly status: number;
      /** What the server said in ending the client; empty in every success. */
      readonly message: string;
      readonly stdout: Buffer;
      readonly stderr: Buffer;
    }
  /** No answer that any known server gives. `first`: not even the first frame was known. */
  | { readonly kind: 'broken'; readonly message: string; readonly first: boolean }
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'limit' }
  | { readonly kind: 'shutdown' };

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
/** A command opens one stream for each file that it names; a thousand arguments cannot name more. */
const MAX_STREAMS = 1_024;
/** Frames that bring no output are few; a server that sends them without end must not hold us. */
const MAX_EMPTY_FRAMES = 8_192;

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #decoder = new FrameDecoder();
  readonly #streams = new Map<number, typeof STDOUT | typeof STDERR | null>();
  readonly #output: Record<typeof STDOUT | typeof STDERR, Buffer[]> = { [STDOUT]: [], [STDERR]: [] };
  #outputBytes = 0;
  #emptyFrames = 0;
  #frames = 0;
  #oldBlockBytes: number | undefined;
  /** The stream whose input waits to be admitted. */
  #waiting: number | undefined;
  #outcome: Outcome | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Undefined while the answer is under way. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Takes what came, and answers what is to be sent. */
  receive(chunk: Buffer): Buffer[] {
    const replies: Buffer[] = [];
    this.#decoder.push(chunk);
    try {
      while (this.#outcome === undefined) {
        const frame = this.#decoder.next();
        if (frame === undefined) break;
        const answer = decodeAnswer(frame);
        if (frame.version !== PROTOCOL_VERSION) {
          this.#outcome = { kind: 'version', version: frame.version };
        } else {
          replies.push(...this.#take(answer));
        }
        this.#frames++;
      }
    } catch (error) {
      if (!(error instanceof FrameError) && !(error instanceof MessageError)) throw error;
      this.#break(error.message);
    }
    return this.#outcome === undefined ? replies : [];
  }

  #break(message: string): Buffer[] {
    this.#outcome = { kind: 'broken', message, first: this.#frames === 0 };
    return [];
  }

  #take(answer: Answer): Buffer[] {
    if (answer.type !== 'write' && answer.type !== 'old-output' && ++this.#emptyFrames > MAX_EMPTY_FRAMES) {
      return this.#break('frames without end that bring nothing');
    }
    switch (answer.type) {
      case 'write-open':
        return this.#openForWriting(answer.stream, answer.fd);
      case 'write':
        return this.#write(answer.stream, answer.bytes);
      case 'write-close':
        return this.#streams.delete(answer.stream)
          ? []
          : this.#break('the end of a stream that was not open');
      case 'read-open':
        return this.#openForReading(answer.stream, answer.fd);
      case 'read-cancel':
        if (this.#waiting === answer.stream) this.#waiting = undefined;
        return [];
      case 'old-output':
        this.#oldBlockBytes = answer.blockBytes;
        return this.#store(answer.fd, answer.bytes);
      case 'old-input':
        return this.#oldInput();
      case 'exit':
        this.#end(answer.status, answer.message);
        return [];
      case 'version':
        this.#outcome = { kind: 'version', version: answer.version };
        return [];
      case 'shutdown':
        this.#outcome = { kind: 'shutdown' };
        return [];
      case 'unknown':
        return this.#break(`a frame of the unknown type ${answer.number}`);
    }
  }

  #end(status: number, message: string): void {
    const stdout = Buffer.concat(this.#output[STDOUT]);
    const stderr = Buffer.concat(this.#output[STDERR]);
    this.#outcome = { kind: 'exit', status, message, stdout, stderr };
  }

  #openForWriting(stream: number, fd: number): Buffer[] {
    if (this.#streams.has(stream)) return this.#break('a stream that was opened twice');
    if (this.#streams.size >= MAX_STREAMS) return this.#break('more streams than a command can open');
    if (fd === STDOUT || fd === STDERR) {
      this.#streams.set(stream, fd);
      return [encodeWriteReady(stream, 0)];
    }
    // A server must not write files as us, whatever it names. Some close such a stream all the same.
    this.#streams.set(stream, null);
    return [encodeWriteReady(stream, fd === -1 ? constants.errno.EACCES : constants.errno.EBADF)];
  }

  #write(stream: number, bytes: Buffer): Buffer[] {
    const fd = this.#streams.get(stream);
    if (fd === undefined) return this.#break('bytes for a stream that was not open');
    if (fd === null) return this.#break('bytes for a stream that was refused');
    const replies = this.#store(fd, bytes);
    if (this.#waiting === undefined || this.#outcome !== undefined) return replies;
    return this.#input(this.#waiting);
  }

  #store(fd: typeof STDOUT | typeof STDERR, bytes: Buffer): Buffer[] {
    if (bytes.length === 0 && ++this.#emptyFrames > MAX_EMPTY_FRAMES) {
      return this.#break('frames without end that bring nothing');
    }
    this.#outputBytes += bytes.length;
    if (this.#outputBytes > this.#options.maxOutputBytes) {
      this.#outcome = { kind: 'limit' };
      return [];
    }
    // A copy: a small piece would keep the whole chunk that it came in.
    this.#output[fd].push(Buffer.from(bytes));
    return [];
  }

  #openForReading(stream: number, fd: number): Buffer[] {
    if (fd === -1) return encodeInput(stream, Buffer.alloc(0), constants.errno.EACCES);
    if (fd !== STDIN || this.#options.input === undefined) {
      return encodeInput(stream, Buffer.alloc(0), constants.errno.EBADF);
    }
    if (this.#waiting !== undefined) return this.#break('two commands that read the input at once');
    return this.#input(stream);
  }

  #admitted(): 'now' | 'later' | 'refuse' {
    return this.#options.input?.admit?.(Buffer.concat(this.#output[STDOUT])) ?? 'now';
  }

  #input(stream: number): Buffer[] {
    const admitted = this.#admitted();
    if (admitted === 'later') {
      this.#waiting = stream;
      return [];
    }
    this.#waiting = undefined;
    if (admitted === 'refuse') return encodeInput(stream, Buffer.alloc(0), constants.errno.ECANCELED);
    return encodeInput(stream, this.#options.input?.bytes ?? Buffer.alloc(0), 0);
  }

  #oldInput(): Buffer[] {
    // A block of another size than the server's own would end it, so without an example nothing is sent.
    if (this.#oldBlockBytes === undefined) return this.#break('input was asked for before any output');
    const refused = this.#options.input === undefined || this.#admitted() !== 'now';
    return encodeOldInput(
      refused ? Buffer.alloc(0) : (this.#options.input?.bytes ?? Buffer.alloc(0)),
      this.#oldBlockBytes,
    );
  }
}
