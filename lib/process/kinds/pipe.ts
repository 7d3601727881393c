import { inodeIn, type Kind, known } from './kind.js';

/** An end of pipe(2). Both ends, and every descriptor that shares them, have one inode number. */
export const pipe: Kind = {
  name: 'pipe',
  fits: (link) => link.startsWith('pipe:['),
  details: (link) => known({ inode: inodeIn(link) }),
};
