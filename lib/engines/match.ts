/**
 * From a process to its engine. Only the program is evidence: the image, the word it was called by,
 * comm, and the script of an interpreter; never later arguments.
 */
import type { FileIdentity, ProcessFacts } from './facts.js';
import { type Interest, interestOf, type Override } from './interest.js';
import { interpreterOf } from './interpreter.js';
import { commName, isAbsolute, programName, withSlashes } from './path.js';
import { derive, type Program, programOf } from './program.js';
import type { AgentKind, EngineRule, Source } from './rule.js';

export type EvidenceRule =
  | 'file-identity'
  | 'explicit-override'
  | 'native-or-process-name'
  | 'package-entrypoint';

export const SCORES: Readonly<Record<EvidenceRule, number>> = {
  'file-identity': 4,
  'explicit-override': 4,
  'native-or-process-name': 3,
  'package-entrypoint': 2,
};

export interface Evidence {
  readonly rule: EvidenceRule;
  readonly score: number;
  readonly from: Place;
  readonly confidence: 'high' | 'low';
}

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

export type MatchVerdict =
  | {
      readonly outcome: 'engine';
      readonly rule: EngineRule;
      readonly evidence: Evidence;
      /** The kind that the place of the program decides. */
      readonly placeKind: AgentKind | null;
      readonly because: readonly string[];
    }
  /** `barrier`: a program called `agent`, which more than one engine installs. */
  | { readonly outcome: 'none' | 'refused' | 'barrier'; readonly because: readonly string[] };

const NOTHING: MatchVerdict = { outcome: 'none', because: [] };

/** Where in a process the evidence stands. */
export type Place = 'exe' | 'script' | 'argv[0]' | 'comm' | 'arguments';

interface Finding {
  readonly rule: EngineRule;
  readonly evidence: Evidence;
  readonly because: string;
}

const PLACES: readonly Place[] = ['exe', 'script', 'arguments', 'argv[0]', 'comm'];
/** Images that run other programs under their own file: their identity owns nothing. */
const MANY_FACED = new Set(['env', 'ori', 'busybox', 'toybox', 'coreutils', 'sudo', 'doas', 'script']);
const ARGUMENTS_OF_PROOF = 8;
const COMM_BYTES = 15;

function sameFile(left: FileIdentity | undefined, right: FileIdentity): boolean {
  return left !== undefined && left.dev === right.dev && left.ino === right.ino;
}

function said(source: Source): string {
  return `${source.how} ${source.date}${source.version === null ? '' : `, version ${source.version}`}`;
}

function evidenceOf(rule: EvidenceRule, from: Place, low: boolean): Evidence {
  return { rule, score: SCORES[rule], from, confidence: low ? 'low' : 'high' };
}

/** The names and paths of a program, place by place. */
interface Faces {
  readonly image: string | null;
  readonly scripts: readonly string[];
  readonly word: string | null;
  readonly comm: string | null;
  /** The image is readable and no program that runs others: argv[0], comm and script may lie. */
  readonly imageSpeaks: boolean;
}

function facesOf(facts: ProcessFacts, program: Program): Faces {
  const image = typeof program.image === 'string' ? program.image : null;
  const imageName = image === null ? '' : programName(image);
  const imageRuns = interpreterOf(imageName) !== null || MANY_FACED.has(imageName);
  const entry = program.entry?.form === 'script' ? program.entry.text : null;
  const real = facts.script !== undefined && facts.script.arg === entry ? facts.script.real : null;
  return {
    image: imageRuns ? null : image,
    scripts: [real, entry].filter((text) => text !== null),
    word: program.interpreter !== null && program.entry !== null ? null : (program.word ?? null),
    comm: program.comm,
    imageSpeaks: image !== null && !imageRuns,
  };
}

function nameFinding(
  rule: EngineRule,
  place: Place,
  text: string,
  low: boolean,
  settled = false,
): Finding | null {
  const name = place === 'comm' ? commName(text) : programName(text);
  const found = rule.names.find(
    (each) =>
      (typeof each.name === 'string' ? each.name === name : each.name.test(name)) &&
      !(place === 'script' ? each.nativeOnly : each.entryOnly),
  );
  if (!found) return null;
  return {
    rule,
    evidence: evidenceOf('native-or-process-name', place, low || (found.shared === true && !settled)),
    because: `${place}: ${name} is a name of ${rule.engine} (${said(found.source)})`,
  };
}

