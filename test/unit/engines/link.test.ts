import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../lib/engines/args.js';
import { argvIdOf } from '../../../lib/engines/argv-id.js';
import { readClaudeRecord } from '../../../lib/engines/claude.js';
import { ENGINES } from '../../../lib/engines/index.js';
import {
  arbitrate,
  type Claimant,
  type FoundRecord,
  linkOf,
  NOTHING_HELD,
  startText,
} from '../../../lib/engines/link.js';
import { stateOf } from '../../../lib/engines/state.js';
import { NOTHING_STORED } from '../../../lib/engines/stored.js';
import { facts, OTHER_UUID, UUID } from './situation.js';

const NO_ID = { id: null, from: null, forked: false };

/** Written by claude 2.1.197 on 2026-11-30; paths and numbers made plain. */
const RECORD = {
  pid: 100,
  sessionId: UUID,
  cwd: '/w/a',
  startedAt: 1_796_055_611_028,
  procStart: '1100',
  version: '2.1.197',
  peerProtocol: 1,
  kind: 'interactive',
  entrypoint: 'cli',
  name: 'work-17',
  nameSource: 'derived',
  status: 'idle',
  updatedAt: 1_796_055_610_904,
  statusUpdatedAt: 1_796_055_610_904,
};

function found(fields: Record<string, unknown>, more: Partial<FoundRecord> = {}): FoundRecord {
  const path = '/home/user/.claude/sessions/100.json';
  return { path, uid: 1000, reading: readClaudeRecord(JSON.stringify(fields)), ...more };
}

function link(fields: Record<string, unknown>, more: Partial<FoundRecord> = {}) {
  return linkOf(facts({ argv: ['claude'] }), found(fields, more), NO_ID, 'ticks', 'no further rule');
}

function argvId(engine: string, ...argv: string[]) {
  const rule = ENGINES.find((each) => each.engine === engine);
  if (!rule) throw new Error(`no engine ${engine}`);
  return argvIdOf(readArguments(argv, rule.options), rule.argvId);
}

describe('H19 the record of another process with the same pid', () => {
  it('links with the right start', () => {
    expect(link(RECORD).claim).toEqual({
      id: UUID,
      grade: 'exact',
      source: 'pid-record',
      path: '/home/user/.claude/sessions/100.json',
    });
  });

  it.each(['1099', '01100x', '', 'NaN', 'Mon Nov 30 16:20:10 2026'])('refuses the start %j', (procStart) => {
    const verdict = link({ ...RECORD, procStart });
    expect(verdict).toMatchObject({ claim: null, record: null });
    expect(verdict.refused).toEqual([
      { id: UUID, why: 'its record names another process start: the pid was used before' },
    ]);
  });

  it('links with less confidence when the record has no start', () => {
    expect(link({ ...RECORD, procStart: undefined }).claim).toMatchObject({ id: UUID, grade: 'inferred' });
    expect(link({ ...RECORD, procStart: null }).claim).toMatchObject({ id: UUID, grade: 'inferred' });
  });

  it('refuses the record of another pid and of another user', () => {
    expect(link({ ...RECORD, pid: 99 }).refused[0]?.why).toBe('its record names pid 99');
    expect(link(RECORD, { uid: 0 }).refused[0]?.why).toBe(
      'its record belongs to uid 0, the process to uid 1000',
    );
  });

  it('takes the pid that the process itself sees', () => {
    const inner = facts({ argv: ['claude'], nspid: [100, 7] });
    const verdict = linkOf(inner, found({ ...RECORD, pid: 7 }), NO_ID, 'ticks', '');
    expect(verdict.claim?.grade).toBe('exact');
  });

  it('trusts less what names another pid namespace', () => {
    const pidDomain = 'linux:0123456789abcdef:pid:[4026532999]';
    expect(link({ ...RECORD, pidDomain }).claim?.grade).toBe('inferred');
    const same = 'linux:0123456789abcdef:pid:[4026531836]';
    expect(link({ ...RECORD, pidDomain: same }).claim?.grade).toBe('exact');
  });

  it('never refuses by the text form of a start, which no measurement confirms', () => {
    const process = facts({ argv: ['claude'], startTime: Date.UTC(2026, 10, 3, 6, 20, 10) });
    const text = startText(Date.UTC(2026, 10, 3, 6, 20, 10));
    expect(text).toBe('Tue Nov  3 06:20:10 2026');
    const grade = (procStart: string) =>
      linkOf(process, found({ ...RECORD, procStart }), NO_ID, 'text', '').claim?.grade;
    expect([grade(text), grade('Tue Nov  3 06:20:11 2026'), grade('?')]).toEqual([
      'exact',
      'inferred',
      'inferred',
    ]);
  });
});

