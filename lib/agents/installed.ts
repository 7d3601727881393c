/** Where the engines are installed on this machine: the files themselves, through every link. */
import { delimiter, isAbsolute, join } from 'node:path';
import { ENGINES } from '../engines/index.js';
import type { Override } from '../engines/interest.js';
import { interpreterOf } from '../engines/interpreter.js';
import { canOwnIdentity, type InstalledProgram } from '../engines/match.js';
import { baseName } from '../engines/path.js';
import type { EngineRule } from '../engines/rule.js';
import type { Look } from '../process/look.js';
import { ownHome } from './scripts.js';
import type { Setting } from './setting.js';

/** An installation changes by hand, not by the second. */
export const KEPT_MS = 5_000;
const MAX_PATH_FOLDERS = 64;

export interface InstallQuery {
  readonly rules: readonly EngineRule[];
  readonly pathEnv: string;
  readonly homes: readonly string[];
  readonly overrides: readonly Override[];
  readonly look: Look;
}

export function installQuery({ options, overrides, look }: Setting): InstallQuery {
  const pathEnv = options.pathEnv ?? process.env['PATH'] ?? '';
  return { rules: ENGINES, pathEnv, homes: options.homes, overrides, look };
}

/** The names by which people call an engine: no inner, release or helper name. */
function launcherNames(rule: EngineRule): string[] {
  const names = rule.names.flatMap(({ name, nativeOnly, shared }) =>
    typeof name === 'string' && !nativeOnly && !shared && !name.startsWith('.') ? [name] : [],
  );
  return process.platform === 'win32' ? names.flatMap((name) => [`${name}.exe`, name]) : names;
}

function placesOf(query: InstallQuery): { engine: string; path: string }[] {
  const folders = [...new Set(query.pathEnv.split(delimiter))]
    .filter((folder) => isAbsolute(folder))
    .slice(0, MAX_PATH_FOLDERS);
  const homes = [...new Set([ownHome() ?? '', ...query.homes])].filter((home) => isAbsolute(home));
  return [
    ...query.overrides
      .filter(({ program }) => isAbsolute(program))
      .map(({ engine, program }) => ({ engine, path: program })),
    ...query.rules.flatMap((rule) => [
      ...folders.flatMap((folder) =>
        launcherNames(rule).map((name) => ({ engine: rule.engine, path: join(folder, name) })),
      ),
      ...homes.flatMap((home) =>
        rule.installPlaces.map((parts) => ({ engine: rule.engine, path: join(home, ...parts) })),
      ),
    ]),
  ];
}

/** Looks for the programs of all engines. */
export async function findInstalled(query: InstallQuery): Promise<InstalledProgram[]> {
  const places = placesOf(query);
  const answers = await query.look(
    places.map(({ path }) => ({ op: 'realpath', path, group: path.slice(0, path.lastIndexOf('/')) })),
  );
  const found = new Map<string, InstalledProgram>();
  for (const [index, { engine }] of places.entries()) {
    const { realpath, stat } = answers[index] ?? {};
    if (realpath === undefined || stat?.kind !== 'file') continue;
    // A name that leads to a shell or to busybox makes not every shell an agent.
    if (interpreterOf(baseName(realpath)) !== null || !canOwnIdentity(realpath)) continue;
    found.set(`${engine}\n${stat.dev}:${stat.ino}`, {
      engine,
      file: { dev: stat.dev, ino: stat.ino },
      path: realpath,
    });
  }
  return [...found.values()];
}

let kept: { key: string; look: Look; at: number; found: readonly InstalledProgram[] } | undefined;

/** Answers from the last look when it asked the same and is younger than five seconds. */
export async function installedPrograms(
  query: InstallQuery,
  clock: () => number,
): Promise<readonly InstalledProgram[]> {
  const key = JSON.stringify([query.pathEnv, query.homes, query.overrides, ownHome()]);
  const now = clock();
  const age = kept ? now - kept.at : Number.POSITIVE_INFINITY;
  if (kept && kept.key === key && kept.look === query.look && age >= 0 && age < KEPT_MS) return kept.found;
  const found = await findInstalled(query);
  kept = { key, look: query.look, at: now, found };
  return found;
}
