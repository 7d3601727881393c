/** What holds across engines: conflicts are refused, launchers are folded, names stay whole. */
import { describe, expect, it } from 'vitest';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { homeOf } from '../../../lib/engines/homes.js';
import { ENGINES } from '../../../lib/engines/index.js';
import { matchProcess } from '../../../lib/engines/match.js';
import { bypassesPermissions, gatewayOf, versionOf } from '../../../lib/engines/probes.js';
import { facts, judgeAll, judgeOne, matchContext, sessions, UUID, verdicts } from './situation.js';

const BIN = '/home/user/.npm-global/bin';
const MODULES = '/home/user/.npm-global/lib/node_modules';
const VERSIONS = '/home/user/.local/share/claude/versions';
const CURSOR = '/home/user/.local/share/cursor-agent/versions/2026.10.1-ab/cursor-agent';
const GROK = '/home/user/.grok/downloads/grok-1.0.5-linux-x86_64';

function started(pid: number, argv: readonly string[], more: Partial<ProcessFacts> = {}): ProcessFacts {
  return facts({ pid, argv, ...more });
}

function script(pid: number, args: readonly string[], more: Partial<ProcessFacts> = {}): ProcessFacts {
  return started(pid, ['node', ...args], { exe: '/usr/bin/node', name: 'MainThread', ...more });
}

/** Names that programs of the engines are started by. */
const NAMES = ENGINES.flatMap(({ engine, names }) =>
  names.flatMap(({ name, entryOnly = false }) =>
    typeof name === 'string' ? [{ engine, name, entryOnly }] : [],
  ),
);
const NATIVE = NAMES.filter(({ entryOnly }) => !entryOnly);

/** A process of an engine, by the first of its names. */
function runOf(engine: string, pid: number, more: Partial<ProcessFacts> = {}): ProcessFacts {
  const { name, entryOnly } = NAMES.find((each) => each.engine === engine) as (typeof NAMES)[number];
  return entryOnly ? script(pid, [`/t/${name}`], more) : started(pid, [`/t/${name}`], more);
}

describe('names', () => {
  it('belong to one engine each', () => {
    expect(new Set(NAMES.map(({ name }) => name)).size).toBe(NAMES.length);
  });

  it.each(NATIVE)('$name is $engine, alone and with .exe', ({ engine, name }) => {
    for (const file of [name, `${name}.exe`, name.toUpperCase()]) {
      const found = judgeOne({ argv: [`/t/${file}`], name: file.slice(0, 15) });
      expect(found?.rule.engine, file).toBe(engine);
    }
  });

  // `codex-...` is codex's whatever follows: builds are renamed so.
  it.each(NAMES.filter(({ name }) => !name.startsWith('codex-')))(
    '$name as a part of another name, a folder or an argument is nothing',
    ({ name }) => {
      for (const argv of [
        [`/t/my${name}`],
        [`/t/${name}xyz`],
        [`/${name}/bin/tool`],
        ['/usr/bin/vim', name],
        ['/usr/bin/less', `/t/${name}`],
      ]) {
        expect(judgeOne({ argv, name: 'tool' }), argv.join(' ')).toBeUndefined();
      }
    },
  );

  it('of entry scripts are nothing as native programs', () => {
    for (const { engine, name } of NAMES.filter(({ entryOnly }) => entryOnly)) {
      expect(judgeOne({ argv: [`/t/${name}`] })).toBeUndefined();
      expect(judgeOne(script(1, [`/t/${name}`]))?.rule.engine).toBe(engine);
    }
  });

  it('of other products are of low confidence without the folder of the vendor', () => {
    const confidence = (given: Partial<ProcessFacts>) => judgeOne(given)?.evidence.confidence;
    expect(confidence({ argv: ['/usr/local/bin/grok'] })).toBe('low');
    expect(confidence({ argv: ['/home/user/.grok/bin/grok'] })).toBe('high');
    expect(confidence({ argv: ['grok'], exe: GROK })).toBe('high');
    const npm = { arg: `${BIN}/grok`, real: `${MODULES}/@xai-official/grok/bin/grok`, file: undefined };
    expect(confidence(script(1, [`${BIN}/grok`], { script: npm }))).toBe('high');
    expect(confidence(script(1, [`${BIN}/grok`]))).toBe('low');
  });
});

