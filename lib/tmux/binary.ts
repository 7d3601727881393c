/**
 * The one place in lib/ that starts a program: tmux itself, where a server cannot be asked over its socket.
 * See TmuxOptions.way.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Call, NoReply, Reply } from './client.js';
import { errnoOf, type FailureFacts, failureOf, firstLine, type TmuxFailureKind } from './failure.js';

/** What the client says when it does not reach a server; measured with 3.3a. */
const COMPLAINTS: readonly (readonly [RegExp, TmuxFailureKind])[] = [
  [/^no server running on /, 'no-server'],
  [/^error connecting to .*\((No such file or directory|Connection refused)\)/, 'no-server'],
  [/^error connecting to .*\(Permission denied\)/, 'denied'],
  [/^access not allowed/, 'denied'],
  [/^protocol version mismatch/, 'version'],
  [/^(lost server|server exited|\[?lost tty)/, 'lost'],
  [/^error connecting to /, 'io'],
];

function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  // TMUX and its like would name another server; the locale decides what becomes of names that are not ASCII.
  return { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }), LC_ALL: 'C.UTF-8' };
}

function noReply(
  kind: TmuxFailureKind,
  call: Call,
  facts: Partial<FailureFacts> & { readonly message: string },
): NoReply {
  const whole = { path: call.socket, call: 'tmux', way: 'binary' as const, ...facts };
  return { ok: false, otherWay: false, failure: failureOf(kind, whole) };
}

/** As callServer(), by starting `program`. Neither rejects nor throws for what the program does. */
export function callBinary(call: Call, program: string): Promise<Reply | NoReply> {
  if (call.signal?.aborted)
    return Promise.resolve(noReply('aborted', call, { message: 'aborted by the caller' }));
  return new Promise((resolve) => {
    const child = start(call, program);
    if ('ok' in child) resolve(child);
    else new Run(call, program, child, resolve).start();
  });
}

function start(call: Call, program: string): ChildProcessWithoutNullStreams | NoReply {
  try {
    return spawn(program, ['-u', '-S', call.socket, ...call.argv], {
      env: environment(),
      cwd: '/',
      stdio: 'pipe',
    });
  } catch (error) {
    // Arguments that no program takes (E2BIG) come out here.
    const message = error instanceof Error ? firstLine(error.message) : 'tmux cannot be started';
    return noReply('io', call, { message, code: errnoOf(error), call: 'spawn' });
  }
}

class Run {
  readonly #call: Call;
  readonly #program: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #resolve: (answer: Reply | NoReply) => void;
  readonly #output: Buffer[] = [];
  readonly #errors: Buffer[] = [];
  readonly #abort = (): void => this.#end('aborted', 'aborted by the caller', constants.errno.ECANCELED);
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(
    call: Call,
    program: string,
    child: ChildProcessWithoutNullStreams,
    resolve: (answer: Reply | NoReply) => void,
  ) {
    this.#call = call;
    this.#program = program;
    this.#child = child;
    this.#resolve = resolve;
  }

  start(): void {
    const child = this.#child;
    const { timeoutMs, signal, input } = this.#call;
    this.#timer = setTimeout(
      () => this.#end('timeout', `no answer within ${timeoutMs} ms`, constants.errno.ETIMEDOUT),
      timeoutMs,
    );
    signal?.addEventListener('abort', this.#abort, { once: true });
    child.on('error', (error) => this.#notStarted(error));
    child.stdout.on('data', (chunk: Buffer) => this.#store(this.#output, chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#store(this.#errors, chunk));
    // A tmux that wants no input closes it early; what became of the command is told by its end.
    child.stdin.on('error', () => {});
    child.stdin.end(input?.bytes);
    child.on('close', (code) => this.#closed(code));
  }

  #notStarted(error: Error): void {
    const code = errnoOf(error);
    const missing = code === constants.errno.ENOENT;
    const message = missing
      ? `there is no program ${JSON.stringify(this.#program)}`
      : firstLine(error.message);
    this.#finish(noReply(missing ? 'unsupported' : 'io', this.#call, { message, code, call: 'spawn' }));
  }

  #store(parts: Buffer[], chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#call.maxOutputBytes) {
      this.#end('limit', `more than ${this.#call.maxOutputBytes} bytes of output`, 0);
    } else {
      parts.push(chunk);
    }
  }

  #closed(code: number | null): void {
    const stdout = Buffer.concat(this.#output);
    const stderr = Buffer.concat(this.#errors);
    if (code === null) {
      this.#end('lost', 'tmux was ended by a signal', 0);
      return;
    }
    const said = firstLine(stderr);
    const kind = code === 0 ? undefined : COMPLAINTS.find(([pattern]) => pattern.test(said))?.[1];
    if (kind === undefined) this.#finish({ ok: true, status: code, stdout, stderr });
    else this.#finish(noReply(kind, this.#call, { message: said, mayHaveRun: kind === 'lost' }));
  }

  #end(kind: TmuxFailureKind, message: string, code: number): void {
    this.#child.kill('SIGKILL');
    this.#finish(noReply(kind, this.#call, { message, code, mayHaveRun: true }));
  }

  #finish(answer: Reply | NoReply): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#abort);
    this.#resolve(answer);
  }
}
