import { type Kind, known, numberAt } from './kind.js';

/** Programs, maps, links and iterators of bpf(2). */
export const bpf: Kind = {
  name: 'bpf',
  fits: (link) => /^anon_inode:\[?bpf/.test(link),
  details: (_, info) =>
    known({
      program: numberAt(info, 'prog_id'),
      map: numberAt(info, 'map_id'),
      link: numberAt(info, 'link_id'),
    }),
};
