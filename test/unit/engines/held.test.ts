import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClaudeRecord } from '../../../lib/engines/claude.js';
import { type HeldFile, type HeldLook, heldVerdict, placesOf } from '../../../lib/engines/held.js';
import { ENGINES } from '../../../lib/engines/index.js';
import { arbitrate, type Claimant, linkOf } from '../../../lib/engines/link.js';
import { facts, OTHER_UUID, UUID } from './situation.js';

const CODEX = '/home/user/.codex';
const rollout = (id: string) => `${CODEX}/sessions/2026/11/30/rollout-2026-11-30T15-03-55-${id}.jsonl`;
const lock = (id: string) => `${CODEX}/thread-writer-locks/${id}.lock`;
const NO_ID = { id: null, from: null, forked: false };

function rulesOf(engine: string) {
  const rule = ENGINES.find((each) => each.engine === engine);
  if (!rule) throw new Error(`no engine ${engine}`);
  return rule.held;
}

function file(path: string, more: Partial<HeldFile> = {}): HeldFile {
  return { path, kind: 'file', deleted: false, flocked: false, ...more };
}

function lookOf(files: readonly HeldFile[] | undefined, more: Partial<HeldLook> = {}): HeldLook {
  const homes = [{ anchor: '/home/user', config: CODEX }];
  return { files, folders: placesOf(rulesOf('codex'), facts({}), homes), notes: [], ...more };
}

const verdict = (...files: HeldFile[]) => heldVerdict(rulesOf('codex'), lookOf(files));

