import { setTimeout as rest } from 'node:timers/promises';
import { type OptionSpec, type Run, UsageError } from './command.js';
import { cutTo } from './terminal.js';
import { printableJson } from './text.js';

/** One answer of a command, in both of its forms. */
export interface View {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly code: number;
}

export const WATCH_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'boolean', help: 'print everything that is known, as JSON (with --watch: one line a look)' },
  watch: { type: 'boolean', short: 'w', help: 'look again and again until interrupted' },
  interval: { type: 'string', value: 'MS', help: 'milliseconds between two looks (default 1000)' },
};

const DEFAULT_MS = 1_000;
const LEAST_MS = 10;
const MOST_MS = 3_600_000;

const SCREEN = { clear: '\u001b[2J', home: '\u001b[H', endOfLine: '\u001b[K', below: '\u001b[J' } as const;
const CURSOR = { hide: '\u001b[?25l', show: '\u001b[?25h' } as const;

function intervalOf({ values }: Run): number {
  const text = values['interval'];
  if (text === undefined) return DEFAULT_MS;
  if (values['watch'] !== true) throw new UsageError('--interval needs --watch');
  const ms = /^\d{1,9}$/.test(text as string) ? Number(text) : Number.NaN;
  if (ms >= LEAST_MS && ms <= MOST_MS) return ms;
  throw new UsageError(`--interval must be a whole number from ${LEAST_MS} to ${MOST_MS}: ${text as string}`);
}

/** Shows what `look` answers: once, or with --watch until the user interrupts. Resolves to the exit code. */
export async function show(run: Run, look: () => Promise<View>): Promise<number> {
  const intervalMs = intervalOf(run);
  const json = run.values['json'] === true;
  if (run.values['watch'] !== true) {
    const view = await look();
    run.print(json ? printableJson(view.json) : view.lines);
    return view.code;
  }
  const redraws = !json && run.stdout.isTTY === true;
  const interrupt = new AbortController();
  const forget = run.onInterrupt(() => interrupt.abort());
  const interrupted = new Promise<undefined>((resolve) => {
    interrupt.signal.addEventListener('abort', () => resolve(undefined));
  });
  let lines: readonly string[] | undefined;
  // What was seen last, at once: the next look may be an hour away.
  const redraw = (): void => {
    if (lines !== undefined) run.stdout.write(screenful(lines, run));
  };
  const forgetSize = redraws ? run.onResize(redraw) : () => {};
  try {
    if (redraws) run.stdout.write(SCREEN.clear + CURSOR.hide);
    while (!interrupt.signal.aborted) {
      // A look may wait for its deadline; whoever interrupts does not.
      const view = await Promise.race([look(), interrupted]);
      if (view === undefined) break;
      lines = view.lines;
      if (redraws) redraw();
      else run.print(json ? printableJson(view.json, 0) : [...view.lines, '']);
      await rest(intervalMs, undefined, { signal: interrupt.signal }).catch(ignoreAbort);
    }
    return 0;
  } finally {
    forget();
    forgetSize();
    if (redraws) run.stdout.write(CURSOR.show);
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/**
 * Everything in one write, over what stands there: a screen that is cleared first flickers. Nothing
 * past the last row, or the terminal would scroll.
 */
function screenful(lines: readonly string[], { stdout }: Run): string {
  const rows = Math.max(1, (stdout.rows ?? 24) - 1);
  const hidden = lines.length - rows;
  const shown = hidden > 0 ? [...lines.slice(0, rows - 1), `and ${hidden + 1} more lines`] : lines;
  const width = stdout.columns ?? 80;
  return (
    SCREEN.home + shown.map((line) => `${cutTo(line, width)}${SCREEN.endOfLine}\n`).join('') + SCREEN.below
  );
}
