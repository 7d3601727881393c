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
  readonly input?: (most: number) => Promise<Uint8Array>;
  /** Listeners for the size of the terminal, as they come and go. */
  readonly resizing?: Set<() => void>;
}

export async function look(args: readonly string[], how: How = {}): Promise<Look> {
  let out = '';
  let err = '';
  let interrupt: (() => void) | undefined;
  const write = (text: string): void => {
    out += text;
    if (how.onWrite?.(text)) interrupt?.();
  };
  const { terminal, resizing = new Set() } = how;
  const stdout: Io['stdout'] = {
    write,
    isTTY: terminal !== undefined,
    // Of now: a terminal changes its size.
    get columns() {
      return terminal?.columns;
    },
    get rows() {
      return terminal?.rows;
    },
  };
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
    onResize: (listener) => {
      resizing.add(listener);
      return () => resizing.delete(listener);
    },
    readInput: how.input ?? (() => Promise.reject(new Error('nothing is to be read'))),
  });
  return { code, out, err };
}
