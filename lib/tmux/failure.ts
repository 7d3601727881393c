import { constants } from 'node:os';
import type { Fault, FaultKind } from '../process/fault.js';

/**
 * Why tmux gave no answer.
 *
 * - `no-server`: nobody listens there (ENOENT, ECONNREFUSED). The only one that says that there is nothing.
 * - `timeout`: a server is there and did not answer in time.
 * - `denied`: the system or the server does not let us in.
 * - `refused`: the socket is not one to talk to (another user's, a symbolic link, no socket); nothing was sent.
 * - `lost`: the connection ended before the answer did.
 * - `broken`: what came is no answer of any known tmux.
 * - `version`: the server speaks another version of the protocol.
 * - `limit`: more output, or more arguments, than allowed.
 * - `command`: the server answered, and says that the command failed.
 * - `aborted`: the caller's signal.
 * - `unsupported`: there is no way to talk to tmux here.
 * - `io`: any other error of the system; `fault.code` tells which.
 */
export type TmuxFailureKind =
  | 'no-server'
  | 'timeout'
  | 'denied'
  | 'refused'
  | 'lost'
  | 'broken'
  | 'version'
  | 'limit'
  | 'command'
  | 'aborted'
  | 'unsupported'
  | 'io';

/** How a server was asked. */
export type TmuxWay = 'protocol' | 'binary';

export interface TmuxFailure {
  readonly kind: TmuxFailureKind;
  readonly fault: Fault;
  /** For people; never what was sent. */
  readonly message: string;
  /** Whether the command may have run all the same. False = it certainly did not. */
  readonly mayHaveRun: boolean;
  /** Undefined: it did not come to asking. */
  readonly way: TmuxWay | undefined;
}

const FAULT_KINDS: Readonly<Record<TmuxFailureKind, FaultKind>> = {
  'no-server': 'gone',
  timeout: 'timeout',
  denied: 'denied',
  refused: 'denied',
  lost: 'io',
  broken: 'malformed',
  version: 'unsupported',
  limit: 'limit',
  command: 'io',
  aborted: 'io',
  unsupported: 'unsupported',
  io: 'io',
};

/** What a failure holds beside its kind; `code` is an errno, 0 = none. */
export interface FailureFacts {
  readonly path: string;
  readonly call: string;
  readonly message: string;
  readonly code?: number;
  readonly mayHaveRun?: boolean;
  readonly way?: TmuxWay;
}

export function failureOf(kind: TmuxFailureKind, facts: FailureFacts): TmuxFailure {
  const { path, call, message, code = 0, mayHaveRun = false, way } = facts;
  return { kind, message, mayHaveRun, way, fault: { kind: FAULT_KINDS[kind], code, call, path } };
}

const BY_CODE: Readonly<Record<string, TmuxFailureKind>> = {
  ENOENT: 'no-server',
  ECONNREFUSED: 'no-server',
  // A path through something that is no directory leads to no server either.
  ENOTDIR: 'no-server',
  EACCES: 'denied',
  EPERM: 'denied',
  // The queue of a server that takes no connections any more is full.
  EAGAIN: 'timeout',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
};

/** What an error of the system means for a connection. */
export function kindOfError(error: unknown): TmuxFailureKind {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return (typeof code === 'string' ? BY_CODE[code] : undefined) ?? 'io';
}

/** The errno of an error of Node; 0 where it has none. */
export function errnoOf(error: unknown): number {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  const numbers: Readonly<Record<string, number>> = constants.errno;
  return (typeof code === 'string' ? numbers[code] : undefined) ?? 0;
}

/** The first line that a server said, as one that may be shown. */
export function firstLine(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8', 0, 1_024);
  const line = text.split('\n', 1)[0] ?? '';
  return line
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
}
