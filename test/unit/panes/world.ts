import { type DiscoverPanesOptions, discoverPanes } from '../../../lib/panes/discover.js';
import type { PaneDiscovery } from '../../../lib/panes/discovery.js';
import type { Fault } from '../../../lib/process/fault.js';
import { failureOf } from '../../../lib/tmux/failure.js';
import { type Pane, paneKey } from '../../../lib/tmux/pane.js';
import type { PaneInventory, ServerPanes } from '../../../lib/tmux/panes.js';
import { FakeFiles, type FakeRow, tableOf } from '../agents/fakes.js';

export const SOCKET = '/tmp/s';
export const OTHER = '/tmp/other';

interface FakeServer {
  readonly pid: number;
  readonly start: number;
  readonly panes: readonly Pane[];
}

/** tmux servers and processes that come and go by hand. */
export class World {
  rows: Record<number, FakeRow> = {};
  readonly servers = new Map<string, FakeServer>();
  readonly frozen = new Set<string>();
  /** The process table cannot be read. */
  fault: Fault | undefined;
  /** Whether every place could be searched for servers. */
  searched = true;
  screens: Record<string, string> = {};
  readonly captured: string[] = [];
  /** When servers are asked: milliseconds since the epoch. */
  at = 1;

  /** A pane whose first process is a shell, unless a row says otherwise. */
  pane(id: string, rootPid: number, more: Partial<Pane> = {}, root: FakeRow = {}): Pane {
    const socket = more.socket ?? SOCKET;
    const server = this.servers.get(socket) ?? { pid: 9, start: 1_000, panes: [] };
    const pane: Pane = {
      ...{
        key: paneKey(socket, server, id),
        socket,
        server: { pid: server.pid, start: server.start },
        id,
        rootPid,
      },
      ...{
        sessionId: '$0',
        sessionName: 'work',
        attached: false,
        sessions: [],
        windowId: '@0',
        windowName: 'w',
      },
      ...{ index: 0, active: true, cwd: '/w', title: 't', dead: false, exitStatus: null, exitSignal: null },
      ...{ command: 'sh', tty: `/dev/pts/${rootPid}`, width: 80, height: 24, activity: undefined },
      ...more,
    };
    const others = server.panes.filter((each) => each.id !== id);
    this.servers.set(socket, { ...server, panes: [...others, pane] });
    this.run(rootPid, { ppid: server.pid, argv: ['sh'], name: 'sh', ...root });
    return pane;
  }

  /** The next server at the socket, with other panes of the same numbers. */
  restart(socket = SOCKET): void {
    this.servers.set(socket, { pid: 99, start: 2_000, panes: [] });
  }

  close(id: string, socket = SOCKET): void {
    const server = this.servers.get(socket);
    if (server) this.servers.set(socket, { ...server, panes: server.panes.filter((pane) => pane.id !== id) });
  }

  run(pid: number, row: FakeRow): void {
    this.rows[pid] = { tty: 'pts/1', ...row };
  }

  /** A program below another process. */
  agent(pid: number, ppid: number, program: string, row: FakeRow = {}): void {
    this.run(pid, { ppid, argv: [program], exe: `/opt/${program}`, name: program, ...row });
  }

  end(pid: number): void {
    delete this.rows[pid];
  }

  get inventory(): PaneInventory {
    const { at } = this;
    const servers = [...this.servers].map(([socket, { pid, start, panes }]): ServerPanes => {
      if (this.frozen.has(socket)) {
        const failure = failureOf('timeout', { path: socket, call: 'read', message: 'no answer' });
        return { state: 'failed', socket, failure, panes, at };
      }
      const server = {
        socket,
        pid,
        start,
        version: '3.3a',
        protocol: 8,
        way: 'protocol',
        fallback: null,
      } as const;
      return { state: 'running', socket, server, panes, at };
    });
    const panes = servers.flatMap((server) => [...server.panes]);
    const faults: Fault[] = this.searched
      ? []
      : [{ kind: 'denied', code: 13, call: 'readdir', path: '/tmp' }];
    if (this.frozen.size > 0 || !this.searched)
      return { state: 'failed', servers, panes, refused: [], faults };
    const answered = servers.filter((server) => server.state !== 'failed');
    return { state: 'read', servers: answered, panes, refused: [] };
  }

  get options(): DiscoverPanesOptions {
    return {
      table: tableOf(this.fault ? {} : this.rows, this.fault ? [this.fault] : []),
      readPanes: async () => this.inventory,
      readScreen: async ({ key, id }) => {
        this.captured.push(id);
        return this.screens[key] ?? this.screens[id];
      },
      openFiles: async () => Object.assign([], { faults: [] }),
      look: new FakeFiles().look,
      pathEnv: '',
      overrides: {},
    };
  }

  look(more: DiscoverPanesOptions = {}): Promise<PaneDiscovery> {
    return discoverPanes({ ...this.options, ...more });
  }
}
