import { describe, expect, it } from 'vitest';
import type { InstalledProgram } from '../../../lib/engines/match.js';
import { matchProcess } from '../../../lib/engines/match.js';
import { bypassesPermissions, gatewayOf, versionOf } from '../../../lib/engines/probes.js';
import { facts, judgeOne, matchContext } from './situation.js';

const file = (ino: bigint) => ({ dev: 1n, ino });
const installed = (engine: string, ino: bigint): InstalledProgram => ({
  engine,
  file: file(ino),
  path: `/opt/${engine}`,
});

describe('file identity', () => {
  it('knows a program whatever it is called', () => {
    const one = facts({ argv: ['/t/renamed'], exeFile: file(7n) });
    expect(matchProcess(one, matchContext({ installed: [installed('claude', 7n)] }))).toMatchObject({
      outcome: 'engine',
      rule: { engine: 'claude' },
      evidence: { rule: 'file-identity', score: 4, from: 'exe', confidence: 'high' },
    });
  });

  it('knows a script through its link', () => {
    const script = { arg: '/b/x', real: '/opt/x.js', file: file(7n) };
    const one = facts({ argv: ['node', '/b/x'], exe: '/usr/bin/node', exeFile: file(1n), script });
    const verdict = matchProcess(one, matchContext({ installed: [installed('codex', 7n)] }));
    expect(verdict).toMatchObject({ rule: { engine: 'codex' }, evidence: { from: 'script' } });
  });

  it('excludes every other engine, names and overrides included', () => {
    const one = facts({ argv: ['codex'], exe: '/t/codex', exeFile: file(7n) });
    const around = {
      installed: [installed('claude', 7n)],
      overrides: [{ engine: 'codex', program: '/t/codex' }],
    };
    expect(matchProcess(one, matchContext(around))).toMatchObject({ rule: { engine: 'claude' } });
  });

  it('of two engines is none, and no weaker evidence decides', () => {
    const one = facts({ argv: ['/t/codex'], exeFile: file(7n) });
    const around = { installed: [installed('claude', 7n), installed('codex', 7n)] };
    const why = 'the file of this program is installed as claude and as codex';
    const verdict = matchProcess(one, matchContext(around));
    expect(verdict).toMatchObject({ outcome: 'refused', because: [why] });
    expect(verdict.considered.map(({ engine, refused }) => [engine, refused])).toEqual([
      ['claude', why],
      ['codex', why],
    ]);
  });

  it('of an interpreter owns nothing', () => {
    const one = facts({ argv: ['node', 'a.js'], exe: '/usr/bin/node', exeFile: file(7n) });
    expect(matchProcess(one, matchContext({ installed: [installed('claude', 7n)] })).outcome).toBe('none');
  });
});

describe('an override', () => {
  const outcome = (given: Parameters<typeof facts>[0], engine: string, program: string) => {
    const verdict = matchProcess(facts(given), matchContext({ overrides: [{ engine, program }] }));
    return verdict.outcome === 'engine' ? `${verdict.rule.engine} ${verdict.evidence.rule}` : verdict.outcome;
  };

  it('names a path, a script or a base name', () => {
    const patched = { argv: ['bun', '/home/user/.x/cli.cjs'], exe: '/usr/bin/bun' };
    expect(outcome(patched, 'claude', '/home/user/.x/cli.cjs')).toBe('claude explicit-override');
    expect(outcome(patched, 'claude', 'cli.cjs')).toBe('claude explicit-override');
    expect(outcome(patched, 'claude', '/other/cli.cjs')).toBe('none');
    expect(outcome({ argv: ['/t/myclaude'] }, 'claude', 'myclaude')).toBe('claude explicit-override');
  });

  it('meets a comm of 15 bytes by its head', () => {
    const cut = { argv: [], exe: undefined, name: 'my-very-long-cl' };
    expect(outcome(cut, 'claude', 'my-very-long-claude')).toBe('claude explicit-override');
    expect(outcome({ ...cut, name: 'my-very-long' }, 'claude', 'my-very-long-claude')).toBe('none');
  });

  it('cannot claim the bare name agent', () => {
    expect(outcome({ argv: ['agent'], exe: '/t/agent' }, 'cursor', 'agent')).toBe('barrier');
    expect(outcome({ argv: ['/t/agent'] }, 'cursor', '/t/agent')).toBe('cursor explicit-override');
  });

  it('of two engines for one program settles nothing', () => {
    const overrides = [
      { engine: 'claude', program: 'tool' },
      { engine: 'codex', program: 'tool' },
    ];
    const verdict = matchProcess(facts({ argv: ['/t/tool'] }), matchContext({ overrides }));
    expect(verdict.outcome).toBe('refused');
  });
});

