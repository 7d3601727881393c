/** Cases from public reports, by their ids, as rows of a process table. */
import { describe, expect, it } from 'vitest';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { facts, judgeAll, judgeOne, sessions, UUID, verdicts } from './situation.js';

const NODE = { exe: '/usr/bin/node', name: 'MainThread' };
const VERSIONS = '/home/user/.local/share/claude/versions';

/** A process by its argv alone: argv[0] is the image. */
function started(pid: number, argv: readonly string[], more: Partial<ProcessFacts> = {}): ProcessFacts {
  return facts({ pid, argv, ...more });
}

describe('H01 words in arguments and paths are no evidence', () => {
  it.each([
    {
      argv: ['python3', '/tmp/x/claude-watch/run.py', 'compare codex and claude'],
      exe: '/usr/bin/python3.11',
    },
    { argv: ['grep', '-r', 'claude', '.'] },
    { argv: ['tail', '-f', 'notes/codex.log'] },
    { argv: ['bash', '-c', 'echo claude'], exe: '/usr/bin/bash' },
    { argv: ['bash', '-c', 'claude() { command claude "$@"; }; claude'], exe: '/usr/bin/bash' },
    { argv: ['/usr/bin/vim', '/home/user/.local/share/cursor-agent/versions/1/index.js'] },
    { argv: ['npm view @openai/codex'], exe: '/usr/bin/node', name: 'npm view @opena' },
  ])('$argv', (given) => {
    expect(judgeOne(given)).toBeUndefined();
  });
});

describe('H02 Claude Desktop never matches', () => {
  it.each([
    '/Applications/Claude.app/Contents/MacOS/Claude',
    '/Applications/Claude.app/Contents/Frameworks/Claude Helper (Renderer).app/Contents/MacOS/Claude Helper (Renderer)',
    '/Users/u/Applications/Claude.app/Contents/MacOS/Claude',
    '/usr/lib/claude-desktop/claude',
    '/usr/lib/claude-desktop/node_modules/electron/dist/electron',
    'C:\\Users\\u\\AppData\\Local\\Programs\\Claude\\Claude.exe',
    'C:\\Users\\u\\AppData\\Local\\AnthropicClaude\\app-0.9.2\\claude.exe',
    'C:\\Program Files\\WindowsApps\\Claude_1.0.0.0_x64__pzs8sxrjxfjjc\\app\\Claude.exe',
  ])('%s', (exe) => {
    expect(judgeOne({ exe, argv: [exe, '--type=renderer'], name: 'Claude' })).toBeUndefined();
    // A system that hides the image leaves argv[0].
    expect(judgeOne({ exe: undefined, argv: [exe], name: 'Claude' })).toBeUndefined();
  });

  it('keeps the CLI, whatever its arguments say', () => {
    const rows = [['claude'], ['claude', '--resume', UUID], ['claude', '--prefill', 'x']].map((argv, index) =>
      started(index + 1, argv, { exe: '/home/user/.local/bin/claude', tty: `pts/${index}` }),
    );
    expect(sessions(rows)).toEqual({ 1: 'claude tui', 2: 'claude tui', 3: 'claude tui' });
    const asked = ['claude', 'why does /Applications/Claude.app/Contents/MacOS/Claude use --type=renderer?'];
    expect(sessions([started(1, asked, { exe: '/home/user/.local/bin/claude' })])).toEqual({
      1: 'claude tui',
    });
    const windows = 'C:\\Users\\u\\.local\\bin\\claude.exe';
    expect(sessions([started(1, [windows], { exe: windows, name: 'claude.exe' })])).toEqual({
      1: 'claude tui',
    });
  });
});

