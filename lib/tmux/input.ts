/** What is typed or pasted into a pane. Nothing here is ever sent twice by itself. */
import { randomBytes } from 'node:crypto';
import { OptionError } from '../process/fault.js';
import { wholeNumber } from '../process/options.js';
import { ask } from './ask.js';
import type { TmuxFailure, TmuxWay } from './failure.js';
import { type Guarded, guarded, type Occupant, type PaneCondition, type PaneRefusal } from './guard.js';
import { keyName, quoted } from './keys.js';
import {
  type AgentProblem,
  agentProblem,
  type CheckedAgent,
  checkAgent,
  type ProcessRef,
} from './occupant.js';
import { type CheckedTmux, checkTmux, flagOf, type TmuxOptions, wordOf } from './options.js';
import { checkPane, type PaneRef } from './pane.js';
import { type TextProblem, type TextRules, textFor } from './text.js';
import { aheadOfAll, firstOf, inTurn } from './turns.js';

export interface SendOptions extends TmuxOptions {
  /**
   * The process that is to get it: a row of `agents()`, or the key of a process. When it is not (or not provably) one that runs now, is stopped, is not in the pane, or
   * another process group has the terminal of the pane, nothing is sent.
   */
  readonly agent?: ProcessRef;
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

export interface SendKeyOptions extends TmuxOptions {
  /** The process that is to get it, as in SendOptions. */
  readonly agent?: ProcessRef;
  /**
   * Whether it goes ahead of all that this program is sending to the pane: that then ends with the reason `interrupted`,
   * and no Enter follows a text that is there already. Default: true for C-c and C-\, false for every other key. An agent
   * that stops at Escape wants true for that.
   */
  readonly interrupt?: boolean;
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

/** `interrupted`: this program sent an interrupt to the pane before all of it was sent. */
export type NotSentReason = PaneRefusal | TextProblem | AgentProblem | 'interrupted' | 'failed';

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
  'other-program': 'another program has the terminal of the pane',
  'agent-gone': 'the process does not run any more',
  'agent-stopped': 'the process is stopped, and another one may read its terminal',
  'agent-unknown': 'whether the process still runs cannot be told',
  'agent-elsewhere': 'the process is not one of the pane',
  interrupted: 'an interrupt was sent to the pane, and ended this',
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

interface Target {
  readonly pane: PaneRef;
  readonly agent: CheckedAgent | undefined;
  readonly how: CheckedTmux;
  /** Ended = an interrupt came, and nothing more of this may be sent. */
  readonly interrupted?: AbortSignal;
}

function targetOf(pane: unknown, options: { readonly agent?: ProcessRef }, how: CheckedTmux): Target {
  return { pane: checkPane(pane), agent: checkAgent(options.agent), how };
}

interface Looked {
  readonly condition: PaneCondition;
  readonly way: TmuxWay;
  /** What must still run in the pane when the keys come; undefined = whatever does. */
  readonly occupant: Occupant | undefined;
}

/** What speaks against going on, when the server has told who is in the pane. */
async function problemNow(
  { agent, interrupted }: Target,
  { rootPid }: Occupant,
): Promise<Exclude<NotSentReason, 'failed'> | undefined> {
  const problem = agent && (await agentProblem(agent, rootPid));
  return interrupted?.aborted ? 'interrupted' : problem;
}

/** A look before anything is sent: it shows that the server answers now, and what this tmux can do. */
async function lookFirst(target: Target): Promise<NotSent | Looked> {
  const { pane, agent, how, interrupted } = target;
  if (interrupted?.aborted) return notSent('interrupted');
  const look = await guarded({ pane, purpose: 'writing', command: '', idempotent: true }, how);
  if (look.outcome === 'failed') return failed(look.failure, 'nothing');
  if (look.outcome === 'refused') return notSent(look.refusal);
  const problem = await problemNow(target, look.occupant);
  if (problem !== undefined) return notSent(problem);
  return { condition: look.condition, way: look.reply.way, occupant: agent && look.occupant };
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

/** The bytes in a buffer of tmux: who is in the pane now that they are there, or why they are not to be pasted. */
async function load(
  target: Target,
  how: CheckedTmux,
  buffer: { readonly name: string; readonly bytes: Uint8Array },
): Promise<NotSent | Occupant> {
  const { pane } = target;
  const loaded = await guarded({ pane, purpose: 'writing', command: '', idempotent: false, buffer }, how);
  if (loaded.outcome === 'failed') return failed(loaded.failure, 'nothing');
  if (loaded.outcome === 'refused') return notSent(loaded.refusal);
  const problem = await problemNow(target, loaded.occupant);
  return problem === undefined ? loaded.occupant : notSent(problem);
}

async function paste(target: Target, { bytes, brackets, stripped }: Paste): Promise<SendResult> {
  const looked = await lookFirst(target);
  if ('ok' in looked) return looked;
  const { pane, agent } = target;
  // The server that just answered is asked the same way again.
  const how: CheckedTmux = { ...target.how, way: looked.way };
  const name = `${BUFFER_PREFIX}${randomBytes(9).toString('hex')}`;
  // The signal must not end what has to be tidied up.
  const drop = () => dropBuffer(pane.socket, name, { ...how, signal: undefined });
  const loaded = await load(target, how, { name, bytes });
  if ('ok' in loaded) {
    await drop();
    return loaded;
  }
  // From 3.7 on (which is when it tells of bracketed paste) tmux rewrites control characters unless told not to.
  const exact = looked.condition.bracketed === undefined ? '' : ' -S';
  const command = `paste-buffer -d -r${exact}${brackets ? ' -p' : ''} -b ${name} -t '${pane.id}'`;
  const occupant = agent && loaded;
  const done = await guarded({ pane, purpose: 'writing', command, idempotent: false, occupant }, how);
  if (done.outcome === 'done') return sent(done.condition, done.reply.way, stripped);
  const dropped = await drop();
  if (done.outcome === 'refused') return notSent(done.refusal);
  return failed(done.failure, dropped || surelyNothing(done.failure) ? 'nothing' : 'unknown');
}

function surelyNothing({ mayHaveRun, kind }: TmuxFailure): boolean {
  return !mayHaveRun || kind === 'command';
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
  text: string | Uint8Array,
  options: SendTextOptions = {},
): Promise<SendResult> {
  const how = checkTmux(options, [...KNOWN, 'carriageReturn', 'enterDelayMs']);
  const target = targetOf(pane, options, how);
  const rules: TextRules = {
    dropTrailing: true,
    pasteEnd: wordOf('pasteEnd', options.pasteEnd, ['refuse', 'strip']),
    carriageReturn: wordOf('carriageReturn', options.carriageReturn, ['refuse', 'strip']),
  };
  const delayMs = wholeNumber('enterDelayMs', options.enterDelayMs, 0, MAX_DELAY_MS, -1);
  const ready = textFor(text, rules);
  if (typeof ready === 'string') return notSent(ready);
  const waitMs = delayMs >= 0 ? delayMs : Math.min(1_500, 400 + ready.length / 60);
  return inTurn(target.pane, how.signal, (interrupted) =>
    typeAndEnter({ ...target, interrupted }, ready, waitMs),
  );
}

async function typeAndEnter(target: Target, ready: Paste, waitMs: number): Promise<SendResult> {
  const pasted = await paste(target, ready);
  if (!pasted.ok) return pasted;
  await pause(waitMs, [target.how.signal, target.interrupted]);
  // What was pasted may be gone, or stand behind a question that the interrupt raised: Enter would answer that.
  if (target.interrupted?.aborted) return notSent('interrupted', 'text');
  const again: Target = { ...target, how: { ...target.how, way: pasted.way } };
  // What the process did not read before it ended is read by whoever comes next, such as the shell that started it:
  // Enter would run it there.
  const looked = target.agent && (await lookFirst(again));
  if (looked && 'ok' in looked) return { ...looked, delivered: 'text' };
  const entered = await press(again, 'Enter', looked?.occupant);
  if (entered.outcome === 'done') return { ...pasted, synchronized: entered.condition.synchronized };
  if (entered.outcome === 'refused') return notSent(entered.refusal, 'text');
  return failed(entered.failure, entered.failure.mayHaveRun ? 'unknown' : 'text');
}

/** Cut short by a signal, which then keeps Enter from being sent. */
async function pause(ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const end = firstOf(signals, ms);
  await end.promise;
  end.forget();
}

/** Types a text without Enter, as keys: not in brackets. Otherwise as sendText(). */
export async function sendLiteral(
  pane: PaneRef,
  text: string | Uint8Array,
  options: SendLiteralOptions = {},
): Promise<SendResult> {
  const how = checkTmux(options, [...KNOWN, 'lineEnds']);
  const target = targetOf(pane, options, how);
  const ready = textFor(text, {
    pasteEnd: wordOf('pasteEnd', options.pasteEnd, ['refuse', 'strip']),
    lineEnds: wordOf('lineEnds', options.lineEnds, ['refuse', 'strip', 'send']),
  });
  if (typeof ready === 'string') return notSent(ready);
  return inTurn(target.pane, how.signal, (interrupted) => paste({ ...target, interrupted }, ready));
}

/** One paste in brackets (where the program asked for that), byte for byte and without Enter. */
export async function pasteRaw(
  pane: PaneRef,
  bytes: string | Uint8Array,
  options: SendOptions = {},
): Promise<SendResult> {
  const how = checkTmux(options, KNOWN);
  const target = targetOf(pane, options, how);
  const ready = textFor(bytes, {
    pasteEnd: wordOf('pasteEnd', options.pasteEnd, ['refuse', 'strip']),
    brackets: true,
  });
  if (typeof ready === 'string') return notSent(ready);
  return inTurn(target.pane, how.signal, (interrupted) => paste({ ...target, interrupted }, ready));
}

function press({ pane, how }: Target, key: string, occupant: Occupant | undefined): Promise<Guarded> {
  const command = `send-keys -t '${pane.id}' ${quoted(key)}`;
  return guarded({ pane, purpose: 'writing', command, idempotent: false, occupant }, how);
}

/** What a terminal makes a signal of that ends what the program is doing, and discards what was typed ahead. */
const INTERRUPTS: ReadonlySet<string> = new Set(['C-c', 'C-C', 'C-\\']);

/**
 * Presses a key: a name that tmux knows (`Enter`, `Escape`, `Up`, `F5`) or one printable ASCII character, with any of
 * `C-`, `M-` and `S-` in front.
 *
 * Rejects with OptionError, also for a key that tmux does not know, which it would type letter by letter.
 */
export async function sendKey(pane: PaneRef, key: string, options: SendKeyOptions = {}): Promise<SendResult> {
  const how = checkTmux(options, ['agent', 'interrupt']);
  const target = targetOf(pane, options, how);
  const name = typeof key === 'string' ? keyName(key) : undefined;
  if (name === undefined) throw new OptionError('key', 'must be a key that tmux knows, such as Enter or C-c');
  if (flagOf('interrupt', options.interrupt, INTERRUPTS.has(name))) {
    return aheadOfAll(target.pane, how.signal, how.timeoutMs, () => pressOnce(target, name));
  }
  return inTurn(target.pane, how.signal, (interrupted) => pressOnce({ ...target, interrupted }, name));
}

async function pressOnce(target: Target, name: string): Promise<SendResult> {
  const looked = await lookFirst(target);
  if ('ok' in looked) return looked;
  const how = { ...target.how, way: looked.way };
  const done = await press({ ...target, how }, name, looked.occupant);
  if (done.outcome === 'done') return sent(done.condition, done.reply.way, 0);
  if (done.outcome === 'refused') return notSent(done.refusal);
  return failed(done.failure, surelyNothing(done.failure) ? 'nothing' : 'unknown');
}
