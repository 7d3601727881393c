/**
 * Keys that tmux knows by name (key-string.c; measured with 3.3a). A word that is no key it would type letter by
 * letter, so every name is checked here.
 */
const NAMES = [
  ...['Enter', 'Escape', 'Space', 'Tab', 'BTab', 'BSpace'],
  ...['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'PageUp', 'PageDown', 'PPage', 'NPage', 'PgUp', 'PgDn'],
  ...['IC', 'DC', 'Insert', 'Delete'],
  ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
  ...[
    'KP/',
    'KP*',
    'KP-',
    'KP7',
    'KP8',
    'KP9',
    'KP+',
    'KP4',
    'KP5',
    'KP6',
    'KP1',
    'KP2',
    'KP3',
    'KPEnter',
    'KP0',
    'KP.',
  ],
];
const KNOWN = new Map(NAMES.map((name) => [name.toLowerCase(), name]));

/**
 * A key as tmux is told it: a name or one printable ASCII character, with any of `C-`, `M-`, `S-` in front. Undefined =
 * there is no such key. `;` cannot be named to every version: it is text, and for sendLiteral().
 */
export function keyName(key: string): string | undefined {
  const parts = /^((?:[CMS]-)*)(.+)$/s.exec(key);
  if (parts === null) return undefined;
  const [, modifiers, rest] = parts as unknown as [string, string, string];
  if (/^[!-:<-~]$/.test(rest)) return `${modifiers}${rest}`;
  const name = KNOWN.get(rest.toLowerCase());
  return name === undefined ? undefined : `${modifiers}${name}`;
}

/** A word in the text of a command. */
export function quoted(word: string): string {
  return word.includes("'") ? `"${word}"` : `'${word}'`;
}
