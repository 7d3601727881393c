/**
 * Paths as text, of any system: rules are replayed on machines other than the one that made them, so
 * `node:path` (which knows one system at a time) does not serve.
 */

/**
 * Longest path of any system in UTF-16 units: Windows takes 32,767, Linux 4,096 bytes. argv may hold
 * megabytes that only look like a path.
 */
export const MAX_PATH_LENGTH = 32_767;

export function canBePath(text: string): boolean {
  return text.length <= MAX_PATH_LENGTH;
}

function trimSlashes(path: string, both: boolean): string {
  let end = path.length;
  while (end > 0 && (path[end - 1] === '/' || (both && path[end - 1] === '\\'))) end--;
  return path.slice(0, end);
}

/** A path that only Windows writes: a drive, a share, or a leading `.\`. On Unix `\` is a letter like any other. */
const WINDOWS_FORM = /^(?:[A-Za-z]:[\\/]|\\\\|\.{1,2}\\)/;

export function isWindowsPath(path: string): boolean {
  return WINDOWS_FORM.test(path);
}

/** The path with `/` between its parts, whatever system wrote it. */
export function withSlashes(path: string): string {
  return path.includes('\\') && isWindowsPath(path) ? path.replaceAll('\\', '/') : path;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/**
 * Last part of a path. A text with white space before its first separator is no path but a title
 * (`npm view @scope/tool`), and is its own base name. A text that is longer than any path has none: ''.
 */
export function baseName(path: string): string {
  if (!canBePath(path)) return '';
  const slashed = withSlashes(path);
  const first = slashed.indexOf('/');
  if (first < 0) return slashed;
  if (first > 0) {
    const gap = slashed.search(/\s/);
    if (gap >= 0 && gap < first) return slashed;
  }
  const trimmed = trimSlashes(slashed, false);
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** Base name as names are compared: lower case, without the `.exe` that Windows (and some npm packages on Unix) append. */
export function programName(path: string): string {
  return withoutExe(baseName(path).toLowerCase());
}

function withoutExe(name: string): string {
  return name.endsWith('.exe') ? name.slice(0, -'.exe'.length) : name;
}

/** A comm as names are compared. It may hold a `/` and is no path then (`kworker/0:1`), unless it is absolute. */
export function commName(comm: string): string {
  return isAbsolute(comm) ? programName(comm) : withoutExe(comm.toLowerCase());
}

/** Joins in the form that `folder` has. */
export function joinPath(folder: string, ...parts: string[]): string {
  const windows = isWindowsPath(folder);
  return [trimSlashes(folder, windows), ...parts].join(windows ? '\\' : '/');
}

/** Is `path` inside `folder` (and not the folder itself)? Compares text: resolve links first where it counts. */
export function isBelow(path: string, folder: string): boolean {
  const inner = withSlashes(path);
  const outer = trimSlashes(withSlashes(folder), false);
  if (isWindowsPath(folder)) return inner.toLowerCase().startsWith(`${outer.toLowerCase()}/`);
  return inner.startsWith(`${outer}/`);
}

/** What a path that fits has at least, in lower case and with `/`. */
export interface PathHint {
  /** Its last part; null where that is no plain text. */
  readonly end: string | null;
  /** A text somewhere in it. */
  readonly needle: string;
}

/** The tail of a path: whole parts, compared without regard to case. */
export interface PathPattern {
  readonly text: string;
  /** One of these holds for each path that fits. */
  readonly hints: readonly PathHint[];
  matches(path: string): boolean;
  /** What the first `<...>` of the pattern stands for in `path`. */
  part(path: string): string | null;
}

/** One part of a path: a plain text, or an expression for the whole part. */
type PartPattern = string | RegExp;

/** One reading of a pattern: parts that stand side by side, with any number of parts between the groups. */
interface Reading {
  /** The longest of the plain texts that a fitting path holds: found sooner than the parts are compared. */
  readonly needle: string;
  /** The plain text with which a fitting path ends; null where there is none. */
  readonly end: string | null;
  readonly groups: readonly (readonly PartPattern[])[];
  /** Ends with `**`: something must follow the last group. Otherwise the last group ends the path. */
  readonly open: boolean;
}

/** `{a,b}c` is `ac` and `bc`. */
function alternatives(pattern: string): string[] {
  const found = /\{([^}]*)\}/.exec(pattern);
  if (!found) return [pattern];
  const behind = pattern.slice(found.index + found[0].length);
  return (found[1] as string)
    .split(',')
    .flatMap((choice) => alternatives(pattern.slice(0, found.index) + choice + behind));
}

function partPattern(part: string): PartPattern {
  if (!/[*<]/.test(part)) return part;
  const body = part
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replace(/<[^>]*>/g, '(.+)')
    .replaceAll('*', '.*');
  return new RegExp(`^${body}$`, 'is');
}

function readingOf(pattern: string): Reading {
  const groups: PartPattern[][] = [[]];
  for (const part of pattern.split('/')) {
    if (part === '**') groups.push([]);
    else groups.at(-1)?.push(partPattern(part));
  }
  const open = groups.at(-1)?.length === 0;
  const last = open ? undefined : groups.at(-1)?.at(-1);
  return {
    needle: needleOf(pattern),
    end: typeof last === 'string' ? last : null,
    groups: open ? groups.slice(0, -1) : groups,
    open,
  };
}

/** The longest text without a wildcard in it. */
function needleOf(pattern: string): string {
  const texts = pattern.split(/\*+|<[^>]*>/).map((text) => text.replace(/^\/+|\/+$/g, ''));
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

const fits = (part: string | undefined, pattern: PartPattern): boolean =>
  part !== undefined && (typeof pattern === 'string' ? part === pattern : pattern.test(part));

const fitsAt = (parts: readonly string[], at: number, group: readonly PartPattern[]): boolean =>
  group.every((pattern, index) => fits(parts[at + index], pattern));

/**
 * Index of the part with which the last group begins; -1 where the path does not fit. Each group is
 * put as far to the front as it goes, which leaves the most room for the others: no step is ever
 * taken back, and the work grows with the length of the path alone.
 */
function placeOf({ groups, open }: Reading, parts: readonly string[]): number {
  const last = groups.length - 1;
  const end = open ? parts.length : parts.length - (groups[last]?.length ?? 0);
  if (!open && (end < 0 || !fitsAt(parts, end, groups[last] ?? []))) return -1;
  let at = 0;
  let begin = end;
  for (const group of open ? groups : groups.slice(0, last)) {
    while (at + group.length <= end && !fitsAt(parts, at, group)) at++;
    if (at + group.length > end) return -1;
    begin = at;
    at += group.length;
  }
  if (!open) return end;
  return parts.slice(at).some((part) => part !== '') ? begin : -1;
}

function namedPart({ groups }: Reading, parts: readonly string[], begin: number): string | null {
  for (const [index, pattern] of (groups.at(-1) ?? []).entries()) {
    const found = typeof pattern === 'string' ? null : pattern.exec(parts[begin + index] ?? '');
    if (found?.[1] !== undefined) return found[1];
  }
  return null;
}

/** Where a path fits. */
interface Spot {
  readonly reading: Reading;
  readonly begin: number;
}

/** Answers that a pattern keeps. */
const MOST_KNOWN = 64;
const LONGEST_KNOWN = 256;

/**
 * Compiles a pattern for the end of a path. `*` is any text within one part, `**` any number of whole
 * parts, `{a,b}` one of several, `<version>` one whole text within a part that `part()` answers (in
 * the parts behind the last `**`).
 */
export function pathTail(pattern: string): PathPattern {
  const readings = alternatives(pattern.toLowerCase()).map(readingOf);
  const known = new Map<string, Spot | null>();
  const found = (path: string): Spot | null => {
    let spot = known.get(path);
    if (spot === undefined) {
      spot = search(path);
      // The processes of one engine run the same few files.
      if (known.size < MOST_KNOWN && path.length <= LONGEST_KNOWN) known.set(path, spot);
    }
    return spot;
  };
  const search = (path: string): Spot | null => {
    if (!canBePath(path)) return null;
    const lower = withSlashes(path).toLowerCase();
    let parts: readonly string[] | undefined;
    for (const reading of readings) {
      if (reading.end !== null && !lower.endsWith(reading.end)) continue;
      if (!lower.includes(reading.needle)) continue;
      parts ??= lower.split('/');
      const begin = placeOf(reading, parts);
      if (begin >= 0) return { reading, begin };
    }
    return null;
  };
  return {
    text: pattern,
    hints: readings.map(({ end, needle }) => ({ end, needle })),
    matches: (path) => found(path) !== null,
    part: (path) => {
      const place = found(path);
      // From the path as it stands: versions have letters of both cases.
      return place && namedPart(place.reading, withSlashes(path).split('/'), place.begin);
    },
  };
}
