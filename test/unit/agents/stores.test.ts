/** Sessions that only the store of an engine tells: what is believed of it, and what a look costs. */
import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { Agent } from '../../../lib/agents/envelope.js';
import type { LookRequest } from '../../../lib/process/look.js';
import { type FakeFile, FakeFiles, type FakeRow, tableOf } from './fakes.js';
import { CLAUDE, CODEX, later, OTHER, record, recordPath, scene, UUID } from './machine.js';

const THIRD = '21a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const STARTED = Date.now() - 3_600_000;
const iso = (at: number): string => new Date(at).toISOString();

const transcript = (id: string, folder = '-w-a'): string =>
  `/home/user/.claude/projects/${folder}/${id}.jsonl`;

function turn(after: number, more: Readonly<Record<string, unknown>> = {}): FakeFile {
  const line = { type: 'user', cwd: '/w/a', timestamp: iso(STARTED + after), ...more };
  return {
    text: `${JSON.stringify({ type: 'summary' })}\n${JSON.stringify(line)}\n`,
    mtimeMs: STARTED + after,
  };
}

const claude = (more: FakeRow = {}): FakeRow => ({ ...CLAUDE, startTime: STARTED, ...more });

async function found(
  files: Readonly<Record<string, FakeFile | string>>,
  rows: Readonly<Record<number, FakeRow>> = { 10: claude() },
  homes: readonly string[] = [],
) {
  const disk = new FakeFiles(files);
  const openFiles = async () => Object.assign([], { faults: [] });
  const envelope = await agents({
    table: tableOf(rows),
    look: disk.look,
    openFiles,
    pathEnv: '',
    overrides: {},
    homes,
  });
  const [agent] = envelope.agents;
  return { agent: agent as Agent, all: envelope.agents, faults: envelope.faults, asked: disk.asked };
}

const lists = (asked: readonly LookRequest[]) => asked.filter(({ op }) => op === 'list');
const reads = (asked: readonly LookRequest[]) =>
  asked.filter(({ op, path }) => op === 'read' && path.endsWith('.jsonl'));

