/** What becomes of a text before it is pasted. Pure. */
import { OptionError } from '../process/fault.js';

export type TextProblem = 'empty' | 'paste-end' | 'carriage-return' | 'line-end';

export interface TextRules {
  readonly pasteEnd: 'refuse' | 'strip';
  /** Newlines at the end are dropped, as Enter follows. */
  readonly dropTrailing?: boolean;
  /** Of a text that does not go in brackets. */
  readonly carriageReturn?: 'refuse' | 'strip';
  readonly lineEnds?: 'refuse' | 'strip' | 'send';
  /** In brackets whatever it is. Default: where it is long or has several lines, if `carriageReturn` is given. */
  readonly brackets?: boolean;
}

export interface ReadyText {
  readonly bytes: Buffer;
  /** Characters. */
  readonly length: number;
  readonly brackets: boolean;
  /** How many sequences were taken out. */
  readonly stripped: number;
}

/** A text that is longer goes in brackets. */
const LONG = 500;
const MAX_TEXT_BYTES = 16 << 20;
/** ESC [ 201 ~ with either form of CSI that UTF-8 has, as bytes. */
const PASTE_ENDS = ['\x1b[201~', '\xc2\x9b201~'];

/** Takes out every end of a paste, also such as come about by taking one out, in one pass. */
function withoutPasteEnds(text: string): { readonly text: string; readonly count: number } {
  if (!PASTE_ENDS.some((end) => text.includes(end))) return { text, count: 0 };
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  let count = 0;
  for (const byte of Buffer.from(bytes)) {
    bytes[length++] = byte;
    if (byte !== TILDE) continue;
    const end = PASTE_ENDS.find((each) => bytes.toString('latin1', length - each.length, length) === each);
    if (end === undefined) continue;
    length -= end.length;
    count++;
  }
  return { text: bytes.toString('latin1', 0, length), count };
}

const TILDE = 0x7e;

function withoutTrailing(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return text.slice(0, end);
}

function lineRule(
  text: string,
  rules: TextRules,
  brackets: boolean,
): readonly [RegExp, TextProblem] | undefined {
  if (rules.lineEnds !== undefined && rules.lineEnds !== 'send') return [/[\r\n]/g, 'line-end'];
  if (rules.carriageReturn !== undefined && !brackets && text.includes('\r'))
    return [/\r/g, 'carriage-return'];
  return undefined;
}

/** @throws OptionError for what is no text, or too long */
export function textFor(value: unknown, rules: TextRules): ReadyText | TextProblem {
  if (typeof value !== 'string' && !(value instanceof Uint8Array))
    throw new OptionError('text', 'must be a text');
  // One character for each byte: what is no UTF-8 passes through as it is.
  let text = Buffer.from(value as Uint8Array).toString('latin1');
  if (text.length > MAX_TEXT_BYTES)
    throw new OptionError('text', `must have at most ${MAX_TEXT_BYTES} bytes`);
  if (rules.dropTrailing) text = withoutTrailing(text);
  const length =
    typeof value === 'string' ? Buffer.from(text, 'latin1').toString('utf8').length : text.length;
  const several = text.includes('\n');
  const brackets = rules.brackets ?? (rules.carriageReturn !== undefined && (length > LONG || several));
  let stripped = 0;
  const rule = lineRule(text, rules, brackets);
  if (rule !== undefined) {
    const [pattern, problem] = rule;
    stripped = text.match(pattern)?.length ?? 0;
    if (stripped > 0 && (rules.lineEnds ?? rules.carriageReturn) === 'refuse') return problem;
    text = text.replace(pattern, '');
  }
  // Last, since taking something out may put such a sequence together.
  const ends = withoutPasteEnds(text);
  if (ends.count > 0 && rules.pasteEnd === 'refuse') return 'paste-end';
  if (ends.text === '') return 'empty';
  return { bytes: Buffer.from(ends.text, 'latin1'), length, brackets, stripped: stripped + ends.count };
}
