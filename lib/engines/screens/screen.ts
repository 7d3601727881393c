/**
 * What the screen of an agent tells of its state: pure functions over the text of a pane. Only the lines at
 * the bottom speak: what stands above them is conversation, and a conversation may quote any dialog.
 */
import type { Source } from '../rule.js';
import type { StateValue } from '../state.js';

export interface ScreenRule {
  readonly value: Exclude<StateValue, 'unknown'>;
  /** What it waits for, in one word. */
  readonly waitingFor?: string;
  /** Each of these stands in some line of the region. */
  readonly all: readonly RegExp[];
  /** How many lines from the bottom, blank ones not counted. */
  readonly region: number;
  /** A list to choose from is open: the lowest line with a marker in front of it is one of its items. */
  readonly list?: boolean;
  readonly source: Source;
}

export interface TitleRule {
  readonly value: Exclude<StateValue, 'unknown'>;
  readonly title: RegExp;
  readonly source: Source;
}

export interface EngineScreen {
  readonly engine: string;
  /** These go before whatever a file says. The first that fits decides. */
  readonly dialogs: readonly ScreenRule[];
  /** These count where no file says anything. */
  readonly rest: readonly ScreenRule[];
  readonly titles: readonly TitleRule[];
}

export interface ScreenView {
  /** Text of the visible screen, without escape sequences. */
  readonly text: string;
  /** Title of the pane as the program set it. */
  readonly title: string;
}

export type ScreenVerdict =
  | {
      readonly part: 'dialog' | 'rest';
      readonly value: Exclude<StateValue, 'unknown'>;
      /** The line that told it. */
      readonly raw: string;
      readonly waitingFor: string | null;
      readonly why: string;
    }
  | { readonly part: 'none'; readonly why: string };

/** Longest text that is looked at: a screen of 300 columns and 200 rows. */
const MOST_CHARACTERS = 60_000;
const MOST_RAW = 120;
/** In front of the item that is chosen, and in front of what the user writes. */
const MARKED = /^[\s│┃|]*[❯›●▶→]\s?/u;
const ITEM = /^[\s│┃|]*[❯›●▶→]\s*(?:\d{1,2}[.)]|\[\w\])\s/u;

function linesOf(text: string): string[] {
  return text
    .slice(-MOST_CHARACTERS)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

function listIsOpen(region: readonly string[]): boolean {
  const lowest = region.findLast((line) => MARKED.test(line));
  return lowest !== undefined && ITEM.test(lowest);
}

/** The line that tells it; undefined = the rule does not fit. */
function fits(rule: ScreenRule, lines: readonly string[]): string | undefined {
  const region = lines.slice(-rule.region);
  if (rule.list && !listIsOpen(region)) return undefined;
  const found = rule.all.map((pattern) => region.find((line) => pattern.test(line)));
  return found.includes(undefined) ? undefined : found[0];
}

function said({ how, date, version }: Source): string {
  return `${how} ${date}${version === null ? '' : `, version ${version}`}`;
}

function byLines(
  part: 'dialog' | 'rest',
  rules: readonly ScreenRule[],
  lines: readonly string[],
): ScreenVerdict | undefined {
  for (const rule of rules) {
    const line = fits(rule, lines);
    if (line === undefined) continue;
    const raw = line.replace(/^[\s│┃|]+|[\s│┃|]+$/gu, '').slice(0, MOST_RAW);
    const { value, waitingFor = null, source } = rule;
    return { part, value, raw, waitingFor, why: `a line of its screen (${said(source)})` };
  }
  return undefined;
}

function byTitle({ titles }: EngineScreen, title: string): ScreenVerdict | undefined {
  const rule = titles.find((each) => each.title.test(title));
  if (rule === undefined) return undefined;
  const why = `the title of its pane (${said(rule.source)})`;
  return { part: 'rest', value: rule.value, raw: title.slice(0, MOST_RAW), waitingFor: null, why };
}

/** What a screen says by the rules of an engine; a screen that no rule knows says nothing. */
export function readScreen(rules: EngineScreen, { text, title }: ScreenView): ScreenVerdict {
  const lines = linesOf(text);
  return (
    byLines('dialog', rules.dialogs, lines) ??
    byTitle(rules, title) ??
    byLines('rest', rules.rest, lines) ?? { part: 'none', why: 'no rule knows what its screen shows' }
  );
}
