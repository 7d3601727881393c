/** Package, the engine that it should be found as, and the command that it installs. */
export const CLIS = [
  { engine: 'claude', package: '@anthropic-ai/claude-code', command: 'claude' },
  { engine: 'codex', package: '@openai/codex', command: 'codex' },
  { engine: 'opencode', package: 'opencode-ai', command: 'opencode' },
  { engine: 'copilot', package: '@github/copilot', command: 'copilot' },
  { engine: 'kilo', package: '@kilocode/cli', command: 'kilo' },
  { engine: 'amp', package: '@ampcode/cli', command: 'amp' },
  { engine: 'pi', package: '@earendil-works/pi-coding-agent', command: 'pi' },
  { engine: 'commandcode', package: 'command-code', command: 'command-code' },
  { engine: 'gemini', package: '@google/gemini-cli', command: 'gemini' },
  { engine: 'qwen', package: '@qwen-code/qwen-code', command: 'qwen' },
];
