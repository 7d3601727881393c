/** The engines that procscope knows. A new one is one file here and one line below. */
import { agy } from './agy.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { cursor } from './cursor.js';
import type { EngineRule } from './rule.js';

export const ENGINES: readonly EngineRule[] = [claude, codex, cursor, agy];
