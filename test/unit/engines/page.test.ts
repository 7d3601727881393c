import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../../../lib/engines/index.js';
import { GOLDEN } from './shapes.js';

type Module = typeof import('../../../scripts/engines-page.mjs', { with: { 'resolution-mode': 'import' }});

describe('docs/engines.md', () => {
  let page: Module['enginesPage'];

  beforeAll(async () => {
    ({ enginesPage: page } = await import('../../../scripts/engines-page.mjs'));
  });

  it('is what the rules and the golden cases give', () => {
    const committed = readFileSync(join(__dirname, '../../../docs/engines.md'), 'utf8');
    expect(committed === page(ENGINES, GOLDEN), 'npm run docs:engines').toBe(true);
  });

  it('has a reason or a case in every cell', () => {
    const lines = page(ENGINES, GOLDEN).split('\n');
    for (const { engine } of ENGINES) {
      const line = lines.find((each) => each.startsWith(`| ${engine} `)) ?? '';
      const cells = line.split('|').slice(2, 6);
      expect(cells, engine).toHaveLength(4);
      for (const cell of cells) expect(cell.trim()).toMatch(/^(?:`.+`(?: and \d+ more)?|not known: .{10,})$/);
    }
  });

  it('says of an engine without cases that nothing is known of it', () => {
    const [rule] = ENGINES;
    expect(rule && page([rule], new Map())).toContain('| not known: ');
  });
});
