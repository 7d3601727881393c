/** Short cases from public reports, by their ids, that need neither a screen nor a transcript. */
import { describe, expect, it } from 'vitest';
import { readClaudeRecord } from '../../../lib/engines/claude.js';
import { arbitrate, type LinkVerdict, linkOf } from '../../../lib/engines/link.js';
import { stateOf } from '../../../lib/engines/state.js';
import { facts, judgeOne, OTHER_UUID, sessions, UUID } from './situation.js';

const NO_ID = { id: null, from: null, forked: false };

/** The link of a process by its record alone. */
function linked(pid: number, startKey: bigint | undefined, fields: Record<string, unknown>): LinkVerdict {
  const reading = readClaudeRecord(JSON.stringify({ pid, sessionId: UUID, ...fields }));
  const found = { path: `/home/user/.claude/sessions/${pid}.json`, uid: 1000, reading };
  return linkOf(facts({ pid, startKey, argv: ['claude'] }), found, NO_ID, 'ticks', 'no further rule');
}

describe('starts', () => {
  it.each(['NaN', '', ' ', 'Infinity', '-5', '1e3', '12.5'])(
    'L02 %j is no start, and links nothing',
    (start) => {
      expect(linked(100, 1_000n, { procStart: start }).claim).toBeNull();
    },
  );

  it('L02 a start that could not be read lowers the grade', () => {
    expect(linked(100, undefined, { procStart: '1000' }).claim?.grade).toBe('inferred');
  });

  it('L03 two processes within one second are told apart', () => {
    expect(linked(100, 1_000n, { procStart: '1000' }).claim?.grade).toBe('exact');
    expect(linked(100, 1_001n, { procStart: '1000' }).claim).toBeNull();
    const claimant = (pid: number, startKey: bigint) => {
      const claim = { id: UUID, grade: 'exact', source: 'pid-record', path: null } as const;
      return { pid, engine: 'claude', startKey, statusAt: null, claim };
    };
    const settled = arbitrate([claimant(1, 1_000n), claimant(2, 1_001n)]);
    expect(settled.get(1)).toEqual({ shared: true, primary: 2 });
  });

  it('L05 the record of a process before this one gives neither a session nor a state', () => {
    const link = linked(100, 5_000n, { procStart: '1000', status: 'busy' });
    expect(link).toMatchObject({ claim: null, record: null });
    expect(stateOf('S', link, 'no record').state.value).toBe('unknown');
  });
});

describe('names', () => {
  it('L14 argv[0] alone is enough', () => {
    for (const argv of [['claude'], ['claude', 'fix it'], ['codex'], ['pi']]) {
      expect(judgeOne({ argv, exe: undefined, name: undefined })?.rule.engine).toBe(argv[0]);
    }
  });

  it('L16 a patched client is found by an override, and a borrowed argv[0] is doubted', () => {
    const patched = { argv: ['bun', '/home/user/.x/cli.cjs'], exe: '/usr/bin/bun' };
    expect(judgeOne(patched)).toBeUndefined();
    const overrides = [{ engine: 'claude', program: '/home/user/.x/cli.cjs' }];
    expect(judgeOne(patched, { overrides })?.evidence.rule).toBe('explicit-override');
    expect(judgeOne({ argv: ['claude'], exe: '/bin/sleep', name: 'sleep' })?.evidence.confidence).toBe('low');
  });

  it('L18 a file in the folder of an engine keeps no session alive', () => {
    const rows = [
      facts({ pid: 1, argv: ['vim', '/home/user/.opencode/x'] }),
      facts({ pid: 2, argv: ['/home/user/.opencode/bin/opencode'], tty: 'pts/2' }),
    ];
    expect(sessions(rows)).toEqual({ 2: 'opencode tui' });
  });
});

describe('sessions and states', () => {
  it('L21 a run that an agent starts is no session beside it', () => {
    const parent = facts({ pid: 10, argv: ['/t/claude'] });
    const child = facts({ pid: 11, argv: ['/t/claude', '-p', 'x'], ppid: 10, tty: null });
    expect(sessions([parent, child])).toEqual({ 10: 'claude tui' });
  });

  it('L30 a word that no rule knows is no idle', () => {
    const { state } = stateOf(
      'S',
      linked(100, 1_000n, { procStart: '1000', status: 'pondering' }),
      'no record',
    );
    expect(state).toMatchObject({ value: 'unknown', raw: 'pondering' });
  });

  it('L38 the raw word is kept beside the value', () => {
    const { state } = stateOf('S', linked(100, 1_000n, { procStart: '1000', status: 'busy' }), 'no record');
    expect(state).toMatchObject({ value: 'busy', raw: 'busy', source: 'pid-record' });
  });

  it('L41 L42 a process is a row before there is any session of it', () => {
    expect(sessions([facts({ pid: 1, argv: ['/t/claude'] })])).toEqual({ 1: 'claude tui' });
    const link = linkOf(facts({ argv: ['claude'] }), null, NO_ID, 'ticks', 'no record');
    expect(link).toMatchObject({ claim: null, because: ['session unknown: no record'] });
  });

  it('one id in two engines is two sessions', () => {
    const other = { id: OTHER_UUID, grade: 'strong', source: 'argv', path: null } as const;
    const settled = arbitrate([
      { pid: 1, engine: 'claude', startKey: 1n, statusAt: null, claim: { ...other, id: UUID } },
      { pid: 2, engine: 'codex', startKey: 2n, statusAt: null, claim: { ...other, id: UUID } },
      { pid: 3, engine: 'claude', startKey: 3n, statusAt: null, claim: other },
    ]);
    expect([...settled.values()].every(({ shared }) => !shared)).toBe(true);
  });
});
