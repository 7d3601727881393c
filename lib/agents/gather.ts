/** From candidates to their facts: the costly ones of these processes alone, and the scripts behind links. */
import type { ProcessFacts } from '../engines/facts.js';
import { ENGINES } from '../engines/index.js';
import type { InstalledProgram } from '../engines/match.js';
import { programOf } from '../engines/program.js';
import type { Fault } from '../process/fault.js';
import { DEFAULT_PROC_ROOT } from '../process/options.js';
import { type Candidates, TextFilter } from './candidates.js';
import type { AgentFault } from './envelope.js';
import { type PackageLook, readPackages } from './packages.js';
import { isContained } from './rows.js';
import { accountHomes, type RealFile, resolveFiles, scriptPath } from './scripts.js';
import type { Setting } from './setting.js';
import { type AgentRow, factsOf } from './table.js';

/** Fields whose absence a row's reader should know of. */
const REPORTED = ['argv', 'exe', 'exeFile', 'cwd', 'env', 'nspid'] as const;

/** What is known of the programs of engines, and which texts could name one. */
export interface Installs {
  readonly installed: readonly InstalledProgram[];
  readonly filter: TextFilter;
}

export interface Gathered {
  /** Whose facts were asked for: the others run scripts that lead to no agent. */
  readonly asked: ReadonlySet<number>;
  readonly facts: readonly ProcessFacts[];
  /** What could not be read of a process, by pid. */
  readonly faults: ReadonlyMap<number, readonly AgentFault[]>;
  /** About the reading as a whole. */
  readonly tableFaults: readonly Fault[];
  /** Homes of accounts by uid, where a process does not tell its own. */
  readonly accounts: ReadonlyMap<number, string>;
}

export function installsOf(installed: readonly InstalledProgram[], { overrides }: Setting): Installs {
  return { installed, filter: new TextFilter(ENGINES, installed, overrides) };
}

function ownsFile(installed: readonly InstalledProgram[], found: RealFile): boolean {
  return installed.some(({ file }) => file.dev === found.file?.dev && file.ino === found.file.ino);
}

/** Those that are named like an agent, and those that run a script that a link leads to one. */
async function worthReading(
  { named, scripted }: Candidates,
  { installed, filter }: Installs,
  { options, look }: Setting,
): Promise<readonly ProcessFacts[]> {
  // The paths of another machine's processes mean nothing here.
  if (scripted.length === 0 || options.procRoot !== DEFAULT_PROC_ROOT) return named;
  const paths = scripted.map(({ facts, script }) => scriptPath(facts, script));
  const real = await resolveFiles(
    paths.filter((path) => path !== null),
    look,
  );
  const linked = scripted.filter((_, index) => {
    const path = paths[index] ?? null;
    // Relative to a directory that was not read yet: the costly facts will tell.
    if (path === null) return true;
    const found = real.get(path);
    return found !== undefined && (filter.interests(found.real) || ownsFile(installed, found));
  });
  return [...named, ...linked.map(({ facts }) => facts)];
}

/** The same process as in the first look: a pid may have been given out anew in between. */
function unchanged(before: ProcessFacts, now: ProcessFacts): boolean {
  return before.startKey === undefined || before.startKey === now.startKey;
}

/** Does the process see other files than we do? Links of a path lead elsewhere there. */
export function isElsewhere(facts: ProcessFacts, procRoot: string): boolean {
  const inAnotherRoot = typeof facts.root === 'string' && facts.root !== '/';
  return procRoot !== DEFAULT_PROC_ROOT || isContained(facts) === true || inAnotherRoot;
}

async function withScripts(
  candidates: readonly ProcessFacts[],
  { look, options }: Setting,
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

/** Below what the paths of a process lie for us; empty = nothing. */
export function viewOf(facts: ProcessFacts, procRoot: string): string {
  return isElsewhere(facts, procRoot) ? `${procRoot}/${facts.pid}/root` : '';
}

function withVersion(facts: ProcessFacts, found: PackageLook | undefined): ProcessFacts {
  if (found === undefined) return { ...facts, version: null };
  return 'fault' in found ? facts : { ...facts, version: found.version };
}

async function accountsFor(
  candidates: readonly ProcessFacts[],
  { options, look }: Setting,
): Promise<ReadonlyMap<number, string>> {
  const known = (facts: ProcessFacts) => typeof facts.env?.['HOME'] === 'string';
  // The accounts of this machine say nothing about the processes of another one.
  if (options.procRoot !== DEFAULT_PROC_ROOT || candidates.every(known)) return new Map();
  return accountHomes(look);
}

export function fieldFaults(row: AgentRow): AgentFault[] {
  return REPORTED.flatMap((field) => {
    const fault = row.fault(field);
    return fault ? [{ pid: row.pid, field, ...fault }] : [];
  });
}

/** The facts of candidates; whoever ended or gave its pid away meanwhile is left out. */
export async function gather(
  candidates: Candidates,
  installs: Installs,
  setting: Setting,
): Promise<Gathered> {
  const wanted = await worthReading(candidates, installs, setting);
  if (wanted.length === 0) {
    return { asked: new Set(), facts: [], faults: new Map(), tableFaults: [], accounts: new Map() };
  }
  const asked = new Set(wanted.map(({ pid }) => pid));
  const table = await setting.readRows([...asked], 'whole');
  const faults = new Map<number, readonly AgentFault[]>();
  const read = wanted.flatMap((before) => {
    const row = table.get(before.pid);
    const found = row && factsOf(row);
    if (!found || !unchanged(before, found)) return [];
    faults.set(before.pid, fieldFaults(row));
    return [found];
  });
  const scripted = await withScripts(read, setting);
  const packages = await readPackages(scripted, (each) => viewOf(each, setting.options.procRoot), setting);
  for (const [pid, found] of packages) {
    if (!('fault' in found)) continue;
    faults.set(pid, [...(faults.get(pid) ?? []), { pid, field: 'version', ...found.fault }]);
  }
  const facts = scripted.map((each) => withVersion(each, packages.get(each.pid)));
  return { asked, facts, faults, tableFaults: table.faults, accounts: await accountsFor(facts, setting) };
}
