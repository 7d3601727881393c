/** Real processes whose engines write down their turns. */
import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../lib/agents/envelope.js';
import type { AgentEvent } from '../../../lib/agents/events.js';
import { AgentMonitor } from '../../../lib/agents/monitor.js';
import { Scene } from './start.js';

const A = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const ROLLOUT = `.codex/sessions/2026/11/30/rollout-2026-11-30T15-03-55-${A}.jsonl`;

const line = (type: string, payload: string, at = Date.now()): string =>
  `${JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload: { type: payload } })}\n`;
const event = (payload: string): string => line('event_msg', payload, Date.now() + 1_000);
const call = (): string => line('response_item', 'function_call', Date.now() + 1_000);

describe.skipIf(process.platform !== 'linux')('states by turns (makers run on Linux)', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  async function codex(text: string): Promise<{ readonly pid: number; readonly path: string }> {
    const path = scene.write(ROLLOUT, text);
    const program = await scene.fake('bin/codex');
    return { pid: await scene.start(program, { argv0: 'codex', hold: [`open ${path}`] }), path };
  }
  async function only(): Promise<Agent> {
    const [agent] = await scene.agents();
    if (!agent) throw new Error('no agent was found');
    return agent;
  }

  it.each([
    ['interrupted', [event('task_started'), call(), event('turn_aborted')], 'idle'],
    ['amid a call', [event('task_started'), call()], 'busy'],
    ['complete', [event('task_started'), event('task_complete')], 'idle'],
  ] as const)('H27 of a codex that is %s', async (_, lines, value) => {
    const { path } = await codex(lines.join(''));
    const { state, because } = await only();
    expect(state).toMatchObject({ value, source: 'transcript', suspended: false });
    expect(state.at).not.toBeNull();
    expect(because.some((each) => each.startsWith('state: ') && each.includes(path))).toBe(true);
  });

  it('of a stopped process are not busy', async () => {
    const { pid } = await codex(event('task_started'));
    process.kill(pid, 'SIGSTOP');
    try {
      await expect.poll(async () => (await only()).state.suspended).toBe(true);
      expect((await only()).state).toMatchObject({ value: 'unknown', raw: 'task_started', suspended: true });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await expect.poll(async () => (await only()).state).toMatchObject({ value: 'busy', suspended: false });
  });

  it('that a killed process left open are of nobody alive', async () => {
    await codex(line('event_msg', 'task_started', Date.now() - 3_600_000));
    const { state, because } = await only();
    expect(state).toMatchObject({ value: 'unknown', raw: 'task_started' });
    expect(because).toContain(
      'state unknown: the open turn is older than this process: whoever wrote it is gone',
    );
  });

  it('change while a monitor looks, each with its reason', async () => {
    const { pid, path } = await codex(event('task_started'));
    const monitor = new AgentMonitor({ pathEnv: '', overrides: {}, recordAgeMs: 0 });
    const events: AgentEvent[] = [];
    const states = async (): Promise<readonly string[]> => {
      events.push(...(await monitor.poll()).events.filter(({ agent }) => agent.pid === pid));
      return events.flatMap(({ reasons }) => reasons).filter((reason) => reason.startsWith('state: '));
    };
    try {
      const value = async () => {
        await states();
        return monitor.agents.find((agent) => agent.pid === pid)?.state.value;
      };
      await expect.poll(value).toBe('busy');
      appendFileSync(path, event('task_complete'));
      await expect.poll(states).toContain('state: busy -> idle');
      const told = events.length;
      await states();
      expect(events.length).toBe(told);
      appendFileSync(path, event('task_started'));
      await expect.poll(states).toContain('state: idle -> busy');
    } finally {
      monitor.close();
    }
  });

  it('of a copilot wait while it asks', async () => {
    const folder = `.copilot/session-state/${A}`;
    const lock = scene.write(`${folder}/inuse.1.hold`, '');
    const at = new Date(Date.now() + 1_000).toISOString();
    const ask = {
      type: 'permission.requested',
      timestamp: at,
      data: { requestId: 'r', permissionRequest: { kind: 'shell' } },
    };
    scene.write(`${folder}/events.jsonl`, `${JSON.stringify(ask)}\n`);
    await scene.start(await scene.fake('bin/copilot'), { argv0: 'copilot', hold: [`lock ${lock}`] });
    expect((await only()).state).toMatchObject({ value: 'waiting', waitingFor: 'permission: shell' });
  });

  it('of an agy stand in the log that it has open', async () => {
    const log = scene.write(
      '.gemini/antigravity-cli/log/cli-20261130_150000.log',
      'I1130 15:00:01.162814     230 x.go:1] Surfacing tool confirmation: "Bash" at step 4\n',
    );
    const lock = scene.write(`.gemini/antigravity-cli/presence/${A}.lock`, '');
    await scene.start(await scene.fake('bin/agy'), { argv0: 'agy', hold: [`open ${log}`, `lock ${lock}`] });
    expect((await only()).state).toMatchObject({
      value: 'waiting',
      source: 'log',
      at: null,
      waitingFor: 'permission: Bash',
    });
  });
});
