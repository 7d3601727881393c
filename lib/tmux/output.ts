/** What is read of panes beside their screens: state and title. */
import { OptionError } from '../process/fault.js';
import { ask, commandFailure } from './ask.js';
import { type NotRead, notThere } from './capture.js';
import type { TmuxWay } from './failure.js';
import { conditionOf, knowsNoPane, type PaneCondition, refusalOf, STATE_FIELDS } from './guard.js';
import { checkTmux, type TmuxOptions } from './options.js';
import { checkPane, type PaneRef } from './pane.js';
import { type PaneInventory, type PanesOptions, panes } from './panes.js';
import { freshSeparator, numberOf, parseRecords, recordFormat } from './records.js';
import { brokenAnswer } from './servers.js';

export interface PaneStateOptions extends TmuxOptions {
  /** Of the pane option `@<prefix>_engine_exit`. Default `procscope`. */
  readonly prefix?: string;
}

export interface PaneState extends Omit<PaneCondition, 'server'> {
  /**
   * Status with which the engine of the pane ended, as whoever started it left it in the pane; null = none. It outlives
   * the engine: clearEngineExit() before another one starts.
   */
  readonly engineExit: number | null;
}

export interface PaneStateAnswer {
  readonly ok: true;
  /** Null = tmux does not know the pane. */
  readonly state: PaneState | null;
  /** Undefined: no server was there to be asked. */
  readonly way: TmuxWay | undefined;
}

/** @throws OptionError */
export function prefixOf(value: unknown): string {
  if (value === undefined) return 'procscope';
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(value)) {
    throw new OptionError('prefix', 'must be a word of letters, digits and -');
  }
  return value;
}

/**
 * Whether the process of a pane has ended and how, and what stands in the way of writing to it.
 *
 * Rejects with OptionError, or LoadError when no binary of procscope loads.
 */
export async function paneState(
  pane: PaneRef,
  options: PaneStateOptions = {},
): Promise<PaneStateAnswer | NotRead> {
  const how = checkTmux(options, ['prefix']);
  const ref = checkPane(pane);
  const fields = { ...STATE_FIELDS, engineExit: `@${prefixOf(options.prefix)}_engine_exit` };
  const separator = freshSeparator();
  const look = ['display-message', '-p', '-t', ref.id, recordFormat(fields, separator)];
  const answer = await ask({ socket: ref.socket, commands: [look], idempotent: true }, how);
  if (!answer.ok) return notThere(answer.failure) ? { ok: true, state: null, way: undefined } : answer;
  const { way } = answer;
  if (knowsNoPane(answer)) return { ok: true, state: null, way };
  const record = parseRecords(answer.stdout.toString('utf8'), fields, separator)?.records[0];
  const condition = conditionOf(record, ref, answer);
  if (record === undefined || condition === undefined) {
    const failure = answer.status === 0 ? brokenAnswer(ref.socket, way) : commandFailure(ref.socket, answer);
    return { ok: false, failure };
  }
  if (condition === null || refusalOf(ref, condition, 'setting') !== undefined)
    return { ok: true, state: null, way };
  const { server: _, ...state } = condition;
  return { ok: true, state: { ...state, engineExit: numberOf(record.engineExit) ?? null }, way };
}

/** What programs put in front of their titles: spinners, bullets, quotes. */
const ORNAMENTS = /^[\s"'`*✳✱✲✴✶✷✸✹✺✻✼✽✾✿❃❉❋•·.-]+/u;
const MAX_TITLE = 80;

/** A title for people: without ornaments in front, at most 80 characters; null = nothing is left. */
export function cleanTitle(title: string): string | null {
  const text = title.replace(ORNAMENTS, '').trim();
  const cut = text.length > MAX_TITLE ? [...text].slice(0, MAX_TITLE).join('').trim() : text;
  return cut === '' ? null : cut;
}

export interface Titles {
  /** By the key of the pane; null = it has none. */
  readonly titles: ReadonlyMap<string, string | null>;
  readonly inventory: PaneInventory;
}

/** Titles of all panes, cleaned. Rules about states want the raw one, which is in the inventory. */
export async function titles(options: PanesOptions = {}): Promise<Titles> {
  const inventory = await panes(options);
  return { titles: new Map(inventory.panes.map(({ key, title }) => [key, cleanTitle(title)])), inventory };
}
