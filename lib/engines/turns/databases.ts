import { joinPath } from '../path.js';
import { reported } from '../source.js';
import { type DatabaseRule, jsonLine, mark, objectOf, type TurnMark } from './turn.js';

type Row = Readonly<Record<string, unknown>>;

// Of a longer text nothing comes at all: half of it would be no JSON.
const DATA = 'CASE WHEN length(data) <= 262144 THEN data END AS data';

function readMessage({ data }: Row): TurnMark | null {
  const message = typeof data === 'string' ? jsonLine(data) : null;
  if (message === null) return null;
  const time = objectOf(message['time']);
  const { role, error, finish } = message;
  if (role === 'user') return mark('busy', role, time['created']);
  if (role !== 'assistant') return null;
  if (error !== null && error !== undefined)
    return mark('idle', 'error', time['completed'] ?? time['created']);
  const completed = time['completed'];
  if (typeof completed !== 'number') return mark('busy', 'not completed', time['created']);
  // The next message of the same turn is on its way.
  if (finish === 'tool-calls') return mark('busy', finish, completed);
  return mark('idle', typeof finish === 'string' ? finish : 'completed', completed);
}

function messagesIn(file: string): DatabaseRule {
  return {
    what: 'database',
    file: `\`${file}\``,
    candidates: ({ home }) => [{ path: joinPath(home, file) }],
    query: `SELECT ${DATA} FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1`,
    tables: ['message'],
    read: readMessage,
    source: reported('its table of messages', null, '2026-11-30'),
  };
}

export const opencodeMessages = messagesIn('opencode.db');
export const kiloMessages = messagesIn('kilo.db');

const FINISHES: Readonly<Record<string, 'idle' | 'busy'>> = { stop: 'idle', tool_calls: 'busy' };
const SOURCES = ['cli', 'tui'];

function readHermes({ role, finish_reason: finish, timestamp, source }: Row): TurnMark | null {
  // Sessions of messengers run in the gateway, not in this process.
  if (typeof source !== 'string' || !SOURCES.includes(source)) return null;
  const at = typeof timestamp === 'number' ? timestamp * 1_000 : null;
  if (typeof finish === 'string') {
    const value = Object.hasOwn(FINISHES, finish) ? FINISHES[finish] : undefined;
    return mark(value ?? 'unknown', finish, at);
  }
  return role === 'user' || role === 'tool' ? mark('busy', role, at) : mark('unknown', role, at);
}

export const hermesMessages: DatabaseRule = {
  what: 'database',
  file: '`state.db`',
  candidates: ({ home }) => [{ path: joinPath(home, 'state.db') }],
  query: `SELECT m.role, m.finish_reason, m.timestamp, s.source FROM messages m JOIN sessions s ON s.id = m.session_id
    WHERE m.session_id = ? ORDER BY m.id DESC LIMIT 1`,
  tables: ['messages', 'sessions'],
  read: readHermes,
  source: reported('NousResearch/hermes-agent, its state store', null, '2026-11-30'),
};
