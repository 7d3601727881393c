import { type Fault, OptionError } from '../process/fault.js';
import { ask, commandFailure } from './ask.js';
import type { TmuxFailure } from './failure.js';
import { type CheckedTmux, checkTmux, type TmuxOptions } from './options.js';
import { endOf, isPaneId, type Pane, type PaneSession, paneKey } from './pane.js';
import { freshSeparator, numberIn, numberOf, parseRecords, type RecordOf, recordFormat } from './records.js';
import { brokenAnswer, checkClock, SERVER_FIELDS, sameServer, serverOf, type TmuxServer } from './servers.js';
import { SilentServers } from './silent.js';
import type { SocketRefusal } from './socket-path.js';
import {
  type CheckedSocket,
  checkSearch,
  SEARCH_OPTIONS,
  type SearchOptions,
  searchSockets,
} from './sockets.js';

export interface PanesOptions extends TmuxOptions, SearchOptions {
  /** Which sessions count; a pane that none of them shows is left out. Default: all. */
  readonly sessions?: (session: PaneSession & { readonly socket: string }) => boolean;
  /** The inventory before: panes of a server that cannot be asked now stand as they are in it. */
  readonly previous?: PaneInventory;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A server that was asked and answered. */
export interface RunningPanes {
  readonly state: 'running';
  readonly socket: string;
  readonly server: TmuxServer;
  readonly panes: readonly Pane[];
  /** When it was asked. */
  readonly at: number;
}

/** Nobody listens on the socket: certainly no panes. */
export interface AbsentPanes {
  readonly state: 'absent';
  readonly socket: string;
  readonly panes: readonly [];
  readonly at: number;
}

/** The server could not be asked: its panes are unknown, and those of the inventory before stand. */
export interface FailedPanes {
  readonly state: 'failed';
  readonly socket: string;
  readonly failure: TmuxFailure;
  readonly panes: readonly Pane[];
  /** When `panes` were read; undefined = never. */
  readonly at: number | undefined;
}

export type ServerPanes = RunningPanes | AbsentPanes | FailedPanes;

interface Inventory<S extends ServerPanes> {
  readonly panes: readonly Pane[];
  readonly servers: readonly S[];
  /** Places that were not talked to. */
  readonly refused: readonly SocketRefusal[];
}

/** Every server that there is was asked and answered. */
export interface ReadInventory extends Inventory<RunningPanes | AbsentPanes> {
  readonly state: 'read';
}

/** Everything could be looked at, and no server runs. */
export interface EmptyInventory extends Inventory<AbsentPanes> {
  readonly state: 'empty';
  readonly panes: readonly [];
}

/** A server could not be asked, or a place not be looked at: panes may be missing, and those of failed servers are old. */
export interface FailedInventory extends Inventory<ServerPanes> {
  readonly state: 'failed';
  readonly faults: readonly Fault[];
}

export type PaneInventory = ReadInventory | EmptyInventory | FailedInventory;

const FIELDS = {
  ...SERVER_FIELDS,
  id: 'pane_id',
  rootPid: 'pane_pid',
  sessionId: 'session_id',
  sessionName: 'session_name',
  group: 'session_group',
  attached: 'session_attached',
  windowId: 'window_id',
  windowIndex: 'window_index',
  windowName: 'window_name',
  index: 'pane_index',
  active: 'pane_active',
  cwd: 'pane_current_path',
  title: 'pane_title',
  dead: 'pane_dead',
  exitStatus: 'pane_dead_status',
  exitSignal: 'pane_dead_signal',
  command: 'pane_current_command',
  tty: 'pane_tty',
  width: 'pane_width',
  height: 'pane_height',
  activity: 'window_activity',
} as const;

/** Measured with 3.3a; earlier ones say `session`. */
const NO_SESSION = /^no current (target|session)/;

/** pid_t, as every other number of tmux here, is an int; a terminal has at most so many columns (ioctl_tty(2)). */
const MOST_PID = 2 ** 31 - 1;
const MOST_CELLS = 0xffff;

type PaneRecord = RecordOf<typeof FIELDS>;
type Wanted = NonNullable<PanesOptions['sessions']>;

function sessionOf(record: PaneRecord): PaneSession {
  return {
    id: record.sessionId,
    name: record.sessionName,
    group: record.group === '' ? null : record.group,
    attached: numberOf(record.attached) ?? 0,
    windowIndex: numberOf(record.windowIndex) ?? 0,
  };
}

/** The sessions that show a pane and count, ascending by id: one record each, or more where a window is linked twice. */
function sessionsOf(records: readonly PaneRecord[], socket: string, wanted: Wanted): PaneSession[] {
  const all = records.map(sessionOf).filter((session) => wanted({ ...session, socket }));
  if (all.length < 2) return all;
  const byId = new Map(all.map((session) => [session.id, session]));
  return [...byId.values()].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
}

/** One pane of its records, of which there is one for each session that shows it; null = no session counts. */
function paneOf(records: readonly PaneRecord[], server: TmuxServer, wanted: Wanted): Pane | null | undefined {
  const record = records[0] as PaneRecord;
  const { id, windowId, windowName, cwd, title, command, tty } = record;
  const dead = record.dead === '1';
  // A pane without any program (split-window '') has 0, and counts as dead.
  const rootPid = numberIn(record.rootPid, dead ? 0 : 1, MOST_PID);
  const index = numberIn(record.index, 0, MOST_PID);
  const [width, height] = [numberIn(record.width, 1, MOST_CELLS), numberIn(record.height, 1, MOST_CELLS)];
  if (!isPaneId(id) || rootPid === undefined || index === undefined) return undefined;
  if (width === undefined || height === undefined) return undefined;
  const { socket, pid, start } = server;
  const sessions = sessionsOf(records, socket, wanted);
  const first = sessions.find(({ attached }) => attached > 0) ?? sessions[0];
  if (first === undefined) return null;
  const { exitStatus, exitSignal } = endOf(dead, record.exitStatus, record.exitSignal);
  // All in one literal: an inventory is read often, and objects put together of parts cost more than the answer.
  return {
    key: paneKey(socket, server, id),
    socket,
    server: { pid, start },
    id,
    rootPid,
    sessionId: first.id,
    sessionName: first.name,
    attached: first.attached > 0,
    sessions,
    windowId,
    windowName,
    index,
    active: record.active === '1',
    cwd: cwd === '' ? null : cwd,
    title,
    dead,
    exitStatus,
    exitSignal,
    command,
    tty,
    width,
    height,
    activity: numberOf(record.activity),
  };
}

function panesOf(records: readonly PaneRecord[], server: TmuxServer, wanted: Wanted): Pane[] | undefined {
  const byId = new Map<string, PaneRecord[]>();
  for (const record of records) {
    const known = byId.get(record.id);
    if (known === undefined) byId.set(record.id, [record]);
    else known.push(record);
  }
  const panes = [...byId.values()].map((each) => paneOf(each, server, wanted));
  return panes.includes(undefined) ? undefined : panes.filter((pane): pane is Pane => pane != null);
}

interface Reading {
  readonly how: CheckedTmux;
  readonly wanted: Wanted;
  readonly previous: PaneInventory | undefined;
  readonly now: () => number;
}

async function readServer({ path: socket, check }: CheckedSocket, reading: Reading): Promise<ServerPanes> {
  const { how, wanted, previous, now } = reading;
  const at = now();
  const failed = (failure: TmuxFailure): FailedPanes => {
    const before = previous?.servers.find((server) => server.socket === socket && server.state !== 'absent');
    return { state: 'failed', socket, failure, panes: before?.panes ?? [], at: before?.at };
  };
  // The first record is of the server: one without sessions is told from an answer that was cut.
  const [head, body] = [freshSeparator(), freshSeparator()];
  const commands = [
    ['display-message', '-p', recordFormat(SERVER_FIELDS, head)],
    ['list-panes', '-a', '-F', recordFormat(FIELDS, body)],
  ];
  const answer = await ask({ socket, check, commands, idempotent: true }, how);
  if (!answer.ok) {
    if (answer.failure.kind === 'no-server') return { state: 'absent', socket, panes: [], at };
    return failed(answer.failure);
  }
  const first = parseRecords(answer.stdout.toString('utf8'), SERVER_FIELDS, head);
  const server = first?.records[0] && serverOf(first.records[0], socket, answer);
  // Without any session there is none whose panes could be listed, and that is an error of the command.
  const idle = answer.status !== 0 && first?.rest === '' && NO_SESSION.test(answer.stderr);
  if (answer.status !== 0 && !idle) return failed(commandFailure(socket, answer));
  const listed = first && parseRecords(first.rest, FIELDS, body);
  const found = server && listed?.rest === '' ? panesOf(listed.records, server, wanted) : undefined;
  if (server === undefined || found === undefined) return failed(brokenAnswer(socket, answer.way));
  return { state: 'running', socket, server, panes: found, at };
}

function isFailed(server: ServerPanes): server is FailedPanes {
  return server.state === 'failed';
}

/** A server that was found under two names is one. */
function eachOnce(servers: readonly ServerPanes[]): ServerPanes[] {
  return servers.filter((server, at) => {
    if (server.state !== 'running') return true;
    const same = (other: ServerPanes) => other.state === 'running' && sameServer(other.server, server.server);
    return servers.findIndex(same) === at;
  });
}

/**
 * Every pane of the tmux servers of this user, each server asked once and all at the same time. Reading changes
 * nothing in tmux. `state` tells an inventory that is empty from one that could not be made.
 *
 * Rejects with OptionError, or LoadError when no binary of procscope loads, never for what a server does.
 */
export function panes(options: PanesOptions = {}): Promise<PaneInventory> {
  return panesAgain(options, new SilentServers());
}

/** The same for who asks again and again, and passes the inventory before on: `silent` is what is kept between. */
export async function panesAgain(options: PanesOptions, silent: SilentServers): Promise<PaneInventory> {
  const how = checkTmux(options, [...SEARCH_OPTIONS, 'sessions', 'previous', 'now']);
  const { sessions: wanted = () => true, previous } = options;
  if (typeof wanted !== 'function') throw new OptionError('sessions', 'must be a function');
  if (previous !== undefined && !Array.isArray((previous as Partial<PaneInventory> | null)?.servers)) {
    throw new OptionError('previous', 'must be an inventory of panes()');
  }
  const reading: Reading = { how, wanted, previous, now: checkClock(options.now) };
  const checked = checkSearch(options);
  // A server that was there is asked again, also where whoever told of it cannot be asked now.
  const before = checked.tmuxSockets === undefined ? (previous?.servers ?? []) : [];
  const known = before.filter(({ panes: { length } }) => length > 0).map(({ socket }) => socket);
  const search = await searchSockets(checked, how.look, known);
  const read = (found: CheckedSocket): Promise<ServerPanes> => {
    const stood = previous?.servers.find(({ socket }) => socket === found.path);
    return silent.answer(stood, () => readServer(found, reading));
  };
  const servers = eachOnce(await Promise.all(search.sockets.map(read)));
  return inventoryOf(servers, search.refused, search.faults);
}

function inventoryOf(
  servers: readonly ServerPanes[],
  refused: readonly SocketRefusal[],
  faults: readonly Fault[],
): PaneInventory {
  const all = servers.flatMap((server) => [...server.panes]);
  const answered = servers.filter((server) => !isFailed(server));
  if (answered.length < servers.length || faults.length > 0) {
    return { state: 'failed', panes: all, servers, refused, faults };
  }
  const absent = answered.filter((server) => server.state === 'absent');
  if (absent.length === servers.length) return { state: 'empty', panes: [], servers: absent, refused };
  return { state: 'read', panes: all, servers: answered, refused };
}
