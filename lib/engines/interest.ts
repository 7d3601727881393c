/**
 * The quick question before the thorough one: could any rule care for this process? Most processes of a
 * machine are no agents, and holding each against every rule would cost more than reading it did. Each
 * distinct text is decided once; a row then costs a look-up a text and allocates nothing.
 */
import type { ProcessFacts } from './facts.js';
import { interpreterOf } from './interpreter.js';
import { canBePath, commName, programName, withSlashes } from './path.js';
import { isLauncher } from './program.js';
import type { EngineRule } from './rule.js';

/** The same few texts come from most processes. Long ones are not kept, nor more than so many. */
const MOST_KNOWN = 4_096;
const LONGEST_KNOWN = 256;
const NOBODY: readonly EngineRule[] = [];
/** The kernel cuts comm here: it may be the head of a longer name. */
const COMM_BYTES = 15;

/** What the user set in `<ENGINE>_PATH`. */
export interface Override {
  readonly engine: string;
  /** A path or a base name. */
  readonly program: string;
}

/** What a text says by itself, whoever carries it. */
interface Mark {
  /** Rules that could care. A rule that is named may find nothing; the others certainly do. */
  readonly rules: readonly EngineRule[];
  /** Some rule cares, or an override names it. */
  readonly wanted: boolean;
  /** It runs another program, and its arguments tell which. */
  readonly runs: 'interpreter' | 'launcher' | null;
}

const PLAIN: Mark = { rules: NOBODY, wanted: false, runs: null };
const INTERPRETER: Mark = { ...PLAIN, runs: 'interpreter' };
const LAUNCHER: Mark = { ...PLAIN, runs: 'launcher' };

/**
 * `nothing`: no text that could name its program is of interest. `wanted`: one is. `runs`: it is an
 * interpreter or a launcher, and only what stands behind its name can tell.
 */
export type Glance = 'nothing' | 'wanted' | 'runs';

interface Needle {
  readonly text: string;
  readonly rule: EngineRule;
}

interface NamePattern {
  /** With this every name begins that fits. */
  readonly head: string;
  readonly name: RegExp;
  readonly rule: EngineRule;
}

