// `npm run docs:engines` writes docs/engines.md from the rules in dist/ and the golden cases.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { enginesPage } from './engines-page.mjs';
import { top } from './tools.mjs';

const folder = join(top, 'test/unit/engines/golden');
const golden = new Map(
  readdirSync(folder)
    .sort()
    .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8'))]),
);
const { ENGINES } = (await import('../dist/engines/index.js')).default;
writeFileSync(join(top, 'docs/engines.md'), enginesPage(ENGINES, golden));
