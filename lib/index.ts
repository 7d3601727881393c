export { agents } from './agents/discover.js';
export type { Agent, AgentFault, AgentsEnvelope } from './agents/envelope.js';
export type { AgentsOptions } from './agents/options.js';
export { FIELDS, type ProcessField } from './native/layout.js';
export { LoadError } from './native/load.js';
export {
  type CapabilityReport,
  type DoctorOptions,
  type DoctorReport,
  doctor,
  type FieldReport,
} from './process/doctor.js';
export { describeFault, type Fault, type FaultKind, OptionError } from './process/fault.js';
export { type ProcessKey, type Sameness, sameProcess } from './process/identity.js';
export type { SnapshotOptions } from './process/options.js';
export { type FileIdentity, ProcessRow } from './process/row.js';
export { snapshot, snapshotAsync } from './process/snapshot.js';
export { type Columns, ProcessTable } from './process/table.js';
export type { CgroupEntry } from './process/texts.js';
