import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { AgentsOptions } from '../../../lib/agents/options.js';
import { OptionError } from '../../../lib/process/fault.js';

describe('options', () => {
  it.each([
    [{ procroot: '/proc' }, 'procroot'],
    [{ procRoot: '' }, 'procRoot'],
    [{ homes: ['relative'] }, 'homes'],
    [{ homes: '/home' }, 'homes'],
    [{ all: 'yes' }, 'all'],
    [{ deadlineMs: 0 }, 'deadlineMs'],
    [{ pathEnv: 1 }, 'pathEnv'],
    [{ overrides: { claude: 1 } }, 'overrides'],
    [{ overrides: { claude: '' } }, 'overrides'],
    [{ overrides: { clod: '/x' } }, 'overrides'],
    [{ overrides: ['/x'] }, 'overrides'],
    [{ overrides: new Map([['claude', '/x']]) }, 'overrides'],
    [{ overrides: null }, 'overrides'],
    [{ table: {} }, 'table'],
    [{ table: [] }, 'table'],
    [{ table: 'x' }, 'table'],
    [{ table: { size: 0, faults: [], get: () => undefined } }, 'table'],
    [{ look: null }, 'look'],
    [{ now: 5 }, 'now'],
    [{ table: null }, 'table'],
  ])('%j is refused by name', async (options, name) => {
    const failure = await agents(options as AgentsOptions).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OptionError);
    expect(failure).toMatchObject({ option: name });
  });
});
