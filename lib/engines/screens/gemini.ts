import { measured } from '../source.js';
import type { EngineScreen } from './screen.js';

const SEEN = measured('its screens and titles with a model that answers by rote', '0.61.0', '2026-12-01');
/** The lower edge of a box. A dialog stands where the prompt would, so its edge is the lowest line. */
const EDGE = /^\s*╰─{20,}╯$/;

export const gemini: EngineScreen = {
  engine: 'gemini',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*(?:Allow execution of\b.*|Apply this change)\?/],
      region: 16,
      last: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/^[\s│]*Do you trust (?:the files in )?this folder\?/],
      region: 20,
      last: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/^[\s│]*(?:How would you like to authenticate\b|Enter Gemini API Key$|Enter Gemini API Key\s)/],
      region: 24,
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
      all: [/^[\s│]*\(?(?:Use |Press )?(?:Enter|Esc) to (?:select|submit|close)\b/],
      region: 6,
      last: EDGE,
      source: SEEN,
    },
  ],
  rest: [
    { value: 'busy', all: [/^\s[\u2801-\u28ff]\s.*\(esc to cancel, \d/], region: 8, source: SEEN },
    {
      value: 'idle',
      // The prompt is shown during a turn as well.
      title: /^◇\s+Ready\b/,
      all: [/^\s*>\s+Type your message or @path\/to\/file/],
      not: [/^\s[\u2801-\u28ff]\s/],
      region: 8,
      source: SEEN,
    },
  ],
  // The title says that it is ready in dialogs that the user opened, too: by itself that is no state.
  titles: [
    { value: 'waiting', title: /^✋\s+Action Required\b/, source: SEEN },
    { value: 'busy', title: /^✦\s/, source: SEEN },
  ],
};
