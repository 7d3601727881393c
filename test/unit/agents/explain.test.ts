/** An explanation is what `agents()` concluded, laid out: it may say more, and never something else. */
import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { type Explanation, explainAgent } from '../../../lib/agents/explain.js';
import type { AgentsOptions } from '../../../lib/agents/options.js';
import { explanationLines } from '../../../lib/cli/commands/explain.js';
import { printableJson } from '../../../lib/cli/text.js';
import { FakeFiles, type FakeRow, tableOf } from './fakes.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const CLAUDE = { argv: ['claude'], exe: '/home/user/.local/bin/claude', name: 'claude' } as const;
const NODE = '/usr/bin/node';
const SECRET = 'sk-ant-api03-Zx81qqLm20fTTrWe83hD';

const given = (rows: Readonly<Record<number, FakeRow>>, files = new FakeFiles()): AgentsOptions => ({
  table: tableOf(rows),
  look: files.look,
  pathEnv: '',
  overrides: {},
});

const explain = (pid: number, rows: Readonly<Record<number, FakeRow>>, files?: FakeFiles) =>
  explainAgent(pid, given(rows, files));

/** As the command prints it. */
const textOf = (explanation: Explanation): string => {
  const run = { paint: (text: string) => text } as Parameters<typeof explanationLines>[1];
  return explanationLines(explanation, run).join('\n');
};

function recordOf(pid: number): FakeFiles {
  const text = JSON.stringify({ pid, sessionId: UUID, procStart: `${pid * 100}`, status: 'idle' });
  return new FakeFiles({ [`/home/user/.claude/sessions/${pid}.json`]: text });
}

describe('the explanation of an agent', () => {
  it('has the row of agents() and each step to it', async () => {
    const rows = { 10: CLAUDE };
    const found = await explain(10, rows, recordOf(10));
    const { agents: expected } = await agents({ ...given(rows, recordOf(10)), all: true });
    expect(found.agent).toEqual(expected[0]);
    expect(found).toMatchObject({ outcome: 'agent', rowPid: 10, chain: [10], below: null, bypassFlags: [] });
    expect(found.engines[0]).toMatchObject({ engine: 'claude', refused: null, evidence: { score: 3 } });
    expect(found.kind).toMatchObject({ kind: 'tui', reason: { by: 'default' } });
    expect(found.home).toMatchObject({ config: '/home/user/.claude', from: 'home' });
    expect(found.links.map(({ rule, session }) => [rule, session])).toEqual([
      ['pid-record', UUID],
      ['open-files', null],
      ['argv', null],
      ['store', null],
    ]);
    expect(found.arbiter).toEqual({ shared: false, primary: 10, claimants: [10] });
    const text = textOf(found);
    expect(text).toContain('10  agent: claude tui');
    expect(text).toContain(`pid-record: ${UUID}`);
    expect(text).toContain('the only claimant');
  });

  it('names the rule that decided the kind, with its source', async () => {
    const found = await explain(10, { 10: { ...CLAUDE, argv: ['claude', '-p', 'a prompt'] } });
    expect(found.kind).toMatchObject({
      kind: 'headless',
      reason: { by: 'rule', why: 'prints its answer and ends', source: { how: 'measured' } },
    });
  });

  it('tells the claimants of a shared session, and who owns it first', async () => {
    const resume = { ...CLAUDE, argv: ['claude', '--resume', UUID] };
    const found = await explain(10, { 10: resume, 11: resume });
    expect(found.arbiter).toEqual({ shared: true, primary: 11, claimants: [10, 11] });
    expect(found.links[2]).toMatchObject({ rule: 'argv', session: UUID });
    expect(textOf(found)).toContain('shared by 10, 11; first owner 11');
  });

  it('of a launcher points to the row of its worker', async () => {
    const rows = {
      10: { argv: ['node', '/x/@openai/codex/bin/codex.js'], exe: NODE, name: 'node', tty: 'pts/1' },
      11: { argv: ['codex'], exe: '/x/codex', name: 'codex', ppid: 10, tty: 'pts/1' },
    };
    const found = await explain(10, rows);
    expect(found).toMatchObject({ outcome: 'folded', rowPid: 11, chain: [10, 11], agent: { pid: 11 } });
    expect(found.kind).toMatchObject({ kind: 'launcher', reason: { by: 'family' } });
    expect((await explain(11, rows)).outcome).toBe('agent');
  });

  it('lists the flags that switch off questions, as they stand', async () => {
    const argv = ['claude', '--permission-mode', 'auto', '--dangerously-skip-permissions'];
    const found = await explain(10, { 10: { ...CLAUDE, argv } });
    expect(found.bypassFlags).toEqual(['--permission-mode auto', '--dangerously-skip-permissions']);
    expect(found.facts?.argv).toEqual(argv);
  });
});

