import { type Kind, ofType, TYPE } from './kind.js';

export const block: Kind = { name: 'block', fits: ofType(TYPE.block) };
