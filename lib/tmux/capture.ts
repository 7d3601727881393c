/** The text of panes. */
import { constants } from 'node:os';
import { OptionError } from '../process/fault.js';
import { ask, commandFailure, type TmuxAnswer, type TmuxNoReply, type TmuxReply } from './ask.js';
import { failureOf, type TmuxFailure, type TmuxWay } from './failure.js';
import { knowsNoPane } from './guard.js';
import { type CheckedTmux, checkTmux, flagOf, type TmuxOptions } from './options.js';
import { checkPane, type PaneRef } from './pane.js';
import { freshSeparator, parseRecords, recordFormat } from './records.js';
import { brokenAnswer, SERVER_FIELDS, sameServer, serverOf } from './servers.js';

export interface CaptureOptions extends TmuxOptions {
  /** Lines of history above the screen, from 20 to 300 (others become the nearest of these). Default 100. */
  readonly historyLines?: number;
  /** Only what is on the screen. Default false. */
  readonly visible?: boolean;
  /** With colours and attributes as escape sequences. Default true. */
  readonly ansi?: boolean;
}

export interface Captured {
  readonly ok: true;
  /** Lines that tmux wrapped are one line. U+FFFD for what is no UTF-8. Null = the server has no such pane. */
  readonly text: string | null;
  /** Undefined: no server was there to be asked. */
  readonly way: TmuxWay | undefined;
}

export interface NotRead {
  readonly ok: false;
  readonly failure: TmuxFailure;
}

const LEAST_LINES = 20;
const MOST_LINES = 300;
const DEFAULT_LINES = 100;
/** So many captures and their questions fit a frame of the protocol. */
const MOST_TOGETHER = 24;
/** Panes that vanish cost further requests: none begins when so many times `timeoutMs` are over. */
const MOST_WAITS = 2;
const FIELDS = { ...SERVER_FIELDS, id: 'pane_id' } as const;

function historyOf(value: unknown): number {
  if (value === undefined) return DEFAULT_LINES;
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new OptionError('historyLines', 'must be a number');
  return Math.round(Math.min(MOST_LINES, Math.max(LEAST_LINES, value)));
}

/** What is asked of each pane, without the pane. */
function wordsOf(options: CaptureOptions): string[] {
  const words = ['capture-pane', '-p', '-J'];
  if (flagOf('ansi', options.ansi, true)) words.push('-e');
  const lines = historyOf(options.historyLines);
  if (!flagOf('visible', options.visible, false)) words.push('-S', `-${lines}`);
  return words;
}

const OPTIONS = ['historyLines', 'visible', 'ansi'] as const;

/**
 * The text of a pane, as capture-pane(1) of tmux gives it.
 *
 * Rejects with OptionError, or LoadError when no binary of procscope loads.
 */
export async function capture(pane: PaneRef, options: CaptureOptions = {}): Promise<Captured | NotRead> {
  const [captured] = await captureAll([pane], options);
  return captured as Captured | NotRead;
}

/**
 * The same of many panes, in their order: those of one server by one request, as long as nothing fails.
 * `maxOutputBytes` counts for each pane, `timeoutMs` for each request; after twice that time what was not asked yet is
 * a timeout.
 *
 * Rejects with OptionError, or LoadError when no binary of procscope loads.
 */
export async function captureAll(
  panes: readonly PaneRef[],
  options: CaptureOptions = {},
): Promise<(Captured | NotRead)[]> {
  const tmux = checkTmux(options, OPTIONS);
  if (!Array.isArray(panes)) throw new OptionError('panes', 'must be a list of panes');
  const refs = panes.map(checkPane);
  const captured: Answers = new Map();
  const how: CaptureHow = {
    tmux,
    words: wordsOf(options),
    until: performance.now() + MOST_WAITS * tmux.timeoutMs,
  };
  await Promise.all(batchesOf(refs).map((batch) => captureBatch(batch, how, captured)));
  return refs.map((ref) => captured.get(ref) as Captured | NotRead);
}

interface CaptureHow {
  readonly tmux: CheckedTmux;
  /** What is asked of each pane, without the pane. */
  readonly words: readonly string[];
  /** No request begins any more. By performance.now(). */
  readonly until: number;
}

type Batch = readonly [PaneRef, ...PaneRef[]];
type Answers = Map<PaneRef, Captured | NotRead>;

