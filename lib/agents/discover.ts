/**
 * Finds the coding agents of this machine: one cheap look at all processes, the costly facts only of
 * those that could be an agent, then the rules.
 */
import { performance } from 'node:perf_hooks';
import type { ProcessFacts } from '../engines/facts.js';
import { ENGINES } from '../engines/index.js';
import { isSessionKind, type Judged, judge } from '../engines/judge.js';
import type { InstalledProgram, Override } from '../engines/match.js';
import { programOf } from '../engines/program.js';
import { describeFault, type Fault } from '../process/fault.js';
import type { Look } from '../process/look.js';
import { look as lookAtFiles } from '../process/look-files.js';
import { DEFAULT_PROC_ROOT } from '../process/options.js';
import { snapshotAsync } from '../process/snapshot.js';
import { candidatesOf, TextFilter } from './candidates.js';
import type { AgentFault, AgentsEnvelope } from './envelope.js';
import { fileReader, type HeldAnswer, readHeld } from './held.js';
import { installedPrograms } from './installed.js';
import { type AgentsOptions, type CheckedOptions, checkOptions } from './options.js';
import { type RecordLook, readRecords } from './records.js';
import { isContained, linkJudged, rowsOf } from './rows.js';
import { accountHomes, type RealFile, resolveFiles, scriptPath } from './scripts.js';
import { type AgentTable, factsOf } from './table.js';

/** Read of every process. */
const CHEAP = ['argv', 'exe'] as const;
/** Read of candidates only: each costs a call, and some can wait for a file system. */
const COSTLY = ['uid', 'user', 'argv', 'exe', 'exeFile', 'cwd', 'root', 'nspid', 'pidNamespace'] as const;
/** Fields whose absence a row's reader should know of. */
const REPORTED = ['argv', 'exe', 'exeFile', 'cwd', 'env', 'nspid'] as const;

function envKeys(): string[] {
  const keys = ENGINES.flatMap((rule) => [rule.home.variable, ...rule.environment, ...rule.baseUrls]);
  return [...new Set(['HOME', 'USERPROFILE', ...keys])];
}

function overridesOf(options: CheckedOptions): Override[] {
  return ENGINES.flatMap(({ engine }) => {
    const program = options.overrides
      ? options.overrides[engine]
      : process.env[`${engine.toUpperCase()}_PATH`];
    return program ? [{ engine, program }] : [];
  });
}

interface Scan {
  readonly options: CheckedOptions;
  readonly look: Look;
  readonly overrides: readonly Override[];
  readonly installed: readonly InstalledProgram[];
  /** Every process, with the cheap facts. */
  readonly all: ReadonlyMap<number, ProcessFacts>;
}

function userFacts(table: AgentTable): Map<number, ProcessFacts> {
  const all = new Map<number, ProcessFacts>();
  for (const row of table) if (row.kernelThread !== true) all.set(row.pid, factsOf(row));
  return all;
}

/** Pids that deserve the costly facts: named like an agent, or running a script that a link leads to one. */
async function candidatePids(scan: Scan): Promise<number[]> {
  const filter = new TextFilter(ENGINES, scan.installed, scan.overrides);
  const { named, scripted } = candidatesOf(scan.all.values(), filter);
  // The paths of another machine's processes mean nothing here.
  if (scan.options.procRoot !== DEFAULT_PROC_ROOT) return named.map(({ pid }) => pid);
  const paths = scripted.map(({ facts, script }) => scriptPath(facts, script));
  const real = await resolveFiles(
    paths.filter((path) => path !== null),
    scan.look,
  );
  const linked = scripted.filter((_, index) => {
    const path = paths[index] ?? null;
    // Relative to a directory that was not read yet: the costly facts will tell.
    if (path === null) return true;
    const found = real.get(path);
    return found !== undefined && (filter.interests(found.real) || ownsFile(scan.installed, found));
  });
  return [...named, ...linked.map(({ facts }) => facts)].map(({ pid }) => pid);
}

