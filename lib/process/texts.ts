/** Texts of a row that have a form of their own. Pure: bytes in, values out. */

/** One line of /proc/pid/cgroup. cgroups(7). */
export interface CgroupEntry {
  /** 0 = the unified (v2) hierarchy. */
  readonly hierarchy: number;
  readonly controllers: readonly string[];
  readonly path: string;
}

/**
 * Splits what /proc/pid/cmdline gives: each argument ends with NUL. A program that writes a title
 * over its arguments leaves one string and a tail of NULs to the old length; that tail is padding and
 * not empty arguments. (One empty argument behind one argument cannot be told from a title that is
 * one byte shorter; it counts as an argument. The bytes themselves stay available.)
 */
export function splitArguments(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(0, at);
    parts.push(bytes.subarray(at, end === -1 ? bytes.length : end));
    at = end === -1 ? bytes.length : end + 1;
  }
  const tail = parts.length - 1;
  const isTitle = tail >= 2 && parts.slice(1).every((part) => part.length === 0);
  return isTitle ? parts.slice(0, 1) : parts;
}

export function splitPids(text: string): number[] {
  return text.split('\t').map(Number);
}

export function parseCgroups(text: string): CgroupEntry[] {
  const entries: CgroupEntry[] = [];
  for (const line of text.split('\n')) {
    const match = /^(\d+):([^:]*):(.*)$/.exec(line);
    if (match === null) continue;
    const [, hierarchy, controllers, path] = match as unknown as [string, string, string, string];
    entries.push({
      hierarchy: Number(hierarchy),
      controllers: controllers === '' ? [] : controllers.split(','),
      path,
    });
  }
  return entries;
}

/** The selection that native/parse/environ.h describes, key by key. */
export function parseEnv(bytes: Buffer, keys: readonly string[]): Record<string, string | null | undefined> {
  const env: Record<string, string | null | undefined> = Object.create(null) as Record<string, undefined>;
  let at = 0;
  for (const key of keys) {
    const end = bytes.indexOf(0, at);
    if (end === -1) {
      env[key] = undefined;
      continue;
    }
    const mark = String.fromCharCode(bytes[at] ?? 0);
    env[key] = mark === '=' ? bytes.toString('utf8', at + 1, end) : mark === '-' ? null : undefined;
    at = end + 1;
  }
  return env;
}
