import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OptionError, type SocketRow, type SocketTable, sockets } from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { hasProgram, isRoot } from './oracle.js';

const EACCES = 13;

interface Made {
  readonly fd: number;
  readonly inode: number;
  readonly port: number;
}

/** What the maker says that it holds: NAME=FD:INODE or NAME=FD:INODE:PORT. */
function madeBy(situation: Situation): Map<string, Made> {
  const made = new Map<string, Made>();
  for (const word of situation.words.slice(1)) {
    const match = /^(.+)=(\d+):(\d+)(?::(\d+))?$/.exec(word);
    if (match === null) continue;
    made.set(match[1] as string, {
      fd: Number(match[2]),
      inode: Number(match[3]),
      port: Number(match[4] ?? 0),
    });
  }
  return made;
}

function byInode(table: SocketTable, inode: number | undefined): SocketRow {
  const row = [...table].find((each) => each.inode === inode);
  if (row === undefined) throw new Error(`no socket ${inode} in the table`);
  return row;
}

async function listening(server: Server, ...where: [number, string] | [string]): Promise<AddressInfo> {
  server.listen(...(where as [number, string]));
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

async function closed(...handles: readonly (Server | Socket)[]): Promise<void> {
  for (const handle of handles) {
    const done = once(handle, 'close');
    if ('destroy' in handle) handle.destroy();
    else handle.close();
    await done;
  }
}

describe.each(['auto', 'proc'] as const)('sockets of every kind, source %s', (source) => {
  it('are told with their addresses, states and owners', async () => {
    const situation = await startMaker('sockets');
    const made = madeBy(situation);
    const table = await sockets({ source });
    const pid = situation.number(0);
    const found = (name: string): SocketRow => byInode(table, made.get(name)?.inode);
    const names = [...made.keys()].filter((name) =>
      /^(tcp|udp)\d-(?!unbound)|^(unix|pair|seqpacket)/.test(name),
    );
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      expect([name, found(name).owners]).toEqual([name, [{ pid, fd: made.get(name)?.fd }]]);
    }

    const listen = made.get('tcp4-listen') as Made;
    expect(found('tcp4-listen')).toMatchObject({
      ...{ kind: 'tcp', family: 'inet', type: 'stream', protocol: 6, state: 'LISTEN' },
      ...{ localAddress: '127.0.0.1', localPort: listen.port, remoteAddress: null, remotePort: null },
      ...{ receiveQueue: 0, sendQueue: source === 'auto' ? 5 : undefined, uid: process.getuid?.() },
    });
    expect(found('tcp4-server')).toMatchObject({
      ...{ state: 'ESTABLISHED', localPort: listen.port, remotePort: made.get('tcp4-client')?.port },
      ...{ remoteAddress: '127.0.0.1', interface: source === 'auto' ? null : undefined, timer: null },
    });
    if (made.has('tcp6-listen')) {
      expect(found('tcp6-client')).toMatchObject({ family: 'inet6', localAddress: '::1', v4Mapped: false });
    }
    expect(found('udp4-bound')).toMatchObject({ kind: 'udp', type: 'dgram', state: 'UNCONNECTED' });
    expect(found('udp4-connected')).toMatchObject({ state: 'ESTABLISHED', remoteAddress: '127.0.0.1' });

    const folder = situation.words[1]?.slice('folder='.length);
    expect(found('unix-listen')).toMatchObject({ kind: 'unix', state: 'LISTEN', path: `${folder}/a socket` });
    expect(found('unix-server')).toMatchObject({ state: 'CONNECTED', path: `${folder}/a socket` });
    expect(found('unix-client')).toMatchObject({ path: null, localAddress: null, localPort: null });
    expect(found('unix-abstract').path).toBe(`@maker.${pid}`);
    expect(found('seqpacket-a').type).toBe('seqpacket');
    const peer = source === 'auto' ? made.get('pair-b')?.inode : undefined;
    expect(found('pair-a').peerInode).toBe(peer);

    if (made.has('packet'))
      expect(found('packet')).toMatchObject({ kind: 'packet', state: null, protocol: 0x60 });
    if (made.has('raw')) expect(found('raw')).toMatchObject({ kind: 'raw', protocol: 1, localPort: null });
    await situation.end();
  });
});

