import type { SocketKind, SocketRow, SocketState, SocketsOptions, SocketTable } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { type Cell, columns, plural, printable, printableJson, type Style } from '../text.js';

const FAULTS_SHOWN = 5;
const WATCH_MS = 1_000;
/** Clears the screen and goes to its top, where a person watches. */
const CLEAR = '\u001b[2J\u001b[H';

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

function faultLines({ faults }: SocketTable, { paint }: Run): string[] {
  if (faults.length === 0) return [];
  const lines = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ kind, code, call, path }) =>
      printable(`  ${kind}${code === 0 ? '' : ` (errno ${code})`}, ${call} ${path}`),
    );
  const more = faults.length - lines.length;
  return [
    paint('Could not be read:', 'yellow'),
    ...lines,
    ...(more > 0 ? [`  and ${more} more (--json shows all)`] : []),
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
    ...(values['proc-root'] === undefined ? {} : { procRoot: values['proc-root'] as string }),
  };
}

/** Answers whether anything could be read. */
async function showOnce(run: Run, options: SocketsOptions): Promise<boolean> {
  const table = await run.api.sockets(options);
  const rows = run.values['listen'] === true ? [...table].filter(listens) : [...table];
  if (run.values['json'] === true) {
    const { sources, everybodySeen, faults } = table;
    run.print(printableJson({ sockets: rows, sources, everybodySeen, faults }));
  } else {
    if (rows.length > 0) run.print(...columns([HEAD, ...rows.map(cellsOf)], run.paint), '');
    run.print(`${plural(rows.length, 'socket')}.`, ...faultLines(table, run));
  }
  return table.sources.some(({ source }) => source !== null);
}

async function show(run: Run): Promise<number> {
  const options = optionsOf(run);
  if (run.values['watch'] !== true) return (await showOnce(run, options)) ? 0 : 1;
  if (run.values['json'] === true) throw new UsageError('--watch and --json do not go together');
  for (;;) {
    run.print(CLEAR);
    if (!(await showOnce(run, options))) return 1;
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  }
}

export const sockets: Command = {
  name: 'sockets',
  summary: 'sockets of this machine, and who holds them',
  options: {
    json: { type: 'boolean', help: 'print everything that is known, as JSON' },
    watch: { type: 'boolean', short: 'w', help: 'show them again every second, until interrupted' },
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
    'proc-root': { type: 'string', value: 'DIR', help: 'where the process files lie (default /proc)' },
  },
  run: show,
};
