/** What is typed or pasted into a pane. Nothing here is ever sent twice by itself. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OptionError } from '../process/fault.js';
import { type ProcessKey, sameProcess } from '../process/identity.js';
import { wholeNumber } from '../process/options.js';
import { snapshotAsync } from '../process/snapshot.js';
import { ask } from './ask.js';
import type { TmuxFailure, TmuxWay } from './failure.js';
import { type Guarded, guarded, type PaneCondition, type PaneRefusal } from './guard.js';
import { keyName, quoted } from './keys.js';
import { type CheckedTmux, checkTmux, type TmuxOptions, wordOf } from './options.js';
import { checkPane, type PaneRef } from './pane.js';
import { type TextProblem, type TextRules, textFor } from './text.js';
import { inTurn } from './turns.js';

export interface SendOptions extends TmuxOptions {
  /** The process that is to get it: when it is not (or not provably) the one that runs now, nothing is sent. */
  readonly agent?: ProcessKey;
  /** What to do with the sequence that ends a bracketed paste inside the text. Default `refuse`. */
  readonly pasteEnd?: 'refuse' | 'strip';
}

export interface SendTextOptions extends SendOptions {
  /** What to do with a carriage return (it is Enter) in a text that is not pasted in brackets. Default `refuse`. */
  readonly carriageReturn?: 'refuse' | 'strip';
  /** Wait between the text and Enter, in milliseconds. Default: the lesser of 1,500 and 400 + length / 60. */
  readonly enterDelayMs?: number;
}

export interface SendLiteralOptions extends SendOptions {
  /** What to do with carriage returns and newlines, which a program takes for Enter. Default `refuse`. */
  readonly lineEnds?: 'refuse' | 'strip' | 'send';
}

export interface Sent {
  readonly ok: true;
  readonly way: TmuxWay;
  /** Keys also went to the other panes of the window (`synchronize-panes`). */
  readonly synchronized: boolean;
  /** Undefined: tmux does not tell whether the program asked for bracketed paste (before 3.7). */
  readonly bracketed: boolean | undefined;
  /** How many sequences were stripped. */
  readonly stripped: number;
}

/** Why the process that is to get it is not known to be the one that would read it. */
export type AgentProblem = 'agent-gone' | 'agent-stopped' | 'agent-unknown';

export type NotSentReason = PaneRefusal | TextProblem | AgentProblem | 'failed';

export interface NotSent {
  readonly ok: false;
  readonly reason: NotSentReason;
  /** For people; never what was to be sent. */
  readonly message: string;
  /** Of reason `failed`. */
  readonly failure: TmuxFailure | null;
  /** What the pane got: `unknown` = the connection ended at a bad moment; `text` = all but Enter. */
  readonly delivered: 'nothing' | 'text' | 'unknown';
}

export type SendResult = Sent | NotSent;

const MESSAGES: Readonly<Record<Exclude<NotSentReason, 'failed'>, string>> = {
  'no-pane': 'the server has no such pane',
  'other-server': 'another server took the place of the one that the pane was of',
  dead: 'the process of the pane has ended',
  mode: 'the pane is in copy mode or another mode of tmux',
  'input-off': 'input of the pane is turned off',
  'agent-gone': 'the process does not run any more',
  'agent-stopped': 'the process is stopped, and another one may read its terminal',
  'agent-unknown': 'whether the process still runs cannot be told',
  empty: 'there is nothing to send',
  'paste-end': 'the text has the sequence that ends a bracketed paste',
  'carriage-return': 'the text has a carriage return, which is Enter',
  'line-end': 'the text has a line end, which is Enter',
};

const KNOWN = ['agent', 'pasteEnd'];
const MAX_DELAY_MS = 60_000;
const BUFFER_PREFIX = 'procscope-';

function notSent(
  reason: Exclude<NotSentReason, 'failed'>,
  delivered: NotSent['delivered'] = 'nothing',
): NotSent {
  return { ok: false, reason, message: MESSAGES[reason], failure: null, delivered };
}

function failed(failure: TmuxFailure, delivered: NotSent['delivered']): NotSent {
  return { ok: false, reason: 'failed', message: failure.message, failure, delivered };
}

function sent(condition: PaneCondition, way: TmuxWay, stripped: number): Sent {
  const { synchronized, bracketed } = condition;
  return { ok: true, way, synchronized, bracketed, stripped };
}

function checkAgent(agent: unknown): ProcessKey | undefined {
  if (agent === undefined) return undefined;
  const { pid } = (typeof agent === 'object' && agent !== null ? agent : {}) as Partial<ProcessKey>;
  if (!Number.isInteger(pid))
    throw new OptionError('agent', 'must be the key of a process: { bootId, pid, startKey }');
  return agent as ProcessKey;
}

