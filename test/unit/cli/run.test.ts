import { describe, expect, it } from 'vitest';
import type { Agent, AgentsEnvelope } from '../../../lib/agents/envelope.js';
import type { AgentsOptions } from '../../../lib/agents/options.js';
import type { Io } from '../../../lib/cli/command.js';
import { run } from '../../../lib/cli/run.js';
import { OptionError } from '../../../lib/process/fault.js';

const AGENT: Agent = {
  engine: 'claude',
  kind: 'tui',
  pid: 42,
  startTime: 1,
  startKey: '1',
  launcherPid: null,
  ppid: 1,
  uid: 1000,
  user: 'user',
  tty: 'pts/1',
  cwd: '/w/a',
  exe: '/x/claude',
  version: null,
  container: false,
  evidence: { rule: 'native-or-process-name', score: 3, from: 'exe', confidence: 'high' },
  because: ['exe: claude is a name of claude'],
  session: { id: 'A', grade: 'exact', source: 'pid-record', path: '/r', shared: false, refused: [] },
  state: {
    value: 'busy',
    raw: 'busy',
    source: 'pid-record',
    at: null,
    waitingFor: null,
    suspended: false,
    background: false,
  },
  pane: null,
  resumeId: null,
  bypassPermissions: false,
  gateway: null,
  homes: { user: null, config: null, variable: 'CLAUDE_CONFIG_DIR', from: null },
};
const NOTHING: AgentsEnvelope = { agents: [], scanned: 7, tookMs: 3.2, faults: [], ambiguousPanes: [] };
const REPORT = {
  platform: 'linux',
  arch: 'x64',
  node: '20.0.0',
  binary: '/b.node',
  procRoot: '/proc',
  bootId: null,
  processes: 7,
  fields: {
    cwd: { readable: true, missing: 2, why: 'denied (errno 13 from readlink): 2 of 7 processes' },
    exe: { readable: true, missing: 0 },
    pss: { readable: false, missing: 7, why: 'not supported on linux' },
  },
  capabilities: { allProcesses: { available: true } },
  faults: [],
};

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Options of the last call of agents(). */
  readonly options: AgentsOptions | undefined;
}

