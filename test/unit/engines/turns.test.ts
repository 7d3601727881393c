/** Turns out of lines: the same whatever is in them and wherever they are cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../../lib/engines/index.js';
import { codexRollout } from '../../../lib/engines/turns/codex.js';
import {
  type LineState,
  LONGEST_LINE,
  NO_LINES,
  withoutHalfLine,
  withPiece,
} from '../../../lib/engines/turns/lines.js';
import { piSession } from '../../../lib/engines/turns/pi.js';
import {
  currentMark,
  type LinesRule,
  NO_TURN,
  type TurnMark,
  timeOf,
  withMark,
} from '../../../lib/engines/turns/turn.js';
import { turnVerdict } from '../../../lib/engines/turns/verdict.js';
import { GOLDEN } from './shapes.js';

const LINES: readonly LinesRule[] = ENGINES.flatMap(({ turns }) =>
  turns.filter((each) => each.what !== 'database'),
);
const RECORDED = [...GOLDEN.values()].flat().flatMap(({ turns }) => turns?.lines ?? []);
const RUNS = { numRuns: 300 };

const line = (value: unknown): string => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`;
const read = (rule: LinesRule, ...pieces: readonly (string | Buffer)[]): LineState =>
  pieces.reduce<LineState>((state, piece) => withPiece(state, Buffer.from(piece), rule), NO_LINES);
const event = (type: string, second: number): string =>
  line({ timestamp: `2026-11-30T15:00:0${second}.000Z`, type: 'event_msg', payload: { type } });
/** Compared as text: element by element, buffers take long. */
const plain = ({ turn, rest, passing }: LineState) => ({ turn, passing, rest: rest.toString('latin1') });
const told = (...pieces: readonly string[]) => currentMark(read(codexRollout, ...pieces).turn)?.value ?? null;

