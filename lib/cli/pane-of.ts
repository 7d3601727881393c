import { isAbsolute } from 'node:path';
import { describeFault, type Pane, type PaneInventory } from '../index.js';
import { type OptionSpec, type Run, UsageError } from './command.js';

export const TMUX_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  'tmux-socket': {
    type: 'string',
    multiple: true,
    value: 'PATH',
    help: 'only the tmux server at this socket (default: all of this user)',
  },
};

/** The sockets that were named; undefined = none was. */
export function tmuxSockets({ values }: Run): readonly string[] | undefined {
  const sockets = values['tmux-socket'] as readonly string[] | undefined;
  for (const socket of sockets ?? []) {
    if (!isAbsolute(socket)) throw new UsageError(`--tmux-socket must be an absolute path: ${socket}`);
  }
  return sockets;
}

/** What is to be said of an inventory that could not be made, one line a server or place. */
export function inventoryProblems(inventory: PaneInventory): string[] {
  const servers = inventory.servers.flatMap((server) =>
    server.state === 'failed' ? [`${server.socket}: ${server.failure.message}`] : [],
  );
  const faults = inventory.state === 'failed' ? inventory.faults : [];
  return [...servers, ...faults.map((fault) => `${fault.path}: ${describeFault(fault)}`)];
}

/** @throws Error where no pane, or more than one, has the name */
export async function paneOf(name: string, run: Run): Promise<Pane> {
  if (!/^%\d{1,10}$/.test(name)) throw new UsageError(`a pane is named like %3: ${name}`);
  const sockets = tmuxSockets(run);
  const inventory = await run.api.panes(sockets === undefined ? {} : { tmuxSockets: sockets });
  const found = inventory.panes.filter(({ id }) => id === name);
  const [pane] = found;
  if (found.length > 1) {
    const where = found.map(({ socket }) => socket).join(', ');
    throw new UsageError(`${name} is a pane of several servers; name one with --tmux-socket: ${where}`);
  }
  const problems = inventoryProblems(inventory);
  if (pane !== undefined && inventory.servers.some(({ state }) => state === 'failed')) {
    const why = `whether ${name} is also a pane of another server cannot be told; name one with --tmux-socket`;
    throw new Error([`${why}: ${pane.socket}`, ...problems].join('\n'));
  }
  if (pane !== undefined) return pane;
  // What could not be asked may well have it.
  const why =
    problems.length === 0 ? `there is no pane ${name}` : `whether there is a pane ${name} cannot be told`;
  throw new Error([why, ...problems].join('\n'));
}
