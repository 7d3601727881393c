// Sockets of tcp and udp with their owners. Every trial opens some sockets of its own first, and has
// to find them all: with their ports and with itself as the owner.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);
const own = 50;

async function openSockets() {
  const ports = new Set();
  for (let i = 0; i < own; i++) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports.add(server.address().port);
  }
  return ports;
}

async function load() {
  const built = new URL('../../dist/index.js', import.meta.url);
  if (!existsSync(built)) throw new Error('dist/ is not built: npm run build');
  return (await import(built.href)).default;
}

/** Spawned and parsed into { pid, fd, kind, local } a socket. */
async function lsof() {
  const { stdout } = await run('lsof', ['-nP', '-i', '-F', 'pftPn'], { maxBuffer: 1 << 28 });
  const rows = [];
  let pid = 0;
  let row = {};
  for (const line of stdout.split('\n')) {
    const value = line.slice(1);
    if (line[0] === 'p') pid = Number(value);
    else if (line[0] === 'f') {
      row = { pid, fd: Number(value) };
      rows.push(row);
    } else if (line[0] === 'P') row.kind = value;
    else if (line[0] === 'n') row.local = value.split('->')[0];
  }
  return rows;
}

const portOf = (local) => Number(local.slice(local.lastIndexOf(':') + 1));

const trial = (name, about, costUs, look, seen) => ({
  name,
  about,
  facts: [],
  costUs,
  leastSeen: () => own,
  open: async () => {
    const ports = await openSockets();
    const procscope = await load();
    return {
      look: () => look(procscope),
      count: (answer) => seen(answer).filter((port) => ports.has(port)).length,
      rows: () => [],
    };
  },
});

const ask = (procscope) => procscope.sockets({ kinds: ['tcp', 'udp'] });
const seen = (table) =>
  Array.from(table)
    .filter(({ pids }) => pids?.includes(process.pid))
    .map(({ localPort }) => localPort);

async function touch(procscope) {
  const table = await ask(procscope);
  let length = 0;
  for (const { localAddress, remoteAddress, state, owners } of table) {
    length += localAddress.length + (remoteAddress?.length ?? 0) + state.length + (owners?.length ?? 0);
  }
  // The sum must be used, or the reads might be optimised away.
  if (!(length > 0)) throw new Error('no row had a value');
  return table;
}

export default [
  trial('sockets', 'procscope sockets() with owners, rows not touched', 15, ask, seen),
  trial('sockets+touch', 'procscope sockets() with owners, rows read', 15, touch, seen),
  trial('lsof -i', 'Node: starts lsof -nP -i and parses it', 250, lsof, (rows) =>
    rows.filter(({ pid }) => pid === process.pid).map(({ local }) => portOf(local)),
  ),
];
