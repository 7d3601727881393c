import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../../lib/engines/index.js';
import { needsScreen, SCREENS, screenOf, withScreen } from '../../../lib/engines/screens/index.js';
import { type EngineScreen, readScreen } from '../../../lib/engines/screens/screen.js';
import type { AgentState } from '../../../lib/engines/state.js';

const folder = join(__dirname, '../../fixtures/screens');
const text = (name: string): string => readFileSync(join(folder, `${name}.txt`), 'utf8');
const rules = (engine: string): EngineScreen => {
  const found = screenOf(engine);
  if (found === undefined) throw new Error(`no rules for screens of ${engine}`);
  return found;
};

function said(name: string, title = ''): string {
  const verdict = readScreen(rules(name.split('-')[0] as string), { text: text(name), title });
  if (verdict.part === 'none') return 'nothing';
  return [verdict.part, verdict.value, verdict.waitingFor].filter((each) => each !== null).join(' ');
}

const RIGHT: Readonly<Record<string, string>> = {
  'agy-permission': 'dialog waiting permission',
  'claude-busy': 'rest busy',
  'claude-permission': 'dialog waiting permission',
  'claude-plan': 'dialog waiting plan',
  'claude-question': 'dialog waiting question',
  'claude-quoted': 'nothing',
  'claude-trust': 'dialog waiting trust',
  'codex-answered': 'rest idle',
  'codex-busy': 'rest busy',
  'codex-hooks': 'dialog waiting hooks',
  'codex-idle': 'rest idle',
  'codex-permission': 'dialog waiting permission',
  'codex-trust': 'dialog waiting trust',
  'codex-update': 'dialog waiting update',
  'cursor-busy': 'rest busy',
  'cursor-followup': 'rest idle',
  'cursor-idle': 'rest idle',
  'cursor-permission': 'dialog waiting permission',
  'opencode-permission': 'dialog waiting permission',
};

const state = (more: Partial<AgentState> = {}): AgentState => ({
  value: 'unknown',
  raw: null,
  source: null,
  at: null,
  waitingFor: null,
  suspended: false,
  background: null,
  ...more,
});

