/**
 * Paths as text, of any system: rules are replayed on machines other than the one that made them, so
 * `node:path` (which knows one system at a time) does not serve.
 */

/** A path that only Windows writes: a drive, a share, or a leading `.\`. On Unix `\` is a letter like any other. */
const WINDOWS_FORM = /^(?:[A-Za-z]:[\\/]|\\\\|\.{1,2}\\)/;

export function isWindowsPath(path: string): boolean {
  return WINDOWS_FORM.test(path);
}

/** The path with `/` between its parts, whatever system wrote it. */
export function withSlashes(path: string): string {
  return isWindowsPath(path) ? path.replaceAll('\\', '/') : path;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/**
 * Last part of a path. A text with white space before its first separator is no path but a title
 * (`npm view @scope/tool`), and is its own base name.
 */
export function baseName(path: string): string {
  const slashed = withSlashes(path);
  const first = slashed.indexOf('/');
  if (first < 0) return slashed;
  const gap = slashed.search(/\s/);
  if (gap >= 0 && gap < first) return slashed;
  let end = slashed.length;
  while (end > 0 && slashed[end - 1] === '/') end--;
  return slashed.slice(slashed.lastIndexOf('/', end - 1) + 1, end);
}

/** Base name as names are compared: lower case, without the `.exe` that Windows (and some npm packages on Unix) append. */
export function programName(path: string): string {
  return baseName(path)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

/** A comm as names are compared. It may hold a `/` and is no path then (`kworker/0:1`), unless it is absolute. */
export function commName(comm: string): string {
  return isAbsolute(comm) ? programName(comm) : comm.toLowerCase().replace(/\.exe$/, '');
}

/** Joins in the form that `folder` has. */
export function joinPath(folder: string, ...parts: string[]): string {
  const windows = isWindowsPath(folder);
  const head = folder.replace(windows ? /[\\/]+$/ : /\/+$/, '');
  return [head, ...parts].join(windows ? '\\' : '/');
}

/** Is `path` inside `folder` (and not the folder itself)? Compares text: resolve links first where it counts. */
export function isBelow(path: string, folder: string): boolean {
  const inner = withSlashes(path);
  const outer = withSlashes(folder).replace(/\/+$/, '');
  if (isWindowsPath(folder)) return inner.toLowerCase().startsWith(`${outer.toLowerCase()}/`);
  return inner.startsWith(`${outer}/`);
}

/** The tail of a path: whole parts, compared without regard to case. */
export interface PathPattern {
  readonly text: string;
  matches(path: string): boolean;
  /** What the first `<...>` of the pattern stands for in `path`. */
  part(path: string): string | null;
}

/**
 * Compiles a pattern for the end of a path. `*` is any text within one part, `**` any number of whole
 * parts, `{a,b}` one of several, `<version>` one whole part that `part()` answers.
 */
export function pathTail(pattern: string): PathPattern {
  const body = pattern
    .toLowerCase()
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, list: string) => `(?:${list.replaceAll(',', '|')})`)
    .replace(/<[^>]*>/g, '([^/]+)')
    .replaceAll('**/', '\u0000')
    .replaceAll('**', '\u0001')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:[^/]+/)*')
    .replaceAll('\u0001', '.+');
  const compiled = new RegExp(`(?:^|/)${body}$`, 's');
  const found = (path: string) => compiled.exec(withSlashes(path).toLowerCase());
  return {
    text: pattern,
    matches: (path) => found(path) !== null,
    part: (path) => found(path)?.[1] ?? null,
  };
}
