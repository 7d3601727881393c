/** From what was found to the answer: rows, and the faults that belong to them. */
import type { Judged } from '../engines/judge.js';
import type { TurnFinding } from '../engines/turns/verdict.js';
import { describeFault, type Fault } from '../process/fault.js';
import type { AgentFault } from './envelope.js';
import type { HeldAnswer } from './held.js';
import type { RecordLook } from './records.js';
import { type Entry, entriesOf, linkJudged } from './rows.js';
import { CHEAP } from './setting.js';
import type { StoreAnswer } from './stores.js';
import type { AgentRow } from './table.js';

export interface Findings {
  readonly judged: ReadonlyMap<number, Judged>;
  readonly records: ReadonlyMap<number, RecordLook>;
  readonly held: ReadonlyMap<number, HeldAnswer>;
  readonly stores: ReadonlyMap<number, StoreAnswer>;
  /** What could not be read of a process, by pid. */
  readonly faults: ReadonlyMap<number, readonly AgentFault[]>;
  /** `pid field` of what could not be read again, so that an earlier value stands. */
  readonly kept?: ReadonlySet<string>;
  /** What is written down of the turns of sessions, by pid. */
  readonly turns?: ReadonlyMap<number, readonly TurnFinding[]>;
}

export interface Answer {
  readonly entries: readonly Entry[];
  /** Of the processes that are shown. */
  readonly faults: readonly AgentFault[];
}

/** What hides an agent altogether: its arguments and image did not come, and not for want of rights. */
export function hidingFaults(row: AgentRow): AgentFault[] {
  return CHEAP.flatMap((field) => {
    const fault = row.fault(field);
    const hides = fault && fault.kind !== 'denied' && fault.kind !== 'gone';
    return hides ? [{ pid: row.pid, field, ...fault }] : [];
  });
}

function faultsOf({ judged, records, held, stores, faults }: Findings): AgentFault[] {
  return [...judged.keys()].flatMap((pid) => {
    const unread = records.get(pid)?.fault ?? stores.get(pid)?.fault;
    const unseen = held.get(pid)?.fault;
    return [
      ...(faults.get(pid) ?? []),
      ...(unread ? [{ pid, field: 'session', ...unread }] : []),
      ...(unseen ? [{ pid, field: 'openFiles', ...unseen }] : []),
    ];
  });
}

function noteOf(fault: AgentFault, kept: boolean): string {
  return kept
    ? `${fault.field} could not be read again, an earlier answer stands: ${describeFault(fault)}`
    : `${fault.field} could not be read: ${describeFault(fault)}`;
}

function notesOf(faults: readonly AgentFault[], kept: ReadonlySet<string>): Map<number, string[]> {
  const notes = new Map<number, string[]>();
  for (const fault of faults) {
    if (fault.pid === null) continue;
    const list = notes.get(fault.pid) ?? [];
    list.push(noteOf(fault, kept.has(`${fault.pid} ${fault.field}`)));
    notes.set(fault.pid, list);
  }
  return notes;
}

export function answerOf(findings: Findings, all: boolean): Answer {
  const { judged, records, held, stores, kept = new Set<string>() } = findings;
  const faults = faultsOf(findings);
  const linked = [...judged].map(
    ([pid, each]) => [pid, linkJudged(each, records.get(pid), held.get(pid), stores.get(pid))] as const,
  );
  const entries = entriesOf(new Map(linked), notesOf(faults, kept), all, findings.turns);
  const shown = new Set(entries.map(({ agent }) => agent.pid));
  return { entries, faults: faults.filter(({ pid }) => pid !== null && shown.has(pid)) };
}

/** Faults about no single process, each once: two reads may fail alike. */
export function wholeFaults(faults: readonly Fault[]): AgentFault[] {
  const distinct = new Map(faults.map((fault) => [describeFault(fault), fault]));
  return [...distinct.values()].map((fault) => ({ pid: null, field: null, ...fault }));
}
