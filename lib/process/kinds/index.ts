import { otherAnonymous } from './anonymous.js';
import { block } from './block.js';
import { bpf } from './bpf.js';
import { character } from './character.js';
import { directory } from './directory.js';
import { epoll } from './epoll.js';
import { eventfd } from './eventfd.js';
import { fanotify } from './fanotify.js';
import { fifo } from './fifo.js';
import { inotify } from './inotify.js';
import { ioUring } from './io-uring.js';
import { type Kind, TYPE } from './kind.js';
import { memfd } from './memfd.js';
import { namespace } from './namespace.js';
import { perf } from './perf.js';
import { pidfd } from './pidfd.js';
import { pipe } from './pipe.js';
import { regular } from './regular.js';
import { signalfd } from './signalfd.js';
import { socket } from './socket.js';
import { timerfd } from './timerfd.js';
import { userfaultfd } from './userfaultfd.js';

/** The one table of kinds; the first that fits decides, so the catch-all comes last. */
export const KINDS: readonly Kind[] = [
  memfd,
  regular,
  directory,
  character,
  block,
  fifo,
  pipe,
  socket,
  eventfd,
  epoll,
  inotify,
  fanotify,
  timerfd,
  signalfd,
  pidfd,
  ioUring,
  userfaultfd,
  perf,
  bpf,
  namespace,
  otherAnonymous,
];

/**
 * The kind of a mapped file. maps shows no type, but only regular files, device nodes and what the kernel names
 * itself can be mapped. Undefined in /dev, where both of the first two lie.
 */
export function kindOfMapped(link: string | undefined): Kind | undefined {
  const named = kindOf(link, undefined);
  if (named !== undefined || link === undefined) return named;
  const mayBeDevice = link.startsWith('/dev/') && !link.startsWith('/dev/shm/');
  return mayBeDevice ? undefined : regular;
}

/** Undefined where neither the link nor the mode tells. */
export function kindOf(link: string | undefined, mode: number | undefined): Kind | undefined {
  if (link === undefined) return undefined;
  const type = mode === undefined ? undefined : mode & TYPE.mask;
  return KINDS.find((kind) => kind.fits(link, type));
}