function layoutFinding(
  rule: EngineRule,
  of: 'image' | 'entry' | 'module',
  path: string,
  low: boolean,
): Finding | null {
  const found = rule.layouts.find((layout) => layout.of === of && layout.path.matches(path));
  if (!found) return null;
  const by = of === 'image' ? 'native-or-process-name' : 'package-entrypoint';
  return {
    rule,
    evidence: evidenceOf(by, of === 'image' ? 'exe' : 'script', low),
    because: `${of}: ${of === 'module' ? `a module of ${rule.engine}` : `lies where ${rule.engine} is installed`}, ${found.path.text} (${said(found.source)})`,
  };
}

/** Paths at which `facts` could show that the program belongs to another product. */
function isExcluded(rule: EngineRule, facts: ProcessFacts, program: Program): boolean {
  // argv[0] is text that anybody may set: it speaks only where the image cannot be read.
  const path = typeof facts.exe === 'string' ? facts.exe : program.word;
  return path !== undefined && rule.excluded.some((pattern) => pattern.matches(path));
}

function argumentProof(
  rule: EngineRule,
  faces: Faces,
  program: Program,
  argv: readonly string[],
  doubtful: boolean,
): Finding | null {
  const named = [program.word, faces.image].some(
    (text) =>
      typeof text === 'string' &&
      (rule.namesWithProof.includes(programName(text)) || nameFinding(rule, 'argv[0]', text, false) !== null),
  );
  const shown = argv
    .slice(1, 1 + ARGUMENTS_OF_PROOF)
    .some((item) => rule.argumentProof.some((pattern) => pattern.matches(item)));
  if (!named || !shown) return null;
  return {
    rule,
    evidence: evidenceOf('native-or-process-name', 'arguments', doubtful),
    because: `arguments: a path of ${rule.engine}'s versions folder among the first ${ARGUMENTS_OF_PROOF}`,
  };
}

function findingsOf(rule: EngineRule, faces: Faces, program: Program, argv: readonly string[]): Finding[] {
  const found: (Finding | null)[] = [];
  const { image, imageSpeaks } = faces;
  const byImage = image === null ? null : layoutFinding(rule, 'image', image, false);
  const imageName = image === null ? null : nameFinding(rule, 'exe', image, false);
  found.push(byImage, imageName);
  // An image that speaks and says something else makes every other face doubtful.
  const doubtful = imageSpeaks && byImage === null && imageName === null;
  const placed = faces.scripts.map((script) => layoutFinding(rule, 'entry', script, doubtful));
  // The vendor's folder settles a name that others use too.
  const settled = placed.some((each) => each !== null);
  found.push(...placed);
  for (const script of faces.scripts) found.push(nameFinding(rule, 'script', script, doubtful, settled));
  if (program.entry?.form === 'module') {
    found.push(layoutFinding(rule, 'module', program.entry.text, doubtful));
  }
  if (faces.word !== null) {
    found.push(nameFinding(rule, 'argv[0]', faces.word, doubtful || program.retitled));
    if (!imageSpeaks && isAbsolute(faces.word)) found.push(layoutFinding(rule, 'image', faces.word, false));
  }
  if (program.interpreter !== null && program.entry === null && typeof program.image === 'string') {
    // An interpreter that is the engine's own copy, where argv does not tell what it runs.
    found.push(layoutFinding(rule, 'image', program.image, false));
  }
  if (faces.comm !== null) found.push(nameFinding(rule, 'comm', faces.comm, doubtful));
  found.push(argumentProof(rule, faces, program, argv, doubtful));
  return found.filter((finding) => finding !== null);
}

