/** The engines that procscope knows. A new one is one file here, one line below and one file of golden cases. */
import { agy } from './agy.js';
import { amp } from './amp.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { commandcode } from './commandcode.js';
import { copilot } from './copilot.js';
import { cursor } from './cursor.js';
import { devin } from './devin.js';
import { gemini } from './gemini.js';
import { grok } from './grok.js';
import { hermes } from './hermes.js';
import { kilo } from './kilo.js';
import { muse } from './muse.js';
import { opencode } from './opencode.js';
import { pi } from './pi.js';
import { qwen } from './qwen.js';
import type { EngineRule } from './rule.js';

export const ENGINES: readonly EngineRule[] = [
  claude,
  codex,
  cursor,
  agy,
  opencode,
  pi,
  hermes,
  commandcode,
  devin,
  muse,
  amp,
  kilo,
  grok,
  copilot,
  gemini,
  qwen,
];
