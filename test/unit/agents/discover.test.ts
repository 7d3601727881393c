import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { Agent, AgentsEnvelope } from '../../../lib/agents/envelope.js';
import type { AgentsOptions } from '../../../lib/agents/options.js';
import { FakeFiles, type FakeRow, tableOf } from './fakes.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const OTHER = '11a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const CLAUDE = { argv: ['claude'], exe: '/home/user/.local/bin/claude', name: 'claude' } as const;

/** The record of a claude that `tableOf` gave the start `pid * 100`. */
function record(pid: number, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ pid, sessionId: UUID, procStart: `${pid * 100}`, status: 'idle', ...more });
}

async function discover(
  rows: Readonly<Record<number, FakeRow>>,
  files = new FakeFiles(),
  options: Partial<AgentsOptions> = {},
): Promise<AgentsEnvelope> {
  return agents({
    table: tableOf(rows),
    look: files.look,
    pathEnv: '',
    overrides: {},
    ...options,
  });
}

async function only(
  row: FakeRow,
  files = new FakeFiles(),
  options: Partial<AgentsOptions> = {},
): Promise<Agent> {
  const { agents: rows } = await discover({ 10: row }, files, options);
  expect(rows).toHaveLength(1);
  return rows[0] as Agent;
}

describe('the envelope', () => {
  it('has every key, and null for what is unknown', async () => {
    const files = new FakeFiles({
      '/home/user/.claude/sessions/10.json': record(10, { statusUpdatedAt: 5 }),
    });
    const envelope = await discover({ 10: CLAUDE, 11: {} }, files);
    expect(Object.keys(envelope)).toEqual(['agents', 'scanned', 'tookMs', 'faults', 'ambiguousPanes']);
    expect(envelope).toMatchObject({ scanned: 2, faults: [], ambiguousPanes: [] });
    expect(envelope.agents).toEqual([
      {
        engine: 'claude',
        kind: 'tui',
        pid: 10,
        startTime: 1_796_000_000_000,
        startKey: '1000',
        launcherPid: null,
        ppid: 1,
        uid: 1000,
        user: 'user',
        tty: 'pts/10',
        cwd: '/w/a',
        exe: '/home/user/.local/bin/claude',
        version: null,
        container: false,
        evidence: { rule: 'native-or-process-name', score: 3, from: 'exe', confidence: 'high' },
        because: [
          'exe: claude is a name of claude (measured 2026-11-30, version 2.1.332)',
          'session: the record /home/user/.claude/sessions/10.json names this pid and its start',
        ],
        session: {
          id: UUID,
          grade: 'exact',
          source: 'pid-record',
          path: '/home/user/.claude/sessions/10.json',
          shared: false,
          refused: [],
        },
        state: {
          value: 'idle',
          raw: 'idle',
          source: 'pid-record',
          at: 5,
          waitingFor: null,
          suspended: false,
          background: false,
        },
        pane: null,
        resumeId: null,
        bypassPermissions: false,
        gateway: null,
        homes: {
          user: '/home/user',
          config: '/home/user/.claude',
          variable: 'CLAUDE_CONFIG_DIR',
          from: 'home',
        },
      },
    ]);
    expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
  });

  it('says in words why session and state are unknown', async () => {
    const agent = await only({ argv: ['codex'], exe: '/x/codex' });
    expect(agent.session).toMatchObject({ id: null, grade: 'none', source: null, path: null });
    expect(agent.state).toMatchObject({ value: 'unknown', raw: null, source: null, background: null });
    expect(agent.because.filter((why) => /^(session|state) unknown: \S/.test(why))).toHaveLength(2);
  });

  it('holds services, helpers and launchers only when asked', async () => {
    const rows = {
      10: { argv: ['node', '/b/codex'], exe: '/usr/bin/node', tty: 'pts/1' },
      11: { argv: ['codex'], exe: '/x/codex', ppid: 10, tty: 'pts/1' },
      12: { argv: ['codex', 'app-server'], exe: '/x/codex' },
      13: { argv: ['claude', '--bg-spare'], exe: '/x/claude' },
    };
    const kinds = (envelope: AgentsEnvelope) => envelope.agents.map(({ pid, kind }) => [pid, kind]);
    expect(kinds(await discover(rows))).toEqual([[11, 'tui']]);
    const all = await discover(rows, new FakeFiles(), { all: true });
    expect(kinds(all)).toEqual([
      [10, 'launcher'],
      [11, 'tui'],
      [12, 'service'],
      [13, 'helper'],
    ]);
    expect(all.agents[1]?.launcherPid).toBe(10);
  });
});

