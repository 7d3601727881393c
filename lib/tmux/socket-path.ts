/** Which sockets are talked to: a server reads what we send, and says what we believe. */
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Fault } from '../process/fault.js';
import type { FileStat, Look, LookAnswer, LookRequest } from '../process/look.js';
import { look as lookAtFiles } from '../process/look-files.js';
import { failureOf, type TmuxFailure } from './failure.js';

export type RefusalReason =
  | 'symlink'
  | 'not-a-socket'
  | 'other-user'
  | 'open-directory'
  | 'path-too-long'
  | 'unreachable';

const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  symlink: 'is a symbolic link',
  'not-a-socket': 'is no socket',
  'other-user': 'belongs to another user',
  'open-directory': 'lies in a directory in which others may put another socket in its place',
  'path-too-long': 'is longer than the address of a socket can be',
  unreachable: 'is where a server listens, but the file is gone',
};

/** A place that is not talked to, and why. */
export interface SocketRefusal {
  readonly path: string;
  readonly reason: RefusalReason;
  readonly message: string;
}

export type SocketCheck =
  | { readonly state: 'usable'; readonly stat: FileStat }
  | { readonly state: 'absent'; readonly fault: Fault }
  | { readonly state: 'refused'; readonly refusal: SocketRefusal }
  /** It could not be looked at. */
  | { readonly state: 'unknown'; readonly fault: Fault };

const TYPE_BITS = 0o170_000;
const SOCKET_TYPE = 0o140_000;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** sun_path of unix(7) with its NUL; macOS has four bytes less. The runtime cuts longer ones and connects elsewhere. */
const MAX_PATH_BYTES = (process.platform === 'linux' ? 108 : 104) - 1;

export const ownUid = (): number | undefined => process.getuid?.();

export function refusalOf(path: string, reason: RefusalReason): SocketRefusal {
  return { path, reason, message: MESSAGES[reason] };
}

function refused(path: string, reason: RefusalReason): SocketCheck {
  return { state: 'refused', refusal: refusalOf(path, reason) };
}

function isOpen({ mode }: FileStat): boolean {
  return (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
}

/** `folders`: that of the socket first, then those above it, as far as they could be looked at. */
function reasonAgainst(
  socket: FileStat,
  folders: readonly [FileStat, ...FileStat[]],
  uid: number,
): RefusalReason | undefined {
  if (socket.kind === 'symlink') return 'symlink';
  if ((socket.mode & TYPE_BITS) !== SOCKET_TYPE) return 'not-a-socket';
  if (socket.uid !== uid) return 'other-user';
  const [{ uid: owner }] = folders;
  const owned = owner === uid || owner === 0;
  // Above it, whose a folder is counts for nothing: in a user namespace root is somebody else.
  return owned && !folders.some(isOpen) ? undefined : 'open-directory';
}

/** A folder and all that are above it. */
function upFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upFrom(above)];
}

/** What has to be looked at to judge sockets of one folder: the folder and all above it, then each of the sockets. */
export function socketLooks(folder: string, names: readonly string[]): LookRequest[] {
  return [
    ...upFrom(folder).map((path) => ({ op: 'stat', path }) as const),
    ...names.map((name) => ({ op: 'stat', path: join(folder, name), follow: false }) as const),
  ];
}

/** The check of each of `names`, of the answers to socketLooks(). */
export function socketChecks(
  folder: string,
  names: readonly string[],
  answers: readonly LookAnswer[],
  uid = ownUid(),
): SocketCheck[] {
  const depth = upFrom(folder).length;
  const folders = answers.slice(0, depth);
  return names.map((name, at) => checkOf(join(folder, name), answers[depth + at], folders, uid));
}

function checkOf(
  path: string,
  socket: LookAnswer | undefined,
  [folder, ...above]: readonly LookAnswer[],
  uid: number | undefined,
): SocketCheck {
  if (uid === undefined) {
    return { state: 'unknown', fault: { kind: 'unsupported', code: 0, call: 'getuid', path } };
  }
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return refused(path, 'path-too-long');
  if (socket?.stat === undefined) {
    const fault = socket?.fault ?? { kind: 'internal', code: 0, call: 'look', path };
    const { ENOENT, ENOTDIR } = constants.errno;
    return { state: fault.code === ENOENT || fault.code === ENOTDIR ? 'absent' : 'unknown', fault };
  }
  if (folder?.stat === undefined) {
    const fault = folder?.fault ?? { kind: 'internal', code: 0, call: 'look', path };
    return { state: 'unknown', fault };
  }
  const folders = [folder.stat, ...above.flatMap(({ stat }) => stat ?? [])] as const;
  const reason = reasonAgainst(socket.stat, folders, uid);
  return reason === undefined ? { state: 'usable', stat: socket.stat } : refused(path, reason);
}

/** Looks at a path without connecting: own socket, in a directory in which nobody else can replace it. */
export async function checkSocket(path: string, look: Look = lookAtFiles): Promise<SocketCheck> {
  const folder = dirname(path);
  const names = [basename(path)];
  // The runtime would look at another file.
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return refused(path, 'path-too-long');
  const [check] = socketChecks(folder, names, await look(socketLooks(folder, names)));
  return check as SocketCheck;
}

/** The failure of a request that a check speaks against; undefined = nothing speaks against it. */
export function failureOfCheck(path: string, check: SocketCheck): TmuxFailure | undefined {
  switch (check.state) {
    case 'usable':
      return undefined;
    case 'refused':
      return failureOf('refused', { path, call: 'lstat', message: `${path} ${check.refusal.message}` });
    case 'absent':
      return {
        ...failureOf('no-server', { path, call: 'lstat', message: `${path} does not exist` }),
        fault: check.fault,
      };
    case 'unknown': {
      const { kind } = check.fault;
      const known = kind === 'denied' || kind === 'timeout' || kind === 'unsupported' ? kind : 'io';
      const message = `${path} could not be looked at`;
      return { ...failureOf(known, { path, call: 'lstat', message }), fault: check.fault };
    }
  }
}
