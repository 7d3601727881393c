import type { ProcessKey, SendResult } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { paneOf, TMUX_OPTIONS } from '../pane-of.js';
import { printable, printableJson } from '../text.js';

/** How the text gets there; TEXT alone: typed or pasted, with Enter. */
const WAYS = ['key', 'literal', 'paste'] as const;
/** Just past what may be sent, so that a longer input is refused and not cut. */
const MOST_INPUT = 16 << 20;
const NEWLINE = 0x0a;
/** What may have arrived must not simply be sent again. */
const PERHAPS = 3;

function messageOf(result: SendResult, pane: string): string {
  if (result.ok) return result.synchronized ? 'sent, to the other panes of its window as well' : 'sent';
  const { message, delivered } = result;
  const got = { nothing: 'nothing', text: 'the text without Enter', unknown: 'perhaps something' }[delivered];
  return `not sent: ${message}; ${pane} got ${got}`;
}

function wayOf({ values }: Run): (typeof WAYS)[number] | undefined {
  const given = WAYS.filter((way) => values[way] === true);
  if (given.length > 1) throw new UsageError(`--${given[0]} and --${given[1]} exclude each other`);
  return given[0];
}

/** The process that is named, as it runs now. */
async function agentOf({ api, values }: Run): Promise<{ readonly agent?: ProcessKey }> {
  const text = values['agent'];
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,9}$/.test(text as string)) throw new UsageError(`--agent needs a pid: ${text as string}`);
  const row = (await api.snapshotAsync({ pids: [Number(text)] })).get(Number(text));
  if (row === undefined) throw new Error(`process ${text as string} cannot be seen`);
  return { agent: row.key };
}

async function inputOf(run: Run, literal: boolean): Promise<string | Uint8Array> {
  const text = run.operands[1] ?? '';
  if (text !== '-') return text;
  try {
    const bytes = await run.readInput(MOST_INPUT);
    // `echo x |`: the end of its only line is none of a text that is to stay in one.
    return literal && bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  } catch (error) {
    const why = (error as NodeJS.ErrnoException | null)?.code ?? String(error);
    throw new Error(`standard input could not be read: ${why}`);
  }
}

async function sendIt(run: Run): Promise<SendResult> {
  const [name = '', text = ''] = run.operands;
  const way = wayOf(run);
  const options = await agentOf(run);
  // All of it is there before the pane is looked at: whoever writes it may take long.
  const input = way === 'key' ? text : await inputOf(run, way === 'literal');
  const pane = await paneOf(name, run);
  if (way === 'key') return run.api.sendKey(pane, text, options);
  if (way === 'literal') return run.api.sendLiteral(pane, input, options);
  return way === 'paste' ? run.api.pasteRaw(pane, input, options) : run.api.sendText(pane, input, options);
}

async function run(run: Run): Promise<number> {
  const result = await sendIt(run);
  const message = printable(messageOf(result, run.operands[0] ?? ''));
  if (run.values['json'] === true) run.print(printableJson(result));
  else if (result.ok) run.print(message);
  else run.stderr.write(`procscope: ${message}\n`);
  if (result.ok) return 0;
  return result.delivered === 'nothing' ? 1 : PERHAPS;
}

export const send: Command = {
  name: 'send',
  summary: 'types a text into a pane of tmux, and Enter',
  intro: 'Types a text into the program in a pane of tmux and presses Enter.',
  operands: { text: 'PANE TEXT', least: 2, most: 2 },
  options: {
    ...TMUX_OPTIONS,
    key: { type: 'boolean', short: 'k', help: 'TEXT is the name of a key, such as Escape or C-c' },
    literal: { type: 'boolean', short: 'l', help: 'as keys and without Enter; of one line' },
    paste: { type: 'boolean', short: 'p', help: 'as one paste and without Enter; every byte as it is' },
    agent: {
      type: 'string',
      value: 'PID',
      help: 'only where this process runs in the pane and would read it',
    },
    json: { type: 'boolean', help: 'print everything that is known, as JSON' },
  },
  notes: [
    'PANE is the id of a pane, such as %3. A pane in copy mode, a dead one and one with its input off get nothing.',
    'TEXT is - for standard input, and comes behind -- where it begins with a dash. Newlines at its end are dropped,',
    'one of several lines or of more than 500 characters is pasted in brackets. What stands on the command line can be',
    'seen by every user of this machine while the command runs; what comes from standard input cannot.',
    '',
    'Exit codes: 0 = sent, 1 = not sent and nothing arrived, 2 = the command line is wrong,',
    '3 = not all of it, or not surely: the text may be there without Enter. What stands in the way is on standard error.',
  ],
  run,
};
