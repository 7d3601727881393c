import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { screenOf, withScreen } from '../../../lib/engines/screens/index.js';
import { readScreen } from '../../../lib/engines/screens/screen.js';
import type { AgentState } from '../../../lib/engines/state.js';

const folder = join(__dirname, '../../fixtures/screens');

interface Recorded {
  readonly name: string;
  readonly engine: string;
  readonly title: string;
  /** What a person says. */
  readonly verdict: string;
  readonly text: string;
}

const RECORDED: readonly Recorded[] = readFileSync(join(folder, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `real-'))
  .map((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    const [name = '', title = ''] = [cells[1], cells[3]].map((cell) => cell?.replaceAll('`', ''));
    const text = readFileSync(join(folder, `${name}.txt`), 'utf8');
    return { name, engine: name.split('-')[1] ?? '', title, verdict: cells[4] ?? '', text };
  });

/** What a person sees there and no rule dares to say: nothing is said, which is never wrong. */
const UNSAID = [
  'real-claude-commands-2.1.197',
  'real-opencode-model-1.18.33',
  'real-opencode-theme-1.18.33',
  'real-pi-model-0.74.2',
];

/** What is said where the title was switched off, if that is not the same. */
function withoutTitle({ name, engine, verdict }: Recorded): string {
  // Only the rollout tells it then, which goes before the screen.
  if (name === 'real-codex-busy-text-0.171.0') return 'idle';
  const needsTitle = verdict === 'idle' && (engine === 'claude' || engine === 'gemini');
  return needsTitle || UNSAID.includes(name) ? 'nothing' : verdict;
}

/** How far the text of an answer is from the margin. */
const INDENT: Readonly<Record<string, number>> = {
  claude: 2,
  codex: 2,
  gemini: 2,
  qwen: 4,
  opencode: 5,
  pi: 1,
  copilot: 3,
};

function said({ engine, text, title }: Pick<Recorded, 'engine' | 'text' | 'title'>): string {
  const rules = screenOf(engine);
  if (rules === undefined) throw new Error(`no rules for screens of ${engine}`);
  const verdict = readScreen(rules, { text, title });
  if (verdict.part === 'none') return 'nothing';
  return [verdict.value, verdict.waitingFor].filter((each) => each !== null).join(' ');
}

describe('recorded screens', () => {
  it('are all in the table', () => {
    const names = readdirSync(folder).filter((name) => name.startsWith('real-'));
    expect(RECORDED.map(({ name }) => `${name}.txt`).sort()).toEqual(names.sort());
  });

  it.each(RECORDED.map((each) => [each.name, each] as const))('%s', (name, each) => {
    expect(said(each)).toBe(UNSAID.includes(name) ? 'nothing' : each.verdict);
  });

  it.each(RECORDED.filter(({ title }) => title !== '').map((each) => [each.name, each] as const))(
    'L29 %s without its title',
    (_, each) => {
      expect(said({ ...each, title: '' })).toBe(withoutTitle(each));
    },
  );
});

describe('an agent that says itself that it works', () => {
  const busy: AgentState = {
    ...{ value: 'busy', raw: 'busy', source: 'pid-record', at: 1, waitingFor: null },
    ...{ background: null, suspended: false },
  };

  it.each(RECORDED.map((each) => [each.name, each] as const))(
    'L36 waits only with a dialog: %s',
    (_, each) => {
      const { state } = withScreen(each.engine, busy, [], each);
      expect(state.value).toBe(said(each).startsWith('waiting') ? 'waiting' : 'busy');
      expect(state.value === 'waiting' && !each.verdict.startsWith('waiting')).toBe(false);
    },
  );
});

describe('a recorded screen that an answer quotes', () => {
  const quotable = RECORDED.filter(({ verdict }) => verdict !== 'idle' && verdict !== 'nothing');

  it.each(quotable.map((each) => [each.name, each] as const))('%s is no state', (_, quoted) => {
    const { engine } = quoted;
    const idle = RECORDED.find((each) => each.engine === engine && each.name.includes('-quoted-'));
    const [, prompt] = idle?.text.split(/Working\.\.\..*\n/) ?? [];
    if (idle === undefined || prompt === undefined) throw new Error(`no prompt of ${engine}`);
    const lines = quoted.text.split('\n').map((line) => ' '.repeat(INDENT[engine] ?? 0) + line);
    // Whole, and broken off anywhere.
    for (let length = lines.length; length > 0; length--) {
      const text = [...lines.slice(0, length), prompt].join('\n');
      for (const title of [idle.title, '']) {
        expect(['idle', 'nothing']).toContain(said({ engine, text, title }));
      }
    }
  });
});