describe('a transcript', () => {
  it('H20 is taken where it is the only one of its folder since the start', async () => {
    const { agent } = await found({ [transcript(UUID)]: turn(60_000), [transcript(OTHER)]: turn(-60_000) });
    expect(agent.session).toMatchObject({ id: UUID, grade: 'inferred', source: 'folder', refused: [] });
    expect(agent.session.path).toBe(transcript(UUID));
  });

  it('L20 is no proof by being the newest', async () => {
    const { agent } = await found({ [transcript(UUID)]: turn(60_000), [transcript(OTHER)]: turn(90_000) });
    expect(agent.session).toMatchObject({ id: null, grade: 'none' });
    expect(agent.session.refused.map(({ id }) => id).sort()).toEqual([UUID, OTHER].sort());
    expect(agent.because.join('\n')).toContain('the newest is no proof');
  });

  it('H21 is nobody’s where two processes work in one folder, in whatever order they are met', async () => {
    const files = {
      [recordPath(10)]: record(10, { sessionId: UUID }),
      ...Object.fromEntries([UUID, OTHER].map((id) => [transcript(id), turn(60_000)])),
      [transcript(THIRD)]: turn(90_000),
    };
    for (const rows of [
      { 10: claude(), 11: claude() },
      { 11: claude(), 10: claude() },
    ]) {
      const { all } = await found(files, rows);
      expect(all.map(({ pid, session }) => [pid, session.id, session.grade])).toEqual([
        [10, UUID, 'exact'],
        [11, null, 'none'],
      ]);
    }
    const { all } = await found({ [transcript(UUID)]: turn(60_000) }, { 10: claude(), 11: claude() });
    expect(all.map(({ session }) => session.id)).toEqual([null, null]);
    expect(all[0]?.session.refused).toEqual([{ id: UUID, why: 'pid 11 of claude works in this folder too' }]);
  });

  it('L43 is nobody’s where two processes reach one store by two names of their home', async () => {
    const linked = claude({ env: { HOME: '/link' } });
    const files = { [transcript(UUID)]: turn(60_000), '/link': { link: '/home/user' } };
    const { all } = await found(files, { 10: claude(), 11: linked });
    expect(all.map(({ session }) => session.id)).toEqual([null, null]);
    // One that began before the second is a candidate of the first alone, and may be the work of both.
    const late = claude({ env: { HOME: '/link' }, startTime: STARTED + 90_000 });
    const both = { ...files, [transcript(UUID)]: { ...turn(60_000), mtimeMs: STARTED + 99_000 } };
    const mixed = await found(both, { 10: claude(), 11: late });
    expect(mixed.all.map(({ session }) => session.id)).toEqual([null, null]);
    const elsewhere = await found(files, { 10: claude(), 11: claude({ env: { HOME: '/other' } }) });
    expect(elsewhere.all.map(({ session }) => session.id)).toEqual([UUID, null]);
  });

  it('and a log that began together with two processes are nobody’s', async () => {
    const at = iso(STARTED).replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
    const log = { text: `Using conversation: "${UUID}"\n`, mtimeMs: STARTED + 1_000 };
    const agy = (more: FakeRow = {}): FakeRow =>
      claude({ argv: ['agy'], exe: '/home/user/.local/bin/agy', name: 'agy', ...more });
    const files = { [`/home/user/.gemini/antigravity-cli/log/cli-${at}.log`]: log };
    const { agent } = await found(files, { 10: agy() });
    expect(agent.session).toMatchObject({ id: UUID, grade: 'inferred', source: 'start' });
    const { all } = await found(files, { 10: agy(), 11: agy({ cwd: '/w/b' }) });
    expect(all.map(({ session }) => [session.id, session.refused])).toEqual([
      [null, [{ id: UUID, why: 'as much points to pid 11' }]],
      [null, [{ id: UUID, why: 'as much points to pid 10' }]],
    ]);
  });

  it('is left to whoever has a stronger claim to it', async () => {
    const other = claude({ argv: ['claude', '--resume', UUID], cwd: '/w/b' });
    const { all } = await found({ [transcript(UUID)]: turn(60_000) }, { 10: claude(), 11: other });
    expect(all.map(({ session }) => session.id)).toEqual([null, UUID]);
    expect(all[1]?.session.shared).toBe(false);
    expect(all[0]?.session.refused).toEqual([{ id: UUID, why: 'pid 11 has a stronger claim to it' }]);
  });

  it('may be anybody’s where the folder of another process could not be read', async () => {
    const hidden = claude({ cwd: undefined });
    const { all } = await found({ [transcript(UUID)]: turn(60_000) }, { 10: claude(), 11: hidden });
    expect(all.map(({ session }) => session.id)).toEqual([null, null]);
  });

  it('H28 L44 tells its folder itself: that of another folder of the same name is not taken', async () => {
    const { agent } = await found({
      [transcript(UUID)]: turn(60_000, { cwd: '/w-a' }),
      [transcript(OTHER)]: turn(60_000),
    });
    expect(agent.session.id).toBe(OTHER);
    const none = await found({ [transcript(UUID)]: turn(60_000, { cwd: '/w-a' }) });
    expect(none.agent.session).toMatchObject({ id: null, refused: [] });
  });

  it('L43 of a folder that was entered by a link is known for what the link leads to', async () => {
    const { agent } = await found({
      [transcript(UUID)]: turn(60_000, { cwd: '/home/user/link' }),
      '/home/user/link': { link: '/w/a' },
      '/w/a/file': '',
    });
    expect(agent.session.id).toBe(UUID);
  });

  it('that began before the process is not taken: another may go on with it', async () => {
    const old = { ...turn(-60_000), mtimeMs: STARTED + 60_000 };
    const { agent } = await found({ [transcript(UUID)]: old });
    expect(agent.session.refused[0]?.why).toBe(
      'it began before this process, and another one may have gone on with it',
    );
  });

  it('of a time that has not come yet is refused with that reason', async () => {
    const ahead = { ...turn(60_000), mtimeMs: Date.now() + 3_600_000 };
    const { agent } = await found({ [transcript(UUID)]: ahead });
    expect(agent.session.refused).toEqual([
      { id: UUID, why: 'it was written at a time that has not come yet: the clocks differ' },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['half a line', '{"type":"user","cwd":"/w'],
    ['no object', '[[1]]\n"x"\n'],
    ['deep nesting', `{"cwd":${'['.repeat(60_000)}`],
    ['zeroes', '\0'.repeat(5_000)],
  ])('with %s in it may be the one: nothing is guessed beside it', async (_, text) => {
    const broken = { text, mtimeMs: STARTED + 1_000 };
    const { agent } = await found({ [transcript(OTHER)]: broken, [transcript(UUID)]: turn(60_000) });
    expect(agent.session.id).toBeNull();
    expect(agent.because.join('\n')).toContain(
      `the transcript ${transcript(OTHER)} names no folder in its beg`,
    );
    expect(agent.session.refused[0]?.why).toContain('not every transcript could be looked at');
  });

  it.each([
    ['a link', { link: '/etc/passwd' }, 'is a symbolic link: refused'],
    [
      'another owner',
      { ...turn(60_000), uid: 4_242 },
      'belongs to uid 4242, the process to uid 1000: refused',
    ],
  ])('that is or has %s is refused, unread', async (_, file, why) => {
    const { agent, asked } = await found({ [transcript(UUID)]: { ...file, mtimeMs: STARTED + 60_000 } });
    expect(agent.session.id).toBeNull();
    expect(agent.because).toContain(`session: ${transcript(UUID)} ${why}`);
    expect(reads(asked)).toEqual([]);
  });

  it('behind a link that leads out of the home is refused, unlisted', async () => {
    const { agent, asked } = await found({
      '/home/user/.claude/projects': { link: '/srv/others' },
      [`/srv/others/-w-a/${UUID}.jsonl`]: turn(60_000),
    });
    expect(agent.session.id).toBeNull();
    expect(agent.because.join('\n')).toContain('lies behind a link that leads out of the home: refused');
    expect(lists(asked)).toEqual([]);
  });

  it('is looked for no longer than a bound: the row says that some were left out', async () => {
    const ids = Array.from({ length: 70 }, (_, index) => `${10_000_000 + index}${UUID.slice(8)}`);
    const { agent, asked } = await found(Object.fromEntries(ids.map((id) => [transcript(id), turn(60_000)])));
    expect(agent.session.id).toBeNull();
    expect(agent.because.join('\n')).toContain('more than 64 files may be its transcript');
    expect(reads(asked)).toHaveLength(64);
    // Nobody reads 70 reasons.
    expect(agent.because.length).toBeLessThan(80);
  });

  it.each(['denied', 'timeout', 'io'] as const)('behind a fault (%s) is no missing one', async (fault) => {
    const { agent, faults } = await found({ '/home/user/.claude/projects/-w-a': { fault } });
    expect(agent.session.id).toBeNull();
    expect(agent.because.join('\n')).toContain('its store could not be looked at as a whole');
    expect(faults).toMatchObject([{ pid: 10, field: 'session', kind: fault }]);
  });

  it('L47 in a further home counts as in its own', async () => {
    const moved = `/home/next/.claude/projects/-w-a/${UUID}.jsonl`;
    const { agent } = await found({ [moved]: turn(60_000) }, { 10: claude() }, ['/home/next']);
    expect(agent.session).toMatchObject({ id: UUID, path: moved });
  });
});

describe('what goes before the store', () => {
  it('a record with its start: nothing is listed', async () => {
    const { agent, asked } = await found({ [recordPath(10)]: record(10), [transcript(OTHER)]: turn(60_000) });
    expect(agent.session).toMatchObject({ id: UUID, grade: 'exact' });
    expect(lists(asked)).toEqual([]);
  });

  it('an id in the arguments: no folder is gone through', async () => {
    const row = claude({ argv: ['claude', '--resume', UUID] });
    const { agent, asked } = await found({ [transcript(OTHER)]: turn(60_000) }, { 10: row });
    expect(agent.session).toMatchObject({ id: UUID, grade: 'strong', source: 'argv' });
    expect(lists(asked)).toEqual([]);
  });

  it('L39 whatever a job file says: it is never asked', async () => {
    const job = JSON.stringify({ state: 'blocked', sessionId: OTHER, pid: 10 });
    const { agent, asked } = await found({
      [recordPath(10)]: record(10, { status: 'idle' }),
      '/home/user/.claude/jobs/0a22/state.json': job,
    });
    expect(agent).toMatchObject({ session: { id: UUID, refused: [] }, state: { value: 'idle' } });
    expect(asked.some(({ path }) => path.includes('/jobs'))).toBe(false);
  });

  it('a key file says that it just started, and nobody opens it', async () => {
    const key = '/home/user/.claude/sessions/10.0f3a.key';
    const { agent, asked } = await found({
      [key]: 'secret',
      '/home/user/.claude/sessions/pid-10.json': record(10),
      '/home/user/.claude/sessions/11.0f3a.key': 'secret',
    });
    expect(agent.session).toMatchObject({ id: null, refused: [] });
    expect(agent.because.filter((each) => each.includes('.key'))).toEqual([
      `session: ${key} is there: it just started, or a question at its start waits for an answer`,
    ]);
    expect(asked.some(({ op, path }) => op === 'read' && path.endsWith('.key'))).toBe(false);
  });

  it('no service, no helper and no launcher is looked up by its folder', async () => {
    const row = { ...CODEX, startTime: STARTED, argv: ['codex', 'app-server'] };
    const { asked } = await found({}, { 10: row });
    expect(lists(asked)).toEqual([]);
  });
});

describe('a resumed thread', () => {
  const day = (at: number) => iso(at).slice(0, 10).replaceAll('-', '/');
  const rollout = (id: string, at: number) =>
    `/home/user/.codex/sessions/${day(at)}/rollout-${iso(at).slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`;

  it.each([
    ['tells its day', UUID, 0x01a22cfbe5f1],
    ['tells none', '7b0c3a9e-2f1d-4c5b-9e8a-1d2c3b4a5f6e', STARTED - 9 * 86_400_000],
  ])('H24 L46 has a path in an old day folder where its id %s', async (_, id, at) => {
    const row = { ...CODEX, startTime: STARTED, argv: ['codex', 'resume', id] };
    const near = { text: '{}\n', mtimeMs: STARTED + 60_000 };
    const files = { [rollout(id, at)]: { text: '', mtimeMs: at }, [rollout(OTHER, STARTED)]: near };
    const { agent } = await found(files, { 10: row });
    expect(agent.session).toMatchObject({ id, grade: 'strong', source: 'argv', path: rollout(id, at) });
  });
});

describe('a monitor', () => {
  const quiet = { sessionAgeMs: 1_000, recordAgeMs: 3_600_000 };

  it('lists a folder again only when something was written there, and reads no beginning twice', async () => {
    const files = new FakeFiles({ [transcript(UUID)]: turn(60_000) });
    const stage = scene({ 10: claude() }, quiet, files);
    await stage.poll();
    expect(stage.monitor.agents[0]?.session.id).toBe(UUID);
    for (let poll = 0; poll < 3; poll++) await later(stage);
    const before = files.asked.length;
    const listed = lists(files.asked).length;
    const read = reads(files.asked).length;
    for (let poll = 0; poll < 10; poll++) {
      // The transcript grows all the time, as those of a busy agent do.
      const { text = '' } = turn(60_000);
      files.set(transcript(UUID), { text: text + 'x'.repeat(poll), mtimeMs: STARTED + 60_000 + poll });
      await later(stage, 1_500);
    }
    expect(reads(files.asked)).toHaveLength(read);
    const grown = files.asked.length - before;
    for (let poll = 0; poll < 10; poll++) await later(stage, 1_500);
    // What a poll asks does not grow from poll to poll.
    expect(files.asked.length - before).toBeLessThanOrEqual(2 * grown);
    const settled = lists(files.asked).length;
    for (let poll = 0; poll < 4; poll++) await later(stage, 1_500);
    expect(lists(files.asked).length - settled).toBeLessThanOrEqual(2);
    expect(settled).toBeGreaterThan(listed);
    files.set(transcript(OTHER), turn(120_000));
    expect(await later(stage, 1_500)).toEqual(['changed 10']);
    expect(stage.monitor.agents[0]?.session).toMatchObject({ id: null, grade: 'none' });
  });

  it('gives the same answer poll after poll, and none that anybody guessed', async () => {
    const files = new FakeFiles({ [transcript(UUID)]: turn(60_000), [transcript(OTHER)]: turn(90_000) });
    const stage = scene({ 10: claude() }, quiet, files);
    await stage.poll();
    for (let poll = 0; poll < 20; poll++) expect(await later(stage, 1_500)).toEqual([]);
    expect(stage.monitor.agents[0]?.session.id).toBeNull();
    files.remove(transcript(OTHER));
    expect(await later(stage, 1_500)).toEqual(['changed 10']);
    expect(stage.monitor.agents[0]?.session.id).toBe(UUID);
  });

  it('keeps what it knew while the store cannot be looked at, and says so', async () => {
    const files = new FakeFiles({ [transcript(UUID)]: turn(60_000) });
    const stage = scene({ 10: claude() }, quiet, files);
    await stage.poll();
    files.set('/home/user/.claude/projects/-w-a', { fault: 'timeout' });
    expect(await later(stage, 1_500)).toEqual([]);
    const [agent] = stage.monitor.agents;
    expect(agent?.session.id).toBe(UUID);
    expect(agent?.because.join('\n')).toContain('session could not be read again, an earlier answer stands');
    expect(stage.monitor.envelope.faults).toMatchObject([{ pid: 10, field: 'session', kind: 'timeout' }]);
  });
});
