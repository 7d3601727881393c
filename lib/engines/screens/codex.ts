import { measured, reported } from '../source.js';
import { type EngineScreen, marksOf } from './screen.js';

const DATE = '2026-11-30';
const INTERSTITIALS = reported('captures of the screens before the first turn', '0.146.0', DATE);
const MEASURED = measured('the screen and the title of a running turn and after it', '0.171.0', DATE);
const SEEN = measured('its screens and titles with a model that answers by rote', '0.171.0', '2026-12-01');

export const codex: EngineScreen = {
  engine: 'codex',
  marks: marksOf('›>'),
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*Would you like to (?:run|make|grant|allow) .*\?/],
      region: 30,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/^\s*(?:Do you trust the contents of this directory|Trust this folder)\?/],
      region: 20,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/^\s*(?:Choose how you want to use Codex\.|Sign in another way)$/],
      region: 20,
      list: true,
      source: SEEN,
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
      all: [/^[\s│]*(?:tab to add notes \| )?(?:press )?enter (?:to )?(?:confirm|continue|select|submit)\b/i],
      region: 2,
      source: SEEN,
    },
  ],
  rest: [
    {
      value: 'busy',
      all: [/^[•◦]\s\S[^(]*\(\d[^()]* • esc to interrupt\)/],
      // Below an answer that quotes such a line.
      not: [/^\s+Worked for /],
      region: 8,
      source: SEEN,
    },
    // Streaming text shows the same lines: an open turn in the rollout says better, and comes first.
    { value: 'idle', all: [/^\s*(?:\S.* · )?\? for shortcuts/], region: 2, source: MEASURED },
    { value: 'idle', all: [/^›\s+Ask Codex to do anything$/], region: 3, source: SEEN },
  ],
  titles: [
    { value: 'waiting', title: /^\[ [.!] \] Action Required\b/, source: SEEN },
    { value: 'busy', title: /^\s*[\u2801-\u28ff]/u, source: MEASURED },
  ],
};