/** Of one server each. */
function batchesOf(refs: readonly PaneRef[]): Batch[] {
  const bySocket = new Map<string, [PaneRef, ...PaneRef[]][]>();
  for (const ref of refs) {
    const batches = bySocket.get(ref.socket) ?? [];
    const last = batches.at(-1);
    if (last === undefined || last.length === MOST_TOGETHER) batches.push([ref]);
    else last.push(ref);
    bySocket.set(ref.socket, batches);
  }
  return [...bySocket.values()].flat();
}

async function captureBatch(batch: Batch, how: CaptureHow, captured: Answers): Promise<void> {
  if (performance.now() >= how.until) {
    const late = tooLate(batch[0].socket, how.tmux);
    for (const ref of batch) captured.set(ref, late);
    return;
  }
  const separators = batch.map(freshSeparator);
  const commands = batch.flatMap(({ id }, at) => [
    ['display-message', '-p', '-t', id, recordFormat(FIELDS, separators[at] as string)],
    [...how.words, '-t', id],
  ]);
  const answer = await ask({ socket: batch[0].socket, commands, idempotent: true }, how.tmux);
  const parts = answer.ok ? partsOf(answer.stdout.toString('utf8'), separators) : [];
  const take = (refs: readonly PaneRef[], of: TmuxAnswer): void => {
    for (const [at, ref] of refs.entries()) {
      captured.set(ref, of.ok ? capturedOf(ref, of, parts[at] ?? '', separators[at] as string) : missed(of));
    }
  };
  const split = answer.ok || answer.failure.kind === 'limit';
  if (batch.length === 1 || !split) return take(batch, answer);
  // A chain failed at the last pane that told anything, or at the next: these are asked alone.
  // Where one told nothing and yet nothing failed, the part before it may hold what others told.
  const failed = !answer.ok || answer.status !== 0 || parts.length < batch.length;
  const whole = failed ? Math.max(0, parts.length - 1) : parts.length;
  if (answer.ok) take(batch.slice(0, whole), { ...answer, status: 0 });
  const alone = answer.ok ? 2 : batch.length;
  const [next, ...others] = batch.slice(whole + alone);
  const again = batch.slice(whole, whole + alone).map((ref): Batch => [ref]);
  if (next !== undefined) again.push([next, ...others]);
  if (answer.ok) await Promise.all(again.map((each) => captureBatch(each, how, captured)));
  // All of them at once would hold as many times what was too much.
  else for (const each of again) await captureBatch(each, how, captured);
}

function tooLate(socket: string, { timeoutMs }: CheckedTmux): NotRead {
  const message = `not asked any more after ${MOST_WAITS * timeoutMs} ms`;
  const code = constants.errno.ETIMEDOUT;
  return { ok: false, failure: failureOf('timeout', { path: socket, call: 'connect', code, message }) };
}

/** What one pane has of an answer, as the only one that was asked for or as one that did not fail. */
function capturedOf(ref: PaneRef, answer: TmuxReply, part: string, separator: string): Captured | NotRead {
  const { way } = answer;
  const none: Captured = { ok: true, text: null, way };
  if (knowsNoPane(answer)) return none;
  const parsed = parseRecords(part, FIELDS, separator);
  const record = parsed?.records[0];
  const server = record && serverOf(record, ref.socket, answer);
  if (parsed === undefined || server === undefined) {
    return { ok: false, failure: brokenAnswer(ref.socket, way) };
  }
  const other = ref.server !== undefined && !sameServer(ref.server, server);
  if (other || record?.id !== ref.id) return none;
  if (answer.status !== 0) return { ok: false, failure: commandFailure(ref.socket, answer) };
  return { ok: true, text: parsed.rest, way };
}

function missed(answer: TmuxNoReply): Captured | NotRead {
  return notThere(answer.failure) ? { ok: true, text: null, way: undefined } : answer;
}

/** Where no server listens there is certainly no pane. */
export function notThere(failure: TmuxFailure): boolean {
  return failure.kind === 'no-server';
}

/** The part of an answer that each pane has, as far as it goes; each begins with its separator. */
function partsOf(text: string, separators: readonly string[]): string[] {
  const starts: number[] = [];
  for (const separator of separators) {
    const start = text.indexOf(separator, starts.at(-1) ?? 0);
    if (start === -1) break;
    starts.push(start);
  }
  return starts.map((start, at) => text.slice(start, starts[at + 1]));
}
