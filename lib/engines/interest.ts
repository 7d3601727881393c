/**
 * The quick question before the thorough one: which rules could care for a text? Most processes of a
 * machine are no agents, and holding each against every rule would cost more than reading it did.
 */
import { canBePath, commName, programName, withSlashes } from './path.js';
import type { EngineRule } from './rule.js';

/** The same few texts come from most processes. Long ones are not kept, nor more than so many. */
const MOST_KNOWN = 4_096;
const LONGEST_KNOWN = 256;
const NOBODY: readonly EngineRule[] = [];

interface Needle {
  readonly text: string;
  readonly rule: EngineRule;
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function keep<Value>(known: Map<string, Value>, text: string, answer: Value): Value {
  if (text.length <= LONGEST_KNOWN && known.size < MOST_KNOWN) known.set(text, answer);
  return answer;
}

/** Which of a set of rules could care. A rule that is named may find nothing; the others certainly do. */
export class Interest {
  readonly #names = new Map<string, EngineRule[]>();
  readonly #patterns: { readonly name: RegExp; readonly rule: EngineRule }[] = [];
  /** By the last part of the path; under null where any will do. */
  readonly #needles = new Map<string | null, Needle[]>();
  readonly #texts = new Map<string, readonly EngineRule[]>();
  readonly #comms = new Map<string, readonly EngineRule[]>();

  constructor(rules: readonly EngineRule[]) {
    for (const rule of rules) {
      for (const { name } of rule.names) {
        if (typeof name === 'string') add(this.#names, name, rule);
        else this.#patterns.push({ name, rule });
      }
      for (const name of rule.namesWithProof) add(this.#names, name, rule);
      for (const { end, needle } of rule.layouts.flatMap(({ path }) => path.hints)) {
        add(this.#needles, end, { text: needle, rule });
      }
    }
  }

  /** A path, a word that was called, or a module. */
  inText(text: string): readonly EngineRule[] {
    return this.#texts.get(text) ?? keep(this.#texts, text, canBePath(text) ? this.#decide(text) : NOBODY);
  }

  inComm(comm: string): readonly EngineRule[] {
    return this.#comms.get(comm) ?? keep(this.#comms, comm, this.#byName(commName(comm)));
  }

  #decide(text: string): readonly EngineRule[] {
    const lower = withSlashes(text).toLowerCase();
    const end = lower.slice(lower.lastIndexOf('/') + 1);
    const byPlace = [...(this.#needles.get(end) ?? []), ...(this.#needles.get(null) ?? [])].filter((needle) =>
      lower.includes(needle.text),
    );
    const found = new Set([...this.#byName(programName(text)), ...byPlace.map(({ rule }) => rule)]);
    return found.size === 0 ? NOBODY : [...found];
  }

  #byName(name: string): readonly EngineRule[] {
    const exact = this.#names.get(name) ?? NOBODY;
    const alike = this.#patterns.filter((pattern) => pattern.name.test(name));
    return alike.length === 0 ? exact : [...exact, ...alike.map(({ rule }) => rule)];
  }
}

const interests = new WeakMap<readonly EngineRule[], Interest>();

/** The interest of a list of rules, made once. */
export function interestOf(rules: readonly EngineRule[]): Interest {
  let interest = interests.get(rules);
  if (!interest) {
    interest = new Interest(rules);
    interests.set(rules, interest);
  }
  return interest;
}
