/** What `agents()` answers. Unknown values are null, never left out. */

import type { Evidence } from '../engines/findings.js';
import type { EngineHome } from '../engines/homes.js';
import type { LinkGrade, RefusedSession } from '../engines/link.js';
import type { Contender } from '../engines/owner.js';
import type { AgentKind } from '../engines/rule.js';
import type { AgentState } from '../engines/state.js';
import type { Fault } from '../process/fault.js';
import type { ServerIdentity } from '../tmux/pane.js';

export interface AgentSession {
  readonly id: string | null;
  readonly grade: LinkGrade;
  /** `pid-record`, `lock`, `open-file`, `pid-file`, `argv`, `folder` or `start`; null = no session is linked. */
  readonly source: string | null;
  /** The file that proves the link, as the process itself names it. */
  readonly path: string | null;
  /** Another live process writes the same session. */
  readonly shared: boolean;
  readonly refused: readonly RefusedSession[];
}

/** Where an agent can be seen and written to: sendText() and capture() take it as it is. */
export interface AgentPane {
  readonly socket: string;
  readonly server: ServerIdentity;
  /** Such as `%3`. */
  readonly id: string;
  readonly sessionName: string;
  readonly sessionId: string;
  readonly windowId: string;
  readonly rootPid: number;
  readonly title: string;
  readonly dead: boolean;
}

/** A pane that several programs could own: none is said to. */
export interface AmbiguousPane {
  readonly pane: AgentPane;
  readonly reason: string;
  /** What the user could set to settle it; null = nothing would. */
  readonly override: string | null;
  readonly contenders: readonly Contender[];
}

export interface Agent {
  readonly engine: string;
  readonly kind: AgentKind;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startTime: number | null;
  /** Start in the kernel's own unit, in decimal: with `pid` the identity. */
  readonly startKey: string | null;
  /** The other end of a launcher chain: the runner, wrapper or script above, or the worker below. */
  readonly launcherPid: number | null;
  readonly ppid: number | null;
  readonly uid: number | null;
  readonly user: string | null;
  /** `pts/3`; null = no terminal, or not known. */
  readonly tty: string | null;
  readonly cwd: string | null;
  readonly exe: string | null;
  readonly version: string | null;
  /** The process lives in a pid namespace below the reader's. */
  readonly container: boolean | null;
  readonly evidence: Evidence;
  /** The reasons of all verdicts, in words. */
  readonly because: readonly string[];
  readonly session: AgentSession;
  readonly state: AgentState;
  /** The pane of tmux that it owns; null = none is known. */
  readonly pane: AgentPane | null;
  /** The session id in the arguments. */
  readonly resumeId: string | null;
  readonly bypassPermissions: boolean | null;
  /** `ori` when the engine's requests go to OpenRouter. */
  readonly gateway: string | null;
  readonly homes: EngineHome;
}

/** A failed look. `pid` and `field` are null when it was not about one process or one field. */
export interface AgentFault extends Fault {
  readonly pid: number | null;
  readonly field: string | null;
}

export interface AgentsEnvelope {
  readonly agents: readonly Agent[];
  /** Processes that were read. */
  readonly scanned: number;
  readonly tookMs: number;
  readonly faults: readonly AgentFault[];
  /** Panes of which it cannot be said whose they are. */
  readonly ambiguousPanes: readonly AmbiguousPane[];
}