interface Target {
  readonly pane: PaneRef;
  readonly agent: ProcessKey | undefined;
  readonly how: CheckedTmux;
}

async function agentProblem(agent: ProcessKey | undefined): Promise<AgentProblem | undefined> {
  if (agent === undefined) return undefined;
  const table = await snapshotAsync({ pids: [agent.pid] });
  const row = table.get(agent.pid);
  if (row === undefined)
    return table.faults.some(({ kind }) => kind !== 'gone') ? 'agent-unknown' : 'agent-gone';
  if (row.state === 'Z' || row.state === 'X') return 'agent-gone';
  const same = sameProcess(agent, row.key);
  if (same !== 'same') return same === 'different' ? 'agent-gone' : 'agent-unknown';
  // Ctrl-Z gives the terminal back to the shell, which would run what is meant for the agent.
  return row.state === 'T' ? 'agent-stopped' : undefined;
}

/** A look before anything is sent: it shows that the server answers now, and what this tmux can do. */
async function lookFirst({
  pane,
  agent,
  how,
}: Target): Promise<NotSent | { condition: PaneCondition; way: TmuxWay }> {
  const problem = await agentProblem(agent);
  if (problem !== undefined) return notSent(problem);
  const look = await guarded({ pane, purpose: 'writing', command: '', idempotent: true }, how);
  if (look.outcome === 'failed') return failed(look.failure, 'nothing');
  if (look.outcome === 'refused') return notSent(look.refusal);
  return { condition: look.condition, way: look.reply.way };
}

/** Deletes our buffer if it is there: true = it was, so it was not pasted. */
async function dropBuffer(socket: string, name: string, how: CheckedTmux): Promise<boolean> {
  const listed = await ask(
    { socket, commands: [['list-buffers', '-F', '#{buffer_name}']], idempotent: true },
    how,
  );
  // Old servers delete the newest buffer of the user when the name is not there.
  if (!listed.ok || listed.status !== 0 || !listed.stdout.toString('utf8').split('\n').includes(name))
    return false;
  const dropped = await ask({ socket, commands: [['delete-buffer', '-b', name]], idempotent: false }, how);
  return dropped.ok && dropped.status === 0;
}

interface Paste {
  readonly bytes: Uint8Array;
  readonly brackets: boolean;
  readonly stripped: number;
}

async function paste(target: Target, { bytes, brackets, stripped }: Paste): Promise<SendResult> {
  const looked = await lookFirst(target);
  if ('ok' in looked) return looked;
  const { pane } = target;
  // The signal must not end what has to be tidied up; the server that just answered is asked the same way again.
  const how: CheckedTmux = { ...target.how, way: looked.way };
  const name = `${BUFFER_PREFIX}${randomBytes(9).toString('hex')}`;
  // From 3.7 on (which is when it tells of bracketed paste) tmux rewrites control characters unless told not to.
  const exact = looked.condition.bracketed === undefined ? '' : ' -S';
  const command = `paste-buffer -d -r${exact}${brackets ? ' -p' : ''} -b ${name} -t '${pane.id}'`;
  const done = await guarded(
    { pane, purpose: 'writing', command, idempotent: false, buffer: { name, bytes } },
    how,
  );
  if (done.outcome === 'done') return sent(done.condition, done.reply.way, stripped);
  const dropped = await dropBuffer(pane.socket, name, { ...how, signal: undefined });
  if (done.outcome === 'refused') return notSent(done.refusal);
  return failed(
    done.failure,
    dropped || !done.failure.mayHaveRun || done.failure.kind === 'command' ? 'nothing' : 'unknown',
  );
}

/**
 * Types a text into the program of a pane and presses Enter. The text goes through a buffer of tmux and stands in no
 * argument, no environment and no log. Trailing newlines are dropped. A text of more than 500 characters or of
 * several lines is pasted in brackets (where the program asked for that), a newline in it stays a newline.
 *
 * Rejects with OptionError, or LoadError when no binary of procscope loads.
 */
