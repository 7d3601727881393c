import { isBelow, joinPath } from '../path.js';
import { reported } from '../source.js';
import { jsonLine, type LinesRule, mark, type TurnMark, type TurnPlace } from './turn.js';

const LOG = /[\\/]log[\\/]cli-\d{8}_\d{6}[^\\/]*\.log$/i;

interface LogLine {
  readonly text: string;
  readonly value: TurnMark['value'];
  readonly raw: string;
  readonly waitingFor?: RegExp;
}

// Its times have neither year nor zone: the order of the lines counts.
const LOG_LINES: readonly LogLine[] = [
  {
    text: 'Surfacing tool confirmation',
    value: 'waiting',
    raw: 'tool confirmation',
    waitingFor: /Surfacing tool confirmation: "([\w.-]{1,64})"/,
  },
  { text: 'Surfacing ask_question', value: 'waiting', raw: 'ask_question' },
  { text: 'Responding to tool confirmation', value: 'busy', raw: 'tool confirmation answered' },
  { text: 'Tool confirmation for conversation', value: 'busy', raw: 'tool confirmation answered' },
  { text: 'Forwarding user message to conversation', value: 'busy', raw: 'user message' },
  { text: 'Cancelling conversation', value: 'idle', raw: 'cancelled' },
];

function readLog(line: string): TurnMark | null {
  // `I1002 18:50:52.162814 230 file.go:748] text`: the text may quote anything, so its beginning counts.
  const text = /^[IWEF]\d{4} [\d:.]+ +\d+ [^\]]{1,128}\] (.*)$/.exec(line)?.[1];
  const found = text === undefined ? undefined : LOG_LINES.find((each) => text.startsWith(each.text));
  if (text === undefined || found === undefined) return null;
  const { value, raw, waitingFor } = found;
  const tool = waitingFor?.exec(text)?.[1];
  const what = tool === undefined ? 'an answer' : `permission: ${tool}`;
  return mark(value, raw, null, value === 'waiting' ? { waitingFor: what } : {});
}

/** The log is its standard output: it has it open. */
function logsOf({ home, open }: TurnPlace): { path: string }[] {
  const logs = new Set(open.filter((path) => LOG.test(path) && isBelow(path, home)));
  return logs.size === 1 ? [...logs].map((path) => ({ path })) : [];
}

export const agyLog: LinesRule = {
  what: 'log',
  file: '`log/cli-<time>.log`, which it has open',
  needles: LOG_LINES.map(({ text }) => text),
  read: readLog,
  candidates: logsOf,
  source: reported('lines of its log', null, '2026-11-30'),
};

function readStep(line: string): TurnMark | null {
  const record = jsonLine(line);
  const { status, created_at: at } = record ?? {};
  if (typeof status !== 'string') return null;
  return status === 'WAITING'
    ? mark('waiting', status, at, { waitingFor: 'permission' })
    : // What other steps say of the turn as a whole was never measured.
      mark('unknown', status, at);
}

export const agySteps: LinesRule = {
  what: 'transcript',
  file: '`brain/<id>/.system_generated/logs/transcript.jsonl`',
  needles: ['"status"'],
  read: readStep,
  candidates: ({ home, sessionId }) => [
    { path: joinPath(home, 'brain', sessionId, '.system_generated', 'logs', 'transcript.jsonl') },
  ],
  source: reported('a step that waits for a permission', null, '2026-11-30'),
};
