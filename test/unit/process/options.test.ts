import { describe, expect, it } from 'vitest';
import {
  OptionError,
  openFiles,
  snapshot,
  snapshotAsync,
  sockets,
  UsageSampler,
  usage,
} from '../../../lib/index.js';

const MISTAKES: readonly [string, unknown][] = [
  ['options', null],
  ['options', 'fields'],
  ['options', [1]],
  ['feilds', { feilds: ['argv'] }],
  ['fields', { fields: 'argv' }],
  ['fields', { fields: ['args'] }],
  ['fields', { fields: [7] }],
  ['fields', { fields: ['constructor'] }],
  ['fields', { fields: [null] }],
  ['fields', { fields: [{}] }],
  ['fields', { identity: false }],
  ['fields', { identity: false, fields: [] }],
  ['identity', { identity: 1 }],
  ['env', { env: 'HOME' }],
  ['env', { env: [''] }],
  ['env', { env: ['A=B'] }],
  ['env', { env: ['A\0B'] }],
  ['env', { env: [7] }],
  ['env', { fields: ['env'] }],
  ['env', { env: new Array(257).fill('A') }],
  ['pids', { pids: 7 }],
  ['pids', { pids: '7' }],
  ['pids', { pids: [0] }],
  ['pids', { pids: [-1] }],
  ['pids', { pids: [1.5] }],
  ['pids', { pids: [2 ** 31] }],
  ['pids', { pids: [Number.NaN] }],
  ['pids', { pids: ['1'] }],
  ['procRoot', { procRoot: '' }],
  ['procRoot', { procRoot: 7 }],
  ['procRoot', { procRoot: '/pr\0oc' }],
  ['deadlineMs', { deadlineMs: 0 }],
  ['deadlineMs', { deadlineMs: '1000' }],
  ['deadlineMs', { deadlineMs: Number.POSITIVE_INFINITY }],
  ['maxFieldBytes', { maxFieldBytes: 0 }],
  ['maxFieldBytes', { maxFieldBytes: 2 ** 40 }],
];

describe('option mistakes', () => {
  it.each(MISTAKES)('name the option: %s in %j', async (option, options) => {
    const matches = expect.objectContaining({ option, code: 'ERR_PROCSCOPE_OPTION', name: 'OptionError' });
    expect(() => snapshot(options as never)).toThrow(OptionError);
    expect(() => snapshot(options as never)).toThrow(matches);
    await expect(snapshotAsync(options as never)).rejects.toThrow(matches);
  });

  it('a list that the caller changes afterwards does not change what was read', () => {
    const env = ['HOME'];
    const table = snapshot({ env, pids: [process.pid] });
    env[0] = 'PATH';
    expect({ ...table.get(process.pid)?.env }).toEqual({ HOME: process.env['HOME'] ?? null });
  });

  it('a value that cannot be shown is a mistake like any other', async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [
      1n,
      cycle,
      Symbol('s'),
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
    ]) {
      expect(() => snapshot({ fields: [value] } as never)).toThrow(OptionError);
      expect(() => new UsageSampler(1, { fields: [value] } as never)).toThrow(OptionError);
      for (const answer of [
        usage(1, { fields: [value] } as never),
        sockets({ kinds: [value] } as never),
        sockets({ states: [value] } as never),
        openFiles(1, { kinds: [value] } as never),
      ]) {
        await expect(answer).rejects.toBeInstanceOf(OptionError);
      }
    }
  });

  it('what is right is taken: pids once each, any iterable, and nothing at all', () => {
    expect(snapshot({ pids: new Set([process.pid]) }).size).toBe(1);
    expect(snapshot({ pids: [process.pid, process.pid] }).size).toBe(1);
    expect(snapshot({ pids: [] }).size).toBe(0);
    expect(snapshot({ fields: [], env: [] }).has(process.pid)).toBe(true);
  });

  it('a pid that nobody has gives no row and no fault', () => {
    const table = snapshot({ pids: [2 ** 31 - 1] });
    expect([table.size, table.faults, table.vanished]).toEqual([0, [], 1]);
  });
});