describe('H18 the owner of the session is the row', () => {
  it('even when it is the launcher', async () => {
    const rows = {
      10: { argv: ['node', '/b/claude'], exe: '/usr/bin/node', tty: 'pts/1' },
      11: { ...CLAUDE, ppid: 10, tty: 'pts/1' },
    };
    const files = new FakeFiles({ '/home/user/.claude/sessions/10.json': record(10) });
    const { agents: found } = await discover(rows, files);
    expect(found).toMatchObject([{ pid: 10, kind: 'tui', launcherPid: 11, session: { id: UUID } }]);
    const { agents: without } = await discover(rows);
    expect(without).toMatchObject([{ pid: 11, kind: 'tui', launcherPid: 10, session: { id: null } }]);
  });
});

describe('H20 H21 H22 sessions of several processes', () => {
  const files = (records: Readonly<Record<number, string>>) =>
    new FakeFiles(
      Object.fromEntries(
        Object.entries(records).map(([pid, id]) => [
          `/home/user/.claude/sessions/${pid}.json`,
          record(Number(pid), { sessionId: id }),
        ]),
      ),
    );
  const A = UUID;
  const B = UUID.replace('01a', '02b');
  const ids = ({ agents: rows }: AgentsEnvelope) => rows.map(({ pid, session }) => [pid, session.id]);

  it('H20 a process without a record is a row', async () => {
    expect(ids(await discover({ 10: CLAUDE }))).toEqual([[10, null]]);
  });

  it('H21 each has its own, and none takes the other', async () => {
    const rows = { 10: CLAUDE, 11: CLAUDE };
    expect(ids(await discover(rows, files({ 10: A, 11: B })))).toEqual([
      [10, A],
      [11, B],
    ]);
    const one = files({ 10: A });
    for (let poll = 0; poll < 3; poll++) {
      expect(ids(await discover(rows, one))).toEqual([
        [10, A],
        [11, null],
      ]);
    }
  });

  it('H22 two live processes share one', async () => {
    const { agents: rows } = await discover({ 10: CLAUDE, 11: CLAUDE }, files({ 10: A, 11: A }));
    expect(rows).toMatchObject([
      { pid: 10, session: { id: A, grade: 'exact', shared: true } },
      { pid: 11, session: { id: A, grade: 'exact', shared: true } },
    ]);
    expect(rows[0]?.because).toContain('session: shared; its first owner is pid 11');
  });
});

describe('homes', () => {
  it("come from the process's own environment", async () => {
    const files = new FakeFiles({ '/c/sessions/10.json': record(10) });
    const agent = await only({ ...CLAUDE, env: { HOME: '/h', CLAUDE_CONFIG_DIR: '/c' } }, files);
    expect(agent).toMatchObject({ session: { grade: 'exact' }, homes: { config: '/c', from: 'variable' } });
  });

  it('are those of the account where the environment is closed', async () => {
    const files = new FakeFiles({
      '/etc/passwd': 'root:x:0:0::/root:/bin/sh\nother:x:1001:1001::/home/other:/bin/sh\nbroken\n',
      '/home/other/.claude/sessions/10.json': { text: record(10), uid: 1001 },
    });
    const agent = await only({ ...CLAUDE, uid: 1001, env: undefined }, files);
    expect(agent).toMatchObject({
      session: { grade: 'exact' },
      homes: { user: '/home/other', from: 'owner' },
    });
  });

  it('may be added by the caller', async () => {
    const files = new FakeFiles({ '/extra/.claude/sessions/10.json': record(10) });
    const agent = await only(CLAUDE, files, { homes: ['/extra'] });
    expect(agent.session).toMatchObject({ id: UUID, path: '/extra/.claude/sessions/10.json' });
  });

  it('of a container are reached through its root, by the pid that it sees itself', async () => {
    const files = new FakeFiles({ '/proc/10/root/inner/.claude/sessions/7.json': record(10, { pid: 7 }) });
    const agent = await only({ ...CLAUDE, nspid: [10, 7], env: { HOME: '/inner' } }, files);
    expect(agent).toMatchObject({
      container: true,
      session: { id: UUID, grade: 'exact', path: '/inner/.claude/sessions/7.json' },
    });
    expect(files.asked.filter(({ path, root }) => path.startsWith('/inner/') && root === undefined)).toEqual(
      [],
    );
  });

  it('of a process in another root, without a pid namespace, are looked for below that root', async () => {
    const files = new FakeFiles({
      '/proc/10/root/inner/.claude/sessions/10.json': record(10),
      '/inner/.claude/sessions/10.json': record(10, { sessionId: OTHER }),
    });
    const agent = await only({ ...CLAUDE, root: '/jail', env: { HOME: '/inner' } }, files);
    expect(agent.session).toMatchObject({ id: UUID, grade: 'exact' });
  });

  it('of another machine are looked for below its root', async () => {
    const files = new FakeFiles({ '/host/proc/10/root/home/user/.claude/sessions/10.json': record(10) });
    const rows = { 10: CLAUDE, 11: { argv: ['node', '/b/codex'], exe: '/usr/bin/node' } };
    const { agents: found } = await discover(rows, files, { procRoot: '/host/proc' });
    expect(found).toMatchObject([{ session: { id: UUID } }, { engine: 'codex' }]);
    expect(files.asked.filter(({ path }) => path.startsWith('/b/'))).toEqual([]);
  });
});

