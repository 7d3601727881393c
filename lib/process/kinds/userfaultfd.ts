import { anonymous, type Kind } from './kind.js';

export const userfaultfd: Kind = { name: 'userfaultfd', fits: anonymous('userfaultfd') };
