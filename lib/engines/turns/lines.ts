/**
 * Lines out of a file that is read piece by piece. Wherever the pieces are cut, the same lines come out:
 * half a line waits for its other half, and one that grows too long is passed over, which is counted.
 */
import { type LinesRule, NO_TURN, type TurnState, withMark } from './turn.js';

/** A longer line is not read; whether it could have said something is told by its beginning. */
export const LONGEST_LINE = 256 * 1024;
const HEAD = 4 * 1024;

const NEWLINE = 0x0a;

export interface LineState {
  readonly turn: TurnState;
  /** The beginning of a line whose end has not come; of one that is passed over its first bytes. */
  readonly rest: Buffer;
  /** Bytes of a line that is being passed over; 0 = none is. */
  readonly passing: number;
}

export const NO_LINES: LineState = { turn: NO_TURN, rest: Buffer.alloc(0), passing: 0 };

const says = (line: Buffer, needles: readonly Buffer[]): boolean =>
  needles.some((needle) => line.includes(needle));

interface Line {
  /** All of it, or its beginning where it is too long. */
  readonly bytes: Buffer;
  readonly length: number;
}

function withLine(
  turn: TurnState,
  { bytes, length }: Line,
  rule: LinesRule,
  needles: readonly Buffer[],
): TurnState {
  if (length > LONGEST_LINE)
    return says(bytes.subarray(0, HEAD), needles) ? { ...turn, skipped: length } : turn;
  if (!says(bytes, needles)) return turn;
  const mark = rule.read(bytes.toString('utf8').trimEnd());
  return mark === null ? turn : withMark(turn, mark);
}

/** The line so far. Always a copy: what it is a part of may be much larger, and would live as long. */
function grown({ rest, passing }: LineState, part: Buffer): Line {
  const length = (passing > 0 ? passing : rest.length) + part.length;
  if (passing > 0 && rest.length >= HEAD) return { bytes: rest, length };
  const most = length > LONGEST_LINE ? HEAD : LONGEST_LINE;
  return { bytes: Buffer.concat([rest, part.subarray(0, most)]).subarray(0, most), length };
}

/** The lines of one more piece. */
export function withPiece(before: LineState, piece: Buffer, rule: LinesRule): LineState {
  const needles = rule.needles.map((needle) => Buffer.from(needle));
  let state = before;
  for (let from = 0; ; ) {
    const end = piece.indexOf(NEWLINE, from);
    const part = piece.subarray(from, end < 0 ? piece.length : end);
    const whole = state.rest.length === 0 && end >= 0 && part.length <= LONGEST_LINE;
    const line = whole ? { bytes: part, length: part.length } : grown(state, part);
    if (end < 0) {
      const passing = line.length > LONGEST_LINE ? line.length : 0;
      return { turn: state.turn, rest: line.bytes, passing };
    }
    state = { ...NO_LINES, turn: withLine(state.turn, line, rule, needles) };
    from = end + 1;
  }
}

/** `piece` begins amid a file: what stands before its first newline is the end of a line. */
export function withoutHalfLine(piece: Buffer): Buffer {
  const end = piece.indexOf(NEWLINE);
  return end < 0 ? piece.subarray(piece.length) : piece.subarray(end + 1);
}
