import { measured } from '../source.js';
import { type EngineScreen, marksOf } from './screen.js';

const SEEN = measured('its screens with a model that answers by rote', '0.15.10', '2026-12-01');
/** A dialog stands where the prompt would. */
const EDGE = /^\s*[╰└]─{20,}[╯┘]$/;
const ASKS = /^\s*[\u2801-\u28ff]\s*Waiting for user confirmation\b/;

export const qwen: EngineScreen = {
  engine: 'qwen',
  marks: marksOf('›>'),
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*(?:Allow execution of\b.*|Apply this change)\?/],
      region: 16,
      last: ASKS,
      list: true,
      source: SEEN,
    },
    // Whatever else it asks of a tool.
    { value: 'waiting', waitingFor: 'permission', all: [ASKS], region: 1, source: SEEN },
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/^[\s│]*Select Authentication Method\b/],
      region: 30,
      last: EDGE,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'setup',
      all: [/^[\s│]*> Select Theme\b/],
      region: 40,
      last: EDGE,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [/^[\s│]*\(?(?:Use )?Enter to select\b/],
      region: 6,
      last: EDGE,
      source: SEEN,
    },
  ],
  rest: [
    // Text of an answer is further from the margin.
    { value: 'busy', all: [/^ {0,2}[\u2801-\u28ff]\s*\S.*\besc to cancel\)$/], region: 8, source: SEEN },
    {
      value: 'idle',
      // The prompt is shown during a turn as well, below a spinner.
      all: [/^>\s+Type your message or @path\/to\/file/],
      not: [/^\s*[\u2801-\u28ff]/],
      region: 8,
      source: SEEN,
    },
  ],
  titles: [],
};
