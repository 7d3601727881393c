/** Where servers of this user may listen. */
import { constants, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type Fault, OptionError } from '../process/fault.js';
import type { Look } from '../process/look.js';
import { look as lookAtFiles } from '../process/look-files.js';
import { snapshotAsync } from '../process/snapshot.js';
import { sockets } from '../process/sockets.js';
import { socketOf } from './options.js';
import {
  ownUid,
  refusalOf,
  type SocketCheck,
  type SocketRefusal,
  socketChecks,
  socketLooks,
} from './socket-path.js';

/** Who told of a socket: the caller, TMUX or TMUX_TMPDIR, the folder of the user, a running server. */
export type SocketOrigin = 'given' | 'TMUX' | 'directory' | 'process';

export interface TmuxSocket {
  /** With every symbolic link of its folder resolved. */
  readonly path: string;
  readonly from: SocketOrigin;
}

export interface CheckedSocket extends TmuxSocket {
  /** Of a moment ago. */
  readonly check: SocketCheck;
}

export interface SocketSearch {
  /** Sockets to ask: those that the caller named, and such as may be talked to, of which most may be left over. */
  readonly sockets: readonly CheckedSocket[];
  readonly refused: readonly SocketRefusal[];
  /** What could not be looked at: there may be more servers. */
  readonly faults: readonly Fault[];
}

export interface SearchOptions {
  /** Only these sockets, instead of looking for them. */
  readonly tmuxSockets?: readonly string[];
  /** Of TMUX and TMUX_TMPDIR. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the folder of the user lies when TMUX_TMPDIR names none. Default `/tmp`. */
  readonly tmpDir?: string;
  /** Also ask the process table for servers that listen elsewhere (`tmux -S`). Default true. */
  readonly processes?: boolean;
}

export const SEARCH_OPTIONS: readonly (keyof SearchOptions)[] = ['tmuxSockets', 'env', 'tmpDir', 'processes'];

/** Sockets of servers that ended stay behind, so a folder may hold many; each costs a connection that is refused. */
const MAX_SOCKETS = 1_024;
/** The name that a server gives its process (Linux). */
const SERVER_NAME = 'tmux: server';

export interface CheckedSearch {
  readonly tmuxSockets: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tmpDir: string;
  readonly processes: boolean;
}

/** @throws OptionError that names the option */
export function checkSearch(options: SearchOptions): CheckedSearch {
  const { tmuxSockets, env = process.env, tmpDir = '/tmp', processes = true } = options;
  if (tmuxSockets !== undefined && !Array.isArray(tmuxSockets)) {
    throw new OptionError('tmuxSockets', 'must be a list of paths');
  }
  if (typeof env !== 'object' || env === null) throw new OptionError('env', 'must be an object');
  if (typeof processes !== 'boolean') throw new OptionError('processes', 'must be true or false');
  return {
    tmuxSockets: tmuxSockets?.map((path) => socketOf('tmuxSockets', path)),
    env,
    tmpDir: socketOf('tmpDir', tmpDir),
    processes,
  };
}

interface Candidate {
  readonly path: string;
  readonly from: SocketOrigin;
}

class Search {
  readonly #look: Look;
  readonly #faults: Fault[] = [];
  readonly #candidates: Candidate[] = [];

  constructor(look: Look) {
    this.#look = look;
  }

  add(path: string, from: SocketOrigin): void {
    this.#candidates.push({ path: resolve(path), from });
  }

  /** Every entry of a folder of tmux. Its locks are no sockets, and a folder that is not there holds none. */
  async addFolder(folder: string, from: SocketOrigin): Promise<void> {
    const [answer] = await this.#look([{ op: 'list', path: folder, maxEntries: MAX_SOCKETS }]);
    const fault = answer?.fault;
    // No folder, no sockets: also where TMUX_TMPDIR leads through something that is none.
    const none = fault?.kind === 'gone' || fault?.code === constants.errno.ENOTDIR;
    if (fault !== undefined && !none) this.#faults.push(fault);
    if (answer?.truncated) this.#faults.push({ kind: 'limit', code: 0, call: 'readdir', path: folder });
    for (const { name } of answer?.entries ?? []) {
      if (!name.endsWith('.lock')) this.add(join(folder, name), from);
    }
  }

