/** What is read of the files of turns, and when; on a real file system. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOST_READ, Transcripts, type TurnQuery } from '../../../lib/agents/transcripts.js';
import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { LONGEST_LINE } from '../../../lib/engines/turns/lines.js';
import { currentMark } from '../../../lib/engines/turns/turn.js';
import type { TurnFinding } from '../../../lib/engines/turns/verdict.js';
import type { Look, LookAnswer, LookRequest } from '../../../lib/process/look.js';
import { look } from '../../../lib/process/look-files.js';
import { judgeOne, UUID } from '../engines/situation.js';

const event = (type: string): string =>
  `${JSON.stringify({ timestamp: '2026-11-30T15:00:00.000Z', type: 'event_msg', payload: { type } })}\n`;

describe.skipIf(process.platform !== 'linux')('transcripts (files are looked at on Linux)', () => {
  let home: string;
  let asked: LookRequest[];
  let answered: LookAnswer[];
  let transcripts: Transcripts;
  let now = 0;

  const counting: Look = async (requests) => {
    const answers = await look(requests);
    asked.push(...requests);
    answered.push(...answers);
    return answers;
  };

  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'procscope-turns-')));
    asked = [];
    answered = [];
    now = 0;
    transcripts = new Transcripts(counting, () => now, 1_000);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const path = (...parts: string[]) => join(home, ...parts);
  function write(name: string, text: string): string {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  }

  function query(
    engine: string,
    more: Partial<TurnQuery> & { readonly facts?: Partial<ProcessFacts> } = {},
  ): TurnQuery {
    const { facts = {}, ...rest } = more;
    const program = { exe: `/home/user/.local/bin/${engine}`, argv: [engine], name: engine };
    const own = { uid: process.getuid?.() ?? 0, cwd: '/w/a', env: { HOME: home }, ...program, ...facts };
    const judged = judgeOne(own);
    if (!judged) throw new Error(`${engine} is not judged`);
    const claim = { id: UUID, grade: 'exact', source: 'open-file', path: null } as const;
    return { judged, claim, open: [], root: '', ...rest };
  }

  async function findings(...queries: readonly TurnQuery[]): Promise<readonly TurnFinding[]> {
    asked = [];
    answered = [];
    const found = await transcripts.read(queries);
    return [...found.values()].flat();
  }
  async function told(...queries: readonly TurnQuery[]): Promise<string | null> {
    const [finding] = await findings(...queries);
    if (finding === undefined) return null;
    return 'problem' in finding ? finding.problem : (currentMark(finding.turn)?.raw ?? '');
  }
  const bytesRead = () => answered.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  const ops = () => asked.map(({ op }) => op);

  const rollout = `.codex/sessions/2026/11/30/rollout-2026-11-30T15-03-55-${UUID}.jsonl`;
  const held = (): TurnQuery =>
    query('codex', { claim: { id: UUID, grade: 'exact', source: 'open-file', path: path(rollout) } });

  it('are read once, then only what was added, and nothing while nothing was', async () => {
    write(rollout, event('task_started'));
    expect(await told(held())).toBe('task_started');
    expect(bytesRead()).toBe(event('task_started').length);
    expect(await told(held())).toBe('task_started');
    expect(ops()).toEqual(['stat']);
    appendFileSync(path(rollout), event('task_complete'));
    expect(await told(held())).toBe('task_complete');
    expect(bytesRead()).toBe(event('task_complete').length);
    expect(ops()).toEqual(['stat', 'read']);
  });

  it('keep half a line for the next time', async () => {
    const text = event('task_complete');
    write(rollout, event('task_started') + text.slice(0, 30));
    expect(await told(held())).toBe('task_started');
    appendFileSync(path(rollout), text.slice(30));
    expect(await told(held())).toBe('task_complete');
    expect(bytesRead()).toBe(text.length - 30);
  });

  it('that shrank, were replaced, or were written anew start over', async () => {
    write(rollout, event('task_started') + event('task_started'));
    await told(held());
    writeFileSync(path(rollout), event('turn_aborted'));
    expect(await told(held())).toBe('turn_aborted');
    write('other', event('task_complete') + event('task_started'));
    renameSync(path('other'), path(rollout));
    expect(await told(held())).toBe('task_started');
    writeFileSync(path(rollout), event('task_started') + event('task_complete'));
    expect(await told(held())).toBe('task_complete');
    rmSync(path(rollout));
    expect(await told(held())).toBeNull();
  });

  it('of a gigabyte cost no more than their end', async () => {
    write(rollout, event('task_complete'));
    truncateSync(path(rollout), 1 << 30);
    appendFileSync(path(rollout), `\n${event('task_started')}`);
    expect(await told(held())).toBe('task_started');
    expect(bytesRead()).toBe(MOST_READ);
    appendFileSync(path(rollout), 'x'.repeat(MOST_READ) + event('no_turn'));
    expect(await told(held())).toBe('');
    expect(bytesRead()).toBeLessThanOrEqual(3 * MOST_READ);
  });

  it('say so where a record is too long', async () => {
    const long = `{"payload":{"type":"task_started"},"x":"${'x'.repeat(LONGEST_LINE)}"}\n`;
    write(rollout, event('task_complete') + long);
    const [finding] = await findings(held());
    expect(finding).toMatchObject({ turn: { skipped: long.length - 1, since: { raw: 'task_complete' } } });
  });

  it('L46 lie in an old day folder, or in an archive that is not unpacked', async () => {
    const resumed = query('codex', {
      claim: { id: UUID, grade: 'strong', source: 'argv', path: null },
    });
    expect(await told(resumed)).toBeNull();
    expect(ops().filter((op) => op === 'list').length).toBe(3);
    expect(await told(resumed)).toBeNull();
    expect(asked).toEqual([]);
    now = 1_000;
    const day = new Date(0x01a22cfbe5f1).toISOString().slice(0, 10).replaceAll('-', '/');
    const name = `.codex/sessions/${day}/rollout-2022-01-01T00-00-00-${UUID}.jsonl`;
    write(`${name}.zst`, event('task_started'));
    expect(await told(resumed)).toBe('its rollout is archived (.zst), which is not unpacked');
    now = 2_000;
    write(name, event('task_started'));
    transcripts = new Transcripts(counting);
    expect(await told(resumed)).toBe('task_started');
  });

  it('of pi lie in the folder of its working directory, one of the id or none', async () => {
    const session = (id: string) =>
      write(`.pi/agent/sessions/--w-a--/2026-11-30T15-00-00-000Z_${id}.jsonl`, '');
    const own = query('pi', { facts: { argv: ['pi', '--session', '01a22cfb'] } });
    const pi = { ...own, claim: { ...own.claim, id: '01a22cfb' } };
    session(UUID);
    expect(await told(pi)).toBe('');
    session(UUID.replace('7d41', '7d42'));
    transcripts = new Transcripts(counting);
    expect(await told(pi)).toBe('2 files could be its transcript');
  });

  describe('that are traps', () => {
    it('behind a link that leads out of the home are not read', async () => {
      const outside = realpathSync(mkdtempSync(join(tmpdir(), 'procscope-outside-')));
      writeFileSync(join(outside, 'events.jsonl'), '');
      mkdirSync(path('.copilot/session-state'), { recursive: true });
      symlinkSync(outside, path('.copilot/session-state', UUID));
      expect(await told(query('copilot'))).toBe(
        'its transcript lies behind a link that leads out of the home',
      );
      rmSync(path('.copilot/session-state', UUID));
      mkdirSync(path('.copilot/session-state', UUID));
      symlinkSync(join(outside, 'events.jsonl'), path('.copilot/session-state', UUID, 'events.jsonl'));
      now = 1_000;
      expect(await told(query('copilot'))).toBe(
        'its transcript lies behind a link that leads out of the home',
      );
      expect(ops()).not.toContain('read');
      rmSync(outside, { recursive: true });
    });

    it('are links to devices, folders, or files of somebody else', async () => {
      mkdirSync(path(rollout), { recursive: true });
      expect(await told(held())).toBe('its transcript is no regular file');
      rmSync(path(rollout), { recursive: true });
      symlinkSync('/dev/zero', path(rollout));
      now = 1_000;
      expect(await told(held())).toBe('its transcript lies behind a link that leads out of the home');
      rmSync(path(rollout));
      now = 2_000;
      write(rollout, event('task_started'));
      const uid = process.getuid?.() ?? 0;
      const foreign = query('codex', { claim: held().claim, facts: { uid: uid + 1 } });
      expect(await told(foreign)).toBe(`its transcript belongs to uid ${uid}, the process to uid ${uid + 1}`);
    });

    it('turn into a link after they were found', async () => {
      write(rollout, event('task_started'));
      await told(held());
      rmSync(path(rollout));
      symlinkSync('/dev/zero', path(rollout));
      expect(await told(held())).toBe('its transcript lies behind a link that leads out of the home');
    });
  });

  it('forget who is not asked for any more', async () => {
    write(rollout, event('task_started'));
    await told(held());
    expect(await findings()).toEqual([]);
    expect(asked).toEqual([]);
    await told(held());
    expect(ops()).toContain('read');
  });

  it('that cannot be looked at leave a reason', async () => {
    write(rollout, event('task_started'));
    let broken = true;
    const failing: Look = async (requests) =>
      broken
        ? requests.map(({ op, path: at }) => ({ fault: { kind: 'timeout', code: 0, call: op, path: at } }))
        : look(requests);
    transcripts = new Transcripts(failing);
    expect(await told(held())).toMatch(/^its transcript could not be looked at: timeout/);
    broken = false;
    expect(await told(held())).toBe('task_started');
    broken = true;
    expect(await told(held())).toBe('its transcript could not be looked at');
    broken = false;
    expect(await told(held())).toBe('task_started');
  });
});