describe('a record in the middle of a write', () => {
  it.each([
    ['', 'is empty just now: it is being written'],
    ['{"pid":100,"sess', 'holds no whole JSON object just now'],
    ['[1]', 'holds no whole JSON object just now'],
    ['}{', 'holds no whole JSON object just now'],
    ['null', 'holds no whole JSON object just now'],
  ])('%j', (text, problem) => {
    expect(readClaudeRecord(text)).toEqual({ problem, unfinished: true });
    const verdict = linkOf(facts({}), { path: '/r', uid: 1000, reading: { problem } }, NO_ID, 'ticks', 'gap');
    expect(verdict.because).toEqual([`session: the record /r ${problem}`, 'session unknown: gap']);
  });

  it('is read through the tail of a longer one', () => {
    const text = `${JSON.stringify(RECORD)}"statusUpdatedAt":1}}`;
    expect(readClaudeRecord(text)).toMatchObject({ record: { sessionId: UUID, status: 'idle' } });
  });

  it('gives no id that could drive a terminal', () => {
    expect(readClaudeRecord('{"sessionId":"\\u001b[2J"}')).toMatchObject({ record: { sessionId: null } });
  });
});

describe('H22 one session in two live processes', () => {
  const claimant = (pid: number, startKey: bigint, grade: 'exact' | 'strong'): Claimant => ({
    pid,
    engine: 'claude',
    startKey,
    statusAt: null,
    claim: { id: 'A', grade, source: 'pid-record', path: null },
  });

  it('is shared, and the later start owns it first', () => {
    const claims = [claimant(1, 10n, 'exact'), claimant(2, 20n, 'exact')];
    for (const order of [claims, [...claims].reverse()]) {
      expect([...arbitrate(order)].sort()).toEqual([
        [1, { shared: true, primary: 2 }],
        [2, { shared: true, primary: 2 }],
      ]);
    }
  });

  it('a matching start goes before a later start', () => {
    const settled = arbitrate([claimant(1, 10n, 'exact'), claimant(2, 20n, 'strong')]);
    expect(settled.get(2)).toEqual({ shared: true, primary: 1 });
  });

  it('is not shared between engines', () => {
    const other = { ...claimant(2, 20n, 'exact'), engine: 'codex' };
    expect(arbitrate([claimant(1, 10n, 'exact'), other]).get(1)?.shared).toBe(false);
  });
});

describe('H24 an id in argv', () => {
  it.each([
    ['codex', ['resume', UUID], UUID],
    ['codex', ['-m', 'gpt', 'resume', '--no-daemon', UUID, 'go on'], UUID],
    ['codex', ['exec', 'resume', UUID], UUID],
    ['codex', ['resume', '--last'], null],
    ['codex', ['resume', 'my title'], null],
    ['codex', [`resume ${UUID}`], null],
    ['codex', ['fix', 'resume', UUID], null],
    ['codex', ['--', 'resume', UUID], null],
    ['claude', ['--resume', UUID], UUID],
    ['claude', [`--resume=${UUID.toUpperCase()}`], UUID.toUpperCase()],
    ['claude', ['-r', 'a title', '--session-id', OTHER_UUID], OTHER_UUID],
    ['claude', ['--resume', `${UUID}x`], null],
    ['claude', ['-c'], null],
    ['claude', ['-p', `--resume ${UUID}`], null],
    ['claude', ['--', '--resume', UUID], null],
    ['cursor', ['--resume', '0123456789abcdef-01'], '0123456789abcdef-01'],
    ['cursor', ['--resume', '0123'], null],
    ['agy', [`--conversation=${UUID}`], UUID],
    ['agy', ['-c', '--model', '--conversation'], null],
  ])('%s %j', (engine, argv, id) => {
    expect(argvId(engine, ...argv)).toMatchObject({ id, forked: false });
  });

  it('is not the session of a fork', () => {
    const fork = argvId('codex', 'fork', UUID);
    expect(fork).toEqual({ id: UUID, from: 'fork', forked: true });
    expect(argvId('claude', '--resume', UUID, '--fork-session').forked).toBe(true);
    const verdict = linkOf(facts({}), null, fork, 'ticks', 'gap');
    expect(verdict.claim).toBeNull();
    expect(verdict.refused).toEqual([{ id: UUID, why: 'fork forks it: this process writes a new session' }]);
  });

  it('is weaker than a record with the start, and stronger than one without', () => {
    const id = { id: OTHER_UUID, from: '--resume', forked: false };
    expect(linkOf(facts({}), found(RECORD), id, 'ticks', '').claim?.id).toBe(UUID);
    const loose = linkOf(facts({}), found({ ...RECORD, procStart: undefined }), id, 'ticks', '');
    expect(loose.claim).toEqual({ id: OTHER_UUID, grade: 'strong', source: 'argv', path: null });
    expect(loose.refused[0]?.id).toBe(UUID);
  });
});

