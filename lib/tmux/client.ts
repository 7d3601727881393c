/** One connection a request. Nothing is retried here, and the connection is closed whatever happens. */
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import { Conversation, type Outcome, type RequestInput } from './conversation.js';
import {
  errnoOf,
  type FailureFacts,
  failureOf,
  firstLine,
  kindOfError,
  type TmuxFailure,
} from './failure.js';
import { encodeRequest } from './messages.js';

/** What a server gave back, whichever way it was asked. */
export interface Reply {
  readonly ok: true;
  /** As the exit code of the binary: 0 = every command of the chain ran. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface NoReply {
  readonly ok: false;
  readonly failure: TmuxFailure;
  /** The server cannot be asked over its socket, and nothing but the protocol was the reason. */
  readonly otherWay: boolean;
}

export interface Call {
  readonly socket: string;
  readonly argv: readonly string[];
  readonly input: RequestInput | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly maxOutputBytes: number;
}

/**
 * Sends one command (or a chain) and takes its answer. Neither rejects nor throws for what a server does.
 * @throws RangeError for arguments that argumentProblem() names
 */
export function callServer(call: Call): Promise<Reply | NoReply> {
  const request = encodeRequest(call.argv, process.pid);
  if (call.signal?.aborted)
    return Promise.resolve(noReply('aborted', call, { message: 'aborted by the caller' }));
  return new Promise((resolve) => new Exchange(call, request, resolve).start());
}

function noReply(
  kind: TmuxFailure['kind'],
  call: Call,
  facts: Partial<FailureFacts> & { readonly message: string },
  otherWay = false,
): NoReply {
  const whole = { path: call.socket, call: 'connect', way: 'protocol' as const, ...facts };
  return { ok: false, otherWay, failure: failureOf(kind, whole) };
}

class Exchange {
  readonly #call: Call;
  readonly #request: Buffer;
  readonly #resolve: (answer: Reply | NoReply) => void;
  readonly #conversation: Conversation;
  readonly #abort = (): void => this.#fail('aborted', 'aborted by the caller', constants.errno.ECANCELED);
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #due = 0;
  /** Whether any byte of the request may have left. */
  #sent = false;
  #over = false;

  constructor(call: Call, request: Buffer, resolve: (answer: Reply | NoReply) => void) {
    const { maxOutputBytes, input } = call;
    this.#call = call;
    this.#request = request;
    this.#resolve = resolve;
    this.#conversation = new Conversation({ maxOutputBytes, ...(input !== undefined && { input }) });
  }

  start(): void {
    this.#wait(this.#call.timeoutMs);
    this.#call.signal?.addEventListener('abort', this.#abort, { once: true });
    this.#connect();
  }

  #connect(): void {
    const socket = connect({ path: this.#call.socket });
    this.#socket = socket;
    socket.on('connect', () => {
      this.#sent = true;
      socket.write(this.#request);
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => {
      if (isFull(error) && !this.#sent) this.#connectLater(socket);
      else this.#fail(kindOfError(error), firstLine(error.message), errnoOf(error));
    });
    socket.on('close', () =>
      this.#fail('lost', 'the connection ended before the answer did', constants.errno.ECONNRESET),
    );
  }

  /** The queue of the server is full: many ask at once, or it hangs. The time that is left tells which. */
  #connectLater(socket: Socket): void {
    socket.removeAllListeners('close');
    socket.destroy();
    this.#again = setTimeout(() => this.#connect(), QUEUE_MS);
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    for (const bytes of this.#conversation.receive(chunk)) this.#socket?.write(bytes);
    const { outcome } = this.#conversation;
    if (outcome !== undefined) this.#finish(this.#answerOf(outcome));
  }

  #answerOf(outcome: Outcome): Reply | NoReply {
    const facts = { call: 'read', mayHaveRun: true };
    switch (outcome.kind) {
      case 'exit': {
        const { status, stdout, stderr, message } = outcome;
        if (message === '') return { ok: true, status, stdout, stderr };
        // A server that throws us out says so with status 0.
        const kind = /not allowed/.test(message) ? 'denied' : 'command';
        return noReply(kind, this.#call, {
          ...facts,
          message: firstLine(message),
          mayHaveRun: kind !== 'denied',
        });
      }
      case 'version': {
        const message = `the server speaks version ${outcome.version} of the protocol`;
        return noReply('version', this.#call, { ...facts, message, mayHaveRun: false }, true);
      }
      case 'broken':
        return noReply('broken', this.#call, { ...facts, message: outcome.message }, outcome.first);
      case 'limit': {
        const message = `more than ${this.#call.maxOutputBytes} bytes of output`;
        return noReply('limit', this.#call, { ...facts, message });
      }
      case 'shutdown':
        return noReply('lost', this.#call, { ...facts, message: 'the server is shutting down' });
    }
  }

  #wait(ms: number): void {
    this.#due = performance.now() + ms;
    this.#timer = setTimeout(() => this.#late(), ms);
  }

  /** A wait in which this program did not run proves nothing about the server: what came meanwhile is taken first. */
  #late(): void {
    const late = performance.now() - this.#due;
    if (late > LATE_MS) this.#wait(Math.min(late, this.#call.timeoutMs));
    else this.#fail('timeout', `no answer within ${this.#call.timeoutMs} ms`, constants.errno.ETIMEDOUT);
  }

  #fail(kind: TmuxFailure['kind'], message: string, code: number): void {
    const call = this.#sent ? 'read' : 'connect';
    this.#finish(noReply(kind, this.#call, { message, code, call, mayHaveRun: this.#sent }));
  }

  #finish(answer: Reply | NoReply): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
    this.#call.signal?.removeEventListener('abort', this.#abort);
    this.#socket?.destroy();
    this.#resolve(answer);
  }
}

function isFull(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EAGAIN';
}

/** Between two tries where the queue is full. A server takes 128 connections in one turn. */
const QUEUE_MS = 10;
/** Timers are this exact when nothing holds up the loop. */
const LATE_MS = 50;
