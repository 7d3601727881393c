import { type Kind, ofType, TYPE } from './kind.js';

export const directory: Kind = { name: 'directory', fits: ofType(TYPE.directory) };
