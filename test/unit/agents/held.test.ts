/** What becomes of descriptors that could not be read, changed hands, or lie in another root. */
import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { AgentFile, AgentFiles } from '../../../lib/agents/held.js';
import type { AgentsOptions } from '../../../lib/agents/options.js';
import type { Fault } from '../../../lib/process/fault.js';
import { FakeFiles, type FakeRow, tableOf } from './fakes.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const CODEX = { argv: ['codex'], exe: '/home/user/.local/bin/codex', name: 'codex' } as const;
const ROLLOUT = `sessions/2026/11/30/rollout-2026-11-30T15-03-55-${UUID}.jsonl`;
const PATH = `/home/user/.codex/${ROLLOUT}`;
const FOLDER = '/home/user/.codex/sessions';
const GAP =
  'session unknown: no id in its arguments; its open files were not looked at; its store has no rollout for it';

function open(path: string | undefined, more: Partial<AgentFile> = {}): AgentFile {
  return { pid: 10, fd: 5, kind: 'file', path, deleted: false, locks: [], fault: () => undefined, ...more };
}

const failed = (kind: Fault['kind'], call = 'readlink'): Fault => ({
  kind,
  code: 13,
  call,
  path: '/proc/10/fd',
});
const tableFault = { pid: null, field: null };

async function discover(
  files: readonly AgentFile[],
  how: {
    readonly row?: FakeRow;
    readonly faults?: readonly Fault[];
    readonly changed?: readonly number[];
    readonly disk?: FakeFiles;
    readonly options?: Partial<AgentsOptions>;
  } = {},
) {
  const asked: number[][] = [];
  const { row = CODEX, faults = [], changed = [], disk = new FakeFiles({ [PATH]: '' }), options = {} } = how;
  const envelope = await agents({
    table: tableOf({ 10: row, 11: {} }),
    look: disk.look,
    pathEnv: '',
    overrides: {},
    openFiles: async (processes): Promise<AgentFiles> => {
      asked.push(processes.map(({ pid }) => pid));
      return { faults, changed: new Set(changed), [Symbol.iterator]: () => files.values() };
    },
    ...options,
  });
  const [agent] = envelope.agents;
  if (!agent) throw new Error('no agent was found');
  return { agent, faults: envelope.faults, asked };
}

describe('descriptors', () => {
  it('are asked for once, and of agents alone', async () => {
    const { agent, asked, faults } = await discover([open(PATH)]);
    expect(agent.session).toMatchObject({ id: UUID, grade: 'exact', path: PATH });
    expect(asked).toEqual([[10]]);
    expect(faults).toEqual([]);
  });

  it('of nobody are asked for where there is no agent', async () => {
    let asked = 0;
    const openFiles = async () => {
      asked++;
      return { faults: [], [Symbol.iterator]: () => [].values() };
    };
    await agents({
      table: tableOf({ 10: {} }),
      look: new FakeFiles().look,
      pathEnv: '',
      overrides: {},
      openFiles,
    });
    expect(asked).toBe(0);
  });

  it.each(['denied', 'timeout'] as const)(
    '%s leave the weaker evidence, the reason and a fault',
    async (kind) => {
      const fault = failed(kind, 'open');
      const closed = open(undefined, { fd: null, fault: (field) => (field === 'path' ? fault : undefined) });
      const { agent, faults } = await discover([closed]);
      expect(agent.session).toMatchObject({ id: null, grade: 'none' });
      expect(agent.because).toContain(GAP);
      expect(agent.because).toContain(`openFiles could not be read: ${kind} (errno 13): open /proc/10/fd`);
      expect(faults).toEqual([{ pid: 10, field: 'openFiles', ...fault }]);
      const row = { ...CODEX, argv: ['codex', 'resume', UUID] };
      expect((await discover([closed], { row })).agent.session).toMatchObject({ id: UUID, grade: 'strong' });
    },
  );

  it('of which one could not be read still link by the others', async () => {
    const hung = open(undefined, { fd: 6, fault: () => failed('timeout') });
    const { agent, faults } = await discover([hung, open(PATH)]);
    expect(agent.session.id).toBe(UUID);
    expect(faults).toMatchObject([{ pid: 10, field: 'openFiles', kind: 'timeout' }]);
  });

  it('that vanished, and failures of files elsewhere, are no faults', async () => {
    const gone = open(undefined, { fd: 6, fault: () => failed('gone') });
    const elsewhere = open('/mnt/dead', { fd: 7, kind: undefined, fault: () => failed('timeout') });
    const { agent, faults } = await discover([gone, elsewhere, open(PATH)]);
    expect(agent.session.id).toBe(UUID);
    expect(faults).toEqual([]);
    const within = open(`${FOLDER}/x`, { fd: 7, kind: undefined, fault: () => failed('timeout') });
    expect((await discover([within])).faults).toMatchObject([{ field: 'openFiles', kind: 'timeout' }]);
  });

  it('of a pid that changed hands say nothing', async () => {
    const { agent } = await discover([], { changed: [10] });
    expect(agent.because).toContain(GAP);
  });

  it('that the whole read left out say nothing, and the envelope says why', async () => {
    const { agent, faults } = await discover([], { faults: [failed('limit')] });
    expect(agent.because).toContain(GAP);
    expect(faults).toEqual([{ ...tableFault, ...failed('limit') }]);
  });

  it('are not asked for where the caller gives the processes alone', async () => {
    const look = new FakeFiles({ [PATH]: '' }).look;
    const envelope = await agents({ table: tableOf({ 10: CODEX }), look, pathEnv: '', overrides: {} });
    expect(envelope.agents[0]?.because).toContain(GAP);
  });
});

