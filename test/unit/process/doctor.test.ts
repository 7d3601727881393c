import { describe, expect, it } from 'vitest';
import { doctor, OptionError } from '../../../lib/index.js';
import { foreignReport } from '../../../lib/process/doctor.js';

describe('option mistakes of doctor()', () => {
  it.each([
    ['options', null],
    ['options', 7],
    ['options', '/proc'],
    ['fields', { fields: ['argv'] }],
    ['pids', { pids: [1] }],
    ['procRoot', { procRoot: '' }],
    ['procRoot', { procRoot: null }],
    ['deadlineMs', { deadlineMs: 0 }],
  ])('name the option: %s in %j', async (option, options) => {
    const failure = await doctor(options as never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OptionError);
    expect(failure).toMatchObject({ option });
  });
});

describe('processes of other users', () => {
  it('are open where nothing was refused', () => {
    expect(foreignReport({ all: 9, refused: 0, othersRead: 0, isRoot: false })).toEqual({ available: true });
  });

  it('are partly open to root, who is not told to become root', () => {
    const { available, why } = foreignReport({ all: 113, refused: 1, othersRead: 3, isRoot: true });
    expect(available).toBe(true);
    expect(why).toMatch(/of 1 of 113 processes are refused: some are closed even to root/);
  });

  it('are closed to a user, or open in part', () => {
    const closed = foreignReport({ all: 9, refused: 4, othersRead: 0, isRoot: false });
    expect(closed).toEqual({ available: false, why: expect.stringContaining('open only to root') });
    expect(foreignReport({ all: 9, refused: 4, othersRead: 1, isRoot: false }).available).toBe(true);
  });
});
