import { reported } from '../source.js';
import type { EngineScreen } from './screen.js';

const SEEN = reported('captures of its screen in public rules and tests', null, '2026-11-30');

export const agy: EngineScreen = {
  engine: 'agy',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/requesting permission for:/i, /do you want to proceed\?|tab amend/i],
      region: 16,
      source: SEEN,
    },
  ],
  rest: [{ value: 'busy', all: [/^\s*[\u2801-\u28ff]+\s+\p{L}+ing\b/u], region: 10, source: SEEN }],
  titles: [],
};
