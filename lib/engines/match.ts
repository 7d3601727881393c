/**
 * From a process to its engine. Only the program is evidence: the image, the word it was called by,
 * comm, and the script of an interpreter; never later arguments.
 */
import type { FileIdentity, ProcessFacts } from './facts.js';
import {
  type Evidence,
  evidenceOf,
  type Faces,
  type Finding,
  facesOf,
  findingsOf,
  isExcluded,
  MANY_FACED,
  overrideFinding,
  stronger,
} from './findings.js';
import { type Interest, interestOf, type Override } from './interest.js';
import { interpreterOf } from './interpreter.js';
import { programName } from './path.js';
import { derive, type Program, programOf } from './program.js';
import type { AgentKind, EngineRule } from './rule.js';

/** A program of an engine as it is installed, through every link. */
export interface InstalledProgram {
  readonly engine: string;
  readonly file: FileIdentity;
  /** Where it was found. */
  readonly path: string;
}

export interface MatchContext {
  readonly rules: readonly EngineRule[];
  readonly installed: readonly InstalledProgram[];
  readonly overrides: readonly Override[];
}

/** An engine that came near: what spoke for it, and what against it. */
export interface Considered {
  readonly engine: string;
  /** Null = nothing speaks for it that its rules count. */
  readonly evidence: Evidence | null;
  readonly why: string;
  /** Null = nothing: it is the engine, or a weaker reason for it. */
  readonly refused: string | null;
}

export type MatchVerdict = {
  /** Strongest first. Empty where no text of the program is of interest. */
  readonly considered: readonly Considered[];
} & (
  | {
      readonly outcome: 'engine';
      readonly rule: EngineRule;
      readonly evidence: Evidence;
      /** The kind that the place of the program decides. */
      readonly placeKind: AgentKind | null;
      readonly because: readonly string[];
    }
  /** `barrier`: a program called `agent`, which more than one engine installs. */
  | { readonly outcome: 'none' | 'refused' | 'barrier'; readonly because: readonly string[] }
);

const NOTHING: MatchVerdict = { outcome: 'none', because: [], considered: [] };

function sameFile(left: FileIdentity | undefined, right: FileIdentity): boolean {
  return left !== undefined && left.dev === right.dev && left.ino === right.ino;
}

function identityOwners(
  facts: ProcessFacts,
  faces: Faces,
  context: MatchContext,
): readonly InstalledProgram[] {
  if (context.installed.length === 0) return context.installed;
  const files = [
    faces.imageSpeaks ? facts.exeFile : undefined,
    faces.scripts.length > 0 ? facts.script?.file : undefined,
  ];
  return context.installed.filter(({ file }) => files.some((own) => sameFile(own, file)));
}

function overrideFindings(faces: Faces, context: MatchContext): Finding[] {
  return context.overrides.flatMap((override) => {
    const rule = context.rules.find(({ engine }) => engine === override.engine);
    const finding = rule && overrideFinding(override, rule, faces);
    return finding ? [finding] : [];
  });
}

function decided(
  finding: Finding,
  facts: ProcessFacts,
  program: Program,
  considered: readonly Considered[],
): MatchVerdict {
  const doubt = finding.evidence.from === 'script' ? (program.entry?.doubt ?? null) : null;
  const places = [program.image, program.word, program.entry?.text, facts.script?.real];
  const layout = finding.rule.layouts.find(
    ({ kind, path }) =>
      kind !== undefined && places.some((text) => typeof text === 'string' && path.matches(text)),
  );
  return {
    outcome: 'engine',
    considered,
    rule: finding.rule,
    evidence: doubt === null ? finding.evidence : { ...finding.evidence, confidence: 'low' },
    placeKind: layout?.kind ?? null,
    because: [
      finding.because,
      ...(doubt === null ? [] : [`script: may be the value of ${doubt}, an option that no rule knows`]),
    ],
  };
}

/** The rules that could say anything by their names and places. Overrides and installed files come on top. */
function interested(program: Program, faces: Faces, context: MatchContext): readonly EngineRule[] {
  const interest = interestOf(context.rules, context.overrides);
  const found = new Set(faces.comm === null ? [] : interest.inComm(faces.comm));
  for (const text of [program.image, program.word, program.entry?.text, ...faces.scripts]) {
    if (typeof text === 'string') for (const rule of interest.inText(text)) found.add(rule);
  }
  return found.size < 2 ? [...found] : context.rules.filter((rule) => found.has(rule));
}

/**
 * Is nothing of the process of interest, whatever the rules say in detail? Of most processes the image, the
 * first word and comm tell; of an interpreter or a launcher, what it runs.
 */
function isNothing(facts: ProcessFacts, interest: Interest, installed: readonly InstalledProgram[]): boolean {
  const glance = interest.glance(facts);
  if (glance === 'wanted') return false;
  const { exeFile, script } = facts;
  for (const { file } of installed) {
    if (sameFile(exeFile, file) || sameFile(script?.file, file)) return false;
  }
  if (glance === 'nothing') return true;
  const { word, entry, comm } = derive(facts);
  return !(
    (word !== undefined && interest.wants(word)) ||
    (entry !== null && interest.wants(entry.text)) ||
    (script !== undefined && interest.wants(script.real)) ||
    (comm !== null && interest.wantsComm(comm))
  );
}

