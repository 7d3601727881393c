import { type Kind, known } from './kind.js';

const FORM = /^\/memfd:(.*?)(?: \(deleted\))?$/s;

/** memfd_create(2): the name need not be unique and may hold anything but NUL. */
export const memfd: Kind = {
  name: 'memfd',
  fits: (link) => link.startsWith('/memfd:') && link.endsWith(' (deleted)'),
  details: (link) => known({ name: FORM.exec(link)?.[1] }),
};
