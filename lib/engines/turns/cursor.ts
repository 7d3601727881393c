import { joinPath } from '../path.js';
import { reported } from '../source.js';
import { jsonLine, type LinesRule, mark, type TurnCandidate, type TurnMark, type TurnPlace } from './turn.js';

function read(line: string): TurnMark | null {
  const record = jsonLine(line);
  if (record === null) return null;
  const { type, role, status } = record;
  if (type === 'turn_ended') {
    // Only the end of a turn that went well has been seen.
    const raw = typeof status === 'string' ? `turn_ended ${status}` : 'turn_ended';
    return mark(status === 'success' ? 'idle' : 'unknown', raw, record['timestamp'], { boundary: true });
  }
  if (role === 'user') return mark('busy', role, record['timestamp'], { boundary: true });
  return role === 'assistant' ? mark('busy', role, record['timestamp']) : null;
}

/** The folder of a project is its path with the separators turned to `-`; what becomes of other signs is not known. */
function projectsOf(cwd: string): string[] {
  const path = cwd.replace(/^[\\/]+/, '').replaceAll(':', '');
  return [...new Set([path.replace(/[\\/]/g, '-'), path.replace(/[^A-Za-z0-9]/g, '-')])];
}

function candidates({ home, sessionId, cwd }: TurnPlace): TurnCandidate[] {
  if (cwd === null) return [];
  return projectsOf(cwd).flatMap((project) => {
    const folder = joinPath(home, 'projects', project, 'agent-transcripts');
    return [
      { path: joinPath(folder, sessionId, `${sessionId}.jsonl`) },
      { path: joinPath(folder, `${sessionId}.jsonl`) },
    ];
  });
}

export const cursorTranscript: LinesRule = {
  what: 'transcript',
  file: '`projects/<project>/agent-transcripts/<id>/<id>.jsonl`',
  needles: ['"turn_ended"', '"user"', '"assistant"'],
  read,
  candidates,
  source: reported('a transcript ends with turn_ended after a turn', null, '2026-11-30'),
};