async function cli(
  args: readonly string[],
  answer: Partial<AgentsEnvelope> | Error = {},
  given: { readonly isTTY?: boolean; readonly env?: Record<string, string> } = {},
): Promise<Outcome> {
  let out = '';
  let err = '';
  let options: AgentsOptions | undefined;
  const api = {
    agents: async (asked: AgentsOptions) => {
      options = asked;
      if (answer instanceof Error) throw answer;
      return { ...NOTHING, ...answer };
    },
    doctor: async () => REPORT,
  } as unknown as Io['api'];
  const code = await run(args, {
    api,
    stdout: { isTTY: given.isTTY, write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    env: given.env ?? {},
    version: '1.2.3',
    onInterrupt: () => () => {},
    onResize: () => () => {},
    readInput: () => Promise.reject(new Error('nothing is to be read')),
  });
  return { code, out, err, options };
}

describe('procscope agents', () => {
  it('is the default, and says so when none runs', async () => {
    const { code, out, err } = await cli([]);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: 'No agent runs here: 7 processes read in 3 ms.\n',
      err: '',
    });
    expect((await cli(['agents'])).out).toBe(out);
  });

  it('prints aligned columns without colours into a pipe', async () => {
    const waiting: Agent = {
      ...AGENT,
      pid: 7,
      engine: 'codex',
      tty: null,
      cwd: null,
      evidence: { ...AGENT.evidence, confidence: 'low' },
      session: { ...AGENT.session, id: 'B', grade: 'strong', shared: true },
      state: {
        ...AGENT.state,
        value: 'waiting',
        waitingFor: 'permission',
        suspended: true,
        background: true,
      },
    };
    const { out } = await cli([], { agents: [AGENT, waiting] });
    expect(out).toBe(
      [
        'PID  ENGINE  KIND  STATE                                                     TTY    SESSION             CWD',
        '42   claude  tui   busy                                                      pts/1  A                   /w/a',
        '7    codex?  tui   waiting (permission, suspended, shell in the background)  -      B (strong, shared)  ?',
        '',
        '2 agents: 7 processes read in 3 ms.',
        '',
      ].join('\n'),
    );
  });

  it('counts what serves agents apart', async () => {
    const helper: Agent = { ...AGENT, kind: 'helper' };
    const { out } = await cli(['--all'], { agents: [AGENT, helper, helper] });
    expect(out).toContain('\n1 agent and 2 processes that serve agents: 7 processes read in 3 ms.\n');
  });

  it('gives the reasons with --why', async () => {
    const { out } = await cli(['--why'], { agents: [AGENT] });
    expect(out).toContain('\n    exe: claude is a name of claude\n');
    expect((await cli([], { agents: [AGENT] })).out).not.toContain('is a name of');
  });

  it('prints the envelope with --json', async () => {
    const { out } = await cli(['--json'], { agents: [AGENT] });
    expect(JSON.parse(out)).toEqual({ ...NOTHING, agents: [AGENT] });
  });

  it('passes its options on', async () => {
    const { options } = await cli(['-a', '--home', '/a', '--home=/b', '--proc-root', '/host/proc']);
    expect(options).toEqual({ all: true, homes: ['/a', '/b'], procRoot: '/host/proc' });
    expect((await cli([])).options).toEqual({ all: false });
  });

  it('says what could not be read, at most five unless asked', async () => {
    const fault = { kind: 'denied', code: 13, call: 'readlink', path: '/proc/1/cwd' } as const;
    const faults = Array.from({ length: 7 }, (_, pid) => ({ pid, field: 'cwd', ...fault }));
    const { out } = await cli([], { faults });
    expect(out.match(/pid \d, cwd: denied \(errno 13\), readlink \/proc\/1\/cwd/g)).toHaveLength(5);
    expect(out).toContain('  and 2 more (--why shows all)');
    expect((await cli(['-w'], { faults })).out.match(/pid \d, cwd/g)).toHaveLength(7);
  });

  it('cuts what would make a line endless', async () => {
    const path = `/${'long\u202e/'.repeat(20_000)}end`;
    const agent: Agent = {
      ...AGENT,
      cwd: path,
      state: { ...AGENT.state, value: 'waiting', waitingFor: 'x'.repeat(10_000) },
    };
    const fault = { pid: 42, field: 'cwd', kind: 'io', code: 5, call: 'open', path } as const;
    const { out } = await cli(['--why'], { agents: [agent], faults: [fault] });
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(200);
    expect(out).toMatch(/waiting \(x+… {2}pts/);
    expect(out).toMatch(/…[^ ]*\/end\n/);
    expect(out).toContain('\\u{202e}');
  });

  it('fails when no process at all could be read', async () => {
    const fault = { pid: null, field: null, kind: 'denied', code: 13, call: 'open', path: '/x y' } as const;
    const { code, out } = await cli(['--proc-root', '/x y'], { scanned: 0, faults: [fault] });
    expect(code).toBe(1);
    expect(out).toBe(
      [
        'The process table could not be read: whether an agent runs here is not known.',
        "Could not be read (procscope doctor --proc-root '/x y' says why):",
        '  the table: denied (errno 13), open /x y',
        '',
      ].join('\n'),
    );
    expect((await cli(['--proc-root', '/h/proc'], { faults: [fault] })).out).toContain(
      '(procscope doctor --proc-root /h/proc says why)',
    );
    expect((await cli([], { faults: [fault] })).out).toContain('(procscope doctor says why)');
    expect((await cli(['--json'], { scanned: 0 })).code).toBe(1);
  });
});

describe('colours', () => {
  const ESCAPE = '\u001b[';

  it('are for terminals, and NO_COLOR switches them off', async () => {
    const answer = { agents: [AGENT] };
    expect((await cli([], answer, { isTTY: true })).out).toContain(ESCAPE);
    expect((await cli([], answer, { isTTY: false })).out).not.toContain(ESCAPE);
    expect((await cli([], answer, { isTTY: true, env: { NO_COLOR: '1' } })).out).not.toContain(ESCAPE);
    expect((await cli([], answer, { isTTY: true, env: { NO_COLOR: '' } })).out).toContain(ESCAPE);
    expect((await cli([], answer, { isTTY: true, env: { TERM: 'dumb' } })).out).not.toContain(ESCAPE);
    expect((await cli(['--json'], answer, { isTTY: true })).out).not.toContain(ESCAPE);
  });
});

