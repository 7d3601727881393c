import { type Command, type Run, UsageError } from '../command.js';
import { paneOf, TMUX_OPTIONS } from '../pane-of.js';
import { printable, printableJson } from '../text.js';

/**
 * Escape sequences of colours (SGR) drive nothing but colours; all else is shown as what it is. The colours of the
 * pane end with its text: what is printed next is the user's.
 */
function safe(text: string, ansi: boolean): string {
  const shown = text
    .split('\n')
    .map((line) =>
      ansi
        ? line
            // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
            .split(/(\u001b\[[\d;:]*m)/)
            .map((part, at) => (at % 2 === 1 ? part : printable(part)))
            .join('')
        : printable(line),
    )
    .join('\n');
  return shown.includes('\u001b') ? `${shown}\u001b[0m` : shown;
}

/** capture() takes the nearest; whoever asks for a number by hand is to know that it gets another. */
const LEAST_LINES = 20;
const MOST_LINES = 300;

function linesOf({ values }: Run): number | undefined {
  const text = values['history'];
  if (text === undefined) return undefined;
  const lines = /^\d{1,9}$/.test(text as string) ? Number(text) : Number.NaN;
  if (lines >= LEAST_LINES && lines <= MOST_LINES) return lines;
  throw new UsageError(
    `--history must be a whole number from ${LEAST_LINES} to ${MOST_LINES}: ${text as string}`,
  );
}

async function run(run: Run): Promise<number> {
  const historyLines = linesOf(run);
  const ansi = run.values['ansi'] === true;
  const pane = await paneOf(run.operands[0] ?? '', run);
  const answer = await run.api.capture(pane, {
    ansi,
    visible: historyLines === undefined,
    ...(historyLines === undefined ? {} : { historyLines }),
  });
  if (run.values['json'] === true) run.print(printableJson(answer));
  else if (!answer.ok) run.stderr.write(`procscope: ${printable(answer.failure.message)}\n`);
  else if (answer.text === null) run.stderr.write(`procscope: there is no pane ${pane.id} any more\n`);
  else run.print(safe(answer.text.replace(/\n+$/, ''), ansi));
  return answer.ok && answer.text !== null ? 0 : 1;
}

export const capture: Command = {
  name: 'capture',
  summary: 'the screen of a pane of tmux',
  operands: { text: 'PANE', least: 1, most: 1 },
  options: {
    ...TMUX_OPTIONS,
    history: { type: 'string', value: 'LINES', help: 'with so many lines above it (20 to 300)' },
    ansi: { type: 'boolean', help: 'with its colours' },
    json: { type: 'boolean', help: 'print everything that is known, as JSON' },
  },
  notes: [
    'PANE is the id of a pane, such as %3. Lines that tmux wrapped are one line, and empty ones at the end are left out.',
    '',
    'Exit codes: 0 = shown, 1 = there is no such pane, or its server could not be asked, 2 = the command line is wrong.',
  ],
  run,
};
