import { measured, reported } from '../source.js';
import type { EngineScreen } from './screen.js';

const DATE = '2026-11-30';
const GATES = reported('captures of permission dialogs in public issues and tests', '2.1.282', DATE);
const FIRST_RUN = reported('captures of the first screens in public scripts', '2.1.31', DATE);
const SEEN = measured('its screens and titles with a model that answers by rote', '2.1.197', '2026-12-01');
/** An edge of the prompt, or the upper edge of a dialog that stands in its place. */
const EDGE = /^─{20,}/;

export const claude: EngineScreen = {
  engine: 'claude',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/trust (?:the files in )?this folder|project you created or one you trust/i],
      region: 20,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'plan',
      all: [/^[\s│]*(?:Would you like to proceed|Exit plan mode)\?/],
      region: 12,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/Select login method:|^[\s│]*Do you want to use this API key\?/],
      region: 20,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      // The question and its answers differ by tool, and the second answer by folder: only this much is common.
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*Do you want to .*\?\s*│?$/],
      region: 14,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'setup',
      all: [/Choose the text style that looks best/],
      region: 40,
      below: EDGE,
      list: true,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [/\bEnter to (?:select|confirm)\b|\bEsc to cancel$/],
      region: 3,
      below: EDGE,
      source: SEEN,
    },
    {
      value: 'waiting',
      waitingFor: 'continue',
      all: [/^[\s│]*Press Enter to continue/],
      region: 2,
      below: EDGE,
      source: FIRST_RUN,
    },
  ],
  rest: [
    {
      value: 'busy',
      all: [/^\s*(?:\S.* · )?esc to interrupt(?: ·|\s{2}|$)/],
      region: 3,
      below: EDGE,
      source: SEEN,
    },
    {
      // Where versions before said it: behind the spinner, which alone stands at the margin.
      value: 'busy',
      all: [/^[^\s\p{L}\p{N}❯●]\s+\S[^(]*\([^()]*\besc to interrupt\)/u],
      region: 8,
      source: GATES,
    },
    {
      // A footer is no state, and neither is this title: it is also that of dialogs.
      value: 'idle',
      title: /^✳\s/,
      all: [EDGE, /^❯/, EDGE],
      together: true,
      region: 6,
      source: SEEN,
    },
  ],
  titles: [{ value: 'busy', title: /^[\u2801-\u28ff]\s/, source: SEEN }],
};
