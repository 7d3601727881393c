/** What fits on a terminal, and what it can show. */

// Twice as wide as a letter on most terminals: East Asian wide forms and emoji. A mark that joins a
// letter counts as one cell of its own, so a line is never longer than thought.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** What a style begins with; printable text has no such character of its own. */
const ESCAPE = '\u001b';

/** The line, cut so that it takes at most `width` cells. Styles take none, and are ended where text was cut. */
export function cutTo(line: string, width: number): string {
  let used = 0;
  let kept = '';
  let styled = false;
  for (let at = 0; at < line.length; ) {
    if (line[at] === ESCAPE) {
      const end = line.indexOf('m', at) + 1;
      styled = true;
      kept += line.slice(at, end);
      at = end;
      continue;
    }
    const letter = String.fromCodePoint(line.codePointAt(at) as number);
    used += WIDE.test(letter) ? 2 : 1;
    if (used > width) return styled ? `${kept}${ESCAPE}[0m` : kept;
    kept += letter;
    at += letter.length;
  }
  return line;
}

/** Whether the locale lets a terminal show more than ASCII. setlocale(3): the first that is set counts. */
export function showsUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}
