import { joinPath } from '../path.js';
import { plainText } from '../record.js';
import { reported } from '../source.js';
import { jsonLine, type LinesRule, mark, objectOf, type TurnMark } from './turn.js';

type Data = Readonly<Record<string, unknown>>;
type Event = (data: Data, type: string, at: unknown) => TurnMark | null;

const begins: Event = (_, type, at) => mark('busy', type, at, { boundary: true });
const works: Event = (_, type, at) => mark('busy', type, at);
const ends: Event = (_, type, at) => mark('idle', type, at, { boundary: true });

const asks =
  (what: string): Event =>
  ({ requestId, permissionRequest }, type, at) => {
    const kind = plainText(objectOf(permissionRequest)['kind'], 64);
    const waitingFor = kind === null ? what : `${what}: ${kind}`;
    const id = plainText(requestId, 128);
    return mark('waiting', type, at, { waitingFor, ...(id === null ? {} : { asks: id }) });
  };

const answers: Event = ({ requestId }, type, at) => {
  const id = plainText(requestId, 128);
  return mark('busy', type, at, id === null ? {} : { answers: id });
};

/** One turn of the model of several may end while its tools are still to run: the message before it tells. */
const says: Event = ({ toolRequests }, type, at) =>
  Array.isArray(toolRequests) && toolRequests.length > 0
    ? mark('busy', `${type} with tools`, at)
    : mark('idle', type, at);

const EVENTS: Readonly<Record<string, Event>> = {
  'user.message': begins,
  'assistant.turn_start': works,
  'assistant.message': says,
  'tool.execution_start': works,
  'tool.execution_complete': works,
  'permission.requested': asks('permission'),
  'permission.completed': answers,
  'user_input.requested': asks('an answer'),
  'user_input.completed': answers,
  'elicitation.requested': asks('an answer'),
  'elicitation.completed': answers,
  'session.idle': ends,
  'session.task_complete': ends,
  'session.shutdown': ends,
  'session.error': ends,
  abort: ends,
};

function read(line: string): TurnMark | null {
  const record = jsonLine(line);
  const type = record?.['type'];
  // An event of a sub-agent: its turns are not those of the session.
  if (record === null || typeof type !== 'string' || plainText(record['agentId']) !== null) return null;
  const event = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  return event?.(objectOf(record['data']), type, record['timestamp']) ?? null;
}

export const copilotEvents: LinesRule = {
  what: 'transcript',
  file: '`session-state/<id>/events.jsonl`',
  needles: Object.keys(EVENTS).map((type) => JSON.stringify(type)),
  read,
  candidates: ({ home, sessionId }) => [{ path: joinPath(home, 'session-state', sessionId, 'events.jsonl') }],
  source: reported('events.jsonl as public readers of it take it', null, '2026-11-30'),
};