  /** Sockets on which processes of this user listen that are named as servers are. */
  async addServers(uid: number): Promise<void> {
    const table = await snapshotAsync();
    const named = [...table].filter((row) => row.name === SERVER_NAME).map(({ pid }) => pid);
    const servers = await snapshotAsync({ fields: ['uid'], pids: named });
    this.#faults.push(...table.faults, ...servers.faults);
    const pids = [...servers].filter((row) => row.uid === uid).map(({ pid }) => pid);
    if (pids.length === 0) return;
    const listening = await sockets({ kinds: ['unix'], states: ['LISTEN'], pids });
    this.#faults.push(...listening.faults.filter((fault) => fault.kind !== 'gone'));
    const paths = [...listening].map(({ path }) => path).filter((path) => path?.startsWith('/'));
    for (const path of new Set(paths)) this.add(path as string, 'process');
  }

  async finish(): Promise<SocketSearch> {
    const checked = await this.#checked();
    const usable: CheckedSocket[] = [];
    const refused: SocketRefusal[] = [];
    const seen = new Set<string>();
    for (const candidate of checked) {
      const { path, from, check } = candidate;
      const given = from === 'given';
      if (check.state === 'refused') refused.push(check.refusal);
      if (check.state === 'unknown' && !given) this.#faults.push(check.fault);
      if (check.state === 'absent' && from === 'process') refused.push(refusalOf(path, 'unreachable'));
      // What the caller names has an answer of its own, also where it is not talked to.
      const file = check.state === 'usable' ? `${check.stat.dev} ${check.stat.ino}` : path;
      if ((given || check.state === 'usable') && !seen.has(file)) usable.push(candidate);
      seen.add(file);
    }
    return { sockets: usable, refused, faults: this.#faults };
  }

  /** Each path once, with the links of its folder resolved: one server has one name then. */
  async #checked(): Promise<CheckedSocket[]> {
    const byFolder = new Map<string, Candidate[]>();
    for (const candidate of this.#candidates) {
      const folder = dirname(candidate.path);
      const known = byFolder.get(folder);
      if (known === undefined) byFolder.set(folder, [candidate]);
      else known.push(candidate);
    }
    const folders = await Promise.all([...byFolder].map(([folder, inIt]) => this.#folder(folder, inIt)));
    // In the order in which they were told of, which says whose word counts.
    const order = new Map(this.#candidates.map((candidate, at) => [candidate, at]));
    const all = folders.flat().sort((a, b) => (order.get(a.of) ?? 0) - (order.get(b.of) ?? 0));
    const byPath = new Map<string, CheckedSocket>();
    for (const { path, check, of } of all) if (!byPath.has(path)) byPath.set(path, { ...of, path, check });
    const each = [...byPath.values()];
    if (each.length > MAX_SOCKETS) {
      this.#faults.push({ kind: 'limit', code: 0, call: 'tmux', path: each[MAX_SOCKETS]?.path ?? '' });
    }
    return each.slice(0, MAX_SOCKETS);
  }

  /** One look where no link has to be followed, which is nearly always. */
  async #folder(folder: string, candidates: readonly Candidate[]) {
    const names = candidates.map(({ path }) => basename(path));
    const [real, ...answers] = await this.#look([
      { op: 'realpath', path: folder },
      ...socketLooks(folder, names),
    ]);
    const at = real?.realpath ?? folder;
    const looked = at === folder ? answers : await this.#look(socketLooks(at, names));
    const checks = socketChecks(at, names, looked);
    return candidates.map((of, index) => ({
      of,
      path: join(at, names[index] as string),
      check: checks[index] as SocketCheck,
    }));
  }
}

/** The sockets of this user, as far as they can be told without connecting. */
export async function searchSockets(
  search: CheckedSearch,
  look: Look = lookAtFiles,
  further: readonly string[] = [],
): Promise<SocketSearch> {
  const found = new Search(look);
  const uid = ownUid();
  if (uid === undefined) {
    const path = userInfo().homedir;
    return { sockets: [], refused: [], faults: [{ kind: 'unsupported', code: 0, call: 'getuid', path }] };
  }
  for (const path of [...(search.tmuxSockets ?? []), ...further]) found.add(path, 'given');
  if (search.tmuxSockets !== undefined) return found.finish();
  const { TMUX: own, TMUX_TMPDIR: folder } = search.env;
  const socket = own?.split(',', 1)[0];
  if (socket?.startsWith('/')) found.add(socket, 'TMUX');
  const folders = new Set([...(folder?.startsWith('/') ? [folder] : []), search.tmpDir]);
  for (const each of folders) await found.addFolder(join(each, `tmux-${uid}`), 'directory');
  if (search.processes) await found.addServers(uid);
  return found.finish();
}