describe('a held file', () => {
  it('links, and the lock goes before it', () => {
    expect(verdict(file(rollout(UUID)))).toEqual({
      claim: { id: UUID, grade: 'exact', source: 'open-file', path: rollout(UUID) },
      refused: [],
      because: [`session: it has the rollout ${rollout(UUID)} open`],
      contested: [],
      gap: null,
    });
    const locked = verdict(file(rollout(UUID)), file(lock(UUID), { flocked: true }));
    expect(locked.claim).toEqual({ id: UUID, grade: 'exact', source: 'lock', path: rollout(UUID) });
    const other = verdict(file(rollout(UUID)), file(lock(OTHER_UUID), { flocked: true }));
    expect(other.claim).toMatchObject({ id: OTHER_UUID, path: lock(OTHER_UUID) });
    expect(other.refused).toEqual([{ id: UUID, why: 'this process holds the lock of another session' }]);
  });

  it('that is deleted, of another kind or behind another name links nothing', () => {
    for (const none of [
      file(rollout(UUID), { deleted: true }),
      file(rollout(UUID), { kind: 'directory' }),
      file(`${rollout(UUID)} (deleted)`),
      file(rollout(UUID).replace('/30/', '/30/x/')),
      file(rollout('short')),
      file(`${CODEX}2/sessions/${rollout(UUID).slice(CODEX.length)}`),
    ]) {
      expect(verdict(none)).toMatchObject({ claim: null, refused: [], gap: rulesOf('codex').gap });
    }
  });

  it('opened twice, or in another case, is one session', () => {
    expect(verdict(file(rollout(UUID)), file(rollout(UUID))).claim?.id).toBe(UUID);
    expect(verdict(file(rollout(UUID)), file(rollout(UUID.toUpperCase()))).claim?.id).toBe(UUID);
  });

  it('beside another of equal proof is refused, in any order', () => {
    const files = [file(rollout(UUID)), file(rollout(OTHER_UUID))];
    for (const order of [files, [...files].reverse()]) {
      const { claim, refused } = verdict(...order);
      expect(claim).toBeNull();
      expect(refused.map(({ id }) => id).sort()).toEqual([UUID, OTHER_UUID].sort());
      expect(refused[0]?.why).toBe('this process has 2 sessions open, and no lock tells which one it writes');
    }
    const locks = [UUID, OTHER_UUID].map((id) => file(lock(id), { flocked: true }));
    expect(verdict(...locks)).toMatchObject({ claim: null, refused: [{ id: UUID }, { id: OTHER_UUID }] });
  });

  it('whose locks could not be read says so', () => {
    expect(verdict(file(lock(UUID), { flocked: undefined })).because).toEqual([
      `session: the thread lock ${lock(UUID)} is open, and whether it is held could not be looked at`,
    ]);
  });

  it('that nobody could look for is not one that is missing', () => {
    const unread = 'its open files were not looked at';
    const rules = rulesOf('codex');
    expect(heldVerdict(rules, undefined).gap).toBe(unread);
    expect(heldVerdict(rules, lookOf(undefined)).gap).toBe(unread);
    const folders = rules.files.map((rule) => ({ rule, folder: undefined }));
    expect(heldVerdict(rules, lookOf([file(rollout(UUID))], { folders }))).toMatchObject({
      claim: null,
      gap: unread,
    });
  });

  it("of claude lies below the process's own uid", () => {
    const rules = rulesOf('claude');
    const places = (uid: number | undefined) =>
      placesOf(rules, facts({ uid }), []).map(({ folder }) => folder);
    expect(places(1001)).toEqual(['/tmp/claude-1001']);
    expect(places(undefined)).toEqual([]);
  });

  it('of any path is read or left', () => {
    const part = fc.constantFrom('sessions', '2026', '11', '30', UUID, `${UUID}.lock`, '..', '', 'x');
    const path = fc.array(part, { maxLength: 8 }).map((parts) => `${CODEX}/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(path, fc.string()), { maxLength: 6 }), (paths) => {
        const { claim } = verdict(...paths.map((each) => file(each)));
        expect(claim).toBeNull();
      }),
    );
  });
});

describe('open files among other evidence', () => {
  const open = verdict(file(rollout(UUID)));
  const argument = { id: OTHER_UUID, from: 'resume', forked: false };
  const record = (procStart?: string) => ({
    path: '/r',
    uid: 1000,
    reading: readClaudeRecord(JSON.stringify({ pid: 100, sessionId: OTHER_UUID, procStart })),
  });

  it('are stronger than an id in argv', () => {
    const link = linkOf(facts({}), null, argument, 'ticks', 'gap', open);
    expect(link.claim).toMatchObject({ id: UUID, source: 'open-file' });
    expect(link.refused).toEqual([{ id: OTHER_UUID, why: 'an open file is stronger than an id in argv' }]);
  });

  it('leave the weaker evidence where they could not be read', () => {
    const unread = heldVerdict(rulesOf('codex'), undefined);
    expect(linkOf(facts({}), null, argument, 'ticks', 'gap', unread).claim).toMatchObject({
      id: OTHER_UUID,
      grade: 'strong',
    });
    expect(linkOf(facts({}), null, NO_ID, 'ticks', 'gap', unread).because).toEqual([
      'session unknown: gap; its open files were not looked at',
    ]);
  });

  it('do not refuse what the arguments settle', () => {
    const both = verdict(file(rollout(UUID)), file(rollout(OTHER_UUID)));
    const link = linkOf(facts({}), null, argument, 'ticks', 'gap', both);
    expect(link.claim).toMatchObject({ id: OTHER_UUID, grade: 'strong' });
    expect(link.refused.map(({ id }) => id)).toEqual([UUID]);
  });

  it('yield to a record with the start, and go before one without', () => {
    const exact = linkOf(facts({}), record('1100'), NO_ID, 'ticks', '', open);
    expect(exact.claim).toMatchObject({ id: OTHER_UUID, source: 'pid-record' });
    expect(exact.refused).toEqual([
      { id: UUID, why: 'the record with the start of this process names another session' },
    ]);
    const loose = linkOf(facts({}), record(), NO_ID, 'ticks', '', open);
    expect(loose.claim).toMatchObject({ id: UUID, source: 'open-file' });
    expect(loose.refused[0]?.id).toBe(OTHER_UUID);
  });

  it('of two processes are owned by who holds the lock', () => {
    const claimant = (pid: number, source: string): Claimant => ({
      pid,
      engine: 'codex',
      startKey: BigInt(pid),
      statusAt: null,
      claim: { id: UUID, grade: 'exact', source, path: null },
    });
    const settled = arbitrate([claimant(1, 'lock'), claimant(2, 'open-file')]);
    expect([...settled.values()]).toEqual([
      { shared: true, primary: 1 },
      { shared: true, primary: 1 },
    ]);
  });
});
