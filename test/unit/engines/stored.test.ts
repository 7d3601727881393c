/** What files of a store say, and what is made of it, apart from any disk. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgyLog, readLastConversations } from '../../../lib/engines/agy.js';
import { readTranscript } from '../../../lib/engines/claude.js';
import { readRollout } from '../../../lib/engines/codex.js';
import { readGrokSessions } from '../../../lib/engines/grok.js';
import { ENGINES } from '../../../lib/engines/index.js';
import {
  cursorProjectKey,
  dayFolders,
  projectKey,
  timeOf,
  timeOfUuid,
} from '../../../lib/engines/store-keys.js';
import type { StoredSession, StoreProof, StoreRule, StoreSubject } from '../../../lib/engines/store-rule.js';
import {
  type StoredFile,
  type StoreFindings,
  storedVerdict,
  type Written,
  writtenAt,
} from '../../../lib/engines/stored.js';
import { OTHER_UUID, UUID } from './situation.js';

const START = 1_796_000_000_000;
const SUBJECT: Omit<StoreSubject, 'now'> = {
  pid: 100,
  cwd: '/w/a',
  cwdMd5: null,
  startTime: START,
  argvId: null,
};

function rule(proof: StoreProof): StoreRule {
  const source = { how: 'reported', what: 'made', version: null, date: '2026-11-30' } as const;
  const read = () => ({ sessions: [] });
  return { proof, what: 'file', place: 'x', parts: ['x'], maxBytes: 0, read, source };
}

function file(path: string, sessions: readonly StoredSession[], more: Partial<StoredFile> = {}): StoredFile {
  return { path, written: 'since', reading: { sessions }, ...more };
}

function found(
  proof: StoreProof,
  files: readonly StoredFile[],
  more: Partial<StoreFindings> = {},
): StoreFindings {
  return { subject: SUBJECT, looks: [{ rule: rule(proof), files, notes: [], partly: false }], ...more };
}

describe('names that engines give', () => {
  it.each([
    ['/w/a_b.c d/é/x', '-w-a-b-c-d---x'],
    ['/w/a-b', '-w-a-b'],
    ['/w/a/b', '-w-a-b'],
  ])('H28 %s is the folder %s', (cwd, key) => {
    expect(projectKey(cwd)).toEqual([key]);
  });

  it('H28 a long path is its head and a hash, and nobody makes the hash', () => {
    const names = projectKey(`/w/${'x'.repeat(300)}`) as RegExp;
    const head = `-w-${'x'.repeat(197)}`;
    expect(names.test(`${head}-1k9zq`)).toBe(true);
    expect(names.test(head)).toBe(false);
    expect(names.test(`${head}x-1k9zq`)).toBe(false);
    expect(projectKey(`/${'x'.repeat(199)}`)).toHaveLength(1);
  });

  it('cursor leaves out what Windows puts behind a drive', () => {
    expect(cursorProjectKey('/home/user/project')).toBe('home-user-project');
    expect(cursorProjectKey('C:\\w\\a')).toBe('C-w-a');
  });

  it('a day folder is looked for in every zone, also around midnight', () => {
    expect(dayFolders(Date.UTC(2026, 10, 30, 23, 59), Date.UTC(2026, 10, 30, 23, 59))).toEqual([
      '2026/12/01',
      '2026/11/30',
    ]);
    expect(dayFolders(Date.UTC(2026, 10, 30, 12), Date.UTC(2026, 10, 30, 12))).toEqual([
      '2026/12/01',
      '2026/11/30',
      '2026/11/29',
    ]);
    expect(dayFolders(Number.NaN, 0)).toEqual([]);
    expect(dayFolders(0, 8.64e15)).toEqual([]);
    expect(dayFolders(START, START - 10 * 86_400_000)).toEqual([]);
  });

  it('an id of version 7 tells its time, and no other does', () => {
    expect(timeOfUuid(UUID)).toBe(0x01a22cfbe5f1);
    expect(timeOfUuid(OTHER_UUID)).toBeNull();
  });

  it.each([
    [1_796_000_000, START],
    [START, START],
    [new Date(START).toISOString(), START],
    ['never', null],
    [Number.NaN, null],
    [-1, null],
    [null, null],
  ])('the time %j is %j', (value, at) => {
    expect(timeOf(value)).toBe(at);
  });
});

describe('what a file says', () => {
  it('a rollout tells its thread by its payload', () => {
    const payload = { id: UUID, cwd: '/w/a', timestamp: new Date(START).toISOString() };
    const text = `${JSON.stringify({ type: 'session_meta', payload })}\n{"type":"x"}\n`;
    expect(readRollout(text)).toEqual({ sessions: [{ id: UUID, cwd: '/w/a', begunAt: START }] });
    expect(readRollout(text.slice(0, 60))).toHaveProperty('problem');
    expect(readRollout(text.replace(UUID, '../../etc'))).toHaveProperty('problem');
  });

  it('a sub-agent’s transcript is of no window', () => {
    const line = JSON.stringify({ cwd: '/w/a', isSidechain: true });
    expect(readTranscript(line, ['projects', '-w-a', `${UUID}.jsonl`])).toEqual({ sessions: [] });
  });

  it('a live list is one of entries, or one by pid', () => {
    const session = { id: UUID, pid: 7, cwd: null, begunAt: null };
    expect(readGrokSessions(JSON.stringify([{ session_id: UUID, pid: 7 }, null, 3]))).toEqual({
      sessions: [session],
    });
    for (const value of [UUID, { session_id: UUID }, { id: UUID, pid: 7 }]) {
      expect(readGrokSessions(JSON.stringify({ 7: value }))).toEqual({ sessions: [session] });
    }
    expect(readGrokSessions('[]')).toEqual({ sessions: [] });
  });

  it('agy names a conversation for a folder, and in a log', () => {
    expect(readLastConversations(JSON.stringify({ '/w/a': UUID, '/w/b': 'x' }))).toEqual({
      sessions: [{ id: UUID, cwd: '/w/a' }],
    });
    const log = `Using conversation: "${UUID}"\nconversation_id=${UUID}\nother ${OTHER_UUID}\n`;
    const { sessions = [] } = readAgyLog(log, ['log', 'cli-20261130_164640.log']);
    expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set([UUID]));
    expect(sessions.some(({ begunAt }) => begunAt === Date.UTC(2026, 10, 30, 16, 46, 40))).toBe(true);
    expect(readAgyLog(log, ['log', 'cli-latest.log'])).toEqual({ sessions: [] });
  });

  it('nothing that it could say throws, or gives what is no id', () => {
    const json = fc.json({ maxDepth: 6 });
    const text = fc.oneof(
      json,
      fc.string({ unit: 'binary' }),
      fc.array(json).map((each) => each.join('\n')),
    );
    const subject: StoreSubject = { ...SUBJECT, now: START };
    for (const each of ENGINES.flatMap(({ stores }) => stores)) {
      fc.assert(
        fc.property(text, fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (content, names) => {
          const reading = each.read(content, names, subject);
          if ('problem' in reading) expect(reading.problem).not.toBe('');
          for (const { begunAt } of reading.sessions ?? []) {
            if (begunAt !== null && begunAt !== undefined) expect(Number.isFinite(begunAt)).toBe(true);
          }
        }),
        { numRuns: 200 },
      );
    }
  });
});

describe('the age of a file', () => {
  it.each([
    [START - 60_000, START, 'before'],
    [START - 1_000, START, 'since'],
    [START + 60_000, START, 'since'],
    [START + 60_000, undefined, 'unknown'],
    [START + 3_600_000, START, 'future'],
    [START + 3_600_000, undefined, 'future'],
  ] as const)('of %d beside a start at %j is %s', (at, start, age) => {
    expect(writtenAt(at, start, START + 120_000)).toBe(age);
  });
});

describe('a file that names the pid', () => {
  const named = (id: string, more: Partial<StoredFile> = {}) => file(`/s/${id}`, [{ id, pid: 100 }], more);

  it('is strong when it is no older than the process', () => {
    expect(storedVerdict(found('pid', [named(UUID)])).byPid).toEqual({
      id: UUID,
      grade: 'strong',
      source: 'pid-file',
      path: `/s/${UUID}`,
    });
  });

  it.each([
    ['future', 'the clocks differ'],
    ['unknown', 'the start of the process is not known'],
  ] as const)('of the age %s has a lower grade, and the reason', (written, why) => {
    const { byPid, because } = storedVerdict(found('pid', [named(UUID, { written })]));
    expect(byPid?.grade).toBe('inferred');
    expect(because.join()).toContain(why);
  });

  it('of a process before this one is refused', () => {
    const { byPid, refused } = storedVerdict(found('pid', [named(UUID, { written: 'before' })]));
    expect(byPid).toBeNull();
    expect(refused[0]?.why).toContain('the pid was used before');
  });

  it('of another process is nobody’s business', () => {
    const other = file('/s/x', [{ id: UUID, pid: 101 }]);
    expect(storedVerdict(found('pid', [other]))).toMatchObject({ byPid: null, refused: [] });
  });

  it('H23 of two the one in which something happened since is taken, of two such none', () => {
    const quiet = named(OTHER_UUID, { beside: 'before' });
    const busy = named(UUID, { beside: 'since' });
    const { byPid, refused } = storedVerdict(found('pid', [quiet, busy]));
    expect(byPid?.id).toBe(UUID);
    expect(refused).toMatchObject([{ id: OTHER_UUID }]);
    const both = storedVerdict(found('pid', [busy, named(OTHER_UUID, { beside: 'since' })]));
    expect(both.byPid).toBeNull();
    expect(both.refused).toHaveLength(2);
    expect([...both.contested].sort()).toEqual([UUID, OTHER_UUID].sort());
  });
});

describe('any verdict', () => {
  const session = fc.record({
    id: fc.constantFrom(UUID, OTHER_UUID, '0c22cfb0-e5f1-4d41-8366-9bc8f0543ca5'),
    pid: fc.constantFrom(100, 101, null),
    cwd: fc.constantFrom('/w/a', '/w/b', null),
    begunAt: fc.constantFrom(START - 90_000, START + 1_000, null),
  });
  const written = fc.constantFrom<Written>('before', 'since', 'future', 'unknown');
  const one = fc.record({
    sessions: fc.array(session, { maxLength: 3 }),
    written,
    beside: fc.option(written),
  });
  const looks = fc.array(
    fc.record({
      proof: fc.constantFrom<StoreProof>('pid', 'folder', 'start'),
      files: fc.array(one, { maxLength: 4 }),
    }),
    { maxLength: 3 },
  );

  it('depends on what was found, not on its order, and takes nothing that it refuses', () => {
    fc.assert(
      fc.property(looks, (given) => {
        const made = given.map(({ proof, files }) => ({
          rule: rule(proof),
          notes: [],
          partly: false,
          files: files.map(({ sessions, written: age, beside }, index) =>
            file(`/s/${index}`, sessions, { written: age, ...(beside === null ? {} : { beside }) }),
          ),
        }));
        const turned = [...made].reverse().map((look) => ({ ...look, files: [...look.files].reverse() }));
        const [left, right] = [made, turned].map((each) => storedVerdict({ subject: SUBJECT, looks: each }));
        const gist = (verdict: typeof left) => [
          [verdict?.byPid, verdict?.only].map((claim) => claim && [claim.id, claim.grade]),
          [...new Set(verdict?.refused.map(({ id }) => id))].sort(),
        ];
        expect(gist(left)).toEqual(gist(right));
      }),
      { numRuns: 2_000 },
    );
  });
});
