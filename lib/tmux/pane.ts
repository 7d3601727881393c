import { OptionError } from '../process/fault.js';
import { socketOf } from './options.js';
import { numberOf } from './records.js';

/** One life of a server: a socket outlives it, and panes are numbered anew in the next. */
export interface ServerIdentity {
  readonly pid: number;
  /** Seconds since the epoch (`start_time` of tmux). */
  readonly start: number;
}

/** A session in which the window of a pane is linked. */
export interface PaneSession {
  /** Such as `$3`. */
  readonly id: string;
  readonly name: string;
  /** Name of its group; null = it is in none. */
  readonly group: string | null;
  /** How many clients are attached. */
  readonly attached: number;
  /** Index that the window has in it. */
  readonly windowIndex: number;
}

export interface Pane {
  /** What identifies the pane: socket, server and id as one text. */
  readonly key: string;
  readonly socket: string;
  readonly server: ServerIdentity;
  /** Such as `%3`; given out again by the next server. */
  readonly id: string;
  /** The process that tmux started in it. It may have ended where the pane is dead; 0 = none was started. */
  readonly rootPid: number;
  /** Of the session that counts: the first attached one of those that the caller wants, else the first. */
  readonly sessionId: string;
  readonly sessionName: string;
  /** Clients are attached to that session. */
  readonly attached: boolean;
  /** Every session that shows the window and that the caller wants, ascending by id. */
  readonly sessions: readonly PaneSession[];
  readonly windowId: string;
  readonly windowName: string;
  /** Position of the pane in its window. */
  readonly index: number;
  /** Active pane of its window. */
  readonly active: boolean;
  /** As tmux reads it from the foreground process; null = it could not (a dead pane). From 3.4 on tmux writes control characters as escapes. */
  readonly cwd: string | null;
  /** As the program set it. */
  readonly title: string;
  /** Its process has ended, and `remain-on-exit` keeps the pane. */
  readonly dead: boolean;
  /**
   * Of a dead pane; null = a signal ended it, or it lives. Undefined, with exitSignal: tmux has not been told yet how it
   * ended, or is older than 3.3 and it was a signal.
   */
  readonly exitStatus: number | null | undefined;
  /** Of a dead pane (tmux 3.3); null = it ended by itself, or it lives. */
  readonly exitSignal: number | null | undefined;
  /** Name of the foreground process: a program sets that as it likes. */
  readonly command: string;
  /** Path of its terminal. */
  readonly tty: string;
  /** Columns and rows. */
  readonly width: number;
  readonly height: number;
  /** Seconds since the epoch when a program last wrote to a pane of its window (`window_activity` of tmux); undefined = not told. */
  readonly activity: number | undefined;
}

/** How the process of a pane ended, of what tmux writes about it. */
export function endOf(
  dead: boolean,
  status: string,
  signal: string,
): Pick<Pane, 'exitStatus' | 'exitSignal'> {
  // A pane is dead from when its terminal is closed; the status comes a moment later.
  const unknown = dead && status === '' && signal === '' ? undefined : null;
  return { exitStatus: numberOf(status) ?? unknown, exitSignal: numberOf(signal) ?? unknown };
}

/** What it takes to name a pane; a `Pane` is one. Without `server` whichever runs there is taken. */
export interface PaneRef {
  readonly socket: string;
  readonly id: string;
  readonly server?: ServerIdentity;
}

/** The pane of a server's life as one text: equal for the same pane only. */
export function paneKey(socket: string, server: ServerIdentity, id: string): string {
  return `${socket} ${server.pid}.${server.start} ${id}`;
}

export function isPaneId(value: unknown): value is string {
  return typeof value === 'string' && /^%\d{1,10}$/.test(value);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** @throws OptionError */
export function checkPane(pane: unknown): PaneRef {
  if (typeof pane !== 'object' || pane === null) {
    throw new OptionError('pane', 'must be a pane: { socket, id, server }');
  }
  const { socket, id, server } = pane as Partial<PaneRef>;
  if (!isPaneId(id)) throw new OptionError('pane', 'must have the id of a pane, such as %3');
  const ref = { socket: socketOf('pane', socket), id };
  if (server === undefined) return ref;
  if (typeof server !== 'object' || server === null || !isWhole(server.pid) || !isWhole(server.start)) {
    throw new OptionError('pane', 'must have a server with pid and start, or none');
  }
  return { ...ref, server: { pid: server.pid, start: server.start } };
}
