import { describe, expect, it } from 'vitest';
import { cut } from '../../../lib/cli/text.js';

describe('cut', () => {
  it('leaves alone what fits, to the letter', () => {
    expect(cut('12345', 5)).toBe('12345');
    expect(cut('', 5, 'tail')).toBe('');
  });

  it('keeps the end that is asked for, and says so with an ellipsis', () => {
    expect(cut('123456', 5)).toBe('1234…');
    expect(cut('123456', 5, 'tail')).toBe('…3456');
  });

  it('counts letters as they are shown', () => {
    expect(cut('a\u001bb', 6)).toBe('a\u001bb');
    expect(cut('a\u001bbc', 6)).toBe('a\\x1b…');
    expect([...cut('😀'.repeat(9), 5, 'tail')]).toEqual(['…', '😀', '😀', '😀', '😀']);
  });

  it('of a text of any length gives as much', () => {
    for (const keep of ['head', 'tail'] as const) {
      expect([...cut('x'.repeat(100_000), 60, keep)]).toHaveLength(60);
      expect([...cut('\n'.repeat(100_000), 60, keep)]).toHaveLength(60);
    }
  });
});
