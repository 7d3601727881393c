import { joinPath } from '../path.js';
import { measured } from '../source.js';
import {
  jsonLine,
  type LinesRule,
  mark,
  objectOf,
  type TurnCandidate,
  type TurnMark,
  type TurnPlace,
} from './turn.js';

const STOPS: Readonly<Record<string, 'idle' | 'busy'>> = {
  toolUse: 'busy',
  stop: 'idle',
  length: 'idle',
  error: 'idle',
  aborted: 'idle',
};

function read(line: string): TurnMark | null {
  const record = jsonLine(line);
  if (record?.['type'] !== 'message') return null;
  const message = objectOf(record['message']);
  const { role, stopReason } = message;
  const at = record['timestamp'] ?? message['timestamp'];
  if (role === 'user') return mark('busy', role, at, { boundary: true });
  if (role === 'toolResult') return mark('busy', role, at);
  if (role !== 'assistant') return null;
  const value =
    typeof stopReason === 'string' && Object.hasOwn(STOPS, stopReason) ? STOPS[stopReason] : undefined;
  return mark(value ?? 'unknown', typeof stopReason === 'string' ? stopReason : role, at);
}

/** As pi itself names the folder of a working directory. */
function candidates({ home, sessionId, cwd }: TurnPlace): TurnCandidate[] {
  if (cwd === null) return [];
  const project = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
  const id = sessionId.toLowerCase();
  // The id may be the head of one.
  const name = (text: string): boolean => {
    const [, own] = /_([0-9a-f-]+)\.jsonl$/i.exec(text) ?? [];
    return own?.toLowerCase().startsWith(id) === true;
  };
  return [{ folder: joinPath(home, 'sessions', project), name }];
}

export const piSession: LinesRule = {
  what: 'transcript',
  file: '`sessions/--<cwd>--/<time>_<id>.jsonl`',
  needles: ['"message"'],
  read,
  candidates,
  source: measured('its own session manager and session format', '1.6.0', '2026-11-30'),
};