describe('hostile session files', () => {
  const path = '/home/user/.claude/sessions/10.json';

  it.each([
    ['a link', { [path]: { link: '/etc/secret' }, '/etc/secret': record(10) }, undefined],
    [
      'a folder that leads out of the home',
      { '/home/user/.claude/sessions': { link: '/elsewhere' }, '/elsewhere/10.json': record(10) },
      `session: the record ${path} lies behind a link that leads out of the home`,
    ],
    [
      'a huge file',
      { [path]: record(10, { name: 'x'.repeat(70_000) }) },
      `session: the record ${path} is larger than 65536 bytes`,
    ],
    ['a file of another user', { [path]: { text: record(10), uid: 0 } }, undefined],
    ['a folder', { [`${path}/x`]: '' }, undefined],
  ])('%s is refused', async (_, given, why) => {
    const agent = await only(CLAUDE, new FakeFiles(given));
    expect(agent.session).toMatchObject({ id: null, grade: 'none' });
    if (why) expect(agent.because).toContain(why);
  });

  it('a link inside the home is followed, for its owner keeps it so', async () => {
    const files = new FakeFiles({
      '/home/user/.claude': { link: '/home/user/dotfiles/claude' },
      '/home/user/dotfiles/claude/sessions/10.json': record(10),
    });
    expect((await only(CLAUDE, files)).session.grade).toBe('exact');
  });

  it('an unreadable one is a fault of the row', async () => {
    const files = new FakeFiles({ [path]: { fault: 'denied' } });
    const { agents: rows, faults } = await discover({ 10: CLAUDE }, files);
    expect(rows[0]?.session.id).toBeNull();
    expect(rows[0]?.because.filter((why) => why.includes('unknown'))).toEqual([
      'session unknown: its pid record could not be read, and nothing in its arguments names it; its open files were not looked at; its store has no transcript for it',
      'state unknown: its pid record could not be read',
    ]);
    expect(faults).toEqual([{ pid: 10, field: 'session', kind: 'denied', code: 13, call: 'read', path }]);
  });

  it('of a refused one nobody says that there is none', async () => {
    const files = new FakeFiles({ [path]: record(10, { procStart: '1' }) });
    const agent = await only(CLAUDE, files);
    expect(agent.because.slice(1)).toEqual([
      `session: its record names another process start: the pid was used before (${path})`,
      'session unknown: its pid record does not count, and nothing in its arguments names it; its open files were not looked at; its store has no transcript for it',
      'state unknown: its pid record does not count',
    ]);
    const { because } = await only(CLAUDE);
    expect(because.filter((why) => why.includes('no pid record of this process'))).toHaveLength(1);
  });

  it.each(['A', '\u202e', '\ufffd', '\u001b[2J', `${UUID}\n`, `${UUID}x`, 7, { a: 1 }])(
    'a session called %j is refused, and the name goes nowhere',
    async (sessionId) => {
      const agent = await only(CLAUDE, new FakeFiles({ [path]: record(10, { sessionId }) }));
      expect(agent.session).toMatchObject({ id: null, grade: 'none', refused: [] });
      expect(agent.because).toContain(
        `session: the record ${path} names a session by no id of this engine: refused`,
      );
      expect(agent.state.value).toBe('idle');
    },
  );

  it('words that could drive or turn a terminal are as good as missing', async () => {
    for (const word of ['\u202eidle', 'a\ufffdb', 'x\u001b', '\u200b', '\ud800']) {
      const text = record(10, { status: 'waiting', waitingFor: word, version: word });
      const agent = await only(CLAUDE, new FakeFiles({ [path]: text }));
      expect(agent).toMatchObject({ version: null, state: { value: 'waiting', waitingFor: null } });
    }
  });

  it('a half written one is read once more', async () => {
    const files = new FakeFiles({ [path]: '' });
    let looks = 0;
    const look: typeof files.look = async (requests) => {
      const answers = await files.look(requests);
      if (requests.some((request) => request.path === path) && ++looks === 1) files.set(path, record(10));
      return answers;
    };
    const agent = await only(CLAUDE, files, { look });
    expect(agent.session.grade).toBe('exact');
  });

  it('key files are never opened', async () => {
    const files = new FakeFiles({ '/home/user/.claude/sessions/10.0123.key': 'secret' });
    await only(CLAUDE, files);
    expect(files.asked.filter((request) => request.op === 'read' && request.path.endsWith('.key'))).toEqual(
      [],
    );
  });
});

