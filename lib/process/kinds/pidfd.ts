import { anonymous, type Kind, known, numberAt } from './kind.js';

const isAnonymous = anonymous('pidfd');

/** pidfd_open(2). Kernels since 6.9 give it a file system of its own. */
export const pidfd: Kind = {
  name: 'pidfd',
  fits: (link) => isAnonymous(link) || link.startsWith('pidfd:['),
  /** The process that it names; -1 = it has ended, 0 = it is in another pid namespace. */
  details: (_, info) => known({ pid: numberAt(info, 'Pid') }),
};
