/** Which agent owns which pane, and what its screen tells. */

import type { Lookup } from '../engines/family.js';
import { ENGINES } from '../engines/index.js';
import { isSessionKind, type Judgement } from '../engines/judge.js';
import { type Ownership, ownersOf } from '../engines/owner.js';
import { needsScreen, withScreen } from '../engines/screens/index.js';
import type { Fault } from '../process/fault.js';
import { captureAll } from '../tmux/capture.js';
import type { TmuxOptions } from '../tmux/options.js';
import type { Pane } from '../tmux/pane.js';
import { type PaneInventory, panesAgain } from '../tmux/panes.js';
import { SilentServers } from '../tmux/silent.js';
import type { Agent, AgentPane, AmbiguousPane } from './envelope.js';
import type { AgentsOptions } from './options.js';
import type { Entry } from './rows.js';

/** `previous`: the answer before. `thorough`: also look for servers in places where none was before. */
export type ReadPanes = (previous: PaneInventory | undefined, thorough: boolean) => Promise<PaneInventory>;

/** Text of the visible screen without escape sequences; null = no such pane; undefined = could not be read. */
export type ReadScreen = (pane: Pane) => Promise<string | null | undefined>;

/** By the key of the pane: what was on the screens that could be read. */
export type Screens = ReadonlyMap<string, string>;

export interface PaneReader {
  readonly read: ReadPanes;
  readonly screens: (panes: readonly Pane[]) => Promise<Screens>;
  readonly excluded: ReadonlySet<number>;
}

async function ownScreens(panes: readonly Pane[], until: TmuxOptions): Promise<Screens> {
  const answers = await captureAll(panes, { ...until, visible: true, ansi: false });
  return screensOf(
    panes,
    answers.map((answer) => (answer.ok ? answer.text : undefined)),
  );
}

function screensOf(panes: readonly Pane[], texts: readonly (string | null | undefined)[]): Screens {
  return new Map(
    panes.flatMap(({ key }, at) => (typeof texts[at] === 'string' ? [[key, texts[at]] as const] : [])),
  );
}

/**
 * How panes are asked for; null = they are not. `own`: the processes are those of this machine. `closing` ends what is
 * under way.
 */
export function paneReader(options: AgentsOptions, own: boolean, closing?: AbortSignal): PaneReader | null {
  const { tmuxSockets, readPanes, readScreen, exclude = own ? [process.pid] : [] } = options;
  const excluded = new Set(exclude);
  const until: TmuxOptions = closing === undefined ? {} : { signal: closing };
  const screens = readScreen
    ? async (panes: readonly Pane[]) => screensOf(panes, await Promise.all(panes.map(readScreen)))
    : (panes: readonly Pane[]) => ownScreens(panes, until);
  if (readPanes) return { read: readPanes, screens, excluded };
  if (tmuxSockets ? tmuxSockets.length === 0 : !own) return null;
  const silent = new SilentServers();
  const read: ReadPanes = (previous, thorough) =>
    panesAgain(
      {
        ...until,
        ...(tmuxSockets === undefined ? { processes: thorough } : { tmuxSockets }),
        ...(previous === undefined ? {} : { previous }),
      },
      silent,
    );
  return { read, screens, excluded };
}

export function agentPane(pane: Pane): AgentPane {
  const { socket, server, id, sessionName, sessionId, windowId, rootPid, title, dead } = pane;
  return { socket, server, id, sessionName, sessionId, windowId, rootPid, title, dead };
}

/** What went wrong with an inventory; none of it is about a process. */
export function inventoryFaults(inventory: PaneInventory): Fault[] {
  const failed = inventory.servers.flatMap((server) =>
    server.state === 'failed' ? [server.failure.fault] : [],
  );
  return inventory.state === 'failed' ? [...inventory.faults, ...failed] : failed;
}

export interface OwnerQuestion {
  readonly judgement: Judgement;
  readonly lookup: Lookup;
  readonly excluded: ReadonlySet<number>;
}

