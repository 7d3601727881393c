/** Runs a command line on the real library and keeps what it wrote. */
import type { Io } from '../../../lib/cli/command.js';
import { run } from '../../../lib/cli/run.js';
import * as procscope from '../../../lib/index.js';

export interface Look {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface How {
  readonly terminal?: { readonly columns: number; readonly rows: number };
  readonly env?: Readonly<Record<string, string>>;
  readonly api?: Partial<typeof procscope>;
  /** Sees every write to standard output; answering true interrupts. */
  readonly onWrite?: (text: string) => boolean;
}

export async function look(args: readonly string[], how: How = {}): Promise<Look> {
  let out = '';
  let err = '';
  let interrupt: (() => void) | undefined;
  const write = (text: string): void => {
    out += text;
    if (how.onWrite?.(text)) interrupt?.();
  };
  const stdout: Io['stdout'] =
    how.terminal === undefined ? { write } : { write, isTTY: true, ...how.terminal };
  const code = await run(args, {
    api: { ...procscope, ...how.api },
    stdout,
    stderr: { write: (text: string) => (err += text) },
    env: { NO_COLOR: '1', ...how.env },
    version: '1.2.3',
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {
        interrupt = undefined;
      };
    },
  });
  return { code, out, err };
}
