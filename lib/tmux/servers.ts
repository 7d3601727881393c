import { OptionError } from '../process/fault.js';
import { ask, commandFailure, type TmuxReply } from './ask.js';
import { failureOf, type TmuxFailure, type TmuxWay } from './failure.js';
import { PROTOCOL_VERSION } from './frames.js';
import { type CheckedTmux, checkTmux, type TmuxOptions } from './options.js';
import type { ServerIdentity } from './pane.js';
import { freshSeparator, numberOf, parseRecords, type RecordOf, recordFormat } from './records.js';
import {
  type CheckedSocket,
  checkSearch,
  SEARCH_OPTIONS,
  type SearchOptions,
  type SocketSearch,
  searchSockets,
} from './sockets.js';

export interface ServersOptions extends TmuxOptions, SearchOptions {}

/** A server that answers. */
export interface TmuxServer extends ServerIdentity {
  readonly socket: string;
  /** As the server says it, such as `3.3a`. */
  readonly version: string;
  /** Version of the protocol; undefined = the binary was taken, which does not tell. */
  readonly protocol: number | undefined;
  readonly way: TmuxWay;
  /** Why the binary had to be taken; null = it was not, or was asked for. */
  readonly fallback: string | null;
}

export interface TmuxServers extends Pick<SocketSearch, 'refused' | 'faults'> {
  readonly servers: readonly TmuxServer[];
  /** Sockets on which nobody listens. */
  readonly absent: readonly string[];
  /** Sockets whose server could not be asked: one may be there. */
  readonly failed: readonly TmuxFailure[];
}

/** What every record about a server starts with. */
export const SERVER_FIELDS = { serverPid: 'pid', serverStart: 'start_time', version: 'version' } as const;

/** The server that wrote a record; undefined = that is no record of a server. */
export function serverOf(
  record: RecordOf<typeof SERVER_FIELDS>,
  socket: string,
  { way, fallback }: Pick<TmuxReply, 'way' | 'fallback'>,
): TmuxServer | undefined {
  const pid = numberOf(record.serverPid);
  const start = numberOf(record.serverStart);
  if (pid === undefined || start === undefined) return undefined;
  const protocol = way === 'protocol' ? PROTOCOL_VERSION : undefined;
  return { socket, pid, start, version: record.version, protocol, way, fallback };
}

export function sameServer(a: ServerIdentity, b: ServerIdentity): boolean {
  return a.pid === b.pid && a.start === b.start;
}

export function brokenAnswer(socket: string, way: TmuxWay): TmuxFailure {
  const message = 'the answer is not what was asked for';
  return failureOf('broken', { path: socket, call: 'tmux', message, mayHaveRun: true, way });
}

async function serverAt(
  { path: socket, check }: CheckedSocket,
  how: CheckedTmux,
): Promise<TmuxServer | TmuxFailure> {
  const separator = freshSeparator();
  const format = recordFormat(SERVER_FIELDS, separator);
  const commands = [['display-message', '-p', format]];
  const answer = await ask({ socket, check, commands, idempotent: true }, how);
  if (!answer.ok) return answer.failure;
  if (answer.status !== 0) return commandFailure(socket, answer);
  const record = parseRecords(answer.stdout.toString('utf8'), SERVER_FIELDS, separator)?.records[0];
  return (record && serverOf(record, socket, answer)) ?? brokenAnswer(socket, answer.way);
}

/**
 * The tmux servers of this user: those in TMUX, in the folders of tmux and, from the process table, those that listen
 * elsewhere. Only sockets that belong to this user, in folders in which nobody else can replace them, are talked to;
 * `refused` names the others.
 *
 * Rejects with OptionError, or LoadError when no binary of procscope loads.
 */
export async function tmuxServers(options: ServersOptions = {}): Promise<TmuxServers> {
  const how = checkTmux(options, SEARCH_OPTIONS);
  const search = await searchSockets(checkSearch(options), how.look);
  const answers = await Promise.all(search.sockets.map((found) => serverAt(found, how)));
  const servers: TmuxServer[] = [];
  const absent: string[] = [];
  const failed: TmuxFailure[] = [];
  for (const answer of answers) {
    if (!('kind' in answer)) {
      if (!servers.some((known) => sameServer(known, answer))) servers.push(answer);
    } else if (answer.kind === 'no-server') absent.push(answer.fault.path);
    else failed.push(answer);
  }
  return { servers, absent, failed, refused: search.refused, faults: search.faults };
}

/** @throws OptionError */
export function checkClock(now: unknown): () => number {
  if (now === undefined) return Date.now;
  if (typeof now !== 'function') throw new OptionError('now', 'must be a function');
  return now as () => number;
}
