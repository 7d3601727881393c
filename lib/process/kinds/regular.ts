import { type Kind, ofType, TYPE } from './kind.js';

export const regular: Kind = { name: 'file', fits: ofType(TYPE.regular) };
