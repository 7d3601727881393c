/** What happened to agents between two answers. */
import { isDeepStrictEqual } from 'node:util';
import { isSessionKind } from '../engines/judge.js';
import type { Agent } from './envelope.js';
import type { Entry } from './rows.js';

interface EventBase {
  /** As agents() gives it; of an agent that exited as it was last known. */
  readonly agent: Agent;
  /** In words: why it is said, or what became of what. */
  readonly reasons: readonly string[];
}

export type AgentEvent =
  | (EventBase & { readonly type: 'started' | 'exited' })
  | (EventBase & {
      readonly type: 'changed';
      /** The row before; its pid is another where the agent moved within its launcher chain. */
      readonly before: Agent;
      /** Keys of the row that differ. */
      readonly fields: readonly (keyof Agent)[];
    });

/** A row with the processes of its agent, each by pid and start. */
export interface KnownEntry extends Entry {
  readonly key: string;
  readonly processes: readonly string[];
}

export interface Explain {
  started(entry: KnownEntry): string[];
  exited(entry: KnownEntry): string[];
  /** Why a row stands for another process of the same agent now. */
  moved(from: KnownEntry, to: KnownEntry): string;
}

/** Reasons alone are no news: they also tell of a look that failed and changed nothing. */
const SILENT: readonly (keyof Agent)[] = ['because', 'startTime'];

function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function sessionText({ id, grade, source }: Agent['session']): string {
  return id === null ? 'none' : `${id} (${grade}, ${source})`;
}

function stateText({ value, raw, suspended, waitingFor }: Agent['state']): string {
  const details = [value === 'unknown' ? raw : null, waitingFor, suspended ? 'suspended' : null];
  const shown = details.filter((detail) => detail !== null);
  return shown.length === 0 ? value : `${value} (${shown.join(', ')})`;
}

function becameText(field: keyof Agent, before: Agent, after: Agent): string {
  const [from, to] =
    field === 'session'
      ? [sessionText(before.session), sessionText(after.session)]
      : field === 'state'
        ? [stateText(before.state), stateText(after.state)]
        : field === 'pane'
          ? [paneText(before), paneText(after)]
          : [plain(before[field]), plain(after[field])];
  return from === to ? `${field}: other details` : `${field}: ${from} -> ${to}`;
}

/**
 * Titles spin and lines count seconds while an agent works: what a pane is called is no news, nor what words of its
 * screen told a state. The words of a dialog are: another question is another dialog.
 */
function newsOf(agent: Agent, key: keyof Agent): unknown {
  const { pane, state } = agent;
  if (key === 'pane' && pane !== null) return { ...pane, title: '' };
  const passing = state.source === 'screen' && state.waitingFor === null;
  return key === 'state' && passing ? { ...state, raw: null } : agent[key];
}

function paneText({ pane }: Agent): string {
  return pane === null ? 'none' : `${pane.id} of session ${pane.sessionName} (${pane.socket})`;
}

function changedBetween(from: KnownEntry, to: KnownEntry, explain: Explain): AgentEvent | null {
  const before = from.agent;
  const agent = to.agent;
  const keys = Object.keys(agent) as (keyof Agent)[];
  const fields = keys.filter(
    (key) => !SILENT.includes(key) && !isDeepStrictEqual(newsOf(before, key), newsOf(agent, key)),
  );
  if (fields.length === 0) return null;
  const moved = from.key === to.key ? [] : [explain.moved(from, to)];
  const reasons = [...moved, ...fields.map((field) => becameText(field, before, agent))];
  return { type: 'changed', agent, before, fields, reasons };
}

const isSession = ({ agent }: KnownEntry): boolean => isSessionKind(agent.kind);

/** Which row goes on as which: first the same process, then another process of the same agent. */
function continued(
  before: readonly KnownEntry[],
  after: readonly KnownEntry[],
): ReadonlyMap<KnownEntry, KnownEntry> {
  const pairs = new Map<KnownEntry, KnownEntry>();
  const taken = new Set<KnownEntry>();
  const pair = (from: KnownEntry, to: KnownEntry | undefined): void => {
    if (!to || taken.has(to) || pairs.has(from)) return;
    pairs.set(from, to);
    taken.add(to);
  };
  const byKey = new Map(after.map((entry) => [entry.key, entry]));
  for (const from of before) {
    const same = byKey.get(from.key);
    if (same && isSession(from) === isSession(same)) pair(from, same);
  }
  for (const from of before.filter(isSession)) {
    const shares = ({ processes }: KnownEntry) => processes.some((key) => from.processes.includes(key));
    pair(
      from,
      after.find((to) => isSession(to) && !taken.has(to) && shares(to)),
    );
  }
  for (const from of before) pair(from, byKey.get(from.key));
  return pairs;
}

/**
 * Exits first, then changes, then starts: who keeps agents by pid and start can apply them in this order.
 */
export function eventsBetween(
  before: readonly KnownEntry[],
  after: readonly KnownEntry[],
  explain: Explain,
): AgentEvent[] {
  const pairs = continued(before, after);
  const kept = new Set(pairs.values());
  const present = new Set(after.map(({ key }) => key));
  const exits = before
    // A launcher whose row is the agent's own now goes on there.
    .filter((entry) => !pairs.has(entry) && !present.has(entry.key))
    .map((entry): AgentEvent => ({ type: 'exited', agent: entry.agent, reasons: explain.exited(entry) }));
  const changes = [...pairs].map(([from, to]) => changedBetween(from, to, explain));
  const starts = after
    .filter((entry) => !kept.has(entry))
    .map((entry): AgentEvent => ({ type: 'started', agent: entry.agent, reasons: explain.started(entry) }));
  return [...exits, ...changes.filter((change) => change !== null), ...starts];
}
