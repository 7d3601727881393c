/**
 * How states are told. The kernel keeps those of every kind as the numbers of TCP
 * (include/net/tcp_states.h); where a number means something else for a kind it has another name.
 */

const TCP = [
  undefined,
  'ESTABLISHED',
  'SYN_SENT',
  'SYN_RECV',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'TIME_WAIT',
  'CLOSE',
  'CLOSE_WAIT',
  'LAST_ACK',
  'LISTEN',
  'CLOSING',
  'SYN_RECV', // TCP_NEW_SYN_RECV, which the kernel shows as the other one.
  'BOUND_INACTIVE',
] as const;

export type SocketState = NonNullable<(typeof TCP)[number]> | 'CONNECTED' | 'UNCONNECTED';

const CLOSE = TCP.indexOf('CLOSE');
const ESTABLISHED = TCP.indexOf('ESTABLISHED');

/** Names by number: for tcp, for what else runs over IP, and for all other kinds. */
const NAMES: Readonly<Record<StateClass, readonly (SocketState | undefined)[]>> = {
  tcp: TCP,
  ip: TCP.map((name, number) => (number === CLOSE ? 'UNCONNECTED' : name)),
  other: TCP.map((name, number) =>
    number === CLOSE ? 'UNCONNECTED' : number === ESTABLISHED ? 'CONNECTED' : name,
  ),
};

export type StateClass = 'tcp' | 'ip' | 'other';

export const SOCKET_STATES: readonly SocketState[] = [
  ...new Set(Object.values(NAMES).flatMap((names) => names.filter((name) => name !== undefined))),
];

export function stateName(kind: StateClass, number: number): SocketState | undefined {
  return NAMES[kind][number];
}

/** One bit a number that has one of these names; every bit where no state was asked for. */
export function stateMask(kind: StateClass, states: readonly SocketState[] | undefined): number {
  if (states === undefined) return 0xffff_ffff;
  let mask = 0;
  NAMES[kind].forEach((name, number) => {
    if (name !== undefined && states.includes(name)) mask |= 1 << number;
  });
  return mask >>> 0;
}