describe('H17 the program called agent', () => {
  it('is whose file it is', () => {
    const rows = [
      started(1, ['agent'], { exe: GROK, tty: 'pts/1' }),
      started(2, ['agent'], { exe: CURSOR, tty: 'pts/2' }),
      started(3, ['/usr/sbin/agent'], { tty: 'pts/3' }),
    ];
    const judgement = judgeAll(rows);
    expect(verdicts(judgement)).toEqual({ 1: 'grok tui', 2: 'cursor tui' });
    expect([...judgement.barriers.keys()]).toEqual([3]);
  });

  it('is whose installed file it is, and nobody’s where both installed it', () => {
    const file = { dev: 1n, ino: 7n };
    const one = facts({ argv: ['/opt/bin/agent'], exeFile: file });
    const of = (...engines: string[]) =>
      matchProcess(
        one,
        matchContext({ installed: engines.map((engine) => ({ engine, file, path: `/i/${engine}` })) }),
      );
    expect(of('grok')).toMatchObject({ rule: { engine: 'grok' }, evidence: { rule: 'file-identity' } });
    expect(of('cursor')).toMatchObject({ rule: { engine: 'cursor' } });
    expect(of('cursor', 'grok').outcome).toBe('refused');
  });

  it('by an unreadable image is known by the folder it was called from', () => {
    const called = { argv: ['/home/user/.grok/bin/agent'], exe: undefined, name: 'agent' };
    expect(judgeOne(called)?.rule.engine).toBe('grok');
    expect(judgeOne({ ...called, argv: ['agent'] })).toBeUndefined();
  });
});

describe('conflicts between engines', () => {
  const pairs = ENGINES.map(({ engine }, index) => ({
    engine,
    other: (ENGINES[(index + 1) % ENGINES.length] as (typeof ENGINES)[number]).engine,
  }));

  it.each(pairs)('one file installed as $engine and as $other is neither', ({ engine, other }) => {
    const file = { dev: 1n, ino: 7n };
    const installed = [engine, other].map((each) => ({ engine: each, file, path: `/i/${each}` }));
    for (const name of [engine, other, 'tool']) {
      const one = facts({ argv: [`/t/${name}`], exeFile: file });
      expect(matchProcess(one, matchContext({ installed })).outcome).toBe('refused');
    }
  });

  it.each(pairs)('one program that the user names as $engine and as $other is neither', (pair) => {
    const overrides = Object.values(pair).map((engine) => ({ engine, program: '/t/tool' }));
    expect(matchProcess(facts({ argv: ['/t/tool'] }), matchContext({ overrides })).outcome).toBe('refused');
  });

  it('a file of one engine is that engine, by whatever name of another it is called', () => {
    for (const { engine, name } of NATIVE) {
      const one = judgeOne({ argv: [name], exe: `${VERSIONS}/2.1.332`, name: name.slice(0, 15) });
      expect(one?.rule.engine, `${name} of ${engine}`).toBe('claude');
    }
  });
});

