import type { Agent, AgentsEnvelope, Pane, PaneInventory } from '../../index.js';
import type { Command, Run } from '../command.js';
import { inventoryProblems, TMUX_OPTIONS, tmuxSockets } from '../pane-of.js';
import { type Cell, columns, cut, plural, printable } from '../text.js';
import { show, type View, WATCH_OPTIONS } from '../watch.js';

const CELL_WIDTH = 50;
const HEAD: readonly Cell[] = ['PANE', 'SESSION', 'PID', 'AGENT', 'STATE', 'COMMAND', 'CWD', 'TITLE'].map(
  (text) => ({ text, styles: ['bold'] }),
);

function isIn({ pane }: Agent, { socket, id, server }: Pane): boolean {
  return (
    pane?.socket === socket &&
    pane.id === id &&
    pane.server.pid === server.pid &&
    pane.server.start === server.start
  );
}

function cellsOf(pane: Pane, { agents, ambiguousPanes }: AgentsEnvelope): Cell[] {
  const agent = agents.find((each) => isIn(each, pane));
  const unclear = ambiguousPanes.some((each) => each.pane.socket === pane.socket && each.pane.id === pane.id);
  const status = pane.exitStatus == null ? '' : ` (${pane.exitStatus})`;
  return [
    { text: pane.id, styles: ['cyan'] },
    { text: cut(pane.sessionName, CELL_WIDTH) },
    { text: String(pane.rootPid) },
    { text: agent ? `${agent.engine} ${agent.pid}` : unclear ? 'ambiguous' : '-' },
    { text: pane.dead ? `dead${status}` : (agent?.state.value ?? '-') },
    { text: cut(pane.command, CELL_WIDTH) },
    { text: cut(pane.cwd ?? '?', CELL_WIDTH, 'tail') },
    { text: cut(pane.title, CELL_WIDTH) },
  ];
}

/** A socket of its own line, and the panes below it: the same number may stand for a pane of each. */
function serverLines(
  { socket, panes }: PaneInventory['servers'][number],
  found: AgentsEnvelope,
  { paint }: Run,
): string[] {
  if (panes.length === 0) return [];
  return [
    paint(printable(socket), 'dim'),
    ...columns([HEAD, ...panes.map((pane) => cellsOf(pane, found))], paint),
    '',
  ];
}

function viewOf(inventory: PaneInventory, found: AgentsEnvelope, run: Run): View {
  const failed = inventoryProblems(inventory).map((problem) => run.paint(printable(problem), 'yellow'));
  const servers = inventory.servers.filter(({ state }) => state === 'running').length;
  const count = `${plural(inventory.panes.length, 'pane')} of ${plural(servers, 'tmux server')}`;
  return {
    json: { ...inventory, agents: found.agents, ambiguousPanes: found.ambiguousPanes },
    lines: [
      ...inventory.servers.flatMap((server) => serverLines(server, found, run)),
      `${count}.`,
      ...(failed.length > 0 ? [run.paint('Could not be asked:', 'yellow'), ...failed] : []),
    ],
    code: inventory.state === 'failed' && inventory.panes.length === 0 ? 1 : 0,
  };
}

function watcher(run: Run): () => Promise<View> {
  const sockets = tmuxSockets(run);
  let previous: PaneInventory | undefined;
  return async () => {
    // With what was seen before, the panes of a server that hangs stay where they were.
    const inventory = await run.api.panes({
      ...(sockets !== undefined && { tmuxSockets: sockets }),
      ...(previous !== undefined && { previous }),
    });
    previous = inventory;
    // The same inventory for both: a pane that comes in between would be one without an agent.
    const found = await run.api.agents({ readPanes: async () => inventory });
    return viewOf(inventory, found, run);
  };
}

export const panes: Command = {
  name: 'panes',
  summary: 'the panes of tmux and the agents that own them',
  options: { ...WATCH_OPTIONS, ...TMUX_OPTIONS },
  run: (run) => show(run, watcher(run)),
};
