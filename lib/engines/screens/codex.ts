import { measured, reported } from '../source.js';
import type { EngineScreen } from './screen.js';

const DATE = '2026-11-30';
const APPROVALS = reported('captures of approval dialogs in public tests', '0.157', DATE);
const INTERSTITIALS = reported('captures of the screens before the first turn', '0.146.0', DATE);
const MEASURED = measured('the screen and the title of a running turn and after it', '0.171.0', DATE);

export const codex: EngineScreen = {
  engine: 'codex',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*Would you like to (?:run|make|grant|allow) .*\?/],
      region: 30,
      list: true,
      source: APPROVALS,
    },
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/Do you trust the contents of this directory\?/],
      region: 14,
      list: true,
      source: INTERSTITIALS,
    },
    {
      value: 'waiting',
      waitingFor: 'update',
      all: [/Update available!/],
      region: 12,
      list: true,
      source: INTERSTITIALS,
    },
    {
      value: 'waiting',
      waitingFor: 'hooks',
      all: [/Hooks need review/],
      region: 12,
      list: true,
      source: INTERSTITIALS,
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [/^[\s│]*Press enter to (?:confirm|continue|select)\b/i],
      region: 2,
      source: APPROVALS,
    },
  ],
  rest: [
    { value: 'busy', all: [/\besc to interrupt\b/], region: 8, source: MEASURED },
    // Streaming text shows the same line: an open turn in the rollout says better, and comes first.
    { value: 'idle', all: [/\? for shortcuts/], region: 4, source: MEASURED },
  ],
  titles: [{ value: 'busy', title: /^\s*[\u2801-\u28ff]/u, source: MEASURED }],
};
