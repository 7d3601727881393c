import { describe, expect, it } from 'vitest';
import type * as procscope from '../../../lib/index.js';
import type { Lock, LocksAnswer } from '../../../lib/index.js';
import { look } from './look.js';

const MARK = { type: 'FLOCK', mode: 'write', state: 'ADVISORY', start: 0n, end: null } as const;
const LOCK: Lock = {
  ...MARK,
  major: 8,
  minor: 1,
  ino: 1n << 60n,
  path: '/x\u001b[2J',
  taker: 7,
  holders: [],
  waiters: [{ ...MARK, pid: null }],
};

function locksOf(count: number): { locks: () => Promise<LocksAnswer> } {
  const locks = Array.from({ length: count }, () => LOCK);
  return { locks: async () => ({ locks, complete: true, faults: [] }) };
}

describe('--watch', () => {
  it('prints one JSON document a line, and ends with code 0 when interrupted', async () => {
    let written = 0;
    const { code, out } = await look(['locks', '--watch', '--json', '--interval', '10'], {
      api: locksOf(2),
      onWrite: () => ++written === 3,
    });
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const { locks } = JSON.parse(line) as { locks: Record<string, unknown>[] };
      expect(locks).toHaveLength(2);
      expect(locks[0]).toMatchObject({ ino: String(1n << 60n), start: '0', end: null, path: LOCK.path });
    }
  });

  it('draws over the screen of a terminal in one write a look, and gives the cursor back', async () => {
    const writes: string[] = [];
    const { code } = await look(['locks', '--watch', '--interval=10'], {
      terminal: { columns: 30, rows: 5 },
      api: locksOf(9),
      onWrite: (text) => writes.push(text) === 3,
    });
    expect(code).toBe(0);
    expect(writes).toHaveLength(4);
    expect(writes[0]).toBe('\u001b[2J\u001b[?25l');
    expect(writes[3]).toBe('\u001b[?25h');
    expect(writes[1]?.startsWith('\u001b[HTYPE   MODE ')).toBe(true);
    expect(writes[1]?.endsWith('\n\u001b[J')).toBe(true);
    const lines = (writes[1] as string).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[3]).toBe('and 7 more lines\u001b[K');
    for (const line of lines.slice(1, 4)) expect(line.replace('\u001b[K', '').length).toBeLessThanOrEqual(30);
    expect(writes[1]).not.toContain('\u001b[2J');
  });

  it('draws what it saw last anew when the terminal gets another size, without looking', async () => {
    const terminal = { columns: 20, rows: 4 };
    const resizing = new Set<() => void>();
    const writes: string[] = [];
    let looks = 0;
    const { code } = await look(['locks', '--watch', '--interval', '3600000'], {
      terminal,
      resizing,
      api: {
        locks: async () => {
          looks++;
          // Nothing is there yet that could be drawn.
          expect(resizing.size).toBe(1);
          for (const resized of resizing) resized();
          return locksOf(4).locks();
        },
      },
      onWrite: (text) => {
        if (writes.push(text) === 2) {
          // As a terminal does: it tells of the new size once it has it.
          setImmediate(() => {
            Object.assign(terminal, { columns: 80, rows: 9 });
            for (const resized of resizing) resized();
          });
        }
        return writes.length === 3;
      },
    });
    expect({ code, looks, listeners: resizing.size }).toEqual({ code: 0, looks: 1, listeners: 0 });
    expect(writes).toHaveLength(4);
    const [, small = '', large = ''] = writes;
    expect(small).toContain('and 3 more lines');
    expect(small).not.toContain('WAITERS');
    expect(large.startsWith('\u001b[HTYPE   MODE ')).toBe(true);
    expect(large).toContain('WAITERS  FILE\u001b[K\n');
    expect(large.match(/FLOCK/g)).toHaveLength(4);
    expect(large.endsWith('\n\u001b[J')).toBe(true);
    // Over what stands there: a screen that is cleared first flickers.
    expect(large).not.toContain('\u001b[2J');
  });

  it.each([
    [['locks', '--watch', '--json'], { columns: 20, rows: 4 }],
    [['locks', '--watch'], undefined],
    [['locks'], { columns: 20, rows: 4 }],
  ])('%j with a terminal of %j minds no size', async (args, terminal) => {
    const resizing = new Set<() => void>();
    const sizes: number[] = [];
    const api = {
      locks: async () => {
        sizes.push(resizing.size);
        return locksOf(1).locks();
      },
    };
    await look(args, { resizing, api, onWrite: () => true, ...(terminal && { terminal }) });
    expect({ sizes, after: resizing.size }).toEqual({ sizes: [0], after: 0 });
  });

  it('minds no size any more when a look fails', async () => {
    const resizing = new Set<() => void>();
    const api = { locks: () => Promise.reject(new Error('no binary')) };
    const { code } = await look(['locks', '-w'], { terminal: { columns: 80, rows: 24 }, resizing, api });
    expect({ code, listeners: resizing.size }).toEqual({ code: 1, listeners: 0 });
  });

  it('of agents goes on with one monitor, and closes it', async () => {
    const did: string[] = [];
    const envelope = { agents: [], scanned: 7, tookMs: 1, faults: [], ambiguousPanes: [] };
    class Monitor {
      readonly envelope = envelope;
      constructor(options: object) {
        did.push(JSON.stringify(options));
      }
      async poll(): Promise<void> {
        did.push('poll');
      }
      close(): void {
        did.push('close');
      }
    }
    let written = 0;
    const { code, out } = await look(['agents', '--watch', '--json', '--interval', '10', '--all'], {
      api: { AgentMonitor: Monitor as unknown as (typeof procscope)['AgentMonitor'] },
      onWrite: () => ++written === 2,
    });
    expect(code).toBe(0);
    expect(out).toBe(`${JSON.stringify(envelope)}\n`.repeat(2));
    expect(did).toEqual(['{"all":true}', 'poll', 'poll', 'close']);
  });

  it('does not wait for a look that hangs', async () => {
    let interrupt = (): boolean => true;
    const started = new Promise<void>((resolve) => {
      interrupt = () => {
        resolve();
        return true;
      };
    });
    const hanging = { locks: () => new Promise<LocksAnswer>(() => {}) };
    const { code } = await look(['locks', '-w'], {
      terminal: { columns: 80, rows: 24 },
      api: hanging,
      onWrite: () => interrupt(),
    });
    await started;
    expect(code).toBe(0);
  });

  it('fails as a single look does, and gives the cursor back', async () => {
    const failing = { locks: () => Promise.reject(new Error('no binary')) };
    const { code, out, err } = await look(['locks', '-w'], {
      terminal: { columns: 80, rows: 24 },
      api: failing,
    });
    expect({ code, err }).toEqual({ code: 1, err: 'procscope: no binary\n' });
    expect(out.endsWith('\u001b[?25h')).toBe(true);
  });

  it.each([
    [['locks', '--interval', '10'], '--interval needs --watch'],
    [['locks', '-w', '--interval', '9'], '--interval must be a whole number from 10 to 3600000: 9'],
    [['locks', '-w', '--interval', '1e3'], '--interval must be a whole number from 10 to 3600000: 1e3'],
    [['files'], 'files needs PID...|all'],
    [['files', '0'], 'not a pid: 0'],
    [['files', '12', 'x'], 'not a pid: x'],
    [['files', 'all', '12'], 'all stands alone'],
    [['files', '2147483648'], 'not a pid: 2147483648'],
    [['holders'], 'holders needs PATH'],
    [['holders', ''], 'holders needs PATH, which is empty'],
    [['holders', 'a', 'b'], 'holders takes no more than one argument: b'],
    [['tree', '-1'], 'unknown option -1 of tree'],
  ])('%j is refused by name', async (args, message) => {
    const { code, out, err } = await look(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`procscope: ${message}\nprocscope: see procscope --help\n`);
  });
});

