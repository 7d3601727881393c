import { type Kind, known } from './kind.js';

/** Any other file without a place: kvm, dma-buf, seccomp, landlock ... */
export const otherAnonymous: Kind = {
  name: 'anon_inode',
  fits: (link) => link.startsWith('anon_inode:'),
  details: (link) => known({ name: /^anon_inode:\[?(.*?)\]?$/s.exec(link)?.[1] }),
};