describe('what screens say', () => {
  it.each(['claude-trust', 'codex-trust', 'codex-update', 'codex-hooks'])('L34 %s waits', (name) => {
    expect(said(name)).toMatch(/^dialog waiting /);
  });

  it('is tested for every fixture', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.txt') && !name.startsWith('real-'));
    expect(names.map((name) => name.slice(0, -4)).sort()).toEqual(Object.keys(RIGHT).sort());
  });

  it.each(Object.entries(RIGHT))('%s: %s', (name, right) => {
    expect(said(name)).toBe(right);
  });

  it('L33 has a source with its date in every rule, and an engine', () => {
    const engines = ENGINES.map(({ engine }) => engine);
    for (const { engine, dialogs, rest, titles } of SCREENS) {
      expect(engines).toContain(engine);
      for (const { source } of [...dialogs, ...rest, ...titles])
        expect(source.date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(dialogs.every(({ value }) => value === 'waiting')).toBe(true);
    }
  });

  it('is read off the title of codex, which spins while it works', () => {
    expect(said('codex-idle', '⠋ project')).toBe('rest busy');
    expect(said('codex-idle', 'project')).toBe('rest idle');
    expect(said('codex-permission', '⠋ project')).toBe('dialog waiting permission');
  });

  it('is read off the title of codex and gemini, which says that they wait', () => {
    const view = { text: 'x', title: '[ ! ] Action Required | a thread | project' };
    expect(readScreen(rules('codex'), view)).toMatchObject({ part: 'dialog', value: 'waiting' });
    expect(readScreen(rules('codex'), { ...view, title: `project ${view.title}` }).part).toBe('none');
    const gemini = { text: 'x', title: '✋  Action Required (project)   ' };
    expect(readScreen(rules('gemini'), gemini)).toMatchObject({ part: 'dialog', waitingFor: null });
  });

  it('is idle by a title only above an empty prompt, and by a prompt only without a spinner', () => {
    const dialog = `❯ /new-thing\n${'─'.repeat(40)}\n Something new\n\n  Close`;
    expect(readScreen(rules('claude'), { text: dialog, title: '✳ Claude Code' }).part).toBe('none');
    const prompt = '>   Type your message or @path/to/file';
    expect(readScreen(rules('qwen'), { text: prompt, title: '' })).toMatchObject({ value: 'idle' });
    expect(readScreen(rules('qwen'), { text: `  ⠏ New words\n${prompt}`, title: '' }).part).toBe('none');
    expect(readScreen(rules('gemini'), { text: ` ${prompt}`, title: '◇  Ready (x)' })).toMatchObject({
      value: 'idle',
    });
    expect(readScreen(rules('gemini'), { text: 'x', title: '◇  Ready (x)' }).part).toBe('none');
  });

  it('L30 L31 is nothing where no rule fits: a footer alone is no state of claude', () => {
    const verdict = readScreen(rules('claude'), { text: '❯ \n  ? for shortcuts', title: '' });
    expect(verdict).toEqual({ part: 'none', why: 'no rule knows what its screen shows' });
    expect(readScreen(rules('codex'), { text: '', title: '' }).part).toBe('none');
  });

  it('takes as long for a hostile text as for any', () => {
    const long = ['(', '• (', '1', ' 1.1%/', '─', ' · ', '│ ', 'a b '].map((part) =>
      part.repeat(60_000 / part.length),
    );
    for (const hostile of [`${' '.repeat(50_000)}❯`.repeat(20), ...long])
      for (const each of SCREENS)
        expect(readScreen(each, { text: hostile, title: hostile }).part).toBeDefined();
  });
});

describe('the order of sources', () => {
  const view = (name: string) => ({ text: text(name), title: '' });

  it('a dialog goes before the status file', () => {
    const before = state({ value: 'busy', raw: 'busy', source: 'pid-record', at: 5 });
    const { state: after, because } = withScreen('claude', before, ['x'], view('claude-permission'));
    expect(after).toMatchObject({
      value: 'waiting',
      raw: 'Do you want to proceed?',
      source: 'screen',
      waitingFor: 'permission',
      at: null,
    });
    expect(because).toEqual(['x', expect.stringContaining('goes before busy from pid-record')]);
  });

  it('the status file and the turns go before the rest of the screen', () => {
    for (const source of ['pid-record', 'transcript']) {
      const before = state({ value: 'busy', raw: 'busy', source });
      expect(withScreen('codex', before, [], view('codex-idle')).state).toBe(before);
    }
  });

  it('the rest of the screen goes before nothing known', () => {
    const { state: after, because } = withScreen('codex', state(), ['state unknown: x'], view('codex-idle'));
    expect(after).toMatchObject({ value: 'idle', raw: '? for shortcuts', source: 'screen' });
    expect(because).toEqual([expect.stringContaining('state: idle by a line of its screen')]);
  });

  it('a raw value that no rule knows stays where the screen says nothing', () => {
    const before = state({ raw: 'somethingNew', source: 'pid-record' });
    const { state: after, because } = withScreen('claude', before, [], { text: 'x', title: '' });
    expect(after).toBe(before);
    expect(because).toEqual(['screen: no rule knows what its screen shows']);
  });

  it('a stopped process has no screen, and one that says that it waits needs none', () => {
    const stopped = state({ suspended: true });
    expect(withScreen('claude', stopped, [], view('claude-permission')).state).toBe(stopped);
    expect(needsScreen('claude', state({ value: 'waiting', source: 'pid-record' }))).toBe(false);
    expect(needsScreen('claude', state())).toBe(true);
    expect(needsScreen('amp', state())).toBe(false);
  });
});
