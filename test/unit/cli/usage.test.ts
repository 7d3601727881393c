import { describe, expect, it } from 'vitest';
import type { Io } from '../../../lib/cli/command.js';
import { run } from '../../../lib/cli/run.js';
import {
  describeFault,
  type ProcessUsage,
  type Sample,
  type SamplerOptions,
  type Usage,
  type UsageOptions,
} from '../../../lib/index.js';

const ROW: ProcessUsage = {
  pid: 42,
  startKey: 12345678901234567890n,
  ppid: 1,
  name: 'evil\u001b[2J',
  state: 'S',
  kernelThread: false,
  threads: 3,
  cpu: { user: 1500, system: 500 },
  waitedCpu: { user: 60_000, system: 5_000 },
  runtime: 2004.5,
  runtimeSource: 'clock',
  rss: 1536 * 1024,
  vsize: 0,
  peakRss: null,
  swap: 0,
  pss: undefined,
  pageFaults: { minor: 1, major: 0 },
  waitedPageFaults: { minor: 1, major: 0 },
  io: undefined,
  switches: undefined,
  faults: { io: { kind: 'denied', code: 13, call: 'open', path: '/proc/42/io' } },
};
const ANSWER: Usage = {
  pid: 42,
  processes: [ROW],
  total: undefined,
  cgroup: undefined,
  complete: true,
  faults: [],
};
const GONE: Usage = {
  ...ANSWER,
  processes: [],
  faults: [{ kind: 'gone', code: 0, call: 'open', path: '/proc/42' }],
};
const SAMPLE = {
  sequence: 0,
  percent: undefined,
  cpu: 0,
  rss: 2048,
  processes: 1,
  threads: 2,
  missed: 0,
  members: [{ startKey: 7n }],
} as unknown as Sample;

async function cli(args: readonly string[], answer: Usage = ANSWER) {
  let out = '';
  let err = '';
  const asked: unknown[] = [];
  class FakeSampler {
    state = { reason: 'ended' };
    constructor(pid: number, options: SamplerOptions) {
      asked.push(pid, options);
    }
    async *[Symbol.asyncIterator]() {
      yield SAMPLE;
    }
  }
  const api = {
    usage: async (pid: number, options: UsageOptions) => {
      asked.push(pid, options);
      return answer;
    },
    UsageSampler: FakeSampler,
    describeFault,
  } as unknown as Io['api'];
  const code = await run(['usage', ...args], {
    api,
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    env: {},
    version: '1.2.3',
    onInterrupt: () => () => {},
    onResize: () => () => {},
    readInput: () => Promise.reject(new Error('nothing is to be read')),
  });
  return { code, out, err, asked };
}

describe('procscope usage', () => {
  it('prints a table in units for people, and what could not be read', async () => {
    const { code, out, asked } = await cli(['42', '--tree']);
    expect(code).toBe(0);
    expect(asked).toMatchObject([42, { tree: true }]);
    const [head, row] = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(head?.slice(0, 3)).toEqual(['PID', 'STATE', 'CPU']);
    expect(row).toEqual([
      '42',
      'S',
      '2.00s',
      '1.50s',
      '0.50s',
      '1m05s',
      '1.5M',
      '-',
      '0B',
      '3',
      '?',
      '?',
      'evil\\x1b[2J',
    ]);
    expect(out.trimEnd().split('\n')).toHaveLength(3);
    expect(out).toContain('denied');
  });

  it('prints JSON in which nothing is left out and start keys are strings', async () => {
    const { out } = await cli(['42', '--json']);
    const answer = JSON.parse(out);
    expect(answer.processes[0]).toMatchObject({ startKey: '12345678901234567890', io: null, peakRss: null });
    expect(out).not.toContain('\u001b');
  });

  it('a process that is not there is exit code 1', async () => {
    const { code, out } = await cli(['42'], GONE);
    expect([code, out]).toEqual([1, 'process 42 is not there\n']);
  });

  it('watches line by line until the process ends', async () => {
    const { code, out, asked } = await cli(['42', '--watch', '--interval', '20']);
    expect(code).toBe(0);
    expect(asked).toMatchObject([42, { intervalMs: 20, tree: false }]);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    const json = await cli(['42', '--watch', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ percent: null, members: [{ startKey: '7' }] });
  });

  it.each([
    [[], 'usage needs PID'],
    [['x'], 'not a pid: x'],
    [['1', '2'], 'usage takes no more than one argument: 2'],
    [['1', '--interval', '5'], '--interval needs --watch'],
    [['1', '--watch', '--interval', '1e3'], '--interval must be a number from 1 to 3600000: 1e3'],
    [['1', '--watch', '--interval', 'x'], '--interval must be a number from 1 to 3600000: x'],
    [['1', '--watch', '--interval', '0.5'], '--interval must be a number from 1 to 3600000: 0.5'],
    [['1', '--watch', '--proc-root', '/x'], '--proc-root cannot be watched'],
    [['1', '--watch', '--pss'], '--pss cannot be watched'],
    [['1', '--bogus'], 'unknown option --bogus of usage'],
  ])('refuses %j by name', async (args, message) => {
    const { code, err } = await cli(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