describe("H03 claude's background helpers", () => {
  const version = `${VERSIONS}/2.1.168`;

  it.each([
    [['claude', 'daemon', 'run', '--origin', 'transient'], 'helper'],
    [
      [version, '--bg-pty-host', '/tmp/cc-daemon-0/a/pty.sock', '80', '24', '--', version, '--resume', UUID],
      'helper',
    ],
    [[version, '--bg-spare', '/tmp/x.sock'], 'helper'],
    [['claude', '--chrome-native-host'], 'helper'],
    [['claude', 'mcp', 'serve'], 'service'],
    [['claude', 'update'], 'helper'],
    [['claude', 'daemon run is broken, fix it'], 'tui'],
    [['claude', '-p', 'explain --bg-pty-host'], 'headless'],
    [['claude', '--', '--bg-pty-host'], 'tui'],
    [['claude', '--append-system-prompt', '-p'], 'tui'],
    [['claude', '--model', 'mcp', 'hello'], 'tui'],
    [['claude', '--some-new-option', 'doctor'], 'tui'],
    [['claude', '--print=x'], 'headless'],
  ])('%j is %s', (argv, kind) => {
    expect(judgeOne({ argv, exe: version, name: '2.1.168', ppid: 1 })?.kind).toBe(kind);
  });

  it('knows its own ripgrep by argv[0]', () => {
    const rg = judgeOne({ argv: ['rg', '--files'], exe: version, name: '2.1.168', tty: null });
    expect(rg).toMatchObject({ kind: 'helper', rule: { engine: 'claude' } });
  });
});

describe("an engine's own service", () => {
  const service = started(10, ['/x/claude', 'daemon', 'run'], { tty: null });

  it('starts background sessions, and its sessions start helpers', () => {
    const session = started(11, ['/x/claude', '--resume', UUID], { ppid: 10, tty: null });
    const shell = started(12, ['bash', '-c', 'x'], { ppid: 11, tty: null });
    const tool = started(13, ['/x/claude', '-p', 'x'], { ppid: 12, tty: null });
    expect(sessions([service, session, shell, tool])).toEqual({ 11: 'claude tui' });
  });

  it('is an agent for what runs further below, and for other engines', () => {
    const shell = started(12, ['bash', '-c', 'x'], { ppid: 10, tty: null });
    const tool = started(13, ['/x/claude', '-p', 'x'], { ppid: 12, tty: null });
    const other = started(14, ['/x/agy'], { ppid: 10, tty: null });
    expect(sessions([service, shell, tool, other])).toEqual({});
  });
});

describe('H04 an agent program as MCP server of another agent', () => {
  const shell = started(10, ['zsh'], { ppid: 1 });
  const claude = started(20, ['claude'], { ppid: 10, exe: '/home/user/.local/bin/claude' });
  const script = '/home/user/.npm-global/bin/codex';
  const launcher = started(30, ['node', script, 'mcp-server'], { ...NODE, ppid: 20 });
  const native = started(40, ['/x/codex', 'mcp-server'], { ppid: 30, name: 'codex' });
  const rows = [native, launcher, claude, shell];

  it('leaves one row, in every order', () => {
    expect(sessions(rows)).toEqual({ 20: 'claude tui' });
    expect(sessions([...rows].reverse())).toEqual({ 20: 'claude tui' });
  });

  it('leaves one row when the arguments do not tell', () => {
    const plain = [claude, started(30, ['codex'], { ppid: 20, exe: '/x/codex' })];
    expect(verdicts(judgeAll(plain))).toEqual({ 20: 'claude tui', 30: 'codex helper' });
    const below = [claude, started(25, ['sh', '-c', 'codex'], { ppid: 20 })];
    const tool = started(30, ['codex', 'exec', 'x'], { ppid: 25, exe: '/x/codex', tty: null });
    expect(sessions([...below, tool])).toEqual({ 20: 'claude tui' });
  });

  it('keeps an agent that another one gave a terminal of its own', () => {
    const other = started(30, ['codex'], { ppid: 20, exe: '/x/codex', tty: 'pts/9' });
    expect(sessions([claude, other])).toEqual({ 20: 'claude tui', 30: 'codex tui' });
  });
});

describe("H05 codex's internal host", () => {
  it('is a helper, and the row keeps the parent', () => {
    const parent = started(10, ['/t/codex']);
    const host = started(11, ['/t/codex-code-mode-host'], { ppid: 10 });
    expect(verdicts(judgeAll([host, parent]))).toEqual({ 10: 'codex tui', 11: 'codex helper' });
  });

  it('no direct child of codex is a session of its own', () => {
    const parent = started(10, ['/t/codex']);
    const child = started(11, ['/t/codex'], { ppid: 10, tty: 'pts/8' });
    expect(sessions([parent, child])).toEqual({ 10: 'codex tui' });
  });
});

