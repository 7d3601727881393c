/** What panes() answers of one server with one pane, of that and one that hangs, and where no place can be looked at. */
import type { FailedPanes, Pane, PaneInventory, RunningPanes } from '../../../lib/index.js';

const SERVER = { pid: 7, start: 1 };
export const SOCKET = '/run/one';
export const PANE: Pane = {
  ...{ key: `${SOCKET} 7.1 %3`, socket: SOCKET, server: SERVER, id: '%3', rootPid: 8, sessionId: '$1' },
  ...{ sessionName: 'work', attached: false, sessions: [], windowId: '@1', windowName: 'w', index: 0 },
  ...{ active: true, cwd: '/x', title: 'a\u001b[2Jb', dead: false, exitStatus: null, exitSignal: null },
  ...{ command: 'sh', tty: '/dev/pts/1', width: 80, height: 24, activity: undefined },
};
export const RUNNING: RunningPanes = {
  ...{ state: 'running', socket: SOCKET, panes: [PANE], at: 1 },
  server: { ...SERVER, socket: SOCKET, version: '3.3a', protocol: 8, way: 'protocol', fallback: null },
};
const fault = { kind: 'timeout', code: 110, call: 'read', path: '/run/two' } as const;
const FAILED: FailedPanes = {
  ...{ state: 'failed', socket: '/run/two', panes: [], at: undefined },
  failure: { kind: 'timeout', fault, message: 'no answer', mayHaveRun: true, way: 'protocol' },
};
export const read: PaneInventory = { state: 'read', panes: [PANE], servers: [RUNNING], refused: [] };
/** Two servers, each with a pane of this name. */
export const twice: PaneInventory = {
  ...{ state: 'read', panes: [PANE, { ...PANE, socket: '/run/two' }], servers: [RUNNING], refused: [] },
};
export const half: PaneInventory = { ...read, state: 'failed', servers: [RUNNING, FAILED], faults: [] };
export const nothing: PaneInventory = {
  state: 'failed',
  panes: [],
  servers: [],
  refused: [],
  faults: [fault],
};

const none = { agents: [], faults: [], ambiguousPanes: [], scanned: 0, tookMs: 0 };
export const answering = (inventory: PaneInventory) => ({
  panes: async () => inventory,
  agents: async () => none,
});
