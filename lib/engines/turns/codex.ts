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
  timeOf,
} from './turn.js';

/** Events that begin or end a turn. Older releases say task, later ones turn. */
const BOUNDARIES: ReadonlyMap<unknown, 'idle' | 'busy'> = new Map([
  ['task_started', 'busy'],
  ['turn_started', 'busy'],
  ['task_complete', 'idle'],
  ['turn_complete', 'idle'],
  ['turn_aborted', 'idle'],
]);

// The call stands in the file before anybody was asked to allow it: an open one is work, never a wait.
const CALLS = [
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'web_search_call',
  'tool_search_call',
];

const ROLLOUT = /(?:^|[\\/])rollout-[^\\/]*\.jsonl(?:\.zst)?$/i;
const DAY_MS = 86_400_000;

function read(line: string): TurnMark | null {
  const record = jsonLine(line);
  if (record === null) return null;
  const { type } = objectOf(record['payload']);
  const at = record['timestamp'];
  if (record['type'] === 'event_msg') {
    const value = BOUNDARIES.get(type);
    return value === undefined ? null : mark(value, type, at, { boundary: true });
  }
  const calls = record['type'] === 'response_item' && typeof type === 'string' && CALLS.includes(type);
  return calls ? mark('busy', type, at) : null;
}

/** The day folders in which a thread with this id (UUID version 7: it holds its time) may have begun, anywhere. */
function daysOf(id: string): string[] {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)) return [];
  const at = timeOf(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  if (at === null) return [];
  return [0, -DAY_MS, DAY_MS].map((shift) =>
    new Date(at + shift).toISOString().slice(0, 10).replaceAll('-', '/'),
  );
}

function candidates({ home, sessionId, linkPath }: TurnPlace): TurnCandidate[] {
  if (linkPath !== null && ROLLOUT.test(linkPath)) return [{ path: linkPath }];
  const end = `-${sessionId.toLowerCase()}.jsonl`;
  const name = (text: string): boolean => {
    const lower = text.toLowerCase();
    return lower.startsWith('rollout-') && (lower.endsWith(end) || lower.endsWith(`${end}.zst`));
  };
  return daysOf(sessionId).map((day) => ({ folder: joinPath(home, 'sessions', ...day.split('/')), name }));
}

export const codexRollout: LinesRule = {
  what: 'transcript',
  file: 'the rollout: `sessions/YYYY/MM/DD/rollout-*-<id>.jsonl`',
  needles: [...[...BOUNDARIES.keys()].map(String), ...CALLS].map((word) => JSON.stringify(word)),
  read,
  candidates,
  unreadable: (path) =>
    /\.zst$/i.test(path) ? 'its rollout is archived (.zst), which is not unpacked' : null,
  source: reported('ingo-eichhorst/Irrlicht#453, epilande/ccmux#30', null, '2026-11-30'),
};