function ownsFile(installed: readonly InstalledProgram[], found: RealFile): boolean {
  return installed.some(({ file }) => file.dev === found.file?.dev && file.ino === found.file.ino);
}

/** The same process as in the first look: a pid may have been given out anew in between. */
function unchanged(before: ProcessFacts | undefined, now: ProcessFacts): boolean {
  return before === undefined || before.startKey === undefined || before.startKey === now.startKey;
}

/** Does the process see other files than we do? Links of a path lead elsewhere there. */
function isElsewhere(facts: ProcessFacts, procRoot: string): boolean {
  const inAnotherRoot = typeof facts.root === 'string' && facts.root !== '/';
  return procRoot !== DEFAULT_PROC_ROOT || isContained(facts) === true || inAnotherRoot;
}

async function withScripts(
  candidates: readonly ProcessFacts[],
  { look, options }: Scan,
): Promise<ProcessFacts[]> {
  const scripts = candidates.map((facts) => {
    const entry = programOf(facts).entry;
    if (entry?.form !== 'script' || isElsewhere(facts, options.procRoot)) return null;
    return { arg: entry.text, path: scriptPath(facts, entry.text) };
  });
  const paths = scripts.flatMap((script) => (script?.path ? [script.path] : []));
  const real = await resolveFiles(paths, look);
  return candidates.map((facts, index) => {
    const script = scripts[index];
    const found = script?.path ? real.get(script.path) : undefined;
    return script && found ? { ...facts, script: { arg: script.arg, ...found } } : facts;
  });
}

async function ownerHomes(
  candidates: readonly ProcessFacts[],
  scan: Scan,
): Promise<(facts: ProcessFacts) => string | null> {
  const known = (facts: ProcessFacts) => typeof facts.env?.['HOME'] === 'string';
  // The accounts of this machine say nothing about the processes of another one.
  if (scan.options.procRoot !== DEFAULT_PROC_ROOT || candidates.every(known)) return () => null;
  const homes = await accountHomes(scan.look);
  return ({ uid }) => (uid === undefined ? null : (homes.get(uid) ?? null));
}

async function recordsOf(judged: Iterable<Judged>, scan: Scan): Promise<ReadonlyMap<number, RecordLook>> {
  const { procRoot } = scan.options;
  const queries = [...judged].flatMap((each) => {
    const rule = each.rule.pidRecord;
    if (!rule || !(isSessionKind(each.kind) || each.kind === 'launcher')) return [];
    const root = isElsewhere(each.facts, procRoot) ? `${procRoot}/${each.facts.pid}/root` : '';
    return [{ judged: each, rule, root }];
  });
  return readRecords(queries, scan.options.homes, scan.look);
}

/** Sessions and what launches them, and the services that hold the files of several. */
async function heldOf(
  judged: ReadonlyMap<number, Judged>,
  scan: Scan,
): Promise<Awaited<ReturnType<typeof readHeld>>> {
  const { procRoot, deadlineMs, homes, table, openFiles } = scan.options;
  const read = openFiles ?? (table ? undefined : fileReader(procRoot, deadlineMs));
  if (!read) return { held: new Map(), faults: [] };
  const queries = [...judged.values()]
    .filter(({ kind }) => kind !== 'helper')
    .map((each) => ({
      judged: each,
      root: isElsewhere(each.facts, procRoot) ? `${procRoot}/${each.facts.pid}/root` : '',
    }));
  return readHeld(queries, homes, read, scan.look);
}

/** What hides an agent altogether: its arguments and image did not come, and not for want of rights. */
function hiddenBy(table: AgentTable, judged: ReadonlyMap<number, Judged>): AgentFault[] {
  const faults: AgentFault[] = [];
  for (const row of table) {
    if (judged.has(row.pid)) continue;
    for (const field of CHEAP) {
      const fault = row.fault(field);
      if (fault && fault.kind !== 'denied' && fault.kind !== 'gone')
        faults.push({ pid: row.pid, field, ...fault });
    }
  }
  return faults;
}