describe('confidence', () => {
  const confidence = (given: Parameters<typeof judgeOne>[0]) => judgeOne(given)?.evidence.confidence;

  it('is low where another image is behind the name', () => {
    expect(confidence({ argv: ['claude'], exe: '/bin/sleep', name: 'sleep' })).toBe('low');
    expect(confidence({ argv: ['x'], exe: '/bin/sleep', name: 'claude' })).toBe('low');
    expect(confidence({ argv: ['node', '/b/claude'], exe: '/bin/sleep', name: 'sleep' })).toBe('low');
  });

  it('is high where the image agrees or cannot be read', () => {
    expect(confidence({ argv: ['claude'], exe: '/home/user/.local/share/claude/versions/2.1.1' })).toBe(
      'high',
    );
    expect(confidence({ argv: ['claude'], exe: undefined })).toBe('high');
    expect(confidence({ argv: [], exe: undefined, name: 'claude' })).toBe('high');
    expect(confidence({ argv: ['env', 'A=b', 'claude'], exe: '/usr/bin/env', name: 'env' })).toBe('high');
  });

  it('is low where the script may be the value of an unknown option', () => {
    const doubtful = judgeOne({ argv: ['node', '--new-thing', '/x/claude'], exe: '/usr/bin/node' });
    expect(doubtful?.evidence.confidence).toBe('low');
    expect(doubtful?.because).toContain(
      'script: may be the value of --new-thing, an option that no rule knows',
    );
    expect(confidence({ argv: ['node', '--title', 'x', '/x/claude'], exe: '/usr/bin/node' })).toBe('high');
    expect(
      judgeOne({ argv: ['node', '--diagnostic-dir', 'claude', 'app.js'], exe: '/usr/bin/node' }),
    ).toBeUndefined();
  });

  it('is low for names that others use', () => {
    expect(confidence({ argv: ['/t/codex-nightly'] })).toBe('low');
    expect(confidence({ argv: ['/t/codex-x86_64-unknown-linux-musl'] })).toBe('high');
    expect(confidence({ argv: ['node', '/t/codex-monitor'], exe: '/usr/bin/node' })).toBeUndefined();
    expect(confidence({ argv: ['/t/codex-monitor.sh'] })).toBeUndefined();
  });

  it('is refused where one face names two engines', () => {
    const argv = ['/t/codex'];
    expect(judgeOne({ argv, exe: '/home/user/.local/share/claude/versions/2.1.1' })?.rule.engine).toBe(
      'claude',
    );
  });
});

describe('what is never an agent', () => {
  it.each([
    { argv: ['/usr/bin/agy-helper'] },
    { argv: ['/Applications/Antigravity.app/Contents/Resources/bin/agy'] },
    { argv: ['/t/my claude'] },
    { argv: ['claudette'] },
    { argv: [], exe: null, name: 'claude' },
    { argv: ['x'], exe: '/t/x', name: 'kworker/claude' },
    { argv: ['claude'], state: 'Z' },
  ])('%j', (given) => {
    expect(judgeOne(given)).toBeUndefined();
  });
});

describe('further answers', () => {
  const of = (...argv: string[]) => judgeOne({ argv, exe: `/t/${argv[0]}` });

  it.each([
    [['claude', '--permission-mode', 'auto'], true],
    [['claude', '--permission-mode=bypassPermissions'], true],
    [['claude', '--permission-mode', 'plan'], false],
    [['claude', '--dangerously-skip-permissions'], true],
    [['claude', 'use --dangerously-skip-permissions'], false],
    [['claude', '--', '--dangerously-skip-permissions'], false],
    [['claude', '--append-system-prompt', '--dangerously-skip-permissions'], false],
    [['codex', '-a', 'never'], true],
    [['codex', '--ask-for-approval=never'], true],
    [['codex', '-a', 'on-request'], false],
    [['codex', 'resume', '--dangerously-bypass-approvals-and-sandbox'], true],
    [['cursor-agent', '--force'], true],
    [['agy', '--dangerously-skip-permissions'], true],
    [['agy'], false],
  ])('bypassPermissions %j', (argv, right) => {
    const judged = of(...argv);
    expect(judged && bypassesPermissions(judged)).toBe(right);
  });

  it('bypassPermissions is unknown without arguments', () => {
    const judged = judgeOne({ argv: undefined, exe: '/t/claude' });
    expect(judged && bypassesPermissions(judged)).toBeNull();
  });

  it.each([
    ['https://openrouter.ai/api', 'ori'],
    ['https://user:secret@api.openrouter.ai:443/v1', 'ori'],
    ['https://openrouter.ai.example.com/', null],
    ['https://notopenrouter.ai/', null],
    ['https://example.com/?x=openrouter.ai', null],
    [null, null],
  ])('gateway %j', (address, right) => {
    const judged = judgeOne({ argv: ['/t/claude'], env: { ANTHROPIC_BASE_URL: address } });
    expect(judged && gatewayOf(judged)).toBe(right);
  });

  it('the version stands in the install path', () => {
    const version = (exe: string) => {
      const judged = judgeOne({ argv: [exe], exe });
      return judged && versionOf(judged);
    };
    expect(version('/home/user/.local/share/claude/versions/2.1.332')).toBe('2.1.332');
    expect(version('/h/.local/share/cursor-agent/versions/2026.10.1-ab/cursor-agent')).toBe('2026.10.1-ab');
    expect(version('/t/claude')).toBeNull();
  });
});