describe('H06 app servers of codex', () => {
  it('are services', () => {
    const script = '/x/node_modules/@openai/codex/bin/codex.js';
    const rows = [
      started(1, ['node', script, 'app-server', '--listen', 'stdio://'], NODE),
      started(2, ['/opt/Codex/codex/codex', 'app-server'], { name: 'codex' }),
      started(3, ['codex'], { exe: '/x/codex' }),
    ];
    const seen = verdicts(judgeAll(rows));
    expect(seen).toEqual({ 1: 'codex service', 2: 'codex service', 3: 'codex tui' });
  });

  it('are known on Windows by their folder', () => {
    const exe =
      'C:\\Users\\u\\.codex\\packages\\app-server-daemon\\releases\\0.171.0-x86_64-pc-windows-msvc\\bin\\codex.exe';
    expect(judgeOne({ exe, argv: [exe], name: 'codex.exe', tty: undefined })?.kind).toBe('service');
  });
});

describe('H07 paths and package runners', () => {
  it.each([
    { argv: ['cat', 'shared/config/agents/claude.ts'] },
    { argv: ['node', 'build.js', 'shared/agents/claude.ts'], ...NODE },
    { argv: ['node', '/usr/bin/npx', '@openai/codex'], ...NODE },
    { argv: ['npm exec @openai/codex'], exe: '/usr/bin/node', name: 'npm exec @opena' },
  ])('$argv is no agent by itself', (given) => {
    expect(judgeOne(given)).toBeUndefined();
  });
});

describe('H08 editor extension and vendored tools', () => {
  const extension =
    '/home/user/.vscode/extensions/anthropic.claude-code-2.1.300-linux-x64/resources/native-binary/claude';

  it('tells the extension, the vendored tool and the CLI', () => {
    const rows = [
      started(1, [extension, '--output-format', 'stream-json'], { tty: null }),
      started(2, [`${VERSIONS}/2.1.300/vendor/ripgrep/x64/rg`, 'x']),
      started(3, [`${VERSIONS}/2.1.300`], { tty: 'pts/2' }),
    ];
    expect(sessions(rows)).toEqual({ 1: 'claude ide', 3: 'claude tui' });
  });

  it('works with Windows paths', () => {
    const exe = `C:\\Users\\u\\.vscode\\extensions\\anthropic.claude-code-2.1.300-win32-x64\\resources\\native-binary\\claude.exe`;
    expect(judgeOne({ exe, argv: [exe], name: 'claude.exe' })?.kind).toBe('ide');
  });
});

describe('H09 a program named by its version', () => {
  it('needs the vendor folder', () => {
    const version = started(1, [`${VERSIONS}/2.1.121`]);
    const decoys = [started(2, ['/tmp/v/2.1.121']), started(3, ['/opt/other/versions/2.1.121'])];
    expect(sessions([version, ...decoys])).toEqual({ 1: 'claude tui' });
    const bare = started(4, ['2.1.121'], { exe: `${VERSIONS}/2.1.121` });
    expect(sessions([bare])).toEqual({ 4: 'claude tui' });
  });
});

describe('H10 wrappers of nix', () => {
  it('are the engines they wrap', () => {
    const rows = [
      started(1, ['/nix/store/h-claude/bin/.claude-unwrapped'], { tty: 'pts/1' }),
      started(2, ['/etc/profiles/per-user/u/bin/codex'], {
        exe: '/nix/store/h/bin/.codex-wrapped',
        tty: 'pts/2',
      }),
      started(3, ['/nix/store/h-codex/bin/codex-unwrapped'], { tty: 'pts/3' }),
    ];
    expect(sessions(rows)).toEqual({ 1: 'claude tui', 2: 'codex tui', 3: 'codex tui' });
  });
});