describe('hostile names', () => {
  const HOSTILE = 'a\u001b]0;x\u0007\r\nb\u009b2J\u202e\u2028\u200b\udc00é日';
  const hostile: Agent = {
    ...AGENT,
    cwd: HOSTILE,
    because: [HOSTILE],
    session: { ...AGENT.session, id: HOSTILE },
    state: { ...AGENT.state, value: 'unknown', raw: HOSTILE },
  };
  const fault = { pid: 1, field: null, kind: 'io', code: 5, call: 'open', path: HOSTILE } as const;

  it('cannot drive a terminal', async () => {
    const { out } = await cli(['--why'], { agents: [hostile], faults: [fault] });
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u2028\u202e]/u);
    expect(out.split('\n')).toHaveLength(8);
    expect(out).toContain('a\\x1b]0;x\\x07\\x0d\\x0ab\\x9b2J\\u{202e}\\u{2028}\\u{200b}\\u{dc00}é日');
    const { out: json } = await cli(['--json'], { agents: [hostile], faults: [fault] });
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u2028\u202e]/u);
    expect(JSON.parse(json)).toMatchObject({ agents: [{ cwd: HOSTILE }] });
    const { err } = await cli([`--\u001b[2J`]);
    expect(err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('procscope doctor', () => {
  it('tells what can be read and why not', async () => {
    const { code, out } = await cli(['doctor']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}cwd +partly {2}denied \(errno 13 from readlink\): 2 of 7 processes$/m);
    expect(out).toMatch(/^ {2}exe +yes$/m);
    expect(out).toMatch(/^ {2}pss +no +not supported on linux$/m);
    expect(out).toMatch(/^procscope +1\.2\.3$/m);
    expect(JSON.parse((await cli(['doctor', '--json'])).out)).toEqual(REPORT);
  });
});

describe('the command line', () => {
  it.each([
    [['--nonsense'], 'unknown option --nonsense of agents'],
    [['doctor', '--all'], 'unknown option --all of doctor'],
    [['-x'], 'unknown option -x of agents'],
    [['--constructor'], 'unknown option --constructor of agents'],
    [['agents', 'claude'], 'agents takes no argument: claude'],
    [['--home'], '--home needs a value'],
    [['--home', '/a', '--home', 'rel'], '--home must be an absolute path: rel'],
    [['--json=yes'], '--json takes no value'],
  ])('%j is refused by name', async (args, message) => {
    const { code, out, err } = await cli(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`procscope: ${message}\nprocscope: see procscope --help\n`);
  });

  it('names the commands that there are', async () => {
    const { code, err } = await cli(['nonsense']);
    expect(code).toBe(2);
    expect(err).toMatch(/^procscope: unknown command nonsense; known are agents, .*\bdoctor$/m);
    expect(await cli(['help', 'nonsense'])).toEqual({ code, out: '', err, options: undefined });
  });

  it('refuses what agents() refuses', async () => {
    const { code, err } = await cli([], new OptionError('homes', 'must be a list of absolute paths'));
    expect(code).toBe(2);
    expect(err).toContain('homes: must be a list of absolute paths');
  });

  it('says what failed, and fails', async () => {
    const { code, err } = await cli([], new Error('no binary\nlooked here'));
    expect({ code, err }).toEqual({ code: 1, err: 'procscope: no binary\nprocscope: looked here\n' });
  });

  it('helps', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, out } = await cli(args);
      expect(code).toBe(0);
      for (const word of ['agents', 'doctor', '--json', '--all', '--why', '--version', 'NO_COLOR'])
        expect(out).toContain(word);
    }
    const { out } = await cli(['agents', '--help']);
    for (const option of ['--json', '--all', '--why', '--home DIR', '--proc-root DIR', '--help']) {
      expect(out).toContain(option);
    }
    expect((await cli(['help', 'doctor'])).out).toBe((await cli(['doctor', '--help'])).out);
    for (const args of [['--version'], ['version']]) expect((await cli(args)).out).toBe('1.2.3\n');
    expect((await cli(['doctor', '-V'])).out).toBe('1.2.3\n');
  });
});