describe('procscope locks', () => {
  it('shows holders, waiters and files; what is not known is a question mark', async () => {
    const { code, out } = await look(['locks'], { api: locksOf(1) });
    expect(code).toBe(0);
    expect(out).toBe(
      'TYPE   MODE   RANGE  HOLDERS  WAITERS  FILE\nFLOCK  write  whole  ?        ?        /x\\x1b[2J\n',
    );
  });

  it('prints more lines than a call takes arguments', async () => {
    const { code, out } = await look(['locks'], { api: locksOf(200_000) });
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(200_002);
  });

  it('says that processes are hidden where nothing else explains what may be missing', async () => {
    const answer: LocksAnswer = { locks: [], complete: false, faults: [] };
    expect(await look(['locks'], { api: { locks: async () => answer } })).toMatchObject({
      code: 1,
      out: 'no lock seen\nnot all processes are seen from here: a pid namespace, or hidepid=\n',
    });
  });

  it('counts the processes that could not be looked at, and says every other fault', async () => {
    const denied = (pid: number) =>
      ({ kind: 'denied', code: 13, call: 'opendir', path: `/proc/${pid}/fd` }) as const;
    const hung = { kind: 'timeout', code: 0, call: 'readlink', path: '/proc/9/cwd' } as const;
    const table = { kind: 'io', code: 5, call: 'read', path: '/proc/locks' } as const;
    const api = (faults: LocksAnswer['faults']) => ({
      locks: async () => ({ locks: [], complete: false, faults }),
    });
    const same = await look(['locks'], { api: api([denied(1), denied(2), denied(2), denied(30)]) });
    expect(same).toMatchObject({ code: 1, out: 'no lock seen\ncould not look at 3 processes: denied\n' });
    const mixed = await look(['locks'], { api: api([denied(1), hung, table]) });
    expect(mixed.out).toBe(
      'no lock seen\ncould not look at 2 processes: denied 1, timeout 1\nio (errno 5): read /proc/locks\n',
    );
  });
});
