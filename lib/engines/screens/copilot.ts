import { measured } from '../source.js';
import type { EngineScreen } from './screen.js';

const SEEN = measured('its screens with a model that answers by rote', '1.0.102', '2026-12-01');
/** Edges of the prompt; below the lower one is a line of keys. */
const EDGE = /^─{20,}$/;
const KEYS = /^[\s│]*(?:↑\/↓ to navigate|enter to select|shift\+tab group)\b/;

export const copilot: EngineScreen = {
  engine: 'copilot',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/^[\s│]*Confirm folder trust\b/],
      region: 24,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*Do you want to .*\?/, KEYS],
      region: 16,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/^[\s│]*What account do you want to log into\?/],
      region: 8,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    { value: 'waiting', waitingFor: 'question', all: [KEYS], region: 3, below: EDGE, source: SEEN },
  ],
  rest: [
    {
      value: 'busy',
      all: [/^\s*[○◌◍◎●◉]\s+\p{Lu}\p{L}+\b.*\besc\b/u],
      region: 3,
      below: EDGE,
      source: SEEN,
    },
    // A turn shows its spinner here instead, and a dialog its own keys.
    { value: 'idle', all: [/^\s*←\s.*\s\/ commands\b/], region: 3, below: EDGE, source: SEEN },
  ],
  titles: [],
};
