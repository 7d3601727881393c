// The names of session files, which is what a wrong link is understood by. No file is opened.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const DEEPEST = 5;
const MOST_NAMES = 2_000;
/** Session files are named after a session id or a pid. */
const SESSION_FILE = /[0-9a-f]{8}-[0-9a-f]{4}-|^\d+\.(json|lock)$/i;

function* below(folder, depth) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or not for us: then no name of it is known.
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < DEEPEST) yield* below(path, depth + 1);
    else if (entry.isFile() && SESSION_FILE.test(entry.name)) yield path;
  }
}

/** Paths of session files in the homes that the captured agents use, and those that they are linked to. */
export function sessionFiles(agents) {
  const found = new Set(agents.map(({ session }) => session.path).filter((path) => path !== null));
  const homes = new Set(agents.map(({ homes: { config } }) => config).filter((home) => home !== null));
  for (const home of homes) {
    for (const path of below(home, 0)) {
      if (found.size >= MOST_NAMES) return [...found];
      found.add(path);
    }
  }
  return [...found];
}