describe('what could not be read', () => {
  const denied = { kind: 'denied', code: 13, call: 'readlink', path: '/proc/10/cwd' } as const;

  it("of a foreign user's agent leaves a row that says so", async () => {
    const row = {
      ...CLAUDE,
      uid: 1001,
      cwd: undefined,
      exe: undefined,
      env: undefined,
      faults: { cwd: denied },
    };
    const { agents: rows, faults } = await discover({ 10: row });
    expect(rows).toMatchObject([{ engine: 'claude', cwd: null, exe: null, homes: { config: null } }]);
    expect(rows[0]?.because).toContain('cwd could not be read: denied (errno 13): readlink /proc/10/cwd');
    expect(faults).toEqual([{ pid: 10, field: 'cwd', ...denied }]);
  });

  it('may hide an agent, and that is said too', async () => {
    const stuck = { kind: 'timeout', code: 0, call: 'read', path: '/proc/10/cmdline' } as const;
    const row = { argv: undefined, exe: '/usr/bin/node', faults: { argv: stuck } };
    const { agents: rows, faults } = await discover({ 10: row });
    expect(rows).toEqual([]);
    expect(faults).toEqual([{ pid: 10, field: 'argv', ...stuck }]);
  });
});

describe('installed programs', () => {
  it('are known by their file, found on PATH and below the home', async () => {
    const files = new FakeFiles({
      '/opt/bin/claude': { link: '/opt/claude-2/claude' },
      '/opt/claude-2/claude': 'x',
      '/opt/claude-2/renamed': { link: '/opt/claude-2/claude' },
    });
    const row = { argv: ['node', '/opt/claude-2/renamed'], exe: '/usr/bin/node' };
    const agent = await only(row, files, { pathEnv: '/opt/bin:relative:' });
    expect(agent.evidence).toEqual({ rule: 'file-identity', score: 4, from: 'script', confidence: 'high' });
  });

  it('do not turn an interpreter into an agent', async () => {
    const files = new FakeFiles({
      '/opt/bin/claude': { link: '/usr/bin/bash' },
      '/usr/bin/bash': 'x',
    });
    const row = { argv: ['bash'], exe: '/usr/bin/bash', exeFile: { dev: 1n, ino: 2n } };
    const { agents: rows } = await discover({ 10: row }, files, { pathEnv: '/opt/bin' });
    expect(rows).toEqual([]);
  });

  it('may be named by the caller', async () => {
    const row = { argv: ['bun', '/x/cli.cjs'], exe: '/usr/bin/bun' };
    const agent = await only(row, new FakeFiles(), { overrides: { claude: '/x/cli.cjs' } });
    expect(agent.evidence.rule).toBe('explicit-override');
  });
});