describe('the folders of session files', () => {
  it('are compared with their links resolved', async () => {
    const disk = new FakeFiles({
      '/home/user/.codex': { link: '/data/codex' },
      [`/data/codex/${ROLLOUT}`]: '',
    });
    const { agent } = await discover([open(`/data/codex/${ROLLOUT}`)], { disk });
    expect(agent.session.id).toBe(UUID);
  });

  it('behind a link out of the home are left, and that is said', async () => {
    const inner = ROLLOUT.slice('sessions/'.length);
    const disk = new FakeFiles({ [FOLDER]: { link: '/elsewhere' }, [`/elsewhere/${inner}`]: '' });
    const { agent } = await discover([open(`/elsewhere/${inner}`)], { disk });
    expect(agent.session.id).toBeNull();
    expect(agent.because).toContain(`session: ${FOLDER} lies behind a link that leads out of the home`);
  });

  it('that could not be looked at are a fault', async () => {
    const disk = new FakeFiles({ [FOLDER]: { fault: 'denied' } });
    const { agent, faults } = await discover([open(PATH)], { disk });
    expect(agent.session.id).toBeNull();
    expect(agent.because).toContain(GAP);
    expect(faults).toMatchObject([{ pid: 10, field: 'openFiles', kind: 'denied', path: FOLDER }]);
  });

  it('may be below a home that the caller adds', async () => {
    const disk = new FakeFiles({ [`/extra/.codex/${ROLLOUT}`]: '' });
    const { agent } = await discover([open(`/extra/.codex/${ROLLOUT}`)], {
      disk,
      options: { homes: ['/extra'] },
    });
    expect(agent.session.id).toBe(UUID);
  });

  it('of a container are looked at below its root, where no link is followed', async () => {
    const row = { ...CODEX, nspid: [10, 7] };
    const disk = new FakeFiles({ [`/proc/10/root${PATH}`]: '' });
    expect((await discover([open(PATH)], { row, disk })).agent.session.id).toBe(UUID);
    expect(disk.asked.some(({ path, root }) => root === undefined && path.startsWith('/home/'))).toBe(false);
    const linked = new FakeFiles({
      [`/proc/10/root${FOLDER}`]: { link: '/home/user/.codex/sessions' },
      [PATH]: '',
    });
    expect((await discover([open(PATH)], { row, disk: linked })).agent.session.id).toBeNull();
  });

  it('of claude belong to the user of the process', async () => {
    const row = { argv: ['claude'], exe: '/home/user/.local/bin/claude', uid: 1001 };
    const tasks = `/tmp/claude-1001/-w-a/${UUID}/tasks`;
    const folder = open(tasks, { kind: 'directory' });
    const disk = new FakeFiles({ [`${tasks}/x`]: '' });
    const { agent } = await discover([folder], { row, disk });
    expect(agent.session.id).toBeNull();
    expect(agent.because).toContain('session: /tmp/claude-1001 belongs to another user');
    const own = open(`/tmp/claude-1000/-w-a/${UUID}/tasks`, { kind: 'directory' });
    const ownDisk = new FakeFiles({ [`/tmp/claude-1000/-w-a/${UUID}/tasks/x`]: '' });
    expect(
      (await discover([own], { row: { ...row, uid: 1000 }, disk: ownDisk })).agent.session,
    ).toMatchObject({
      id: UUID,
      source: 'open-file',
    });
  });
});