/** The plain letters with which every name begins that an expression for a whole name fits; '' = unknown. */
export function headOf({ source, flags }: RegExp): string {
  const besideGroups = source.replace(/\([^()]*\)/g, '');
  if (/[im]/.test(flags) || besideGroups.includes('|')) return '';
  const [, head = '', next = ''] = /^\^([a-z0-9-]*)(.?)/s.exec(source) ?? [];
  return /[?*{]/.test(next) ? head.slice(0, -1) : head;
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Which of a set of rules could care. */
export class Interest {
  readonly #names = new Map<string, EngineRule[]>();
  readonly #patterns: NamePattern[] = [];
  /** By the last part of the path; under null where any will do. */
  readonly #needles = new Map<string | null, Needle[]>();
  /** Base names that overrides give. */
  readonly #overrides = new Set<string>();
  #texts = new Map<string, Mark>();
  #comms = new Map<string, Mark>();

  constructor(rules: readonly EngineRule[], overrides: readonly Override[] = []) {
    for (const rule of rules) {
      for (const { name } of rule.names) {
        if (typeof name === 'string') add(this.#names, name, rule);
        else this.#patterns.push({ head: headOf(name), name, rule });
      }
      for (const name of rule.namesWithProof) add(this.#names, name, rule);
      for (const { path } of rule.layouts) {
        for (const { end, needle } of path.hints) add(this.#needles, end, { text: needle, rule });
      }
    }
    for (const { program } of overrides) this.#overrides.add(programName(program));
  }

  /** A path, a word that was called, or a module. */
  inText(text: string): readonly EngineRule[] {
    return this.#mark(text).rules;
  }

  inComm(comm: string): readonly EngineRule[] {
    return this.#commMark(comm).rules;
  }

  /** Does any rule or override care for this path, word or module? */
  wants(text: string): boolean {
    return this.#mark(text).wanted;
  }

  wantsComm(comm: string): boolean {
    return this.#commMark(comm).wanted;
  }

  /** What image, first word and comm say, without anything derived from the arguments. */
  glance({ exe, argv, name }: Pick<ProcessFacts, 'exe' | 'argv' | 'name'>): Glance {
    const image = typeof exe === 'string' ? this.#mark(exe) : PLAIN;
    if (image.wanted) return 'wanted';
    const first = argv?.[0];
    const word = first === undefined ? PLAIN : this.#mark(first);
    if (word.wanted) return 'wanted';
    // A comm below an interpreter is the name of a thread or a title.
    if (name !== undefined && image.runs !== 'interpreter' && this.#commMark(name).wanted) return 'wanted';
    // Nothing stands behind the one word of an interactive shell.
    const runs = image.runs !== null || word.runs !== null;
    return runs && argv !== undefined && argv.length > 1 ? 'runs' : 'nothing';
  }

  #mark(text: string): Mark {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const mark = canBePath(text) ? this.#decide(text) : PLAIN;
    if (text.length <= LONGEST_KNOWN) {
      // Programs with names of their own come and go for as long as somebody polls.
      if (this.#texts.size >= MOST_KNOWN) this.#texts = new Map();
      this.#texts.set(text, mark);
    }
    return mark;
  }

  #commMark(comm: string): Mark {
    const known = this.#comms.get(comm);
    if (known !== undefined) return known;
    const rules = this.#byName(commName(comm));
    const wanted = rules !== NOBODY || this.#isOverride(comm);
    const mark = wanted ? { rules, wanted, runs: null } : PLAIN;
    if (this.#comms.size >= MOST_KNOWN) this.#comms = new Map();
    this.#comms.set(comm, mark);
    return mark;
  }

  /** comm may be the cut head of a name that an override gives. */
  #isOverride(comm: string): boolean {
    if (this.#overrides.size === 0) return false;
    const head = comm.toLowerCase();
    const isCut = Buffer.byteLength(comm) === COMM_BYTES;
    return (
      this.#overrides.has(commName(comm)) ||
      (isCut && [...this.#overrides].some((name) => name.startsWith(head)))
    );
  }

  #decide(text: string): Mark {
    const name = programName(text);
    let rules = this.#byName(name);
    const lower = withSlashes(text).toLowerCase();
    const end = lower.slice(lower.lastIndexOf('/') + 1);
    for (const needles of [this.#needles.get(end), this.#needles.get(null)]) {
      if (needles === undefined) continue;
      for (const needle of needles) {
        if (lower.includes(needle.text) && !rules.includes(needle.rule)) rules = [...rules, needle.rule];
      }
    }
    const plain = interpreterOf(name) !== null ? INTERPRETER : isLauncher(name) ? LAUNCHER : PLAIN;
    const wanted = rules !== NOBODY || this.#overrides.has(name);
    return wanted ? { ...plain, rules, wanted } : plain;
  }

  #byName(name: string): readonly EngineRule[] {
    let rules: readonly EngineRule[] = this.#names.get(name) ?? NOBODY;
    for (const pattern of this.#patterns) {
      if (name.startsWith(pattern.head) && pattern.name.test(name)) rules = [...rules, pattern.rule];
    }
    return rules;
  }
}

const NO_OVERRIDES: readonly Override[] = [];
const interests = new WeakMap<readonly EngineRule[], WeakMap<readonly Override[], Interest>>();

/** The interest of a list of rules and one of overrides, made once. */
export function interestOf(
  rules: readonly EngineRule[],
  overrides: readonly Override[] = NO_OVERRIDES,
): Interest {
  let made = interests.get(rules);
  if (!made) {
    made = new WeakMap();
    interests.set(rules, made);
  }
  // An empty list is as good as any other: no second set of tables for it.
  const key = overrides.length === 0 ? NO_OVERRIDES : overrides;
  let interest = made.get(key);
  if (!interest) {
    interest = new Interest(rules, key);
    made.set(key, interest);
  }
  return interest;
}