describe('lines', () => {
  const piece = fc.oneof(
    fc.constantFrom(...RECORDED).map((value) => Buffer.from(line(value))),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ maxLength: 40, unit: 'binary' }).map((text) => Buffer.from(`${text}\n`)),
    fc
      .constantFrom('{"type":"message"', '[[[[', '\n\n', '\r\n', 'é', '\ud800')
      .map((text) => Buffer.from(text)),
    fc
      .integer({ min: LONGEST_LINE - 2, max: LONGEST_LINE + 2 })
      .map((size) => Buffer.alloc(size, '"message"')),
  );

  it('are the same wherever a file is cut', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...LINES), fc.array(piece, { maxLength: 10 }), cuts, (rule, pieces, at) => {
        const whole = Buffer.concat(pieces);
        const ends = [...at.map((part) => Math.floor(part * whole.length)), whole.length].sort(
          (a, b) => a - b,
        );
        const parts = ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
        expect(plain(read(rule, ...parts))).toEqual(plain(read(rule, whole)));
      }),
      RUNS,
    );
  });

  it('are the same byte by byte', () => {
    for (const rule of LINES) {
      const whole = Buffer.from(RECORDED.map(line).join(''));
      const bytes = [...whole].map((byte) => Buffer.from([byte]));
      expect(plain(read(rule, ...bytes))).toEqual(plain(read(rule, whole)));
    }
  });

  it('of any content never throw, and tell nothing that has no word of the engine', () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('null', '[]', '{}', '{"type":{}}'),
    );
    fc.assert(
      fc.property(text, (each) => {
        for (const rule of LINES) {
          const mark = rule.read(each);
          if (mark !== null) expect(['idle', 'busy', 'waiting', 'unknown']).toContain(mark.value);
        }
      }),
      RUNS,
    );
  });

  it('that nest without end, or are no text, are passed over', () => {
    const bomb = `{"type":"message","a":${'['.repeat(100_000)}\n`;
    const noText = Buffer.concat([Buffer.from('"message"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a])]);
    expect(read(piSession, bomb, noText).turn).toEqual(NO_TURN);
    expect(told(event('task_started', 1), bomb)).toBe('busy');
  });

  it('without an end wait for it', () => {
    const text = event('task_started', 1);
    expect(told(text.slice(0, -1))).toBeNull();
    expect(told(text.slice(0, -1), '\n')).toBe('busy');
    expect(read(codexRollout, text, event('task_complete', 2).slice(0, 20)).rest.length).toBe(20);
  });

  it('that are too long are counted where their beginning has a word of the engine, and kept nowhere', () => {
    const long = (word: string) => `{"payload":{"type":"${word}"},"text":"${'x'.repeat(LONGEST_LINE)}"}`;
    const open = read(codexRollout, event('task_complete', 1), long('task_started'));
    expect(open.rest.length).toBeLessThanOrEqual(4_096);
    const over = withPiece(open, Buffer.from('\n'), codexRollout);
    expect(over.turn.skipped).toBe(long('task_started').length);
    expect(read(codexRollout, event('task_complete', 1), `${long('other')}\n`).turn.skipped).toBe(0);
    const verdict = turnVerdict([{ what: 'transcript', path: '/t', turn: over.turn }], {
      startTime: 0,
      shared: false,
    });
    expect(verdict).toMatchObject({ value: 'unknown', raw: 'task_complete' });
    expect(verdict?.why).toBe(`a later record of ${over.turn.skipped} bytes is too long to be read`);
    expect(withPiece(over, Buffer.from(event('task_started', 2)), codexRollout).turn.skipped).toBe(0);
  });

  it('of a piece amid a file begin behind its first newline', () => {
    expect(withoutHalfLine(Buffer.from('half\nwhole\n')).toString()).toBe('whole\n');
    expect(withoutHalfLine(Buffer.from('half')).length).toBe(0);
    expect(withoutHalfLine(Buffer.from('\nwhole')).toString()).toBe('whole');
  });
});

describe('turns', () => {
  const mark = (value: TurnMark['value'], at: number | null, more: Partial<TurnMark> = {}): TurnMark => ({
    value,
    raw: `${value} ${at}`,
    at,
    waitingFor: null,
    ...more,
  });
  const fold = (...marks: readonly TurnMark[]) => marks.reduce(withMark, NO_TURN);

  it('L37 go by the time of the event, not by arrival', () => {
    expect(currentMark(fold(mark('busy', 5_000), mark('idle', 4_000)))?.value).toBe('busy');
    expect(currentMark(fold(mark('busy', 5_000), mark('idle', 5_000)))?.value).toBe('idle');
    expect(currentMark(fold(mark('busy', 5_000), mark('idle', null)))?.value).toBe('idle');
  });

  it('are not held up by a clock that was set', () => {
    const future = mark('busy', 4_000_000_000_000);
    expect(currentMark(fold(future, mark('idle', 1_796_000_000_000)))?.value).toBe('idle');
  });

  it('tell since when they are as they are, and begin anew with a new turn', () => {
    const work = fold(mark('busy', 1_000), mark('busy', 2_000));
    expect(currentMark(work)?.at).toBe(1_000);
    expect(work.latest).toBe(2_000);
    expect(currentMark(withMark(work, mark('busy', 3_000, { boundary: true })))?.at).toBe(3_000);
  });

  it('L35 wait until the question is answered, or its turn is over', () => {
    const asks = mark('waiting', 1_000, { waitingFor: 'permission', asks: 'r1' });
    const open = fold(asks, mark('busy', 2_000));
    expect(currentMark(open)?.value).toBe('waiting');
    expect(currentMark(withMark(open, mark('busy', 3_000, { answers: 'r2' })))?.value).toBe('waiting');
    expect(currentMark(withMark(open, mark('busy', 3_000, { answers: 'r1' })))?.value).toBe('busy');
    expect(currentMark(withMark(open, mark('idle', 3_000, { boundary: true })))?.value).toBe('idle');
  });

  it('keep a bounded number of questions', () => {
    const asks = Array.from({ length: 100 }, (_, index) => mark('waiting', index, { asks: `r${index}` }));
    expect(fold(...asks).asked.length).toBe(32);
  });

  it('of several processes, and of one that is gone, are nobody alive', () => {
    const turn = fold(mark('busy', 5_000));
    const finding = { what: 'transcript', path: '/t', turn } as const;
    expect(turnVerdict([finding], { startTime: 4_000, shared: false })?.value).toBe('busy');
    expect(turnVerdict([finding], { startTime: undefined, shared: false })?.value).toBe('busy');
    expect(turnVerdict([finding], { startTime: 9_000, shared: false })).toMatchObject({
      value: 'unknown',
      raw: 'busy 5000',
      why: 'the open turn is older than this process: whoever wrote it is gone',
    });
    expect(turnVerdict([finding], { startTime: 4_000, shared: true })?.value).toBe('unknown');
    const idle = { ...finding, turn: fold(mark('idle', 5_000)) };
    expect(turnVerdict([idle], { startTime: 9_000, shared: false })?.value).toBe('idle');
  });

  it('come from the first file that tells something', () => {
    const nothing = { what: 'log', path: '/l', problem: 'its log could not be read' } as const;
    const silent = { what: 'transcript', path: '/t', turn: NO_TURN } as const;
    const known = { what: 'transcript', path: '/k', turn: fold(mark('idle', 1)) } as const;
    const owner = { startTime: undefined, shared: false };
    expect(turnVerdict([nothing, known], owner)?.value).toBe('idle');
    expect(turnVerdict([nothing, silent], owner)).toMatchObject({ value: 'unknown', why: nothing.problem });
    expect(turnVerdict([silent], owner)?.why).toBe('the transcript /t tells of no turn');
    expect(turnVerdict([], owner)).toBeNull();
  });

  it('have times of this age only', () => {
    expect(timeOf('2026-11-30T15:00:00Z')).toBe(Date.UTC(2026, 10, 30, 15));
    expect(timeOf(1_796_000_000_000)).toBe(1_796_000_000_000);
    for (const odd of ['', 'x'.repeat(100), Number.NaN, -1, 5, 1e300, null, {}])
      expect(timeOf(odd)).toBeNull();
  });
});

describe('where turns are written down', () => {
  const place = {
    home: '/h',
    sessionId: '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5',
    linkPath: null,
    cwd: '/w/a b',
    open: [],
  };

  it('of any session and place are files below the home', () => {
    const any = fc.record({
      home: fc.constant('/h'),
      sessionId: fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/),
      linkPath: fc.constant(null),
      cwd: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
      open: fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(any, (given) => {
        for (const candidate of ENGINES.flatMap(({ turns }) =>
          turns.flatMap((each) => each.candidates(given)),
        )) {
          expect('path' in candidate ? candidate.path : candidate.folder).toMatch(/^\/h\//);
        }
      }),
      RUNS,
    );
  });

  it('L46 of a codex thread are the day folders of its id, however old', () => {
    const folders = codexRollout
      .candidates(place)
      .map((each) => ('folder' in each ? each.folder : each.path));
    const day = new Date(0x01a22cfbe5f1).toISOString().slice(0, 10).replaceAll('-', '/');
    expect(folders[0]).toBe(`/h/sessions/${day}`);
    expect(folders.length).toBe(3);
    expect(codexRollout.candidates({ ...place, sessionId: 'ffffffff-ffff-7fff-8366-9bc8f0543ca5' })).toEqual(
      [],
    );
    expect(codexRollout.candidates({ ...place, sessionId: '7b0c3a9e-2f1d-4c5b-9e8a-1d2c3b4a5f6e' })).toEqual(
      [],
    );
  });
});
