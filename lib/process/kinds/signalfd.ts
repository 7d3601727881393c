import { anonymous, type Kind } from './kind.js';

export const signalfd: Kind = {
  name: 'signalfd',
  fits: anonymous('signalfd'),
  /** The signals that it takes. */
  details: (_, info) => ({ signals: signalsOf(/^sigmask:\s*([0-9a-f]+)/m.exec(info)?.[1] ?? '0') }),
};

function signalsOf(mask: string): number[] {
  const bits = BigInt(`0x${mask}`);
  return Array.from({ length: 64 }, (_, bit) => bit + 1).filter(
    (signal) => (bits >> BigInt(signal - 1)) & 1n,
  );
}
