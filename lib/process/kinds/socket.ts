import { inodeIn, type Kind, known } from './kind.js';

/** A socket; its inode number finds it in the socket tables. */
export const socket: Kind = {
  name: 'socket',
  fits: (link) => link.startsWith('socket:['),
  details: (link) => known({ inode: inodeIn(link) }),
};
