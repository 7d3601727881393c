/** Captures of three systems, judged on whatever system runs the test; and captures that are broken. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { explainAgent } from '../../../lib/agents/explain.js';
import { parseReplay, ReplayError } from '../../../lib/agents/replay/format.js';
import { readReplay, replayOptions } from '../../../lib/agents/replay/read.js';
import { startText } from '../../../lib/engines/link.js';
import { look } from '../cli/look.js';

const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const STARTED = 1_796_000_000_000;

const replay = async (value: unknown) =>
  agents(replayOptions(parseReplay(JSON.stringify(value), '/c/replay.json')));

function claudeOf(system: string, exe: string, home: string, startKey: string, record: object) {
  const folder = home.includes('\\') ? `${home}\\.claude\\sessions\\` : `${home}/.claude/sessions/`;
  return {
    format: 1,
    system,
    processes: [
      {
        pid: 7,
        uid: 501,
        startKey,
        startTime: STARTED,
        name: 'claude',
        exe,
        argv: ['claude'],
        cwd: home,
        tty: 'tty1',
        state: 'S',
        env: { HOME: home },
        openFiles: [],
      },
    ],
    files: [
      {
        path: `${folder}7.json`,
        uid: 501,
        text: JSON.stringify({ pid: 7, sessionId: UUID, status: 'idle', ...record }),
      },
    ],
  };
}

const SYSTEMS = [
  claudeOf('linux', '/home/u/.local/bin/claude', '/home/u', '4200', { procStart: '4200' }),
  claudeOf('darwin', '/Users/u/.local/share/claude/versions/2.1.332', '/Users/u', '9', {
    procStart: startText(STARTED),
  }),
  claudeOf('win32', 'C:\\Users\\u\\.local\\bin\\claude.exe', 'C:\\Users\\u', '134403220000000000', {
    procStart: '134403220000000000',
  }),
];

describe('a replay', () => {
  it.each(SYSTEMS)(
    'of $system links a claude by its record, whose start has the form of that system',
    async (capture) => {
      const { agents: rows, scanned, faults } = await replay(capture);
      expect(faults).toEqual([]);
      expect(scanned).toBe(1);
      expect(rows).toMatchObject([
        {
          engine: 'claude',
          kind: 'tui',
          session: { id: UUID, grade: 'exact', source: 'pid-record' },
          state: { value: 'idle' },
        },
      ]);
    },
  );

  it('refuses the record of another start, as on the machine itself', async () => {
    const capture = claudeOf('linux', '/x/claude', '/home/u', '4200', { procStart: '4199' });
    const { agents: rows } = await replay(capture);
    expect(rows[0]?.session).toMatchObject({ id: null, refused: [{ id: UUID }] });
  });

  it('follows the captured links of a script, and the locks of its open files', async () => {
    const lock = `/home/u/.copilot/session-state/${UUID}/inuse.9.lock`;
    const real = '/usr/lib/node_modules/@github/copilot/npm-loader.js';
    const { agents: rows } = await replay({
      format: 1,
      system: 'linux',
      processes: [
        {
          pid: 9,
          exe: '/usr/bin/node',
          argv: ['node', '/usr/bin/tool'],
          env: { HOME: '/home/u' },
          openFiles: [{ path: lock, flocked: true }],
        },
      ],
      links: { '/usr/bin/tool': real },
    });
    expect(rows).toMatchObject([{ engine: 'copilot', session: { id: UUID, source: 'lock', path: lock } }]);
  });

  it('tells apart what was not captured and what was not there', async () => {
    const capture = claudeOf('linux', '/x/claude', '/home/u', '4200', {});
    const [{ openFiles: _, ...process }] = capture.processes as [(typeof capture.processes)[0]];
    const options = replayOptions(
      parseReplay(
        JSON.stringify({
          ...capture,
          processes: [{ ...process, cwd: undefined }],
          files: [{ path: '/home/u/.claude/sessions/7.json' }],
        }),
        '/c/replay.json',
      ),
    );
    const found = await explainAgent(7, options);
    expect(found.agent?.cwd).toBeNull();
    expect(found.links.slice(0, 3).map(({ why }) => why.join())).toEqual([
      expect.stringContaining('could not be read: denied'),
      expect.stringContaining('not looked at'),
      expect.stringContaining('no id behind'),
    ]);
    expect((await explainAgent(8, options)).outcome).toBe('gone');
  });
});

describe('a broken capture', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'procscope-replay-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const whole = SYSTEMS[0] as (typeof SYSTEMS)[0];
  const broken = (process: object) => ({ ...whole, processes: [process] });

  it.each([
    ['', 'is no JSON'],
    ['[]', 'must hold an object'],
    ['{}', 'format must be 1'],
    [{ ...whole, format: 2 }, 'format must be 1, and is 2'],
    [{ ...whole, system: 'plan9' }, 'system must be one of linux, darwin, win32'],
    [{ ...whole, processes: {} }, 'processes must be a list'],
    [broken({}), 'processes[0] has no pid'],
    [broken({ pid: '7' }), 'processes[0].pid must be a whole number from 1'],
    [broken({ pid: 7, argv: 'claude' }), 'processes[0].argv must be a list of texts'],
    [broken({ pid: 7, startKey: 4200 }), 'processes[0].startKey must be a whole number as a text'],
    [broken({ pid: 7, arv: [] }), 'processes[0] has an unknown field "arv"'],
    [broken({ pid: 7, constructor: 1 }), 'processes[0] has an unknown field "constructor"'],
    [broken({ pid: 7, openFiles: [{}] }), 'processes[0].openFiles[0] has no path'],
    [broken({ pid: 7, faults: { cwd: { kind: 'bad' } } }), 'processes[0].faults must be faults'],
    [{ ...whole, processes: [{ pid: 7 }, { pid: 7 }] }, 'processes[1] has the pid 7 of another one'],
    [{ ...whole, files: [{ path: 7 }] }, 'files[0].path must be a text'],
    [{ ...whole, links: { a: 1 } }, 'links must be paths by path'],
  ])('names the file and what is wrong with it: %#', async (content, problem) => {
    const path = join(folder, 'replay.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    const error: unknown = await readReplay(folder).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ReplayError);
    expect(error).toMatchObject({ code: 'ERR_PROCSCOPE_REPLAY', path });
    expect((error as Error).message).toContain(`${path}: ${problem}`);
  });

  it('is told from one that is not there, and from what is no file', async () => {
    await expect(readReplay(join(folder, 'none'))).rejects.toMatchObject({
      message: expect.stringContaining('cannot be read: gone'),
    });
    mkdirSync(join(folder, 'replay.json'));
    await expect(readReplay(folder)).rejects.toBeInstanceOf(ReplayError);
  });

  it('ends in a ReplayError or an answer, whatever stands in it', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('/home/u', '7', 7, [], {}, null));
    const process = fc.record(
      {
        pid: fc.nat(9),
        argv: value,
        exe: value,
        env: value,
        openFiles: value,
        startKey: value,
        faults: value,
        cwd: value,
      },
      { requiredKeys: ['pid'] },
    );
    const capture = fc.record({
      format: fc.constant(1),
      system: fc.constantFrom('linux', 'win32'),
      processes: fc.array(process, { maxLength: 3 }),
      files: fc.oneof(fc.constant([]), value),
      links: fc.oneof(fc.dictionary(fc.string(), fc.string()), value),
    });
    await fc.assert(
      fc.asyncProperty(capture, async (made) => {
        const answer: unknown = await replay(made).catch((error: unknown) => error);
        if (answer instanceof Error) expect(answer).toBeInstanceOf(ReplayError);
        else expect(answer).toHaveProperty('agents');
      }),
      { numRuns: 200 },
    );
  });

  it('is told by the command, which shows what can be replayed', async () => {
    const missing = await look(['agents', '--replay', folder]);
    expect(missing.code).toBe(1);
    expect(missing.err).toContain(join(folder, 'replay.json'));
    writeFileSync(join(folder, 'replay.json'), JSON.stringify(whole));
    const { code, out } = await look(['agents', '--replay', folder]);
    expect(code).toBe(0);
    expect(out).toContain(UUID);
    const explained = await look(['agents', '--replay', folder, '--explain', '7', '--json']);
    expect(JSON.parse(explained.out)).toMatchObject({ outcome: 'agent', agent: { pid: 7 } });
    expect((await look(['agents', '--replay', folder, '--explain', '8'])).code).toBe(1);
    expect((await look(['agents', '--replay', folder, '--watch'])).code).toBe(2);
    expect((await look(['agents', '--explain', 'x'])).code).toBe(2);
  });
});
