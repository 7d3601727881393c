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
  /** They stand in lines right below each other, in this order. */
  readonly together?: boolean;
  /** None of these stands in a line of the region. */
  readonly not?: readonly RegExp[];
  /** How many lines from the bottom, blank ones not counted. */
  readonly region: number;
  /** Of the region only what is above the lowest line like this. */
  readonly above?: RegExp;
  /** Of what is left only what is below the lowest line like this, if there is one. */
  readonly below?: RegExp;
  /** The lowest line of the screen is like this. */
  readonly last?: RegExp;
  /** The title of the pane says so too. */
  readonly title?: RegExp;
  /** A list to choose from is open: the lowest line with a marker in front of it is one of its items. */
  readonly list?: boolean;
  readonly source: Source;
}

export interface TitleRule {
  readonly value: Exclude<StateValue, 'unknown'>;
  readonly title: RegExp;
  readonly source: Source;
}

/** What stands in front of the chosen item of a list, and in front of what the user writes. */
export interface Marks {
  readonly marked: RegExp;
  readonly item: RegExp;
}

export function marksOf(marks: string): Marks {
  const marked = `^[\\s│┃|]*[${marks}]`;
  return {
    marked: new RegExp(marked, 'u'),
    item: new RegExp(`${marked}\\s*(?:\\d{1,2}[.)]|\\[\\w\\])\\s`, 'u'),
  };
}

export interface EngineScreen {
  readonly engine: string;
  /** Its marks, where they are not the usual ones. */
  readonly marks?: Marks;
  /** These go before whatever a file says. The first that fits decides. */
  readonly dialogs: readonly ScreenRule[];
  /** These count where no file says anything. */
  readonly rest: readonly ScreenRule[];
  /** Titles that say by themselves that it waits count as dialogs, others as the rest of the screen. */
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
const USUAL_MARKS = marksOf('❯›●▶→');

function linesOf(text: string): string[] {
  return text
    .slice(-MOST_CHARACTERS)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

function listIsOpen(region: readonly string[], { marked, item }: Marks): boolean {
  const lowest = region.findLast((line) => marked.test(line));
  return lowest !== undefined && item.test(lowest);
}

function partOf({ region, above, below }: ScreenRule, lines: readonly string[]): readonly string[] {
  const lowest = (pattern: RegExp, part: readonly string[]) =>
    part.findLastIndex((line) => pattern.test(line));
  let part = lines.slice(-region);
  if (above !== undefined) part = part.slice(0, Math.max(0, lowest(above, part)));
  return below === undefined ? part : part.slice(lowest(below, part) + 1);
}

/** The line of the first pattern where each pattern fits the next line. */
function togetherIn(all: readonly RegExp[], region: readonly string[]): string | undefined {
  return region.find((_, at) => all.every((pattern, next) => pattern.test(region[at + next] ?? '')));
}

/** The line that tells it; undefined = the rule does not fit. */
function fits(
  rule: ScreenRule,
  lines: readonly string[],
  { title, marks }: { readonly title: string; readonly marks: Marks },
): string | undefined {
  if (rule.title?.test(title) === false || rule.last?.test(lines.at(-1) ?? '') === false) return undefined;
  const region = partOf(rule, lines);
  if (rule.list && !listIsOpen(region, marks)) return undefined;
  if (rule.not?.some((pattern) => region.some((line) => pattern.test(line)))) return undefined;
  if (rule.together) return togetherIn(rule.all, region);
  const found = rule.all.map((pattern) => region.find((line) => pattern.test(line)));
  return found.includes(undefined) ? undefined : found[0];
}

function said({ how, date, version }: Source): string {
  return `${how} ${date}${version === null ? '' : `, version ${version}`}`;
}

function byLines(
  part: 'dialog' | 'rest',
  screen: EngineScreen,
  lines: readonly string[],
  title: string,
): ScreenVerdict | undefined {
  const view = { title, marks: screen.marks ?? USUAL_MARKS };
  for (const rule of part === 'dialog' ? screen.dialogs : screen.rest) {
    const line = fits(rule, lines, view);
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
  const part = rule.value === 'waiting' ? 'dialog' : 'rest';
  return { part, value: rule.value, raw: title.slice(0, MOST_RAW), waitingFor: null, why };
}

/** What a screen says by the rules of an engine; a screen that no rule knows says nothing. */
export function readScreen(rules: EngineScreen, { text, title }: ScreenView): ScreenVerdict {
  const lines = linesOf(text);
  return (
    byLines('dialog', rules, lines, title) ??
    byTitle(rules, title) ??
    byLines('rest', rules, lines, title) ?? { part: 'none', why: 'no rule knows what its screen shows' }
  );
}
