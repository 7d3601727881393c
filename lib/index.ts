export { agents } from './agents/discover.js';
export type {
  Agent,
  AgentFault,
  AgentPane,
  AgentSession,
  AgentsEnvelope,
  AmbiguousPane,
} from './agents/envelope.js';
export type { AgentEvent } from './agents/events.js';
export {
  type ArbiterDecision,
  type ExplainedFacts,
  type ExplainedKind,
  type ExplainOutcome,
  type Explanation,
  explainAgent,
} from './agents/explain.js';
export type { AgentFile, AgentFiles, ReadFiles } from './agents/held.js';
export type { LinkStep } from './agents/link-steps.js';
export { type AgentDelta, AgentMonitor, type MonitorStats } from './agents/monitor.js';
export type { MonitorOptions } from './agents/monitor-options.js';
export type { PaneHint } from './agents/once.js';
export type { AgentsOptions } from './agents/options.js';
export type { ReadPanes, ReadScreen } from './agents/panes.js';
export type { AgentPoller, TableDelta } from './agents/poller.js';
export { ReplayError } from './agents/replay/format.js';
export { readReplay } from './agents/replay/read.js';
export type { AgentRow, AgentTable } from './agents/table.js';
export type { Evidence, EvidenceRule, Place } from './engines/findings.js';
export type { EngineHome } from './engines/homes.js';
export type { KindReason } from './engines/judge.js';
export type { LinkGrade, RefusedSession } from './engines/link.js';
export type { Considered } from './engines/match.js';
export type { Contender } from './engines/owner.js';
export type { Entry as ProgramEntry, Program } from './engines/program.js';
export type { AgentKind } from './engines/rule.js';
export type { AgentState, StateValue } from './engines/state.js';
export {
  FIELDS,
  FILE_FIELDS,
  FILE_ROLES,
  type FileField,
  type FileRole,
  type ProcessField,
  SOCKET_KINDS,
  type SocketKind,
} from './native/layout.js';
export { LoadError } from './native/load.js';
export { type DiscoverPanesOptions, discoverPanes } from './panes/discover.js';
export {
  type FailedDiscovery,
  type PaneAgent,
  type PaneDiscovery,
  ReadDiscovery,
  type RunningProcess,
} from './panes/discovery.js';
export type { RuntimeIdentity } from './panes/identity.js';
export { type PsmuxPane, type PsmuxSession, psmuxPanes, psmuxSessions } from './panes/psmux.js';
export { MISS_LIMIT, Reconciler } from './panes/reconcile.js';
export type { MouseOptions, ReconcilerCallbacks, ReconcilerOptions } from './panes/reconciler-options.js';
export {
  checkRuntime,
  type GoneReason,
  type KnownRuntime,
  type RootProcess,
  type RuntimeAlive,
  type RuntimeCheck,
  type RuntimeGone,
  type RuntimeUnknown,
  rootProcess,
  type UnknownReason,
} from './panes/runtime.js';
export type { StoredAgent, TrackedAgent } from './panes/tracked.js';
export type { CgroupUsage } from './process/cgroup.js';
export {
  type CapabilityReport,
  type DoctorOptions,
  type DoctorReport,
  doctor,
  type FieldReport,
} from './process/doctor.js';
export { describeFault, type Fault, FaultError, type FaultKind, OptionError } from './process/fault.js';
export { type Holder, type HoldersAnswer, holders } from './process/holders.js';
export { type ProcessKey, type Sameness, sameProcess } from './process/identity.js';
export type { LockMark, LockMode, LockType } from './process/lock-rows.js';
export {
  type Lock,
  type LockHolder,
  type LocksAnswer,
  type LocksOptions,
  type LockWaiter,
  locks,
} from './process/locks.js';
export type { FileStat, Look, LookAnswer, LookRequest } from './process/look.js';
export { OpenFile } from './process/open-file.js';
export { type OpenFilesOptions, OpenFileTable, openFiles } from './process/open-files.js';
export type { SnapshotOptions } from './process/options.js';
export { PollTable } from './process/poll-table.js';
export {
  type Delta,
  Poller,
  PollerStateError,
  type PollerStats,
  type RowChange,
} from './process/poller.js';
export type { EventSource, PollerOptions, VolatileField } from './process/poller-options.js';
export { type FileIdentity, ProcessRow } from './process/row.js';
export {
  type Sample,
  SampleBatch,
  type SampledProcess,
  type SamplerOptions,
  type SamplerState,
  UsageSampler,
} from './process/sampler.js';
export { snapshot, snapshotAsync } from './process/snapshot.js';
export {
  type SocketFamily,
  type SocketOwner,
  SocketRow,
  type SocketState,
  type SocketTimer,
} from './process/socket-row.js';
export {
  SOCKET_STATES,
  type SocketSource,
  type SocketsOptions,
  SocketTable,
  sockets,
} from './process/sockets.js';
export { type Columns, ProcessTable } from './process/table.js';
export type { CgroupEntry } from './process/texts.js';
export { type Usage, type UsageField, type UsageOptions, usage } from './process/usage.js';
export type {
  CpuTime,
  IoUsage,
  PageFaults,
  ProcessUsage,
  Switches,
  UsageTotal,
} from './process/usage-row.js';
export {
  type TmuxAnswer,
  type TmuxNoReply,
  type TmuxReply,
  type TmuxRequestOptions,
  tmuxRequest,
} from './tmux/ask.js';
export { type Captured, type CaptureOptions, capture, captureAll, type NotRead } from './tmux/capture.js';
export type { TmuxFailure, TmuxFailureKind, TmuxWay } from './tmux/failure.js';
export type { PaneRefusal } from './tmux/guard.js';
export {
  type NotSent,
  type NotSentReason,
  pasteRaw,
  type SendKeyOptions,
  type SendLiteralOptions,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type Sent,
  sendKey,
  sendLiteral,
  sendText,
} from './tmux/input.js';
export type { AgentProblem, ProcessRef } from './tmux/occupant.js';
export type { TmuxOptions } from './tmux/options.js';
export {
  cleanTitle,
  type PaneState,
  type PaneStateAnswer,
  type PaneStateOptions,
  paneState,
  type Titles,
  titles,
} from './tmux/output.js';
export { type Pane, type PaneRef, type PaneSession, paneKey, type ServerIdentity } from './tmux/pane.js';
export {
  type AbsentPanes,
  type EmptyInventory,
  type FailedInventory,
  type FailedPanes,
  type PaneInventory,
  type PanesOptions,
  panes,
  type ReadInventory,
  type RunningPanes,
  type ServerPanes,
} from './tmux/panes.js';
export { type ServersOptions, type TmuxServer, type TmuxServers, tmuxServers } from './tmux/servers.js';
export {
  clearEngineExit,
  clearRemainOnExit,
  type SettingDone,
  type SettingFailed,
  type SettingResult,
  setMouse,
  setWindowStyle,
} from './tmux/settings.js';
export type { RefusalReason, SocketRefusal } from './tmux/socket-path.js';
export type { SearchOptions, SocketOrigin, TmuxSocket } from './tmux/sockets.js';
export type { TextProblem } from './tmux/text.js';
