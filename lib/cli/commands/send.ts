import type { SendResult } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { paneOf, TMUX_OPTIONS } from '../pane-of.js';
import { printable, printableJson } from '../text.js';

function messageOf(result: SendResult, pane: string): string {
  if (result.ok) return result.synchronized ? 'sent, to the other panes of its window as well' : 'sent';
  const { message, delivered } = result;
  const got = { nothing: 'nothing', text: 'the text without Enter', unknown: 'perhaps something' }[delivered];
  return `not sent: ${message}; ${pane} got ${got}`;
}

async function sendIt(run: Run): Promise<SendResult> {
  const [name = '', text = ''] = run.operands;
  const { key, literal } = run.values;
  if (key === true && literal === true) throw new UsageError('--key and --literal exclude each other');
  const pane = await paneOf(name, run);
  if (key === true) return run.api.sendKey(pane, text);
  return literal === true ? run.api.sendLiteral(pane, text) : run.api.sendText(pane, text);
}

async function run(run: Run): Promise<number> {
  const result = await sendIt(run);
  const message = printable(messageOf(result, run.operands[0] ?? ''));
  if (run.values['json'] === true) run.print(printableJson(result));
  else if (result.ok) run.print(message);
  else run.stderr.write(`procscope: ${message}\n`);
  return result.ok ? 0 : 1;
}

export const send: Command = {
  name: 'send',
  summary: 'what became of a text that is typed into a pane of tmux, with Enter behind it',
  operands: { text: 'PANE TEXT', least: 2, most: 2 },
  options: {
    ...TMUX_OPTIONS,
    key: { type: 'boolean', short: 'k', help: 'TEXT is the name of a key, such as Escape or C-c' },
    literal: { type: 'boolean', short: 'l', help: 'without Enter' },
    json: { type: 'boolean', help: 'print everything that is known, as JSON' },
  },
  notes: [
    'PANE is the id of a pane, such as %3. A pane in copy mode, a dead one and one with its input off get nothing.',
  ],
  run,
};