describe('H11 a renamed main thread', () => {
  it('is known by the script', () => {
    const script = '/h/.nvm/versions/node/v24/bin/codex';
    const real = '/h/.nvm/versions/node/v24/lib/node_modules/@openai/codex/bin/codex.js';
    const given = { ...NODE, argv: ['node', script] };
    expect(judgeOne(given)).toMatchObject({ rule: { engine: 'codex' }, evidence: { confidence: 'high' } });
    // The same through a link whose own name says nothing.
    const alias = {
      ...NODE,
      argv: ['node', '/h/bin/ai'],
      script: { arg: '/h/bin/ai', real, file: undefined },
    };
    expect(judgeOne(alias)?.evidence).toMatchObject({ rule: 'package-entrypoint', score: 2, from: 'script' });
    const stale = {
      ...NODE,
      argv: ['node', '/h/bin/x'],
      script: { arg: '/h/bin/ai', real, file: undefined },
    };
    expect(judgeOne(stale)).toBeUndefined();
  });

  it('does not take the thread name for the program', () => {
    expect(judgeOne({ ...NODE, name: 'claude', argv: ['node', 'server.js'] })).toBeUndefined();
  });
});

describe('H13 .exe on Unix', () => {
  it('is part of a name, whole', () => {
    const exe = '/home/user/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe';
    const rows = [
      started(1, ['claude'], { exe, name: 'claude', tty: 'pts/1' }),
      started(2, [exe], { name: 'claude.exe', tty: 'pts/2' }),
      started(3, ['/t/notclaude.exe']),
      started(4, ['/t/claude.exe.bak']),
    ];
    expect(sessions(rows)).toEqual({ 1: 'claude tui', 2: 'claude tui' });
    expect(judgeOne({ argv: ['/t/claude.exe.old.1796050444174'] })?.rule.engine).toBe('claude');
  });
});

describe('H14 a title that overwrote name and argv', () => {
  it('is a row of low confidence where only the title speaks', () => {
    const row = judgeOne({ argv: ['claude'], exe: '/usr/bin/node', name: 'claude' });
    expect(row).toMatchObject({
      rule: { engine: 'claude' },
      evidence: { confidence: 'low', from: 'argv[0]' },
    });
    expect(
      judgeOne({ argv: ['claude · shop'], exe: '/usr/bin/node', name: 'claude · shop' }),
    ).toBeUndefined();
  });
});

describe('L48 another product named grok', () => {
  it('is of low confidence wherever it is not known to lie', () => {
    const own = judgeOne({ argv: ['grok'], exe: '/home/user/.grok/bin/grok', name: 'grok' });
    expect(own).toMatchObject({ rule: { engine: 'grok' }, evidence: { confidence: 'high' } });
    const other = judgeOne({ argv: ['grok'], exe: '/usr/bin/grok', name: 'grok' });
    expect(other).toMatchObject({ rule: { engine: 'grok' }, evidence: { confidence: 'low' } });
  });
});

