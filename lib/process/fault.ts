export { describeFault, type Fault, type FaultKind, OptionError } from '../native/fault.js';