describe('H04 an agent below another one', () => {
  const shell = started(10, ['zsh']);
  const claude = started(20, ['claude'], { ppid: 10, exe: `${VERSIONS}/2.1.332` });

  it.each(ENGINES.map(({ engine }) => engine))('%s without a terminal of its own is no session', (engine) => {
    const direct = runOf(engine, 30, { ppid: 20, tty: null });
    const deeper = runOf(engine, 31, { ppid: 25 });
    const between = started(25, ['sh', '-c', engine], { ppid: 20 });
    for (const rows of [
      [shell, claude, direct, between, deeper],
      [deeper, between, direct, claude, shell],
    ]) {
      expect(sessions(rows)).toEqual({ 20: 'claude tui' });
    }
  });

  it('hermes as an MCP bridge and kilo with its launcher stay under it', () => {
    const bridge = started(30, ['python3', '-m', 'hermes_cli.main', 'mcp', 'serve'], {
      exe: '/usr/bin/python3.12',
      ppid: 20,
    });
    const launcher = script(40, [`${BIN}/kilo`], { ppid: 20 });
    const native = started(41, [`${MODULES}/@kilocode/cli/bin/.kilo`], { ppid: 40 });
    expect(sessions([native, launcher, bridge, claude, shell])).toEqual({ 20: 'claude tui' });
  });
});

describe('launcher chains', () => {
  const qwen = `${MODULES}/@qwen-code/qwen-code/cli.js`;

  it('of three node processes are one agent, whatever the order', () => {
    const rows = [
      script(1, [`${BIN}/qwen`]),
      script(2, ['--expose-gc', qwen], { ppid: 1 }),
      script(3, ['--expose-gc', qwen], { ppid: 2 }),
    ];
    for (const table of [rows, [...rows].reverse()]) {
      const judgement = judgeAll(table);
      expect(verdicts(judgement)).toEqual({ 1: 'qwen launcher', 2: 'qwen launcher', 3: 'qwen tui' });
      expect(judgement.judged.get(3)?.launcher).toBe(2);
    }
  });

  it('L17 of two windows stay two', () => {
    const pair = (pid: number, tty: string) => [
      script(pid, [`${BIN}/gemini`], { tty }),
      script(pid + 1, ['--max-old-space-size=12052', `${BIN}/gemini`], { ppid: pid, tty }),
    ];
    expect(sessions([...pair(1, 'pts/1'), ...pair(3, 'pts/2')])).toEqual({
      2: 'gemini tui',
      4: 'gemini tui',
    });
  });

  it('a launcher that runs nothing itself is no row before its worker is there', () => {
    expect(verdicts(judgeAll([script(1, [`${BIN}/kilo`])]))).toEqual({ 1: 'kilo launcher' });
    const run = [
      script(1, [`${BIN}/kilo`, 'run', 'x']),
      started(2, [`${MODULES}/@kilocode/cli/bin/.kilo`, 'run', 'x'], { ppid: 1 }),
    ];
    expect(sessions(run)).toEqual({ 2: 'kilo headless' });
  });

  it('H07 name the runner above them', () => {
    const npx = started(5, ['npm exec @kilocode/cli'], { exe: '/usr/bin/node', name: 'npm exec @kiloc' });
    const shell = started(6, ['sh', '-c', 'kilo'], { ppid: 5, exe: '/usr/bin/dash' });
    const rows = [
      script(10, [`${BIN}/kilo`], { ppid: 6 }),
      started(11, [`${MODULES}/@kilocode/cli/bin/.kilo`], { ppid: 10 }),
    ];
    const { judged } = judgeAll(rows, { others: [npx, shell] });
    expect(judged.get(11)).toMatchObject({ kind: 'tui', launcher: 10, wrapper: 5 });
    expect(judged.has(5)).toBe(false);
  });

  it('L23 are found wherever they stand in the table', () => {
    const inside = started(11, ['/usr/bin/opencode'], { ppid: 1, tty: 'pts/9' });
    expect(sessions([inside])).toEqual({ 11: 'opencode tui' });
  });
});

describe('L54 an idle process with a terminal', () => {
  it.each(ENGINES.map(({ engine }) => engine))('%s is headless by its arguments, not by rest', (engine) => {
    expect(judgeOne(runOf(engine, 1, { state: 'S', startTime: 0 }))?.kind).toBe('tui');
  });
});