describe('sockets', () => {
  it.runIf(hasProgram('ss'))('agree with ss about listening sockets of tcp', async () => {
    const server = createServer();
    await listening(server, 0, '127.0.0.1');
    const lines = execFileSync('ss', ['-Hltne'], { encoding: 'utf8' }).trim().split('\n');
    const table = await sockets({ kinds: ['tcp'], states: ['LISTEN'], owners: false });
    const ours = new Map([...table].map((row) => [row.inode, row]));
    let compared = 0;
    for (const line of lines) {
      const [, receive, send, local] = line.split(/\s+/) as [string, string, string, string];
      const row = ours.get(Number(/ ino:(\d+)/.exec(line)?.[1]));
      if (row === undefined) continue; // Opened or closed by others between the two looks.
      compared++;
      expect([row.receiveQueue, row.sendQueue, row.localPort]).toEqual([
        Number(receive),
        Number(send),
        Number(local.slice(local.lastIndexOf(':') + 1)),
      ]);
    }
    expect(compared).toBeGreaterThan(0);
    await closed(server);
  });

  it('shared by fork name every process that holds them', async () => {
    const script = `const { spawn } = require('node:child_process');
      const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
        const child = spawn('sleep', ['1000'], { stdio: ['ignore', 'ignore', 'ignore', server._handle.fd] });
        process.stdin.resume().on('end', () => { child.kill(); server.close(); });
        console.log(child.pid, server.address().port);
      });`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
    const [child, port] = line.split(' ').map(Number) as [number, number];
    const [row, ...more] = await sockets({ kinds: ['tcp'], ports: [port], states: ['LISTEN'] });
    expect(more).toEqual([]);
    expect(row?.pids).toEqual([parent.pid as number, child].sort((a, b) => a - b));
    expect(row?.owners).toContainEqual({ pid: child, fd: 3 });
    const [only] = await sockets({ pids: [child], kinds: ['tcp'] });
    expect(only?.owners).toEqual([{ pid: child, fd: 3 }]);
    parent.stdin.end();
    await once(parent, 'close');
  });

  it('in TIME_WAIT have no inode, and nobody holds them', async () => {
    const server = createServer((socket) => socket.end());
    const { port } = await listening(server, 0, '127.0.0.1');
    const client = connect(port, '127.0.0.1').resume();
    await once(client, 'close');
    const rows = [...(await sockets({ ports: [port], states: ['TIME_WAIT'] }))];
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ inode: 0, owners: [], kind: 'tcp', timer: { name: 'time-wait' } });
    await closed(server);
  });

  it('of IPv6 that talk IPv4 say so', async () => {
    const server = createServer();
    let port: number;
    try {
      port = (await listening(server, 0, '::')).port;
    } catch {
      return; // A machine without IPv6.
    }
    const client = connect(port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const rows = [...(await sockets({ ports: [port], states: ['ESTABLISHED'], kinds: ['tcp'] }))];
    const mapped = rows.find((row) => row.localPort === port);
    expect(mapped).toMatchObject({ family: 'inet6', v4Mapped: true, localAddress: '::ffff:127.0.0.1' });
    expect(rows.find((row) => row.remotePort === port)).toMatchObject({ family: 'inet', v4Mapped: false });
    await closed(client, accepted, server);
  });

  it('keep the exact bytes of a path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'procscope-'));
    const path = join(folder, 'two words\nand a line');
    const server = createServer();
    await listening(server, path);
    for (const source of ['netlink', 'proc'] as const) {
      const rows = [...(await sockets({ kinds: ['unix'], source, pids: [process.pid] }))];
      const row = rows.find((each) => each.path === path);
      expect(row?.pathBytes?.equals(Buffer.from(path))).toBe(true);
      expect(row?.state).toBe('LISTEN');
    }
    await closed(server);
    rmSync(folder, { recursive: true, force: true });
  });

  it('say which source was used for each kind, and what this kernel does not have', async () => {
    const table = await sockets({ owners: false });
    const sourceOf = (kind: string) =>
      table.sources.filter((each) => each.kind === kind).map((each) => each.source);
    expect(sourceOf('tcp')).toEqual(['netlink', 'netlink']);
    expect(sourceOf('icmp')).toEqual(['proc', 'proc']);
    for (const { kind, family, source } of table.sources) {
      if (source !== null) continue;
      // Where nothing could be read a fault says so.
      expect([kind, family, table.faults.length > 0]).toEqual([kind, family, true]);
    }
    for (const row of table) expect(row.owners).toBeUndefined();
    const files = await sockets({ owners: false, source: 'proc', kinds: ['tcp', 'unix', 'netlink'] });
    expect(files.sources.map(({ source }) => source)).toEqual(['proc', 'proc', 'proc', 'proc']);
    expect(files.faults).toEqual([]);
  });

  it('nobody is seen to hold are unknown while somebody could not be looked at', async () => {
    const table = await sockets();
    const denied = table.faults.filter(({ kind }) => kind === 'denied');
    for (const fault of denied) {
      expect(fault).toMatchObject({ code: EACCES, path: expect.stringMatching(/^\/proc\/\d+\/fd$/) });
    }
    if (denied.length > 0) expect(table.everybodySeen).toBe(false);
    for (const row of table) {
      if (row.owners?.length !== 0) continue;
      expect(row.inode === 0 || table.everybodySeen).toBe(true);
    }
  });

  it('that are many: 5,000 in one process', async () => {
    const script = `const { Socket } = require('node:dgram'); const dgram = require('node:dgram');
      let left = 5000;
      const all = Array.from({ length: left }, () => {
        const socket = dgram.createSocket('udp4');
        socket.bind(0, '127.0.0.1', () => { if (--left === 0) console.log('ready'); });
        return socket;
      });
      process.stdin.resume().on('end', () => all.forEach((socket) => socket.close()));`;
    const holder = spawn('sh', ['-c', 'ulimit -n 8192 && exec "$0" "$@"', process.execPath, '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    for (const source of ['netlink', 'proc'] as const) {
      const table = await sockets({ kinds: ['udp'], source, pids: [holder.pid as number] });
      expect(table.size).toBe(5000);
      expect(new Set([...table].map((row) => row.localPort)).size).toBe(5000);
    }
    const cut = await sockets({ kinds: ['udp'], maxRows: 100, owners: false });
    expect([cut.size, cut.faults.map(({ kind }) => kind)]).toEqual([
      100,
      ['limit', 'limit'].slice(0, cut.faults.length),
    ]);
    expect(cut.faults.length).toBeGreaterThan(0);
    holder.stdin.end();
    await once(holder, 'close');
  });

  it('a mistaken option is named', async () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ kinds: ['tcp6'] }, 'kinds'],
      [{ states: ['listen'] }, 'states'],
      [{ ports: [0] }, 'ports'],
      [{ ports: 80 }, 'ports'],
      [{ pids: [0] }, 'pids'],
      [{ pids: [1], owners: false }, 'pids'],
      [{ source: 'ss' }, 'source'],
      [{ source: 'netlink', netnsOf: 1 }, 'source'],
      [{ netnsOf: -1 }, 'netnsOf'],
      [{ maxRows: 0 }, 'maxRows'],
      [{ kind: 'tcp' }, 'kind'],
    ];
    for (const [options, option] of wrong) {
      const error = await sockets(options as never).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OptionError);
      expect((error as OptionError).option).toBe(option);
    }
  });
});