describe('H17 whose is the program called agent?', () => {
  const cursorFile = '/home/user/.local/share/cursor-agent/versions/2026.10.1-ab/cursor-agent';

  it("is cursor's when the image lies in cursor's versions folder", () => {
    expect(sessions([started(1, ['agent'], { exe: cursorFile })])).toEqual({ 1: 'cursor tui' });
  });

  it("is cursor's when its script does", () => {
    const folder = '/home/user/.local/share/cursor-agent/versions/2026.10.1-ab';
    const argv = ['/home/user/.local/bin/agent', '--use-system-ca', `${folder}/index.js`, '-p', 'x'];
    expect(sessions([started(1, argv, { exe: `${folder}/node`, name: 'MainThread' })])).toEqual({
      1: 'cursor headless',
    });
    // The image of another user cannot be read.
    expect(sessions([started(1, argv, { exe: undefined, name: 'agent' })])).toEqual({ 1: 'cursor headless' });
    const windows = 'C:\\Users\\u\\AppData\\Local\\cursor-agent\\versions\\2026.10.1\\node.exe';
    expect(sessions([started(1, [windows], { exe: windows, name: 'node.exe' })])).toEqual({
      1: 'cursor tui',
    });
    const other = started(1, [windows, 'C:\\other\\mcp.js'], { exe: windows, name: 'node.exe' });
    expect(sessions([other])).toEqual({});
  });

  it('is a barrier without proof', () => {
    const judgement = judgeAll([started(1, ['/usr/sbin/agent'])]);
    expect(judgement.judged.size).toBe(0);
    expect([...judgement.barriers.keys()]).toEqual([1]);
    const below = judgeAll([started(1, ['/usr/sbin/agent']), started(2, ['/t/claude'], { ppid: 1 })]);
    expect(below.judged.get(2)?.because.at(-1)).toBe('runs below 1, a program named agent of unknown origin');
  });

  it("leaves the helpers of cursor's editor out", () => {
    const worker = '/home/user/.cursor/extensions/anysphere.cursor-agent-worker-1.0/dist/cursor-agent';
    const rows = [
      started(1, [worker], { tty: null }),
      started(2, [cursorFile, 'worker-server']),
      started(3, [cursorFile], { tty: null, env: { VSCODE_PID: '77' } }),
    ];
    expect(sessions(rows)).toEqual({});
  });

  it('keeps a run that prints its answer, though an editor started it', () => {
    const env = { VSCODE_PID: '77' };
    const worker = '/home/user/.cursor/extensions/anysphere.cursor-agent-worker-1.0/dist/cursor-agent';
    const rows = [
      started(1, [cursorFile, '-p', 'x'], { tty: null, env }),
      started(2, [worker, '-p', 'x'], { tty: null, env }),
    ];
    expect(sessions(rows)).toEqual({ 1: 'cursor headless' });
  });
});

describe('H18 a wrapper and its native child are one agent', () => {
  const script = '/home/user/.npm-global/bin/codex';
  const wrapper = started(10, ['node', script], { ...NODE });

  it('folds them into the child', () => {
    const native = started(11, ['/x/vendor/codex'], { ppid: 10, name: 'codex' });
    const { judged } = judgeAll([native, wrapper]);
    expect(verdicts(judgeAll([native, wrapper]))).toEqual({ 10: 'codex launcher', 11: 'codex tui' });
    expect(judged.get(11)?.launcher).toBe(10);
    expect(judged.get(10)?.worker).toBe(11);
  });

  it('does not fold what runs on another terminal, or runs something else', () => {
    const apart = started(11, ['claude'], { exe: '/x/claude', ppid: 10, tty: 'pts/7' });
    expect(sessions([wrapper, apart])).toEqual({ 10: 'codex tui', 11: 'claude tui' });
    const printing = started(12, ['/x/codex', 'exec', 'x'], { ppid: 10 });
    expect(sessions([wrapper, printing])).toEqual({ 10: 'codex tui' });
  });

  it('keeps two agents on two terminals', () => {
    const rows = [started(1, ['/x/codex'], { tty: 'pts/1' }), started(2, ['/x/codex'], { tty: 'pts/2' })];
    expect(sessions(rows)).toEqual({ 1: 'codex tui', 2: 'codex tui' });
  });

  it('names the runner above the chain', () => {
    const npx = started(5, ['npm exec @openai/codex'], { exe: '/usr/bin/node', name: 'npm exec @opena' });
    const shell = started(6, ['sh', '-c', 'codex'], { ppid: 5, exe: '/usr/bin/dash' });
    const rows = [{ ...wrapper, ppid: 6 }, started(11, ['/x/codex'], { ppid: 10 })];
    const { judged } = judgeAll(rows, { others: [npx, shell] });
    expect(judged.get(11)?.wrapper).toBe(5);
    expect(judged.has(5)).toBe(false);
  });
});

describe('L13 parents that cannot be', () => {
  it('a pid given out anew is no parent', () => {
    const young = started(10, ['/x/claude'], { startKey: 500n });
    const old = started(11, ['/x/codex'], { startKey: 400n, ppid: 10, tty: null });
    expect(sessions([young, old])).toEqual({ 10: 'claude tui', 11: 'codex tui' });
  });

  it('a cycle ends', () => {
    const rows = [10, 11].map((pid) => started(pid, ['/x/claude'], { startKey: 5n, ppid: 21 - pid }));
    expect(Object.keys(verdicts(judgeAll(rows)))).toEqual(['10', '11']);
  });
});
