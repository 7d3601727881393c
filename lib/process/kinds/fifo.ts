import { type Kind, ofType, TYPE } from './kind.js';

/** A pipe that has a name in a file system. */
export const fifo: Kind = { name: 'fifo', fits: ofType(TYPE.fifo) };