describe('another network namespace', () => {
  const canUnshare = isRoot && hasProgram('unshare');

  it.runIf(canUnshare)('is seen through a pid (where root may unshare)', async () => {
    const script = `require('node:net').createServer().listen(7777, () => console.log('ready'));
      process.stdin.resume().on('end', () => process.exit(0));`;
    const inside = spawn('unshare', ['-n', process.execPath, '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(inside.stdout, 'data');
    const pid = inside.pid as number;
    expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'));
    const there = [...(await sockets({ netnsOf: pid, kinds: ['tcp'] }))];
    expect(there.map((row) => [row.localPort, row.state, row.pids])).toEqual([[7777, 'LISTEN', [pid]]]);
    const here = [...(await sockets({ kinds: ['tcp'], pids: [pid] }))];
    expect(here).toEqual([]);
    const unix = await sockets({ netnsOf: pid, kinds: ['unix'], owners: false });
    const lines = readFileSync(`/proc/${pid}/net/unix`, 'latin1').trimEnd().split('\n');
    expect(unix.size).toBe(lines.length - 1);
    inside.stdin.end();
    await once(inside, 'close');
  });

  it('of a process that is not there is a fault, and no empty answer', async () => {
    const table = await sockets({ netnsOf: 0x7fff_ffff });
    expect(table.size).toBe(0);
    expect(table.faults).toMatchObject([{ kind: 'gone', call: 'open', path: '/proc/2147483647/net' }]);
    expect(new Set(table.sources.map(({ source }) => source))).toEqual(new Set([null]));
  });
});
