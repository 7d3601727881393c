/** Options of a pane, its window or its session. Setting one twice does no more than setting it once. */
import { OptionError } from '../process/fault.js';
import type { TmuxFailure, TmuxWay } from './failure.js';
import { guarded, type PaneRefusal } from './guard.js';
import { checkTmux, flagOf, type TmuxOptions } from './options.js';
import { prefixOf } from './output.js';
import { checkPane, type PaneRef } from './pane.js';

export interface SettingDone {
  readonly ok: true;
  readonly way: TmuxWay;
}

export interface SettingFailed {
  readonly ok: false;
  readonly reason: Extract<PaneRefusal, 'no-pane' | 'other-server'> | 'failed';
  readonly message: string;
  /** Of reason `failed`. */
  readonly failure: TmuxFailure | null;
}

export type SettingResult = SettingDone | SettingFailed;

/** Names, numbers and colours as style(7) of tmux has them; `#(` would start a shell. */
const STYLE = /^(?:[A-Za-z0-9=, _-]|#(?=[0-9A-Fa-f]{6}\b)){0,256}$/;

async function set(pane: PaneRef, command: string, options: TmuxOptions): Promise<SettingResult> {
  const how = checkTmux(options);
  const done = await guarded({ pane: checkPane(pane), purpose: 'setting', command, idempotent: true }, how);
  if (done.outcome === 'done') return { ok: true, way: done.reply.way };
  if (done.outcome === 'failed') {
    return { ok: false, reason: 'failed', message: done.failure.message, failure: done.failure };
  }
  const reason = done.refusal === 'other-server' ? 'other-server' : 'no-pane';
  const message =
    reason === 'no-pane' ? 'the server has no such pane' : 'another server took the place of its server';
  return { ok: false, reason, message, failure: null };
}

/** Turns the mouse on (or off) in the session of a pane. Only for sessions that the caller made. */
export async function setMouse(pane: PaneRef, on = true, options: TmuxOptions = {}): Promise<SettingResult> {
  const value = flagOf('on', on, true) ? 'on' : 'off';
  return set(pane, `set-option -t '${checkPane(pane).id}' mouse ${value}`, options);
}

/** Style of the window of a pane, such as `bg=#101020`; empty = the default of tmux. Never the global one. */
export async function setWindowStyle(
  pane: PaneRef,
  style: string,
  options: TmuxOptions = {},
): Promise<SettingResult> {
  if (typeof style !== 'string' || !STYLE.test(style)) {
    throw new OptionError('style', 'must be a style of tmux: names, numbers, commas and colours');
  }
  return set(pane, `set-option -w -t '${checkPane(pane).id}' window-style '${style}'`, options);
}

/** Takes back a `remain-on-exit` of the pane and of its window: the global one counts again. */
export async function clearRemainOnExit(pane: PaneRef, options: TmuxOptions = {}): Promise<SettingResult> {
  const { id } = checkPane(pane);
  const window = await set(pane, `set-option -w -u -t '${id}' remain-on-exit`, options);
  if (!window.ok) return window;
  const own = await set(pane, `set-option -p -u -t '${id}' remain-on-exit`, options);
  // Before 3.0 panes have no options.
  return !own.ok && own.failure?.kind === 'command' && /unknown (flag|option)|usage/.test(own.message)
    ? window
    : own;
}

/** Clears what paneState() answers as `engineExit`. */
export async function clearEngineExit(
  pane: PaneRef,
  { prefix, ...options }: TmuxOptions & { readonly prefix?: string } = {},
): Promise<SettingResult> {
  const name = `@${prefixOf(prefix)}_engine_exit`;
  return set(pane, `set-option -p -u -t '${checkPane(pane).id}' ${name}`, options);
}