describe('the explanation of what is no agent', () => {
  it.each([
    ['gone', 99, { 10: {} }, 'no process has the pid: 1 others were read'],
    ['unread', 99, {}, 'the process table could not be read: whether the process is there is not known'],
    ['kernel', 10, { 10: { kernelThread: true } }, 'a thread of the kernel: it runs no program'],
  ] as const)('%s', async (outcome, pid, rows, why) => {
    const found = await explain(pid, rows);
    expect(found).toMatchObject({ outcome, because: [why], facts: null, agent: null, links: [] });
    expect(textOf(found)).toContain(why);
  });

  it('says that nothing came near, and below which agent it runs', async () => {
    const rows = {
      10: CLAUDE,
      11: { argv: ['vim', 'codex.md'], exe: '/usr/bin/vim', name: 'vim', ppid: 10 },
    };
    const found = await explain(11, rows);
    expect(found).toMatchObject({ outcome: 'none', engines: [], below: 10, kind: null });
    expect(found.because.join('\n')).toMatch(/other arguments are no evidence[\s\S]*below the agent 10/);
  });

  it('says what came near and why that was refused', async () => {
    const desktop = { argv: ['claude'], exe: '/usr/lib/claude-desktop/claude', name: 'claude' };
    const { outcome, engines } = await explain(10, { 10: desktop });
    expect(outcome).toBe('none');
    expect(engines).toEqual([
      expect.objectContaining({
        engine: 'claude',
        evidence: null,
        refused: expect.stringContaining('another product'),
      }),
    ]);
    const barrier = await explain(10, { 10: { argv: ['agent'], exe: '/usr/sbin/agent', name: 'agent' } });
    expect(barrier.outcome).toBe('barrier');
    expect(barrier.engines.map(({ engine }) => engine).sort()).toEqual(['cursor', 'grok']);
  });

  it('a zombie runs nothing, whatever its name', async () => {
    expect((await explain(10, { 10: { ...CLAUDE, state: 'Z' } })).outcome).toBe('ended');
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses the pid %s', async (pid) => {
    await expect(explain(pid, {})).rejects.toMatchObject({ code: 'ERR_PROCSCOPE_OPTION', option: 'pid' });
  });
});

describe('what an explanation shows of a process', () => {
  it.each([
    { ...CLAUDE, argv: ['claude', '-p', SECRET, '--settings', SECRET, `--model=${SECRET}`] },
    { ...CLAUDE, argv: ['claude', `--unknown=${SECRET}`, '--', SECRET] },
    { argv: ['python3', '/srv/x.py', '--token', SECRET], exe: '/usr/bin/python3', name: 'python3' },
    { argv: ['bash', '-c', `TOKEN=${SECRET} claude`], exe: '/usr/bin/bash', name: 'bash' },
    { argv: ['env', `TOKEN=${SECRET}`, 'claude'], exe: '/usr/bin/env', name: 'env' },
    { argv: [`claude --key ${SECRET}`], exe: NODE, name: 'claude' },
    {
      argv: ['node', `--import=${SECRET}`, '/x/@openai/codex/bin/codex.js', SECRET],
      exe: NODE,
      name: 'node',
    },
    { ...CLAUDE, env: { HOME: '/home/user', ANTHROPIC_BASE_URL: `https://me:${SECRET}@openrouter.ai/x` } },
  ])('keeps back what no rule reads: %#', async (row) => {
    const found = await explain(10, { 10: row });
    for (const text of [printableJson(found), textOf(found)]) expect(text).not.toContain(SECRET);
    expect(found.facts).not.toBeNull();
  });
});
