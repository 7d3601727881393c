/** Screens that can be read. One file an engine; of an engine without one nothing on the screen is understood. */
import type { AgentState } from '../state.js';
import { agy } from './agy.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { cursor } from './cursor.js';
import { gemini } from './gemini.js';
import { opencode } from './opencode.js';
import { pi } from './pi.js';
import { qwen } from './qwen.js';
import { type EngineScreen, readScreen, type ScreenView } from './screen.js';

export const SCREENS: readonly EngineScreen[] = [
  claude,
  codex,
  cursor,
  agy,
  opencode,
  gemini,
  qwen,
  copilot,
  pi,
];

export function screenOf(engine: string): EngineScreen | undefined {
  return SCREENS.find((each) => each.engine === engine);
}

/**
 * Would the screen say anything that counts? Not of a stopped process, whose terminal somebody else writes
 * to, and not where the engine itself says that it waits.
 */
export function needsScreen(engine: string, state: AgentState): boolean {
  const told = state.value === 'waiting' && state.source === 'pid-record';
  return !state.suspended && !told && screenOf(engine) !== undefined;
}

/** A dialog goes before every file; the rest of the screen counts where no file said anything. */
export function withScreen(
  engine: string,
  state: AgentState,
  because: readonly string[],
  view: ScreenView,
): { readonly state: AgentState; readonly because: readonly string[] } {
  const rules = screenOf(engine);
  if (rules === undefined || !needsScreen(engine, state)) return { state, because };
  const verdict = readScreen(rules, view);
  if (verdict.part === 'none') {
    return state.value === 'unknown'
      ? { state, because: [...because, `screen: ${verdict.why}`] }
      : { state, because };
  }
  if (verdict.part === 'rest' && state.value !== 'unknown') return { state, because };
  const { value, raw, waitingFor } = verdict;
  const over = state.value === 'unknown' ? '' : `, which goes before ${state.value} from ${state.source}`;
  return {
    state: { ...state, value, raw, waitingFor, source: 'screen', at: null },
    because: [
      ...because.filter((reason) => !reason.startsWith('state unknown')),
      `state: ${value} by ${verdict.why}${over}`,
    ],
  };
}
