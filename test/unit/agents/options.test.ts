import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { AgentMonitor } from '../../../lib/agents/monitor.js';
import type { MonitorOptions } from '../../../lib/agents/monitor-options.js';
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

describe('options of a monitor', () => {
  const poller = { poll: () => {}, track: () => {}, untrack: () => {} };

  it.each([
    [{ intervalMs: 5 }, 'intervalMs'],
    [{ table: { size: 0 } }, 'table'],
    [{ now: () => 0 }, 'now'],
    [{ homes: ['relative'] }, 'homes'],
    [{ overrides: { clod: '/x' } }, 'overrides'],
    [{ procRoot: '' }, 'procRoot'],
    [{ deadlineMs: 0 }, 'deadlineMs'],
    [{ recordAgeMs: -1 }, 'recordAgeMs'],
    [{ sessionAgeMs: 0 }, 'sessionAgeMs'],
    [{ patienceMs: '1' }, 'patienceMs'],
    [{ events: 'all' }, 'events'],
    [{ maxAgeMs: -1 }, 'maxAgeMs'],
    [{ poller: {} }, 'poller'],
    [{ poller: null }, 'poller'],
    [{ poller, events: 'none' }, 'events'],
    [{ readProcesses: 1 }, 'readProcesses'],
    [{ clock: 5 }, 'clock'],
    [[], 'options'],
  ])('%j is refused by name', (options, name) => {
    const make = () => new AgentMonitor(options as MonitorOptions);
    expect(make).toThrow(OptionError);
    expect(make).toThrow(expect.objectContaining({ option: name }));
  });

  it.each([
    [{ intervalMs: 0 }, 'intervalMs'],
    [{ signal: 'x' }, 'signal'],
    [{ interval: 5 }, 'interval'],
  ])('of watch(): %j is refused at once', (options, name) => {
    const monitor = new AgentMonitor({ poller: poller as unknown as NonNullable<MonitorOptions['poller']> });
    expect(() => monitor.watch(options as object)).toThrow(expect.objectContaining({ option: name }));
  });
});