function faultsOf(
  table: AgentTable,
  judged: ReadonlyMap<number, Judged>,
  records: ReadonlyMap<number, RecordLook>,
  held: ReadonlyMap<number, HeldAnswer>,
): AgentFault[] {
  const faults: AgentFault[] = [];
  for (const pid of judged.keys()) {
    const row = table.get(pid);
    for (const field of REPORTED) {
      const fault = row?.fault(field);
      if (fault) faults.push({ pid, field, ...fault });
    }
    const fault = records.get(pid)?.fault;
    if (fault) faults.push({ pid, field: 'session', ...fault });
    const unseen = held.get(pid)?.fault;
    if (unseen) faults.push({ pid, field: 'openFiles', ...unseen });
  }
  return faults;
}

/** Each fault once: two scans of one table may fail alike. */
function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [describeFault(fault), fault])).values()];
}

function notesOf(faults: readonly AgentFault[]): ReadonlyMap<number, readonly string[]> {
  const notes = new Map<number, string[]>();
  for (const fault of faults) {
    if (fault.pid === null) continue;
    const list = notes.get(fault.pid) ?? [];
    list.push(`${fault.field} could not be read: ${describeFault(fault)}`);
    notes.set(fault.pid, list);
  }
  return notes;
}

/**
 * The coding agents that run on this machine: sessions that a person sees, headless runs and editors'
 * sessions; with `all` also their services, helpers and launchers. A process that could not be read
 * whole is a row with null values, and `faults` says why.
 *
 * @throws OptionError for an option that cannot be used, LoadError when no binary loads
 */
export async function agents(options: AgentsOptions = {}): Promise<AgentsEnvelope> {
  const checked = checkOptions(options);
  const began = performance.now();
  const look: Look = checked.look ?? lookAtFiles;
  const now = checked.now ?? Date.now;
  const overrides = overridesOf(checked);
  const { procRoot, deadlineMs } = checked;
  const [cheap, installed] = await Promise.all([
    checked.table ?? snapshotAsync({ fields: [...CHEAP], procRoot, deadlineMs }),
    installedPrograms({
      rules: ENGINES,
      pathEnv: checked.pathEnv ?? process.env['PATH'] ?? '',
      homes: checked.homes,
      overrides,
      look,
      now,
    }),
  ]);
  const scan: Scan = { options: checked, look, overrides, installed, all: userFacts(cheap) };
  const pids = await candidatePids(scan);
  const costly =
    checked.table ??
    (await snapshotAsync({ fields: [...COSTLY], env: envKeys(), pids, procRoot, deadlineMs }));
  const facts = pids.flatMap((pid) => {
    const row = costly.get(pid);
    const found = row && factsOf(row);
    return found && unchanged(scan.all.get(pid), found) ? [found] : [];
  });
  const candidates = await withScripts(facts, scan);
  const byPid = new Map(candidates.map((each) => [each.pid, each]));
  const { judged } = judge(candidates, {
    rules: ENGINES,
    installed,
    overrides,
    lookup: (pid) => byPid.get(pid) ?? scan.all.get(pid),
    ownerHome: await ownerHomes(candidates, scan),
  });
  const [records, { held, faults: heldFaults }] = await Promise.all([
    recordsOf(judged.values(), scan),
    heldOf(judged, scan),
  ]);
  const found = faultsOf(costly, judged, records, held);
  const linked = [...judged].map(
    ([pid, each]) => [pid, linkJudged(each, records.get(pid), held.get(pid))] as const,
  );
  const rows = rowsOf(new Map(linked), notesOf(found), checked.all);
  const shown = new Set(rows.map(({ pid }) => pid));
  const tableFaults = distinct([...cheap.faults, ...costly.faults, ...heldFaults]);
  return {
    agents: rows,
    scanned: cheap.size,
    tookMs: performance.now() - began,
    faults: [
      ...tableFaults.map((fault) => ({ pid: null, field: null, ...fault })),
      ...found.filter(({ pid }) => pid !== null && shown.has(pid)),
      ...hiddenBy(cheap, judged),
    ],
    ambiguousPanes: [],
  };
}
