import { describe, expect, it } from 'vitest';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { ENGINES } from '../../../lib/engines/index.js';
import { judge } from '../../../lib/engines/judge.js';
import { type Ownership, ownersOf } from '../../../lib/engines/owner.js';
import { facts, matchContext, type Surroundings } from './situation.js';

const SERVER = 9;
const ROOT = 10;

interface More extends Surroundings {
  readonly excluded?: readonly number[];
  readonly hints?: ReadonlyMap<number, string>;
  readonly serverPid?: number;
}

/** The owner of a pane whose first process is 10. */
function owner(processes: readonly ProcessFacts[], more: More = {}): Ownership {
  const byPid = new Map(processes.map((each) => [each.pid, each]));
  const lookup = (pid: number) => byPid.get(pid);
  const hints = more.hints ?? new Map<number, string>();
  const judgement = judge(processes, { ...matchContext(more), lookup, hints, ownerHome: () => null });
  const context = { rules: ENGINES, judgement, lookup, excluded: new Set(more.excluded ?? []) };
  const found = ownersOf([{ pid: ROOT, serverPid: more.serverPid ?? SERVER }], context).get(ROOT);
  if (found === undefined) throw new Error('every pane has an answer');
  return found;
}

/** `engine pid`, or the outcome. */
function said(ownership: Ownership): string {
  return ownership.outcome === 'owner'
    ? `${ownership.owner.rule.engine} ${ownership.owner.facts.pid}`
    : ownership.outcome;
}

const shell = facts({ pid: ROOT, ppid: SERVER, argv: ['-bash'], exe: '/usr/bin/bash' });
const run = (pid: number, ppid: number, program: string, more: Partial<ProcessFacts> = {}) =>
  facts({ pid, ppid, argv: [program], exe: `/opt/${program}`, ...more });
const file = (ino: number) => ({ dev: 1n, ino: BigInt(ino) });

