/**
 * Finds the coding agents of this machine: one cheap look at all processes, the costly facts only of
 * those that could be an agent, then the rules.
 */
import { performance } from 'node:perf_hooks';
import { answerOf, hidingFaults, wholeFaults } from './answer.js';
import type { AgentFault, AgentsEnvelope } from './envelope.js';
import { lookOnce, type OneLook } from './once.js';
import { type AgentsOptions, checkOptions } from './options.js';
import {
  ambiguousPane,
  inventoryFaults,
  type PlacedEntry,
  placeEntries,
  readScreens,
  wantedScreens,
  withScreens,
} from './panes.js';
import { lookAtSessions } from './sessions.js';
import { type Setting, settingOf } from './setting.js';
import { Transcripts } from './transcripts.js';
import { turnQueries } from './turns.js';

export interface Rows {
  readonly entries: readonly PlacedEntry[];
  readonly faults: readonly AgentFault[];
}

/** The rows of a look: sessions, states and panes. */
export async function rowsOf(look: OneLook, setting: Setting): Promise<Rows> {
  const { table, gathered, lookup, inventory, owners } = look;
  const { judged } = look.judgement;
  const looks = await lookAtSessions([...judged.values()], setting);
  const findings = { judged, ...looks, faults: gathered.faults };
  const linked = answerOf(findings, setting.options.all).entries;
  const turns = await new Transcripts(setting.look).read(turnQueries(linked, findings, setting));
  const answer = answerOf({ ...findings, turns }, setting.options.all);
  const placed = placeEntries(answer.entries, owners);
  const screens = setting.panes
    ? await readScreens(wantedScreens(placed, lookup), setting.panes.screen)
    : new Map<string, string>();
  const whole = [...table.faults, ...gathered.tableFaults, ...looks.faults];
  const hiding = [...table].filter(({ pid }) => !judged.has(pid)).flatMap(hidingFaults);
  return {
    entries: withScreens(placed, screens, lookup),
    faults: [
      ...wholeFaults([...whole, ...(inventory ? inventoryFaults(inventory) : [])]),
      ...answer.faults,
      ...hiding,
    ],
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
  const { table } = checked;
  const setting = settingOf(checked, table && (() => Promise.resolve(table)));
  const look = await lookOnce(setting);
  const { entries, faults } = await rowsOf(look, setting);
  return {
    agents: entries.map(({ agent }) => agent),
    scanned: look.table.size,
    tookMs: performance.now() - began,
    faults,
    ambiguousPanes: look.owners.map(ambiguousPane).filter((each) => each !== null),
  };
}
