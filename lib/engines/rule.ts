/**
 * The shape of an engine's rule. A rule is data and pure functions, so that every verdict can be
 * replayed from recorded facts. Each statement in it says where it comes from.
 */
import type { Arguments, OptionShape } from './args.js';
import type { ProcessFacts } from './facts.js';
import type { PathPattern } from './path.js';
import type { Program } from './program.js';
import type { RecordReading } from './record.js';
import type { StoreRule } from './store-rule.js';
import type { TurnRule } from './turns/turn.js';

export type AgentKind = 'tui' | 'headless' | 'ide' | 'service' | 'helper' | 'launcher';

/** Where a statement comes from, and the last version and day on which it was seen to hold. */
export interface Source {
  /** `measured`: on running programs. `reported`: a public issue, source or manual; not checked here. */
  readonly how: 'measured' | 'reported';
  readonly what: string;
  readonly version: string | null;
  /** `YYYY-MM-DD` */
  readonly date: string;
}

/** One way of naming the program. Always the whole base name, in lower case and without `.exe`. */
export interface NameRule {
  readonly name: string | RegExp;
  /** Only a native program has this name; an entry script of the same name is something else. */
  readonly nativeOnly?: boolean;
  /** Only an entry script has this name; a native program of the same name is something else. */
  readonly entryOnly?: boolean;
  /** Other products use the name too: a match by it alone is of low confidence. */
  readonly shared?: boolean;
  readonly source: Source;
}

/** A place where the engine's files lie. */
export interface LayoutRule {
  /** `image`: the running program; `entry`: the script that an interpreter runs; `module`: a module by its name. */
  readonly of: 'image' | 'entry' | 'module';
  readonly path: PathPattern;
  /** The verdict `kind` that the place alone decides. */
  readonly kind?: AgentKind;
  readonly source: Source;
}

/** What the kind rules of an engine may look at. */
export interface Subject {
  readonly facts: ProcessFacts;
  readonly program: Program;
  readonly args: Arguments;
  /** The engine found for the parent process; null = none; undefined = the parent is unknown. */
  readonly parent: { readonly engine: string; readonly interpreted: boolean } | null | undefined;
  /** The engine's home of this process; null where nothing told it. */
  readonly home: string | null;
}

export interface KindRule {
  readonly kind: AgentKind;
  /** Completes "it is a <kind>: ...". */
  readonly why: string;
  readonly when: (subject: Subject) => boolean;
  readonly source: Source;
}

/** A flag alone, or a flag with one value. */
export interface BypassFlag {
  readonly flag: string;
  readonly value?: string;
  readonly source: Source;
}

export interface ArgvIdRule {
  readonly flags: readonly string[];
  /** Chains of subcommands whose next word is the id, such as `['resume']`. */
  readonly commands: readonly (readonly string[])[];
  /** The whole value must match: a title is no id. */
  readonly pattern: RegExp;
  /** With one of these the id is the parent's: the session gets a new one. */
  readonly forks: { readonly flags: readonly string[]; readonly commands: readonly string[] };
  readonly source: Source;
}

/** A file that the engine writes for each of its processes, named by the pid that the process sees. */
export interface PidRecordRule {
  /** Folder below the engine's home. */
  readonly folder: string;
  readonly fileName: (pid: number) => string;
  /** A larger file is refused unread. */
  readonly maxBytes: number;
  readonly read: (text: string) => RecordReading;
  readonly source: Source;
}

/**
 * A file that a process has open while it writes a session. Paths of open files come from the kernel
 * with every link resolved; the folder is resolved the same way before they are compared.
 */
export interface HeldFileRule {
  /** `home`: a folder below the engine's home. `tmp`: the folder `/tmp/<prefix><uid of the process>`. */
  readonly place: { readonly home: string } | { readonly tmp: string };
  /** The rest of the path below that folder, with `/`; its first group is the session id. */
  readonly path: RegExp;
  readonly kind: 'file' | 'directory';
  /** `flock`: the open file proves nothing, its exclusive flock does. */
  readonly proof: 'open' | 'flock';
  /** What it is, in one word. */
  readonly what: string;
  readonly source: Source;
}

export interface HeldFilesRule {
  readonly files: readonly HeldFileRule[];
  /** Completes "session unknown: ..." where none of them is open. */
  readonly gap: string;
}

export interface HomeRule {
  /** Environment variable that moves the engine's home; `HOME`: it has none of its own. */
  readonly variable: string;
  /** Parts below the variable's value, where that is a folder of several programs. */
  readonly below?: readonly string[];
  /** Parts below the user's home when the variable is not set. */
  readonly folder: readonly string[];
  /** Why nobody can say where the home is: none is answered then. */
  readonly notKnown?: string;
  readonly source: Source;
}

export interface EngineRule {
  readonly engine: string;
  readonly names: readonly NameRule[];
  /** Names that others share to such a degree that they need proof by a path or a file. */
  readonly namesWithProof: readonly string[];
  readonly layouts: readonly LayoutRule[];
  /**
   * Paths that prove a program with a name in `namesWithProof` when they stand among its first 8
   * arguments.
   */
  readonly argumentProof: readonly PathPattern[];
  /** Places of other products whose programs have the engine's names. */
  readonly excluded: readonly PathPattern[];
  /** Programs below the user's home that an installer puts there: [parts of the path]. */
  readonly installPlaces: readonly (readonly string[])[];
  readonly options: OptionShape;
  /** The first that fits decides; none: `tui`. */
  readonly kinds: readonly KindRule[];
  readonly home: HomeRule;
  readonly argvId: ArgvIdRule;
  readonly pidRecord: PidRecordRule | null;
  readonly held: HeldFilesRule;
  /** Looked at only where neither a record nor an open file settles the session. */
  readonly stores: readonly StoreRule[];
  readonly bypass: readonly BypassFlag[];
  /** Environment variables that the kind rules read. */
  readonly environment: readonly string[];
  /** Environment variables with the address of the model's service. */
  readonly baseUrls: readonly string[];
  /** Names that its packages have in npm, without the ending of those for one platform. */
  readonly packages: readonly string[];
  /** Paths that tell the version: `<version>` in the pattern. */
  readonly versions: readonly PathPattern[];
  /** Where its turns are written down; the first that tells something counts. */
  readonly turns: readonly TurnRule[];
  /** Why the state is unknown where neither `pidRecord` nor `turns` tell it: the reason beside "not known". */
  readonly stateGap: string;
  /** Why a session that no rule here links is unknown. */
  readonly linkGap: string;
}