describe('H25 H26 H30 the state in a record', () => {
  const state = (fields: Record<string, unknown>, kernel = 'S') =>
    stateOf(kernel, link({ ...RECORD, ...fields }), 'no rule').state;

  it('H25 knows four words and keeps the others raw', () => {
    expect(state({ status: 'idle' })).toMatchObject({ value: 'idle', background: false });
    expect(state({ status: 'busy' })).toMatchObject({ value: 'busy', background: false });
    expect(state({ status: 'shell' })).toMatchObject({ value: 'idle', raw: 'shell', background: true });
    expect(state({ status: 'waiting', waitingFor: 'permission prompt' })).toMatchObject({
      value: 'waiting',
      waitingFor: 'permission prompt',
    });
    expect(state({ status: 'somethingNew' })).toMatchObject({
      value: 'unknown',
      raw: 'somethingNew',
      source: 'pid-record',
      background: null,
    });
    expect(state({ status: 'constructor' }).value).toBe('unknown');
    expect(state({ status: undefined })).toMatchObject({ value: 'unknown', raw: null, source: null });
  });

  it('H26 takes no age for a sign', () => {
    const at = 1_796_055_610_904 - 40 * 60_000;
    expect(state({ status: 'busy', statusUpdatedAt: at })).toMatchObject({ value: 'busy', at });
  });

  it('H30 a stopped process is suspended and not busy', () => {
    expect(state({ status: 'busy' }, 'T')).toMatchObject({ suspended: true, value: 'unknown', raw: 'busy' });
    expect(state({ status: 'busy' }, 't').suspended).toBe(true);
    expect(state({ status: 'idle' }, 'T')).toMatchObject({ suspended: true, value: 'idle' });
    expect(state({ status: 'busy' }, 'S')).toMatchObject({ suspended: false, value: 'busy' });
  });

  it('takes nothing from a record that is refused', () => {
    expect(state({ status: 'busy', procStart: '1' })).toMatchObject({ value: 'unknown', raw: null });
  });
});

describe('files that leave a choice between sessions', () => {
  const THIRD = '0c22cfb0-e5f1-4d41-8366-9bc8f0543ca5';
  const contested = [UUID, OTHER_UUID];
  const refused = contested.map((id) => ({ id, why: 'several' }));
  const named = (id: string) => ({ id, from: '--session-id', forked: false });
  const bare = (id: string, held = NOTHING_HELD, stored = NOTHING_STORED) =>
    linkOf(facts({ argv: ['copilot'] }), null, named(id), 'ticks', 'no further rule', held, stored);

  it.each([
    ['held', { ...NOTHING_HELD, refused, contested }, NOTHING_STORED],
    ['stored', NOTHING_HELD, { ...NOTHING_STORED, refused, contested }],
  ] as const)('H23 that are %s are settled by an id in argv if it is one of them', (_, held, stored) => {
    expect(bare(OTHER_UUID, held, stored)).toMatchObject({
      claim: { id: OTHER_UUID, grade: 'strong', source: 'argv' },
      refused: [{ id: UUID }],
    });
    const other = bare(THIRD, held, stored);
    expect(other.claim).toBeNull();
    expect(other.refused).toContainEqual({
      id: THIRD,
      why: 'its files name other sessions than --session-id',
    });
    expect(other.because.join()).toContain('what its arguments name is refused');
  });
});