describe('homes', () => {
  const of = (engine: string) => {
    const rule = ENGINES.find((each) => each.engine === engine);
    if (!rule) throw new Error(`no engine ${engine}`);
    return rule.home;
  };

  it('L49 that could not be read are taken from the account, and said to be', () => {
    for (const rule of ENGINES.filter(({ home }) => home.notKnown === undefined)) {
      const home = homeOf(facts({ env: undefined }), rule.home, '/home/owner');
      expect(home.config, rule.engine).toBe(['/home/owner', ...rule.home.folder].join('/'));
      expect(home.from).toBe('owner');
      expect(homeOf(facts({ env: undefined }), rule.home, null).config).toBeNull();
    }
  });

  it('of a variable for several programs lie below it', () => {
    const env = { HOME: '/home/user', XDG_DATA_HOME: '/data' };
    expect(homeOf(facts({ env }), of('opencode'), null)).toMatchObject({
      config: '/data/opencode',
      from: 'variable',
    });
    expect(homeOf(facts({ env }), of('claude'), null).config).toBe('/home/user/.claude');
  });

  it('without a variable of their own follow HOME', () => {
    const home = homeOf(facts({ env: { HOME: '/home/user' } }), of('commandcode'), null);
    expect(home).toEqual({
      user: '/home/user',
      config: '/home/user/.commandcode',
      variable: 'HOME',
      from: 'home',
    });
  });

  it('that nobody knows are none', () => {
    const home = homeOf(facts({ env: { HOME: '/home/user' } }), of('devin'), null);
    expect(home).toMatchObject({ user: '/home/user', config: null, from: null });
  });
});

describe('further answers', () => {
  it.each([
    [['opencode', '--auto'], true],
    [['opencode', '--prompt', '--auto'], false],
    [['kilo', '--auto'], true],
    [['hermes', '--yolo'], true],
    [['command-code', '--permission-mode', 'bypass'], true],
    [['command-code', '--permission-mode=plan'], false],
    [['devin', '--permission-mode', 'dangerous'], true],
    [['devin', '--', '--permission-mode', 'dangerous'], false],
    [['muse', '--yolo', 'resume', UUID], true],
    [['amp', '--dangerously-allow-all'], true],
    [['grok', '--always-approve'], true],
    [['copilot', '--allow-all-tools'], true],
    [['copilot', '-p', '--yolo'], false],
    [['node', '/t/gemini', '-y'], true],
    [['node', '/t/gemini', '--approval-mode', 'auto_edit'], false],
    [['node', '/t/qwen', '--approval-mode=yolo'], true],
    [['pi', '--approve'], false],
  ])('bypassPermissions %j: %s', (argv, right) => {
    const judged = judgeOne({ argv, exe: `/t/${argv[0]}` });
    expect(judged && bypassesPermissions(judged)).toBe(right);
  });

  it.each([
    ['qwen', 'OPENAI_BASE_URL'],
    ['gemini', 'GOOGLE_GEMINI_BASE_URL'],
    ['copilot', 'COPILOT_PROVIDER_BASE_URL'],
  ])('gateway of %s by %s', (engine, key) => {
    const judged = (address: string) => judgeOne(runOf(engine, 1, { env: { [key]: address } }));
    const ori = judged('https://openrouter.ai/api/v1');
    expect(ori && gatewayOf(ori)).toBe('ori');
    const other = judged('https://example.com/openrouter.ai');
    expect(other && gatewayOf(other)).toBeNull();
  });

  it.each([
    [GROK, '1.0.5'],
    ['/h/.local/share/devin/cli/_versions/2026.11.2/bin/devin', '2026.11.2'],
    ['/t/muse-bin-1.3.0-R2847.1', '1.3.0-R2847.1'],
    ['/usr/bin/opencode', null],
  ])('version of %s: %s', (exe, right) => {
    const judged = judgeOne({ argv: [exe], exe });
    expect(judged && versionOf(judged)).toBe(right);
  });
});
