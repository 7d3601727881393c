// Removes the named build folders of this checkout, so that no file of an older build is shipped.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const top = join(dirname(fileURLToPath(import.meta.url)), '..');
const known = new Set(['dist', 'build', 'prebuilds']);
for (const name of process.argv.slice(2)) {
  if (!known.has(name)) throw new Error(`not a build folder: ${name}`);
  rmSync(join(top, name), { recursive: true, force: true });
}