export async function sendText(
  pane: PaneRef,
  text: string,
  options: SendTextOptions = {},
): Promise<SendResult> {
  const how = checkTmux(options, [...KNOWN, 'carriageReturn', 'enterDelayMs']);
  const target: Target = { pane: checkPane(pane), agent: checkAgent(options.agent), how };
  const rules: TextRules = {
    dropTrailing: true,
    pasteEnd: wordOf('pasteEnd', options.pasteEnd, ['refuse', 'strip']),
    carriageReturn: wordOf('carriageReturn', options.carriageReturn, ['refuse', 'strip']),
  };
  const delayMs = wholeNumber('enterDelayMs', options.enterDelayMs, 0, MAX_DELAY_MS, -1);
  const ready = textFor(text, rules);
  if (typeof ready === 'string') return notSent(ready);
  const waitMs = delayMs >= 0 ? delayMs : Math.min(1_500, 400 + ready.length / 60);
  return inTurn(target.pane, how.signal, () => typeAndEnter(target, ready, waitMs));
}

async function typeAndEnter(target: Target, ready: Paste, waitMs: number): Promise<SendResult> {
  const { how, agent } = target;
  const pasted = await paste(target, ready);
  if (!pasted.ok) return pasted;
  // Cut short by the signal, which then keeps Enter from being sent.
  await delay(waitMs, undefined, how.signal && { signal: how.signal }).catch(() => {});
  // What the process did not read before it ended is read by whoever comes next, such as the shell that started it:
  // Enter would run it there.
  const problem = await agentProblem(agent);
  if (problem !== undefined) return notSent(problem, 'text');
  const entered = await press(target.pane, 'Enter', { ...how, way: pasted.way });
  if (entered.outcome === 'done') return { ...pasted, synchronized: entered.condition.synchronized };
  if (entered.outcome === 'refused') return notSent(entered.refusal, 'text');
  return failed(entered.failure, entered.failure.mayHaveRun ? 'unknown' : 'text');
}

/** Types a text without Enter, as keys: not in brackets. Otherwise as sendText(). */
export async function sendLiteral(
  pane: PaneRef,
  text: string,
  options: SendLiteralOptions = {},
): Promise<SendResult> {
  const how = checkTmux(options, [...KNOWN, 'lineEnds']);
  const target: Target = { pane: checkPane(pane), agent: checkAgent(options.agent), how };
  const ready = textFor(text, {
    pasteEnd: wordOf('pasteEnd', options.pasteEnd, ['refuse', 'strip']),
    lineEnds: wordOf('lineEnds', options.lineEnds, ['refuse', 'strip', 'send']),
  });
  if (typeof ready === 'string') return notSent(ready);
  return inTurn(target.pane, how.signal, () => paste(target, ready));
}

/** One paste in brackets (where the program asked for that), byte for byte and without Enter. */
export async function pasteRaw(
  pane: PaneRef,
  bytes: string | Uint8Array,
  options: SendOptions = {},
): Promise<SendResult> {
  const how = checkTmux(options, KNOWN);
  const target: Target = { pane: checkPane(pane), agent: checkAgent(options.agent), how };
  const ready = textFor(bytes, {
    pasteEnd: wordOf('pasteEnd', options.pasteEnd, ['refuse', 'strip']),
    brackets: true,
  });
  if (typeof ready === 'string') return notSent(ready);
  return inTurn(target.pane, how.signal, () => paste(target, ready));
}

function press(pane: PaneRef, key: string, how: CheckedTmux): Promise<Guarded> {
  const command = `send-keys -t '${pane.id}' ${quoted(key)}`;
  return guarded({ pane, purpose: 'writing', command, idempotent: false }, how);
}

/**
 * Presses a key: a name that tmux knows (`Enter`, `Escape`, `Up`, `F5`) or one printable ASCII character, with any of
 * `C-`, `M-` and `S-` in front.
 *
 * Rejects with OptionError, also for a key that tmux does not know, which it would type letter by letter.
 */
export async function sendKey(
  pane: PaneRef,
  key: string,
  options: Omit<SendOptions, 'pasteEnd'> = {},
): Promise<SendResult> {
  const how = checkTmux(options, ['agent']);
  const target: Target = { pane: checkPane(pane), agent: checkAgent(options.agent), how };
  const name = typeof key === 'string' ? keyName(key) : undefined;
  if (name === undefined) throw new OptionError('key', 'must be a key that tmux knows, such as Enter or C-c');
  return inTurn(target.pane, how.signal, () => pressOnce(target, name));
}

async function pressOnce(target: Target, name: string): Promise<SendResult> {
  const { how } = target;
  const looked = await lookFirst(target);
  if ('ok' in looked) return looked;
  const done = await press(target.pane, name, { ...how, way: looked.way });
  if (done.outcome === 'done') return sent(done.condition, done.reply.way, 0);
  if (done.outcome === 'refused') return notSent(done.refusal);
  const { mayHaveRun, kind } = done.failure;
  return failed(done.failure, mayHaveRun && kind !== 'command' ? 'unknown' : 'nothing');
}
