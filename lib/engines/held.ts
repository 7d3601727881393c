/**
 * From the files that a process has open to the session that it writes. Pure: what the kernel shows of
 * its descriptors in, a verdict out.
 */
import type { ProcessFacts } from './facts.js';
import { type HeldVerdict, NOTHING_HELD, type RefusedSession } from './link.js';
import { isBelow, joinPath, withSlashes } from './path.js';
import type { HeldFileRule, HeldFilesRule } from './rule.js';

/** One descriptor. */
export interface HeldFile {
  /** As the kernel names it, with every link resolved. */
  readonly path: string;
  /** `file`, `directory` ...; undefined = could not be told. */
  readonly kind: string | undefined;
  readonly deleted: boolean | undefined;
  /** Whether it carries an exclusive flock; undefined = its locks could not be read. */
  readonly flocked: boolean | undefined;
}

/** Where files of a rule lie for one process, before any link is resolved. */
export interface HeldPlace {
  readonly rule: HeldFileRule;
  /** The folder out of which no link may lead. */
  readonly anchor: string;
  /** The engine's own folder: it may be a link of the user's. */
  readonly config: string;
  readonly folder: string;
}

/** A place with its links resolved: null = nothing to look for; undefined = could not look. */
export interface HeldFolder {
  readonly rule: HeldFileRule;
  readonly folder: string | null | undefined;
}

export interface HeldLook {
  /** Undefined = could not be read, or nobody asked. */
  readonly files: readonly HeldFile[] | undefined;
  readonly folders: readonly HeldFolder[];
  readonly notes: readonly string[];
}

/** The engine's own folder below a home, and the folder out of which no link may lead. */
export interface HeldHome {
  readonly anchor: string;
  readonly config: string;
}

const TMP = '/tmp';

/** The places of all rules for one process; `homes` are its own and those that the caller adds. */
export function placesOf(
  { files }: HeldFilesRule,
  facts: ProcessFacts,
  homes: readonly HeldHome[],
): HeldPlace[] {
  return files.flatMap((rule): HeldPlace[] => {
    const { place } = rule;
    if ('home' in place) {
      return homes.map((home) => ({ rule, ...home, folder: joinPath(home.config, place.home) }));
    }
    if (facts.uid === undefined) return [];
    return [{ rule, anchor: TMP, config: TMP, folder: joinPath(TMP, `${place.tmp}${facts.uid}`) }];
  });
}

interface Finding {
  readonly id: string;
  readonly rule: HeldFileRule;
  readonly file: HeldFile;
}

function findingsOf(files: readonly HeldFile[], folders: readonly HeldFolder[]): Finding[] {
  return folders.flatMap(({ rule, folder }) =>
    files.flatMap((file): Finding[] => {
      if (typeof folder !== 'string' || file.deleted === true || !isBelow(file.path, folder)) return [];
      if (file.kind !== undefined && file.kind !== rule.kind) return [];
      const below = withSlashes(file.path).slice(withSlashes(folder).replace(/\/+$/, '').length + 1);
      const id = rule.path.exec(below)?.[1];
      return id === undefined ? [] : [{ id, rule, file }];
    }),
  );
}

/** Findings by session; ids are compared without regard to case. */
function bySession(findings: readonly Finding[]): Map<string, Finding[]> {
  const sessions = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = finding.id.toLowerCase();
    sessions.set(key, [...(sessions.get(key) ?? []), finding]);
  }
  return sessions;
}

/** A lock file that is open without its lock: everybody may open it. */
function emptyLock({ rule, file }: Finding): string {
  return file.flocked === undefined
    ? `session: the ${rule.what} ${file.path} is open, and whether it is held could not be looked at`
    : `session: the ${rule.what} ${file.path} is open but not held, which proves nothing`;
}

function reasonOf({ rule, file }: Finding): string {
  return rule.proof === 'flock'
    ? `session: it holds the ${rule.what} ${file.path}`
    : `session: it has the ${rule.what} ${file.path} open`;
}

function refusals(
  sessions: readonly (readonly Finding[])[],
  why: string,
): Pick<HeldVerdict, 'refused' | 'because'> {
  const refused: RefusedSession[] = sessions.map(([first]) => ({ id: (first as Finding).id, why }));
  return { refused, because: refused.map(({ id }) => `session: ${id} is not taken: ${why}`) };
}

/**
 * The session that the open files of a process prove. A held lock goes before an open file; several
 * sessions of equal proof are refused.
 */
export function heldVerdict(rules: HeldFilesRule, look: HeldLook | undefined): HeldVerdict {
  const unread = { ...NOTHING_HELD, gap: 'its open files were not looked at' };
  if (look?.files === undefined) return unread;
  const findings = findingsOf(look.files, look.folders);
  const held = findings.filter(({ rule, file }) => rule.proof === 'flock' && file.flocked === true);
  const open = findings.filter(({ rule }) => rule.proof === 'open');
  const idle = findings.filter(({ rule, file }) => rule.proof === 'flock' && file.flocked !== true);
  const locked = bySession(held);
  const all = bySession([...open, ...held]);
  const candidates = locked.size > 0 ? locked : all;
  const notes = [...look.notes, ...idle.map(emptyLock)];
  if (candidates.size === 0) {
    const partly = look.folders.some(({ folder }) => folder === undefined);
    return { ...NOTHING_HELD, because: notes, gap: partly ? unread.gap : rules.gap };
  }
  if (candidates.size > 1) {
    const why =
      locked.size > 0
        ? `this process holds the locks of ${locked.size} sessions`
        : `this process has ${all.size} sessions open, and no lock tells which one it writes`;
    const { refused, because } = refusals([...all.values()], why);
    const contested = refused.map(({ id }) => id);
    const gap = 'its open files name several';
    return { claim: null, refused, contested, because: [...notes, ...because], gap };
  }
  const [key] = candidates.keys();
  const proofs = all.get(key as string) as Finding[];
  const others = [...all].filter(([id]) => id !== key).map(([, each]) => each);
  const { refused, because } = refusals(others, 'this process holds the lock of another session');
  const { id, file } = proofs[0] as Finding;
  return {
    claim: { id, grade: 'exact', source: locked.size > 0 ? 'lock' : 'open-file', path: file.path },
    refused,
    contested: [],
    because: [...notes, ...proofs.map(reasonOf), ...because],
    gap: null,
  };
}
