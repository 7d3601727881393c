/** Text for terminals. What processes call themselves is never printed as it is. */

// Control characters drive the terminal; the others reorder or hide what stands around them.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text with every character that is not plainly visible written as an escape. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (letter) => {
    const code = letter.codePointAt(0) as number;
    if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
    return `\\u{${code.toString(16)}}`;
  });
}

/** Numbers past a double are decimal strings, and what is not known is null: no key is left out. */
function plainValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value === undefined ? null : value;
}

/**
 * JSON that is safe to show: the same characters, as JSON escapes. They can only stand inside strings.
 * @param indent 0 = everything in one line
 */
export function printableJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, plainValue, indent).replace(UNPRINTABLE, (letter) =>
    letter === '\n'
      ? letter
      : Array.from(
          { length: letter.length },
          (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
        ).join(''),
  );
}

export type Paint = (text: string, ...styles: Style[]) => string;
export type Style = keyof typeof STYLES;

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours, or the text as it is. */
export function painter(colour: boolean): Paint {
  if (!colour) return (text) => text;
  return (text, ...styles) => {
    const codes = styles.map((style) => STYLES[style]).join(';');
    return codes === '' ? text : `\u001b[${codes}m${text}\u001b[0m`;
  };
}

export interface Cell {
  readonly text: string;
  readonly styles?: readonly Style[];
}

/** Lines with aligned columns. Texts are made printable here; columns are padded before they are painted. */
export function columns(rows: readonly (readonly Cell[])[], paint: Paint): string[] {
  const shown = rows.map((row) => row.map(({ text, styles = [] }) => ({ text: printable(text), styles })));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, [...text].length);
  }
  return shown.map((row) =>
    row
      .map(({ text, styles }, at) => {
        const gap = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - [...text].length);
        return paint(text, ...styles) + gap;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** The text cut to `most` characters as they are shown: an ellipsis tells. `keep`: which end matters more. */
export function cut(text: string, most: number, keep: 'head' | 'tail' = 'head'): string {
  // What is far longer is cut before it is made printable: a path may have many thousands of letters.
  const near =
    text.length <= 2 * most ? text : keep === 'head' ? text.slice(0, 2 * most) : text.slice(-2 * most);
  const letters = [...printable(near)];
  if (near === text && letters.length <= most) return text;
  return keep === 'head' ? `${letters.slice(0, most - 1).join('')}…` : `…${letters.slice(1 - most).join('')}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
