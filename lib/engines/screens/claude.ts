import { reported } from '../source.js';
import type { EngineScreen } from './screen.js';

const DATE = '2026-11-30';
const GATES = reported('captures of permission dialogs in public issues and tests', '2.1.282', DATE);
const FIRST_RUN = reported('captures of the first screens in public scripts', '2.1.31', DATE);

export const claude: EngineScreen = {
  engine: 'claude',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/trust (?:the files in )?this folder|project you created or one you trust/i],
      region: 20,
      list: true,
      source: FIRST_RUN,
    },
    {
      value: 'waiting',
      waitingFor: 'plan',
      all: [/^[\s│]*Would you like to proceed\?/],
      region: 12,
      list: true,
      source: GATES,
    },
    {
      // The question and its answers differ by tool, and the second answer by folder: only this much is common.
      value: 'waiting',
      waitingFor: 'permission',
      all: [/^[\s│]*Do you want to .*\?\s*│?$/],
      region: 14,
      list: true,
      source: GATES,
    },
    {
      value: 'waiting',
      waitingFor: 'login',
      all: [/Select login method:/],
      region: 20,
      list: true,
      source: FIRST_RUN,
    },
    {
      value: 'waiting',
      waitingFor: 'setup',
      all: [/Choose the text style that looks best/],
      region: 40,
      list: true,
      source: FIRST_RUN,
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [/Enter to (?:select|confirm)\b/],
      region: 3,
      list: true,
      source: GATES,
    },
    {
      value: 'waiting',
      waitingFor: 'continue',
      all: [/^[\s│]*Press Enter to continue/],
      region: 2,
      source: FIRST_RUN,
    },
  ],
  rest: [
    {
      value: 'busy',
      all: [/\besc to interrupt\b/],
      region: 8,
      source: reported('the line of a running turn', null, DATE),
    },
  ],
  titles: [],
};
