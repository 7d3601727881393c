import { anonymous, type Kind } from './kind.js';

export const ioUring: Kind = { name: 'io_uring', fits: anonymous('io_uring') };
