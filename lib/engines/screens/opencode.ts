import { measured } from '../source.js';
import type { EngineScreen } from './screen.js';

const SEEN = measured('its screens with a model that answers by rote', '1.18.33', '2026-12-01');

export const opencode: EngineScreen = {
  engine: 'opencode',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      // The head of the dialog may be a long change away.
      all: [/^[\s┃]*Allow once\s+Allow always\s+Reject\b/],
      region: 3,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [/\benter (?:confirm|submit|toggle)\b/, /\besc dismiss\b/],
      region: 3,
      source: SEEN,
    },
  ],
  rest: [
    {
      value: 'busy',
      all: [/^\s*(?:\S+\s+)?esc (?:again to |to )?interrupt\b/],
      region: 2,
      source: SEEN,
    },
    {
      // Where a turn shows its bar, the folder stands again.
      value: 'idle',
      all: [/^\s*(?:~|\/|\p{L}:\\).*\sctrl\+p commands$/u],
      // The head of a dialog that lies over the middle of the screen.
      not: [/\s{10}esc$/, /\s{10}esc\s{10}/],
      region: 200,
      source: SEEN,
    },
    {
      value: 'idle',
      all: [/^[\s┃]*Ask anything…/, /\sctrl\+p commands$/],
      not: [/\s{10}esc$/, /\s{10}esc\s{10}/],
      region: 12,
      source: SEEN,
    },
  ],
  titles: [],
};
