import { describe, expect, it } from 'vitest';
import type { Fault, SocketsOptions, SocketTable } from '../../../lib/index.js';
import { look } from './look.js';

const BASE = {
  family: 'inet',
  type: 'stream',
  state: 'LISTEN',
  protocol: 6,
  localAddress: '0.0.0.0',
  localPort: 80,
  remoteAddress: null,
  remotePort: null,
  receiveQueue: 3,
  sendQueue: 128,
  inode: 100,
  owners: [
    { pid: 7, fd: 3 },
    { pid: 8, fd: 3 },
  ],
} as const;
const LISTENER = { ...BASE, kind: 'tcp' };
const UDP6 = {
  ...BASE,
  kind: 'udp',
  family: 'inet6',
  state: 'ESTABLISHED',
  localAddress: '::1',
  localPort: 53,
  remoteAddress: 'fe80::1',
  remotePort: 5353,
  receiveQueue: undefined,
  owners: undefined,
};
const UNIX = {
  ...BASE,
  kind: 'unix',
  family: 'unix',
  state: undefined,
  path: '/x\u001b[2J',
  peerInode: 4711,
  inode: 4712,
  owners: [],
};

const NETLINK_SOURCE = { kind: 'tcp', family: 'inet', source: 'netlink' };
const NOWHERE = { ...NETLINK_SOURCE, source: null };
const TIMEOUT: Fault = { kind: 'timeout', code: 0, call: 'read', path: '/proc/9/fd' };

async function sockets(
  args: readonly string[],
  rows: readonly object[] = [LISTENER, UDP6, UNIX],
  how: { readonly sources?: readonly object[]; readonly faults?: readonly Fault[] } = {},
) {
  const asked: SocketsOptions[] = [];
  const { sources = [NETLINK_SOURCE], faults = [] } = how;
  const answer = { sources, faults, everybodySeen: false, [Symbol.iterator]: () => rows.values() };
  const written = await look(['sockets', ...args], {
    api: {
      sockets: async (options?: SocketsOptions) => {
        asked.push(options ?? {});
        return answer as unknown as SocketTable;
      },
    },
  });
  return { ...written, asked };
}

const cells = (line: string | undefined): string[] => (line ?? '').trim().split(/ {2,}/);

describe('procscope sockets', () => {
  it('prints a row a socket, and a question mark for what is not known', async () => {
    const { code, out } = await sockets([]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(cells(lines[0])).toEqual(['KIND', 'STATE', 'RECV-Q', 'SEND-Q', 'LOCAL', 'REMOTE', 'OWNERS']);
    expect(cells(lines[1])).toEqual(['tcp', 'LISTEN', '3', '128', '0.0.0.0:80', '-', '7/3 8/3']);
    expect(cells(lines[2])).toEqual(['udp6', 'ESTABLISHED', '?', '128', '[::1]:53', '[fe80::1]:5353', '?']);
    expect(cells(lines[3])).toEqual(['unix', '?', '3', '128', '/x\\x1b[2J', 'inode 4711', '-']);
    expect(lines[4]).toBe('3 sockets.');
    expect(out).not.toContain('\u001b');
  });

  it('prints JSON in which nothing is left out', async () => {
    const { out } = await sockets(['--json']);
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ everybodySeen: false, faults: [], sources: [NETLINK_SOURCE] });
    expect(answer.sockets[1]).toMatchObject({ owners: null, receiveQueue: null });
    expect(answer.sockets[2]).toMatchObject({ inode: 4712, path: UNIX.path });
    expect(out).not.toContain('\u001b');
  });

  it('hands its options over, and takes --listen as people mean it', async () => {
    const bound = { ...UDP6, state: 'UNCONNECTED', remoteAddress: null, remotePort: null };
    const { asked, out } = await sockets(
      [
        '-l',
        '-t',
        '--udp',
        '--port',
        '80',
        '--port',
        '53',
        '--pid',
        '7',
        '--netns-of',
        '9',
        '--proc-root',
        '/p',
      ],
      [LISTENER, bound, { ...UNIX, state: 'UNCONNECTED' }],
    );
    expect(asked).toEqual([
      {
        kinds: ['tcp', 'udp'],
        states: ['LISTEN', 'UNCONNECTED'],
        ports: [80, 53],
        pids: [7],
        netnsOf: 9,
        procRoot: '/p',
      },
    ]);
    expect(out).toContain('2 sockets.');
    expect((await sockets([])).asked).toEqual([{}]);
  });

  it('tells what could not be read; a look that gave no list at all is exit code 1', async () => {
    const some = await sockets([], [LISTENER], { faults: [TIMEOUT] });
    expect(some.code).toBe(0);
    expect(some.out).toContain('timeout');
    const none = await sockets([], [], { sources: [NOWHERE], faults: [TIMEOUT] });
    expect(none.code).toBe(1);
    expect(none.out).toContain('0 sockets.');
  });

  it.each([
    [['--port', 'http'], '--port http: not a number'],
    [['--pid', '-1'], '--pid'],
    [['--netns-of', '1', '--netns-of', '2'], '--netns-of can be given once'],
    [['7'], '7'],
    [['--bogus'], 'unknown option --bogus of sockets'],
    [['--interval', '5'], '--interval needs --watch'],
  ])('refuses %j by name', async (args, message) => {
    const { code, err, asked } = await sockets(args);
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain(message);
  });
});
