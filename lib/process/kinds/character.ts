import { type Kind, ofType, TYPE } from './kind.js';

export const character: Kind = { name: 'character', fits: ofType(TYPE.character) };