describe('the owner of a pane', () => {
  it('is found at any depth, the first process included', () => {
    expect(said(owner([run(ROOT, SERVER, 'claude')]))).toBe('claude 10');
    expect(said(owner([shell, run(11, ROOT, 'make'), run(12, 11, 'codex')]))).toBe('codex 12');
    expect(said(owner([shell, run(11, ROOT, 'vim')]))).toBe('none');
  });

  it('H04 is the shallowest: what runs below an agent is its tool, however strong its evidence', () => {
    const claude = run(11, ROOT, 'claude');
    const tool = run(12, 11, 'codex', { exeFile: file(7), tty: 'pts/9' });
    const installed = [{ engine: 'codex', file: file(7), path: '/opt/codex' }];
    for (const order of [
      [shell, claude, tool],
      [tool, claude, shell],
    ]) {
      expect(said(owner(order, { installed }))).toBe('claude 11');
    }
  });

  it('is told from its neighbour of the same depth by score', () => {
    const weak = run(11, ROOT, 'codex');
    const strong = run(12, ROOT, 'claude', { exeFile: file(8) });
    const installed = [{ engine: 'claude', file: file(8), path: '/opt/claude' }];
    expect(said(owner([shell, weak, strong], { installed }))).toBe('claude 12');
  });

  it('is nobody where two have the same claim; the override that parts them is named', () => {
    const both = owner([shell, run(11, ROOT, 'codex'), run(12, ROOT, 'claude')]);
    expect(both).toMatchObject({
      outcome: 'ambiguous',
      override: 'CODEX_PATH or CLAUDE_PATH with the path of the program',
      contenders: [
        { pid: 11, engine: 'codex', depth: 1, score: 3 },
        { pid: 12, engine: 'claude', depth: 1, score: 3 },
      ],
    });
    expect(
      said(
        owner([shell, run(11, ROOT, 'codex'), run(12, ROOT, 'claude')], {
          overrides: [{ engine: 'claude', program: '/opt/claude' }],
        }),
      ),
    ).toBe('claude 12');
  });

  it('is nobody where one engine runs twice, and no override would help', () => {
    const twice = owner([shell, run(11, ROOT, 'claude'), run(12, ROOT, 'claude')]);
    expect(twice).toMatchObject({ outcome: 'ambiguous', override: null });
  });

  it('is nobody behind an unresolved agent at or above the shallowest match', () => {
    const agent = run(11, ROOT, 'agent');
    for (const match of [run(12, ROOT, 'claude'), run(12, 11, 'claude', { tty: 'pts/9' })]) {
      expect(owner([shell, agent, match])).toMatchObject({
        outcome: 'ambiguous',
        override: 'CURSOR_PATH or GROK_PATH with the path of the program',
        contenders: [{ pid: 11, engine: null }],
      });
    }
    expect(said(owner([shell, agent]))).toBe('ambiguous');
    expect(said(owner([shell, run(11, ROOT, 'claude'), run(12, 11, 'agent')]))).toBe('claude 11');
  });

  it('is what a hint says of an unresolved agent, with a score of 1', () => {
    const agent = run(11, ROOT, 'agent');
    const hints = new Map([[11, 'grok']]);
    const found = owner([shell, agent], { hints });
    expect(said(found)).toBe('grok 11');
    expect(found).toMatchObject({
      owner: { evidence: { rule: 'pane-hook-hint', score: 1, from: 'hint', confidence: 'low' } },
    });
    expect(said(owner([shell, agent, run(12, ROOT, 'claude')], { hints }))).toBe('claude 12');
  });

  it('is never what a hint says against file identity or a name', () => {
    const installed = [
      { engine: 'cursor', file: file(5), path: '/a/agent' },
      { engine: 'grok', file: file(5), path: '/b/agent' },
    ];
    const agent = run(11, ROOT, 'agent', { exeFile: file(5) });
    const hints = new Map([[11, 'grok']]);
    expect(owner([shell, agent], { installed, hints })).toMatchObject({
      outcome: 'ambiguous',
      override: null,
      hintable: null,
    });
    expect(said(owner([shell, agent], { installed: installed.slice(0, 1), hints }))).toBe('cursor 11');
    expect(said(owner([shell, run(11, ROOT, 'claude')], { hints }))).toBe('claude 11');
  });

  it("is never a program of the caller's, nor what runs below one", () => {
    const daemon = run(11, ROOT, 'node');
    const below = run(12, 11, 'claude');
    expect(said(owner([shell, daemon, below], { excluded: [11] }))).toBe('none');
    expect(said(owner([shell, daemon, below, run(13, ROOT, 'codex')], { excluded: [11] }))).toBe('codex 13');
    expect(said(owner([shell, below], { excluded: [12] }))).toBe('none');
  });

  it('is the launcher as well as its worker: one agent', () => {
    const node = { exe: '/usr/bin/node', name: 'node' };
    const launcher = run(11, ROOT, 'node', { ...node, argv: ['node', '/b/copilot'] });
    const worker = run(12, 11, 'copilot');
    expect(said(owner([shell, launcher, worker]))).toBe('copilot 11');
  });

  it('is not a service, and nothing that a service runs', () => {
    const service = run(11, ROOT, 'codex', { argv: ['codex', 'app-server'] });
    expect(said(owner([shell, service, run(12, 11, 'claude', { tty: 'pts/9' })]))).toBe('none');
    expect(said(owner([shell, service, run(12, ROOT, 'make'), run(13, 12, 'claude')]))).toBe('claude 13');
  });

  it('is nobody where the pid of the first process belongs to somebody else by now', () => {
    const reused = run(ROOT, 1, 'claude');
    expect(said(owner([reused]))).toBe('none');
    expect(said(owner([reused], { serverPid: 0 }))).toBe('claude 10');
  });

  it('L13 is found in a table whose parents form a cycle', () => {
    const looped = [run(11, 12, 'claude'), run(12, 11, 'sh')];
    expect(said(owner([shell, ...looped]))).toBe('none');
  });
});
