/** Everything that one look finds, before it is put into an answer. */
import type { ProcessFacts } from '../engines/facts.js';
import type { Lookup } from '../engines/family.js';
import { ENGINES } from '../engines/index.js';
import { type JudgeContext, type Judgement, judge } from '../engines/judge.js';
import { snapshotAsync } from '../process/snapshot.js';
import type { PaneRef } from '../tmux/pane.js';
import type { PaneInventory } from '../tmux/panes.js';
import { candidatesOf } from './candidates.js';
import { type Gathered, gather, installsOf } from './gather.js';
import { installedPrograms, installQuery } from './installed.js';
import { type PaneOwner, paneOwners } from './panes.js';
import { CHEAP, type Setting } from './setting.js';
import { type AgentTable, factsOf } from './table.js';

/** What the caller knows of a pane: whose program called `agent` runs in it. */
export interface PaneHint {
  readonly pane: PaneRef;
  readonly engine: string;
}

export interface OneLook {
  /** Every process, with few facts. */
  readonly table: AgentTable;
  readonly gathered: Gathered;
  readonly context: JudgeContext;
  readonly judgement: Judgement;
  /** The facts of any process, as far as they were read. */
  readonly lookup: Lookup;
  /** Undefined = panes were not asked for. */
  readonly inventory: PaneInventory | undefined;
  readonly owners: readonly PaneOwner[];
}

function userFacts(table: AgentTable): Map<number, ProcessFacts> {
  const all = new Map<number, ProcessFacts>();
  for (const row of table) if (row.kernelThread !== true) all.set(row.pid, factsOf(row));
  return all;
}

function isPane({ pane, ownership }: PaneOwner, { pane: named }: PaneHint): boolean {
  const { server = pane.server } = named;
  return (
    ownership.outcome === 'ambiguous' &&
    pane.socket === named.socket &&
    pane.id === named.id &&
    pane.server.pid === server.pid &&
    pane.server.start === server.start
  );
}

/** Engines by the pids that hints settle. */
function hintedPids(owners: readonly PaneOwner[], hints: readonly PaneHint[]): Map<number, string> {
  const pids = new Map<number, string>();
  for (const hint of hints) {
    const ownership = owners.find((each) => isPane(each, hint))?.ownership;
    if (ownership?.outcome === 'ambiguous' && ownership.hintable !== null) {
      pids.set(ownership.hintable, hint.engine);
    }
  }
  return pids;
}

export async function lookOnce(setting: Setting, hints: readonly PaneHint[] = []): Promise<OneLook> {
  const { table: given, procRoot, deadlineMs, now = Date.now } = setting.options;
  const [table, installed, inventory] = await Promise.all([
    given ?? snapshotAsync({ fields: [...CHEAP], procRoot, deadlineMs }),
    installedPrograms(installQuery(setting), now),
    setting.panes?.read(undefined, true),
  ]);
  const all = userFacts(table);
  const installs = installsOf(installed, setting);
  const gathered = await gather(candidatesOf(all.values(), installs.filter), installs, setting);
  const byPid = new Map(gathered.facts.map((each) => [each.pid, each]));
  const lookup = (pid: number) => byPid.get(pid) ?? all.get(pid);
  const excluded = setting.panes?.excluded ?? new Set();
  const context: JudgeContext = {
    rules: ENGINES,
    installed,
    overrides: setting.overrides,
    lookup,
    ownerHome: ({ uid }) => (uid === undefined ? null : (gathered.accounts.get(uid) ?? null)),
  };
  const conclude = (given: JudgeContext) => {
    const judgement = judge(gathered.facts, given);
    const owners = paneOwners(inventory?.panes ?? [], { judgement, lookup, excluded });
    return { context: given, judgement, owners };
  };
  const first = conclude(context);
  // Which process a hint is about shows only when all are weighed.
  const hinted = hintedPids(first.owners, hints);
  const last = hinted.size === 0 ? first : conclude({ ...context, hints: hinted });
  return { table, gathered, lookup, inventory, ...last };
}
