/** Files that processes name: the scripts they run, and the homes of their accounts. */
import { homedir } from 'node:os';
import type { ProcessFacts, ResolvedScript } from '../engines/facts.js';
import { canBePath, isAbsolute, joinPath } from '../engines/path.js';
import type { Look } from '../process/look.js';

const MAX_PASSWD_BYTES = 1 << 20;

export type RealFile = Omit<ResolvedScript, 'arg'>;

/** Paths with the same first folders are thought to share a file system. */
export function groupOf(path: string): string {
  return path.split('/').slice(0, 4).join('/');
}

/** Absolute path of a script as it stands in argv; null where the working directory is not known. */
export function scriptPath(facts: ProcessFacts, script: string): string | null {
  if (!canBePath(script) || script.includes('\0')) return null;
  if (isAbsolute(script)) return script;
  return typeof facts.cwd === 'string' ? joinPath(facts.cwd, script) : null;
}

/** Resolves paths through every link; what cannot be resolved is not in the answer. */
export async function resolveFiles(
  paths: Iterable<string>,
  look: Look,
): Promise<ReadonlyMap<string, RealFile>> {
  const unique = [...new Set(paths)];
  const answers = await look(unique.map((path) => ({ op: 'realpath', path, group: groupOf(path) })));
  const found = new Map<string, RealFile>();
  for (const [index, path] of unique.entries()) {
    const { realpath, stat } = answers[index] ?? {};
    if (realpath === undefined) continue;
    found.set(path, { real: realpath, file: stat && { dev: stat.dev, ino: stat.ino } });
  }
  return found;
}

/**
 * Home of the user that runs us; null = not known. A user without an account (a container that runs as
 * a bare number) and without HOME has none, and the runtime throws then.
 */
export function ownHome(ask: () => string = homedir): string | null {
  try {
    const home = ask();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

/** Homes of the accounts of this machine, by uid: they stand in when a process does not tell its own. */
export async function accountHomes(look: Look): Promise<ReadonlyMap<number, string>> {
  const homes = new Map<number, string>();
  if (process.platform === 'win32') return homes;
  const [answer] = await look([{ op: 'read', path: '/etc/passwd', maxBytes: MAX_PASSWD_BYTES }]);
  for (const line of answer?.bytes?.toString('utf8').split('\n') ?? []) {
    const [, , uid, , , home] = line.split(':');
    if (uid !== undefined && /^\d+$/.test(uid) && home?.startsWith('/')) homes.set(Number(uid), home);
  }
  const uid = process.getuid?.();
  const home = ownHome();
  if (uid !== undefined && home !== null && !homes.has(uid)) homes.set(uid, home);
  return homes;
}