function stronger(left: Finding, right: Finding): number {
  return (
    right.evidence.score - left.evidence.score ||
    PLACES.indexOf(left.evidence.from) - PLACES.indexOf(right.evidence.from) ||
    Number(right.evidence.confidence === 'high') - Number(left.evidence.confidence === 'high')
  );
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

function overrideFinding(override: Override, rule: EngineRule, faces: Faces): Finding | null {
  const target = withSlashes(override.program);
  const isPath = target.includes('/');
  const name = programName(target);
  // Two engines install a program called `agent`: its bare name settles nothing.
  if (!isPath && (name === 'agent' || name === '')) return null;
  const paths = [faces.image, ...faces.scripts, faces.word].filter((text) => text !== null);
  const byText = paths.some((text) => (isPath ? withSlashes(text) === target : programName(text) === name));
  const comm = faces.comm ?? '';
  // The kernel cuts comm at 15 bytes: exactly that many may be the head of a longer name.
  const byComm =
    !isPath &&
    comm !== '' &&
    (comm.toLowerCase() === name ||
      (Buffer.byteLength(comm) === COMM_BYTES && name.startsWith(comm.toLowerCase())));
  if (!byText && !byComm) return null;
  const from = !byText ? 'comm' : faces.imageSpeaks ? 'exe' : 'script';
  return {
    rule,
    evidence: evidenceOf('explicit-override', from, false),
    because: `override: ${rule.engine.toUpperCase()}_PATH names this program`,
  };
}

function overrideFindings(faces: Faces, context: MatchContext): Finding[] {
  return context.overrides.flatMap((override) => {
    const rule = context.rules.find(({ engine }) => engine === override.engine);
    const finding = rule && overrideFinding(override, rule, faces);
    return finding ? [finding] : [];
  });
}

function decided(finding: Finding, facts: ProcessFacts, program: Program): MatchVerdict {
  const doubt = finding.evidence.from === 'script' ? (program.entry?.doubt ?? null) : null;
  const places = [program.image, program.word, program.entry?.text, facts.script?.real];
  const layout = finding.rule.layouts.find(
    ({ kind, path }) =>
      kind !== undefined && places.some((text) => typeof text === 'string' && path.matches(text)),
  );
  return {
    outcome: 'engine',
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

/** Which engine is this process, and what says so? */
export function matchProcess(facts: ProcessFacts, context: MatchContext): MatchVerdict {
  // No image and no arguments, though both were read: a thread of the kernel.
  if (facts.exe === null && facts.argv?.length === 0) return NOTHING;
  const interest = interestOf(context.rules, context.overrides);
  return isNothing(facts, interest, context.installed) ? NOTHING : matchByRules(facts, context);
}

/** The same without the quick question before it. */
export function matchByRules(facts: ProcessFacts, context: MatchContext): MatchVerdict {
  const program = programOf(facts);
  const faces = facesOf(facts, program);
  const owners = identityOwners(facts, faces, context);
  const owner = owners[0];
  if (owner) {
    const engines = [...new Set(owners.map(({ engine }) => engine))];
    if (engines.length > 1) {
      return {
        outcome: 'refused',
        because: [`the file of this program is installed as ${engines.join(' and as ')}`],
      };
    }
    const rule = context.rules.find(({ engine }) => engine === owner.engine);
    if (!rule || isExcluded(rule, facts, program)) return NOTHING;
    return decided(
      {
        rule,
        evidence: evidenceOf('file-identity', faces.scripts.length > 0 ? 'script' : 'exe', false),
        because: `file identity: the very file that is installed as ${owner.path}`,
      },
      facts,
      program,
    );
  }
  const overridden = overrideFindings(faces, context);
  if (new Set(overridden.map(({ rule }) => rule.engine)).size > 1) {
    return { outcome: 'refused', because: ['overrides of several engines name this program'] };
  }
  const rules = interested(program, faces, context).filter((rule) => !isExcluded(rule, facts, program));
  if (overridden.length === 0 && rules.length === 0) return NOTHING;
  const findings = [
    ...overridden,
    ...rules.flatMap((rule) => findingsOf(rule, faces, program, facts.argv ?? [])),
  ].sort(stronger);
  const best = findings[0];
  if (best) {
    const rival = findings.find(
      (each) => each.rule.engine !== best.rule.engine && stronger(best, each) === 0,
    );
    if (!rival) return decided(best, facts, program);
    return {
      outcome: 'refused',
      because: [`named ${best.rule.engine} as well as ${rival.rule.engine} by its ${best.evidence.from}`],
    };
  }
  if (isBarrier(faces, rules)) {
    return { outcome: 'barrier', because: ['a program named agent, without proof of whose it is'] };
  }
  return NOTHING;
}

/** May the file of this program stand for an engine? Not when it runs other programs under its own file. */
export function canOwnIdentity(path: string): boolean {
  const name = programName(path);
  return interpreterOf(name) === null && !MANY_FACED.has(name);
}
