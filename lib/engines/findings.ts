/**
 * What speaks for an engine: the names and places of one process, held against the rules of one engine,
 * and the user's overrides.
 */
import type { ProcessFacts } from './facts.js';
import type { Override } from './interest.js';
import { interpreterOf } from './interpreter.js';
import { commName, isAbsolute, programName, withSlashes } from './path.js';
import type { Program } from './program.js';
import type { EngineRule, Source } from './rule.js';

export type EvidenceRule =
  | 'file-identity'
  | 'explicit-override'
  | 'native-or-process-name'
  | 'package-entrypoint'
  | 'pane-hook-hint';

export const SCORES: Readonly<Record<EvidenceRule, number>> = {
  'file-identity': 4,
  'explicit-override': 4,
  'native-or-process-name': 3,
  'package-entrypoint': 2,
  'pane-hook-hint': 1,
};

export interface Evidence {
  readonly rule: EvidenceRule;
  readonly score: number;
  readonly from: Place;
  readonly confidence: 'high' | 'low';
}

/** Where in a process the evidence stands. */
export type Place = 'exe' | 'script' | 'argv[0]' | 'comm' | 'arguments' | 'hint';

export interface Finding {
  readonly rule: EngineRule;
  readonly evidence: Evidence;
  readonly because: string;
}

const PLACES: readonly Place[] = ['exe', 'script', 'arguments', 'argv[0]', 'comm'];
/** Images that run other programs under their own file: their identity owns nothing. */
export const MANY_FACED = new Set(['env', 'ori', 'busybox', 'toybox', 'coreutils', 'sudo', 'doas', 'script']);
const ARGUMENTS_OF_PROOF = 8;
const COMM_BYTES = 15;

function said(source: Source): string {
  return `${source.how} ${source.date}${source.version === null ? '' : `, version ${source.version}`}`;
}

export function evidenceOf(rule: EvidenceRule, from: Place, low: boolean): Evidence {
  return { rule, score: SCORES[rule], from, confidence: low ? 'low' : 'high' };
}

/** The names and paths of a program, place by place. */
export interface Faces {
  readonly image: string | null;
  readonly scripts: readonly string[];
  readonly word: string | null;
  readonly comm: string | null;
  /** The image is readable and no program that runs others: argv[0], comm and script may lie. */
  readonly imageSpeaks: boolean;
}

export function facesOf(facts: ProcessFacts, program: Program): Faces {
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
export function isExcluded(rule: EngineRule, facts: ProcessFacts, program: Program): boolean {
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

export function findingsOf(
  rule: EngineRule,
  faces: Faces,
  program: Program,
  argv: readonly string[],
): Finding[] {
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

export function stronger(left: Finding, right: Finding): number {
  return (
    right.evidence.score - left.evidence.score ||
    PLACES.indexOf(left.evidence.from) - PLACES.indexOf(right.evidence.from) ||
    Number(right.evidence.confidence === 'high') - Number(left.evidence.confidence === 'high')
  );
}

export function overrideFinding(override: Override, rule: EngineRule, faces: Faces): Finding | null {
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
