import type { SocketKind, SocketRow, SocketState, SocketsOptions } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { faultLines, PROC_ROOT, procRootOf } from '../faults.js';
import { type Cell, columns, plural, type Style } from '../text.js';
import { show, type View, WATCH_OPTIONS } from '../watch.js';

const STATE_STYLES: Readonly<Record<string, readonly Style[]>> = {
  LISTEN: ['green'],
  ESTABLISHED: [],
  CONNECTED: [],
  UNCONNECTED: ['dim'],
  TIME_WAIT: ['dim'],
};

const HEAD: readonly Cell[] = ['KIND', 'STATE', 'RECV-Q', 'SEND-Q', 'LOCAL', 'REMOTE', 'OWNERS'].map(
  (text) => ({
    text,
    styles: ['bold'],
  }),
);

function endText(address: string | null, port: number | null): string {
  if (address === null) return port === null ? '-' : String(port);
  const shown = address.includes(':') && port !== null ? `[${address}]` : address;
  return port === null ? shown : `${shown}:${port}`;
}

function localText(row: SocketRow): string {
  if (row.kind === 'unix') return row.path ?? '-';
  if (row.kind === 'packet') return `protocol ${row.protocol}, interface ${row.interface ?? 'any'}`;
  if (row.kind === 'netlink') return `protocol ${row.protocol}, port ${row.localPort}`;
  return endText(row.localAddress, row.localPort);
}

function remoteText(row: SocketRow): string {
  if (row.kind === 'unix') return row.peerInode == null ? '-' : `inode ${row.peerInode}`;
  return endText(row.remoteAddress, row.remotePort);
}

function ownersText({ owners }: SocketRow): string {
  if (owners === undefined) return '?';
  return owners.map(({ pid, fd }) => `${pid}/${fd}`).join(' ') || '-';
}

const count = (value: number | undefined): string => (value === undefined ? '?' : String(value));

function cellsOf(row: SocketRow): Cell[] {
  const state = row.state === undefined ? '?' : (row.state ?? '-');
  return [
    { text: row.family === 'inet6' ? `${row.kind}6` : row.kind, styles: ['cyan'] },
    { text: state, styles: STATE_STYLES[state] ?? ['yellow'] },
    { text: count(row.receiveQueue) },
    { text: count(row.sendQueue) },
    { text: localText(row) },
    { text: remoteText(row) },
    { text: ownersText(row) },
  ];
}

function numbers(run: Run, name: string): number[] | undefined {
  const texts = run.values[name] as readonly string[] | undefined;
  return texts?.map((text) => {
    if (!/^[0-9]{1,10}$/.test(text)) throw new UsageError(`--${name} ${text}: not a number`);
    return Number(text);
  });
}

const KINDS: readonly SocketKind[] = ['tcp', 'udp', 'unix'];
const LISTENING: readonly SocketState[] = ['LISTEN', 'UNCONNECTED'];

/** Listening as people mean it: what waits for a connection, and bound datagram sockets without a peer. */
function listens(row: SocketRow): boolean {
  if (row.state === 'LISTEN') return true;
  return (row.kind === 'udp' || row.kind === 'udplite') && row.remoteAddress === null;
}

function optionsOf(run: Run): SocketsOptions {
  const { values } = run;
  const kinds = KINDS.filter((kind) => values[kind] === true);
  const ports = numbers(run, 'port');
  const pids = numbers(run, 'pid');
  const [netnsOf, ...others] = numbers(run, 'netns-of') ?? [];
  if (others.length > 0) throw new UsageError('--netns-of can be given once');
  return {
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(values['listen'] === true ? { states: LISTENING } : {}),
    ...(ports === undefined ? {} : { ports }),
    ...(pids === undefined ? {} : { pids }),
    ...(netnsOf === undefined ? {} : { netnsOf }),
    ...procRootOf(run),
  };
}

async function look(run: Run): Promise<View> {
  const table = await run.api.sockets(optionsOf(run));
  const rows = run.values['listen'] === true ? [...table].filter(listens) : [...table];
  const { sources, everybodySeen, faults } = table;
  return {
    json: { sockets: rows, sources, everybodySeen, faults },
    lines: [
      ...(rows.length === 0 ? [] : columns([HEAD, ...rows.map(cellsOf)], run.paint)),
      `${plural(rows.length, 'socket')}.`,
      ...faultLines(faults, run),
    ],
    code: rows.length > 0 ? 0 : 1,
  };
}

export const sockets: Command = {
  name: 'sockets',
  summary: 'sockets of this machine, and who holds them',
  options: {
    ...WATCH_OPTIONS,
    listen: { type: 'boolean', short: 'l', help: 'only those that wait for somebody' },
    tcp: { type: 'boolean', short: 't', help: 'only tcp; --tcp, --udp and --unix add up' },
    udp: { type: 'boolean', short: 'u', help: 'only udp' },
    unix: { type: 'boolean', short: 'x', help: 'only unix' },
    port: { type: 'string', multiple: true, value: 'N', help: 'only with this port at either end' },
    pid: { type: 'string', multiple: true, value: 'PID', help: 'only those that this process holds' },
    'netns-of': {
      type: 'string',
      multiple: true,
      value: 'PID',
      help: 'the network namespace of this process',
    },
    'proc-root': PROC_ROOT,
  },
  notes: ['Exit code: 0 there are such sockets, 1 none was found, 2 the command line is wrong.'],
  run: (run) => show(run, () => look(run)),
};