function isBarrier(faces: Faces, rules: readonly EngineRule[]): boolean {
  const names = [faces.image, faces.word, ...faces.scripts].flatMap((text) =>
    text === null ? [] : [programName(text)],
  );
  return rules.some((rule) => rule.namesWithProof.some((name) => names.includes(name)));
}

/** Is the program called by a name that engines share and that proves none of them (`agent`)? */
export function needsProof(facts: ProcessFacts, rules: readonly EngineRule[]): boolean {
  return isBarrier(facesOf(facts, programOf(facts)), rules);
}

/** Which engine is this process, and what says so? */
export function matchProcess(facts: ProcessFacts, context: MatchContext): MatchVerdict {
  // No image and no arguments, though both were read: a thread of the kernel.
  if (facts.exe === null && facts.argv?.length === 0) return NOTHING;
  const interest = interestOf(context.rules, context.overrides);
  return isNothing(facts, interest, context.installed) ? NOTHING : matchByRules(facts, context);
}

function consider({ rule, evidence, because }: Finding, refused: string | null): Considered {
  return { engine: rule.engine, evidence, why: because, refused };
}

/** The verdict where the very file is installed as an engine's program. */
function byOwners(
  owners: readonly InstalledProgram[],
  facts: ProcessFacts,
  { program, faces, context }: Subject,
): MatchVerdict {
  const findings = owners.flatMap(({ engine, path }): Finding[] => {
    const rule = context.rules.find((each) => each.engine === engine);
    if (!rule) return [];
    const evidence = evidenceOf('file-identity', faces.scripts.length > 0 ? 'script' : 'exe', false);
    return [{ rule, evidence, because: `file identity: the very file that is installed as ${path}` }];
  });
  const engines = [...new Set(owners.map(({ engine }) => engine))];
  const all = (refused: string | null) => findings.map((each) => consider(each, refused));
  if (engines.length > 1) {
    const why = `the file of this program is installed as ${engines.join(' and as ')}`;
    return { outcome: 'refused', because: [why], considered: all(why) };
  }
  const [finding] = findings;
  if (!finding) return NOTHING;
  if (isExcluded(finding.rule, facts, program)) return { ...NOTHING, considered: all(EXCLUDED) };
  return decided(finding, facts, program, all(null));
}

/** The same without the quick question before it. */
export function matchByRules(facts: ProcessFacts, context: MatchContext): MatchVerdict {
  const program = programOf(facts);
  const faces = facesOf(facts, program);
  const owners = identityOwners(facts, faces, context);
  if (owners.length > 0) return byOwners(owners, facts, { program, faces, context });
  const overridden = overrideFindings(faces, context);
  if (new Set(overridden.map(({ rule }) => rule.engine)).size > 1) {
    const why = 'overrides of several engines name this program';
    return { outcome: 'refused', because: [why], considered: overridden.map((each) => consider(each, why)) };
  }
  const near = interested(program, faces, context);
  const rules = near.filter((rule) => !isExcluded(rule, facts, program));
  if (overridden.length === 0 && near.length === 0) return NOTHING;
  const findings = [
    ...overridden,
    ...rules.flatMap((rule) => findingsOf(rule, faces, program, facts.argv ?? [])),
  ].sort(stronger);
  const silent = near
    .filter((rule) => findings.every((finding) => finding.rule !== rule))
    .map((rule): Considered => {
      const refused = rules.includes(rule) ? UNPROVEN : EXCLUDED;
      return { engine: rule.engine, evidence: null, why: NEAR, refused };
    });
  return settle(findings, silent, rules, facts, { program, faces, context });
}

const NEAR = 'a text of its program is like a name or a place of this engine';
const EXCLUDED = 'lies where another product of this name is installed';
const UNPROVEN = 'none of its names and places fits as a whole, or the name needs proof';

interface Subject {
  readonly program: Program;
  readonly faces: Faces;
  readonly context: MatchContext;
}

function settle(
  findings: readonly Finding[],
  silent: readonly Considered[],
  rules: readonly EngineRule[],
  facts: ProcessFacts,
  { program, faces }: Subject,
): MatchVerdict {
  const best = findings[0];
  if (best) {
    const rival = findings.find(
      (each) => each.rule.engine !== best.rule.engine && stronger(best, each) === 0,
    );
    const weaker = `${best.rule.engine} has the stronger evidence`;
    const all = (why: string): Considered[] => [
      ...findings.map((each) => consider(each, !rival && each.rule === best.rule ? null : why)),
      ...silent,
    ];
    if (!rival) return decided(best, facts, program, all(weaker));
    const why = `named ${best.rule.engine} as well as ${rival.rule.engine} by its ${best.evidence.from}`;
    return { outcome: 'refused', because: [why], considered: all(why) };
  }
  if (isBarrier(faces, rules)) {
    const because = ['a program named agent, without proof of whose it is'];
    return { outcome: 'barrier', because, considered: silent };
  }
  return { ...NOTHING, considered: silent };
}

/** May the file of this program stand for an engine? Not when it runs other programs under its own file. */
export function canOwnIdentity(path: string): boolean {
  const name = programName(path);
  return interpreterOf(name) === null && !MANY_FACED.has(name);
}
