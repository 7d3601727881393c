/** Engines of whose screens little is known: what stands here was seen, and all else is unknown. */
import { reported } from '../source.js';
import type { EngineScreen } from './screen.js';

const DATE = '2026-11-30';
const seen = (version: string | null) =>
  reported('captures of its screen in public rules and tests', version, DATE);

export const agy: EngineScreen = {
  engine: 'agy',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/requesting permission for:/i, /do you want to proceed\?|tab amend/i],
      region: 16,
      source: seen(null),
    },
  ],
  rest: [{ value: 'busy', all: [/^\s*[\u2801-\u28ff]+\s+\p{L}+ing\b/u], region: 10, source: seen(null) }],
  titles: [],
};

export const opencode: EngineScreen = {
  engine: 'opencode',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/△ Permission required/],
      region: 16,
      source: seen(null),
    },
    {
      value: 'waiting',
      waitingFor: 'question',
      all: [/\benter (?:confirm|submit|toggle)\b/, /\besc dismiss\b/],
      region: 3,
      source: seen(null),
    },
  ],
  rest: [{ value: 'busy', all: [/\besc (?:again to |to )?interrupt\b/], region: 4, source: seen(null) }],
  titles: [],
};

export const gemini: EngineScreen = {
  engine: 'gemini',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'permission',
      all: [/Allow execution of:|Apply this change\?/],
      region: 16,
      list: true,
      source: seen(null),
    },
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/Do you trust (?:the files in )?this folder\?/],
      region: 16,
      list: true,
      source: seen(null),
    },
  ],
  rest: [],
  titles: [],
};

export const copilot: EngineScreen = {
  engine: 'copilot',
  dialogs: [
    {
      value: 'waiting',
      waitingFor: 'trust',
      all: [/Confirm folder trust/],
      region: 20,
      list: true,
      source: seen(null),
    },
  ],
  rest: [],
  titles: [],
};
