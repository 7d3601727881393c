/**
 * Finds the coding agents of this machine: one cheap look at all processes, the costly facts only of
 * those that could be an agent, then the rules.
 */
import { performance } from 'node:perf_hooks';
import type { ProcessFacts } from '../engines/facts.js';
import type { JudgeContext, Judgement } from '../engines/judge.js';
import type { Fault } from '../process/fault.js';
import { type Answer, answerOf, type Findings, hidingFaults, wholeFaults } from './answer.js';
import type { AgentFault, AgentsEnvelope } from './envelope.js';
import { lookOnce, type OneLook, type PaneHint } from './once.js';
import { type AgentsOptions, type CheckedOptions, checkOptions } from './options.js';
import {
  ambiguousPane,
  inventoryFaults,
  type PlacedEntry,
  placeEntries,
  wantedScreens,
  withScreens,
} from './panes.js';
import { lookAtSessions } from './sessions.js';
import { settingOf } from './setting.js';
import type { AgentTable } from './table.js';
import { Transcripts } from './transcripts.js';
import { turnQueries } from './turns.js';

/** Everything that one look found: the rows, and what they rest on. */
export interface Discovery {
  readonly look: OneLook;
  readonly cheap: AgentTable;
  /** Facts of any process that is no thread of the kernel: of candidates all, of others the cheap ones. */
  readonly factsOf: (pid: number) => ProcessFacts | undefined;
  /** Whose costly facts were read. */
  readonly candidates: ReadonlySet<number>;
  readonly context: JudgeContext;
  readonly judgement: Judgement;
  readonly findings: Findings;
  readonly answer: Answer & { readonly entries: readonly PlacedEntry[] };
  /** About reads as a whole. */
  readonly faults: readonly Fault[];
}

export async function discover(checked: CheckedOptions, hints: readonly PaneHint[] = []): Promise<Discovery> {
  const { table } = checked;
  const setting = settingOf(checked, { given: table && (() => Promise.resolve(table)) });
  const look = await lookOnce(setting, hints);
  const { table: cheap, gathered, lookup, inventory, judgement, owners, context } = look;
  const { judged } = judgement;
  const looks = await lookAtSessions([...judged.values()], setting);
  const linked: Findings = { judged, ...looks, faults: gathered.faults };
  const written = turnQueries(answerOf(linked, checked.all).entries, linked, setting);
  const turns = await new Transcripts(setting.look).read(written);
  const findings: Findings = { ...linked, turns };
  const answer = answerOf(findings, checked.all);
  const placed = placeEntries(answer.entries, owners);
  const wanted = setting.panes ? wantedScreens(placed, lookup) : [];
  const screens = setting.panes ? await setting.panes.screens(wanted) : new Map<string, string>();
  const unasked = inventory ? inventoryFaults(inventory) : [];
  return {
    ...{ look, cheap, factsOf: lookup, candidates: gathered.asked, context, judgement, findings },
    answer: { ...answer, entries: withScreens(placed, screens, lookup) },
    faults: [...cheap.faults, ...gathered.tableFaults, ...looks.faults, ...unasked],
  };
}

/** All that could not be read: as a whole, of the rows, and of whom it hides. */
export function allFaults({ cheap, judgement, answer, faults }: Discovery): AgentFault[] {
  const hiding = [...cheap].filter(({ pid }) => !judgement.judged.has(pid)).flatMap(hidingFaults);
  return [...wholeFaults(faults), ...answer.faults, ...hiding];
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
  const found = await discover(checked);
  return {
    agents: found.answer.entries.map(({ agent }) => agent),
    scanned: found.cheap.size,
    tookMs: performance.now() - began,
    faults: allFaults(found),
    ambiguousPanes: found.look.owners.map(ambiguousPane).filter((each) => each !== null),
  };
}
