import { joinPath } from '../path.js';
import { reported } from '../source.js';
import {
  jsonLine,
  type LinesRule,
  mark,
  objectOf,
  type TurnCandidate,
  type TurnMark,
  type TurnPlace,
} from './turn.js';

const ENDS = ['end_turn', 'stop_sequence', 'max_tokens', 'refusal'];
/** What a command of the prompt itself leaves behind: no turn of the model. */
const LOCAL = /^\s*<(?:local-command-|command-|bash-)/;
const INTERRUPTED = /^\s*\[Request interrupted by user/;
/** Longer folder names end with a hash that is not known. */
const LONGEST_PROJECT = 200;

function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  const first = Array.isArray(content) ? objectOf(content[0]) : {};
  return first['type'] === 'text' && typeof first['text'] === 'string' ? first['text'] : null;
}

function userMark(content: unknown, at: unknown): TurnMark | null {
  const text = textOf(content);
  if (text !== null && INTERRUPTED.test(text)) return mark('idle', 'interrupted', at, { boundary: true });
  if (text !== null && LOCAL.test(text)) return null;
  return text === null ? mark('busy', 'tool_result', at) : mark('busy', 'user', at, { boundary: true });
}

function read(line: string): TurnMark | null {
  const record = jsonLine(line);
  // Sub-agents write into the same file, and so does the program itself.
  if (record === null || record['isSidechain'] === true || record['isMeta'] === true) return null;
  const { content, stop_reason: stop } = objectOf(record['message']);
  const at = record['timestamp'];
  if (record['type'] === 'user') return userMark(content, at);
  if (record['type'] !== 'assistant') return null;
  // A message comes in parts, of which only the last has its end.
  if (stop === null || stop === undefined || stop === 'tool_use')
    return mark('busy', stop ?? 'assistant', at);
  const ended = typeof stop === 'string' && ENDS.includes(stop);
  return mark(ended ? 'idle' : 'unknown', stop, at);
}

function candidates({ home, sessionId, cwd }: TurnPlace): TurnCandidate[] {
  const project = cwd?.replace(/[^A-Za-z0-9]/g, '-');
  if (project === undefined || project.length > LONGEST_PROJECT) return [];
  return [{ path: joinPath(home, 'projects', project, `${sessionId}.jsonl`) }];
}

export const claudeTranscript: LinesRule = {
  what: 'transcript',
  file: '`projects/<cwd>/<id>.jsonl`, where no record tells the status',
  needles: ['"user"', '"assistant"'],
  read,
  candidates,
  source: reported('transcripts as public readers of them take them', null, '2026-11-30'),
};
