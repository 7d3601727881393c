/**
 * The cheap question before the costly one: which processes could be an agent at all? What this
 * keeps is judged with all facts; what it drops is never looked at again.
 */
import type { ProcessFacts } from '../engines/facts.js';
import type { InstalledProgram, Override } from '../engines/match.js';
import { baseName, canBePath, programName } from '../engines/path.js';
import { type Program, programOf } from '../engines/program.js';
import type { EngineRule } from '../engines/rule.js';

export interface Candidates {
  /** Named or placed like an engine's program. */
  readonly named: readonly ProcessFacts[];
  /** Run a script whose links must be resolved before anything can be said. */
  readonly scripted: readonly { readonly facts: ProcessFacts; readonly script: string }[];
}

const MOST_KNOWN = 10_000;

/** Answers for one text (a path or a word) whether any rule cares for it; texts repeat, so answers are kept. */
export class TextFilter {
  readonly #names: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #paths: ReadonlySet<string>;
  readonly #rules: readonly EngineRule[];
  readonly #overrides: readonly string[];
  #known = new Map<string, boolean>();

  constructor(
    rules: readonly EngineRule[],
    installed: readonly InstalledProgram[],
    overrides: readonly Override[],
  ) {
    const names = rules.flatMap((rule) => rule.names.map(({ name }) => name));
    this.#rules = rules;
    this.#names = new Set([
      ...names.filter((name) => typeof name === 'string'),
      ...rules.flatMap((rule) => rule.namesWithProof),
      ...overrides.map(({ program }) => programName(program)),
    ]);
    this.#patterns = names.filter((name) => name instanceof RegExp);
    this.#paths = new Set(installed.map(({ path }) => path));
    this.#overrides = overrides.map(({ program }) => baseName(program).toLowerCase());
  }

  interests(text: string): boolean {
    if (!canBePath(text)) return false;
    let answer = this.#known.get(text);
    if (answer === undefined) {
      answer = this.#decide(text);
      // Programs with names of their own come and go for as long as somebody polls.
      if (this.#known.size >= MOST_KNOWN) this.#known = new Map();
      this.#known.set(text, answer);
    }
    return answer;
  }

  #decide(text: string): boolean {
    const name = programName(text);
    return (
      this.#names.has(name) ||
      this.#paths.has(text) ||
      this.#patterns.some((pattern) => pattern.test(name)) ||
      this.#rules.some((rule) => rule.layouts.some(({ path }) => path.matches(text)))
    );
  }

  /** comm may be the cut head of a name that an override gives. */
  interestsComm(comm: string): boolean {
    const head = comm.toLowerCase();
    return this.interests(comm) || this.#overrides.some((name) => head.length >= 15 && name.startsWith(head));
  }
}

function textsOf(program: Program): string[] {
  return [program.image, program.word, program.entry?.text].filter((text) => typeof text === 'string');
}

/** Why a process deserves the costly facts: its name, or the script that it runs; null = it does not. */
export function candidacyOf(facts: ProcessFacts, filter: TextFilter): 'named' | { script: string } | null {
  const program = programOf(facts);
  if (
    textsOf(program).some((text) => filter.interests(text)) ||
    (program.comm !== null && filter.interestsComm(program.comm))
  ) {
    return 'named';
  }
  const { entry } = program;
  return entry?.form === 'script' && canBePath(entry.text) ? { script: entry.text } : null;
}

export function candidatesOf(all: Iterable<ProcessFacts>, filter: TextFilter): Candidates {
  const named: ProcessFacts[] = [];
  const scripted: { facts: ProcessFacts; script: string }[] = [];
  for (const facts of all) {
    const candidacy = candidacyOf(facts, filter);
    if (candidacy === 'named') named.push(facts);
    else if (candidacy !== null) scripted.push({ facts, ...candidacy });
  }
  return { named, scripted };
}
