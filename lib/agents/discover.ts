/**
 * Finds the coding agents of this machine: one cheap look at all processes, the costly facts only of
 * those that could be an agent, then the rules.
 */
import { performance } from 'node:perf_hooks';
import type { ProcessFacts } from '../engines/facts.js';
import { ENGINES } from '../engines/index.js';
import { type JudgeContext, type Judgement, judge } from '../engines/judge.js';
import type { Fault } from '../process/fault.js';
import { snapshotAsync } from '../process/snapshot.js';
import { type Answer, answerOf, type Findings, hidingFaults, wholeFaults } from './answer.js';
import { candidatesOf } from './candidates.js';
import type { AgentsEnvelope } from './envelope.js';
import { gather, installsOf } from './gather.js';
import { installedPrograms, installQuery } from './installed.js';
import { type AgentsOptions, type CheckedOptions, checkOptions } from './options.js';
import { lookAtSessions } from './sessions.js';
import { CHEAP, settingOf } from './setting.js';
import { type AgentTable, factsOf } from './table.js';
import { Transcripts } from './transcripts.js';
import { turnQueries } from './turns.js';

function userFacts(table: AgentTable): Map<number, ProcessFacts> {
  const all = new Map<number, ProcessFacts>();
  for (const row of table) if (row.kernelThread !== true) all.set(row.pid, factsOf(row));
  return all;
}

/** Everything that one look found: the rows, and what they rest on. */
export interface Discovery {
  readonly cheap: AgentTable;
  /** Facts of any process that is no thread of the kernel: of candidates all, of others the cheap ones. */
  readonly factsOf: (pid: number) => ProcessFacts | undefined;
  /** Whose costly facts were read. */
  readonly candidates: ReadonlySet<number>;
  readonly context: JudgeContext;
  readonly judgement: Judgement;
  readonly findings: Findings;
  readonly answer: Answer;
  /** About reads as a whole. */
  readonly faults: readonly Fault[];
}

export async function discover(checked: CheckedOptions): Promise<Discovery> {
  const { table, procRoot, deadlineMs } = checked;
  const setting = settingOf(checked, table && (() => Promise.resolve(table)));
  const [cheap, installed] = await Promise.all([
    table ?? snapshotAsync({ fields: [...CHEAP], procRoot, deadlineMs }),
    installedPrograms(installQuery(setting), checked.now ?? Date.now),
  ]);
  const all = userFacts(cheap);
  const installs = installsOf(installed, setting);
  const gathered = await gather(candidatesOf(all.values(), installs.filter), installs, setting);
  const byPid = new Map(gathered.facts.map((each) => [each.pid, each]));
  const context: JudgeContext = {
    rules: ENGINES,
    installed,
    overrides: setting.overrides,
    lookup: (pid) => byPid.get(pid) ?? all.get(pid),
    ownerHome: ({ uid }) => (uid === undefined ? null : (gathered.accounts.get(uid) ?? null)),
  };
  const judgement = judge(gathered.facts, context);
  const { judged } = judgement;
  const looks = await lookAtSessions([...judged.values()], setting);
  const linked: Findings = { judged, ...looks, faults: gathered.faults };
  const written = turnQueries(answerOf(linked, checked.all).entries, linked, setting);
  const turns = await new Transcripts(setting.look).read(written);
  const findings: Findings = { ...linked, turns };
  return {
    cheap,
    factsOf: context.lookup,
    candidates: gathered.asked,
    context,
    judgement,
    findings,
    answer: answerOf(findings, checked.all),
    faults: [...cheap.faults, ...gathered.tableFaults, ...looks.faults],
  };
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
  const { cheap, judgement, answer, faults } = await discover(checked);
  const hiding = [...cheap].filter(({ pid }) => !judgement.judged.has(pid)).flatMap(hidingFaults);
  return {
    agents: answer.entries.map(({ agent }) => agent),
    scanned: cheap.size,
    tookMs: performance.now() - began,
    faults: [...wholeFaults(faults), ...answer.faults, ...hiding],
    ambiguousPanes: [],
  };
}
