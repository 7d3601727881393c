import { measured } from '../source.js';
import type { EngineScreen } from './screen.js';

const SEEN = measured('its screens with a model that answers by rote', '0.74.2', '2026-12-01');
const EDGE = /^─{20,}$/;
/** The last line: what was used of the context, and the model. */
const USED = /\d\.\d%\/\d{1,6}[kM]?\s/;
/** Lists stand between the edges of the prompt. They are indented; what the user writes there is not. */
const KEYS = /^\s+(?:↑↓ navigate {2}enter select\b|.* · Esc to cancel$)/;

export const pi: EngineScreen = {
  engine: 'pi',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/^\s+Select authentication method:/, KEYS],
      region: 40,
      above: EDGE,
      below: EDGE,
      last: USED,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [KEYS],
      region: 40,
      above: EDGE,
      below: EDGE,
      last: USED,
      source: SEEN,
    },
  ],
  rest: [
    { value: 'busy', all: [/^\s[\u2801-\u28ff]\s\S/], region: 7, last: USED, source: SEEN },
    {
      // An empty prompt, and no spinner above it.
      value: 'idle',
      all: [EDGE, EDGE, /^(?:~|\/|\p{L}:\\)/u, USED],
      together: true,
      not: [/^\s*[\u2801-\u28ff]/],
      region: 6,
      source: SEEN,
    },
  ],
  titles: [],
};
