export { describeFault, type Fault, FaultError, type FaultKind, OptionError } from '../native/fault.js';
