/**
 * Names that engines give to what they keep: made from a path or a time, and never read back into one,
 * for many paths share a name.
 */

const LONGEST_KEY = 200;
const DAY_MS = 86_400_000;
/** No clock on earth is further from UTC. */
const FURTHEST_ZONE_MS = 14 * 3_600_000;
/** Nobody lists more: where there are more, the look says that it was cut. */
const MOST_DAYS = 1_000;

/**
 * The name of a project's folder: each letter but those of ASCII and the digits is a `-`. Of a long path
 * the first 200, and a hash behind them that is not made here.
 */
export function projectKey(cwd: string): readonly string[] | RegExp {
  const key = cwd.replace(/[^A-Za-z0-9]/g, '-');
  return key.length <= LONGEST_KEY ? [key] : new RegExp(`^${key.slice(0, LONGEST_KEY)}-[0-9a-z]+$`);
}

/** Cursor's: `:` left out, separators turned to `-`, and none of them at the front. */
export function cursorProjectKey(cwd: string): string {
  return cwd.replaceAll(':', '').replace(/[\\/]/g, '-').replace(/^-+/, '');
}

/** `YYYY/MM/DD` of every day that it was anywhere on earth from one time to another, the latest first. */
export function dayFolders(from: number, to: number): string[] {
  if (!(Number.isFinite(from) && Number.isFinite(to))) return [];
  const days: string[] = [];
  const first = Math.floor((from - FURTHEST_ZONE_MS) / DAY_MS);
  const last = Math.floor((to + FURTHEST_ZONE_MS) / DAY_MS);
  for (let day = last; day >= first && days.length < MOST_DAYS; day--) {
    const when = new Date(day * DAY_MS);
    const year = when.getUTCFullYear();
    // An id may hold any number where its time stands.
    if (Number.isNaN(year) || year < 1970 || year > 9_999) return [];
    days.push(when.toISOString().slice(0, 10).replaceAll('-', '/'));
  }
  return days;
}

/** The time that a UUID of version 7 begins with; null = it is of another version. */
export function timeOfUuid(id: string): number | null {
  const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id);
  return hex ? Number.parseInt(`${hex[1]}${hex[2]}`, 16) : null;
}

/** A time as files hold it: seconds or milliseconds since the epoch, or a text of ISO 8601. */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const at = value.length <= 64 ? Date.parse(value) : Number.NaN;
    return Number.isFinite(at) ? at : null;
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null;
  // Seconds reach this number in the year 5138, and milliseconds did in 1973.
  return value < 1e11 ? value * 1_000 : value;
}