export interface PaneOwner {
  readonly pane: Pane;
  readonly ownership: Ownership;
}

const NOBODY: Ownership = { outcome: 'none' };

/** Of every pane. A dead one has no owner: its process has ended. */
export function paneOwners(all: readonly Pane[], question: OwnerQuestion): PaneOwner[] {
  const living = all.filter(({ dead }) => !dead);
  const roots = living.map(({ rootPid, server }) => ({ pid: rootPid, serverPid: server.pid }));
  const owners = ownersOf(roots, { ...question, rules: ENGINES });
  return all.map((pane) => ({
    pane,
    ownership: pane.dead ? NOBODY : (owners.get(pane.rootPid) ?? NOBODY),
  }));
}

export function ambiguousPane({ pane, ownership }: PaneOwner): AmbiguousPane | null {
  if (ownership.outcome !== 'ambiguous') return null;
  const { reason, override, contenders } = ownership;
  return { pane: agentPane(pane), reason, override, contenders };
}

/** An entry with the pane that its agent owns. */
export interface PlacedEntry extends Entry {
  readonly pane: Pane | null;
}

function noteOf({ pane, ownership }: PaneOwner): string {
  return ownership.outcome === 'ambiguous'
    ? `pane: ${pane.id} could be this agent's: ${ownership.reason}`
    : `pane: it is the shallowest agent below the first process of ${pane.id}`;
}

export function placeEntries(entries: readonly Entry[], owners: readonly PaneOwner[]): PlacedEntry[] {
  const owned = new Map<number, PaneOwner>();
  const contended = new Map<number, PaneOwner>();
  for (const each of owners) {
    const { ownership } = each;
    if (ownership.outcome === 'owner') owned.set(ownership.owner.facts.pid, each);
    if (ownership.outcome !== 'ambiguous') continue;
    for (const { pid } of ownership.contenders) contended.set(pid, each);
  }
  return entries.map((entry) => {
    const { agent, chain } = entry;
    if (!isSessionKind(agent.kind)) return { ...entry, pane: null };
    const find = (from: ReadonlyMap<number, PaneOwner>) =>
      chain.map((pid) => from.get(pid)).find((each) => each !== undefined);
    const own = find(owned);
    const told = own ?? find(contended);
    if (told === undefined) return { ...entry, pane: null };
    const because = [...agent.because, noteOf(told)];
    return own === undefined
      ? { ...entry, agent: { ...agent, because }, pane: null }
      : { ...entry, agent: { ...agent, because, pane: agentPane(own.pane) }, pane: own.pane };
  });
}

/** The panes whose screens would tell something of their agents. */
export function wantedScreens(entries: readonly PlacedEntry[], lookup: Lookup): Pane[] {
  return entries.flatMap(({ agent, chain, pane }) => {
    const wanted = pane !== null && agent.kind === 'tui' && needsScreen(agent.engine, agent.state);
    return wanted && hasForeground(agent, chain, lookup) ? [pane] : [];
  });
}

/** Does the agent have the terminal? Where the kernel does not say (gVisor), it is taken to. */
function hasForeground(agent: Agent, chain: readonly number[], lookup: Lookup): boolean {
  const foreground = lookup(agent.pid)?.tpgid;
  if (foreground === undefined || foreground <= 0) return true;
  const groups = chain.map((pid) => lookup(pid)?.pgid);
  return groups.includes(undefined) || groups.includes(foreground);
}

export function withScreens(
  entries: readonly PlacedEntry[],
  screens: Screens,
  lookup: Lookup,
): PlacedEntry[] {
  return entries.map((entry) => {
    const { agent, chain, pane } = entry;
    const text = pane === null || agent.kind !== 'tui' ? undefined : screens.get(pane.key);
    if (pane === null || text === undefined || !hasForeground(agent, chain, lookup)) return entry;
    const view = { text, title: pane.title };
    return { ...entry, agent: { ...agent, ...withScreen(agent.engine, agent.state, agent.because, view) } };
  });
}
