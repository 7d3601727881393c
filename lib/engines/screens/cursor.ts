import { reported } from '../source.js';
import type { EngineScreen } from './screen.js';

const DATE = '2026-11-30';
const SCREENS = reported('captures of its screen in public tests', '2026.09.26', DATE);

export const cursor: EngineScreen = {
  engine: 'cursor',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/Run this command\?/, /\(y\)/, /\(esc or n\)/],
      region: 16,
      source: SCREENS,
    },
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/Do you trust the contents of this directory\?|Workspace Trust Required/, /Trust this workspace/],
      region: 16,
      source: SCREENS,
    },
  ],
  rest: [
    { value: 'busy', all: [/\bctrl\+c to stop\b/], region: 8, source: SCREENS },
    {
      value: 'busy',
      all: [/^\s*[\u2800-\u28ff]*[\u2801-\u28ff]\s+\p{Lu}\p{L}+/u],
      region: 10,
      source: SCREENS,
    },
    {
      value: 'idle',
      all: [/^[\s│]*(?:→\s*)?(?:Plan, search, build anything|Add a follow-up)/],
      region: 8,
      source: SCREENS,
    },
  ],
  titles: [],
};
