/** argv may hold megabytes that are made to look like a path: each is decided in a bounded number of steps. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { homeOf } from '../../../lib/engines/homes.js';
import { ENGINES } from '../../../lib/engines/index.js';
import { baseName, isBelow, joinPath, MAX_PATH_LENGTH, pathTail } from '../../../lib/engines/path.js';
import { FakeFiles, tableOf } from '../agents/fakes.js';
import { facts, judgeOne } from './situation.js';

const MIB = 1 << 20;
const BLOCK = '/@openai/codex';
const LONG = BLOCK.repeat(MIB / BLOCK.length);
/** The longest text that still is a path, with as many beginnings of a match as fit. */
const LONGEST = `${BLOCK.repeat(Math.floor((MAX_PATH_LENGTH - 30) / BLOCK.length))}/vendor/x/bin/codex`;
const PATTERNS = ENGINES.flatMap((rule) => [
  ...rule.layouts.map(({ path }) => path),
  ...rule.excluded,
  ...rule.argumentProof,
  ...rule.versions,
]);

/** How often expressions were asked while `work` ran. */
function steps(work: () => void): number {
  // test() asks exec() as well.
  const spy = vi.spyOn(RegExp.prototype, 'exec').mockClear();
  work();
  return spy.mock.calls.length;
}

describe('a text that is longer than any path', () => {
  afterEach(() => vi.restoreAllMocks());

  it('fits no pattern, and no expression is asked', () => {
    for (const pattern of PATTERNS) {
      for (const text of [LONG, `${LONG}/vendor/x/bin/codex`, '/'.repeat(MIB)]) {
        expect(steps(() => expect(pattern.matches(text)).toBe(false))).toBe(0);
        expect(pattern.part(text)).toBeNull();
      }
    }
    expect(baseName(`${LONG}/codex`)).toBe('');
  });

  it('makes no process an agent, by none of its faces', async () => {
    const long = `${LONG}/vendor/x/bin/codex`;
    expect(judgeOne({ argv: [long], exe: undefined, name: 'x' })).toBeUndefined();
    expect(judgeOne({ argv: ['node', long], exe: '/usr/bin/node' })).toBeUndefined();
    const files = new FakeFiles();
    const table = tableOf({ 10: { argv: [long] }, 11: { argv: ['node', long], exe: '/usr/bin/node' } });
    const found = await agents({ table, look: files.look, pathEnv: '', overrides: {}, all: true });
    expect(found.agents).toEqual([]);
    expect(files.asked.some(({ path }) => path.length > MAX_PATH_LENGTH)).toBe(false);
  });

  it('is no home', () => {
    for (const { home } of ENGINES) {
      const env = { [home.variable]: LONG, HOME: `/${'/'.repeat(MIB)}x` };
      expect(homeOf(facts({ env }), home, null).config).toBeNull();
    }
  });
});

describe('the longest path', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is decided in steps that grow with its parts alone', () => {
    const parts = LONGEST.split('/').length;
    for (const pattern of PATTERNS) {
      for (const text of [LONGEST, `${LONGEST}x`]) {
        expect(steps(() => pattern.matches(text))).toBeLessThanOrEqual(8 * parts);
      }
    }
    const codex = pathTail('@openai/codex*/**/vendor/*/{bin,codex}/codex{,.exe}');
    expect([codex.matches(LONGEST), codex.matches(`${LONGEST}x`)]).toEqual([true, false]);
  });

  it('with slashes at its end or in its middle is trimmed', () => {
    const slashes = '/'.repeat(MAX_PATH_LENGTH - 2);
    expect(joinPath(`/a${slashes}`, 'b')).toBe('/a/b');
    expect(isBelow('/a/b', `/a${slashes}`)).toBe(true);
  });
});

describe('patterns of several groups', () => {
  it.each([
    ['a/**/b/**/c', '/a/b/c', true],
    ['a/**/b/**/c', '/x/a/1/b/2/3/c', true],
    ['a/**/b/**/c', '/a/c/b', false],
    ['a/**/b/**/c', '/b/a/c', false],
    ['a/**', '/x/a/y', true],
    ['a/**', '/x/a', false],
    ['a/**', '/x/a/', false],
    ['*.app/c/**', '/A.APP/C/x', true],
    ['a/**/{b,c/d}', '/a/c/d', true],
    ['a/**/a/b', '/a/b', false],
    ['a/**/a/b', '/a/a/b', true],
  ])('%s for %s: %s', (pattern, path, right) => {
    expect(pathTail(pattern).matches(path)).toBe(right);
  });
});
