/**
 * Why a value is missing.
 *
 * - `denied`: the system refused (EACCES, EPERM).
 * - `gone`: the process ended before or while it was read (ESRCH, ENOENT).
 * - `unsupported`: this system, kernel or root cannot answer.
 * - `timeout`: the read did not return within the deadline.
 * - `truncated`: the value is there but was cut at the size limit.
 * - `malformed`: bytes came, but not in the form that the kernel documents.
 * - `limit`: a budget of this library was spent (descriptors, parked threads).
 * - `io`: any other error of the system; `code` tells which.
 * - `internal`: our own bug. Please report it.
 */
export type FaultKind =
  | 'denied'
  | 'gone'
  | 'unsupported'
  | 'timeout'
  | 'truncated'
  | 'malformed'
  | 'limit'
  | 'io'
  | 'internal';

/** One failed look: data beside a row, never a thrown row. */
export interface Fault {
  readonly kind: FaultKind;
  /** The system's own error number (errno, GetLastError); 0 where it gave none. */
  readonly code: number;
  /** The call that failed, such as `readlink`. */
  readonly call: string;
  /** What the call was made on. */
  readonly path: string;
}

/** `EACCES readlink /proc/1/cwd`-like text for people. */
export function describeFault(fault: Fault): string {
  const code = fault.code === 0 ? '' : ` (errno ${fault.code})`;
  return `${fault.kind}${code}: ${fault.call} ${fault.path}`;
}

/** An option that cannot be used. `option` names it. */
export class OptionError extends TypeError {
  readonly code = 'ERR_PROCSCOPE_OPTION';
  readonly option: string;

  constructor(option: string, problem: string) {
    super(`${option}: ${problem}`);
    this.name = 'OptionError';
    this.option = option;
  }
}

/** A question that cannot be answered at all, such as one about a path that does not exist. */
export class FaultError extends Error {
  readonly code = 'ERR_PROCSCOPE_FAULT';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(describeFault(fault));
    this.name = 'FaultError';
    this.fault = fault;
  }
}
