/** How the session of a process was looked for: each rule in its turn, with its answer and why. */
import { argvIdOf } from '../engines/argv-id.js';
import { heldVerdict } from '../engines/held.js';
import type { Judged } from '../engines/judge.js';
import { storedVerdict } from '../engines/stored.js';
import { describeFault } from '../process/fault.js';
import type { HeldAnswer } from './held.js';
import type { RecordLook } from './records.js';
import type { StoreAnswer } from './stores.js';

export interface LinkStep {
  readonly rule: 'pid-record' | 'open-files' | 'argv' | 'store';
  /** The session that the rule names; null = none. Whether it is taken, the row says. */
  readonly session: string | null;
  readonly why: readonly string[];
}

function recordStep({ rule }: Judged, look: RecordLook | undefined): LinkStep {
  const step = (session: string | null, ...why: string[]): LinkStep => ({ rule: 'pid-record', session, why });
  if (rule.pidRecord === null) return step(null, `${rule.engine} is not known to keep a record of a process`);
  if (look === undefined) return step(null, 'not asked: a process of this kind has no record');
  const place = look.spot === undefined ? '' : ` at ${look.spot.path}`;
  if (look.found === null) return step(null, `there is no record${place}`);
  if (look.found === undefined) {
    return step(
      null,
      `the record${place} could not be read${look.fault ? `: ${describeFault(look.fault)}` : ''}`,
    );
  }
  const { path, reading } = look.found;
  if ('problem' in reading) return step(null, `the record ${path} ${reading.problem}`);
  const { sessionId, procStart } = reading.record;
  return step(sessionId, `the record ${path}, of the process start ${procStart ?? 'unknown'}`);
}

function heldStep({ rule }: Judged, held: HeldAnswer | undefined): LinkStep {
  const { claim, because, gap } = heldVerdict(rule.held, held);
  const fault = held?.fault ? [`openFiles could not be read whole: ${describeFault(held.fault)}`] : [];
  const why = [...because, ...fault, ...(gap === null ? [] : [gap])];
  return { rule: 'open-files', session: claim?.id ?? null, why };
}

function argvStep({ args, rule, facts }: Judged): LinkStep {
  const { id, from, forked } = argvIdOf(args, rule.argvId);
  const known = [...rule.argvId.flags, ...rule.argvId.commands.map((chain) => chain.join(' '))];
  const none =
    facts.argv === undefined
      ? 'its arguments could not be read'
      : `no id behind ${known.join(', ') || 'anything'}`;
  const named = forked ? `${from} names the session that it forks: it writes another` : `${from} names it`;
  return { rule: 'argv', session: forked ? null : id, why: [id === null ? none : named] };
}

function storeStep({ rule }: Judged, stores: StoreAnswer | undefined): LinkStep {
  const step = (session: string | null, ...why: string[]): LinkStep => ({ rule: 'store', session, why });
  if (rule.stores.length === 0) return step(null, `no rule tells sessions of ${rule.engine} by its store`);
  if (stores === undefined)
    return step(null, 'not asked: a stronger rule settled it, or it is of another kind');
  const { byPid, only, because, gap } = storedVerdict(stores);
  const fault = stores.fault ? [`could not be read whole: ${describeFault(stores.fault)}`] : [];
  const why = [...because, ...fault, ...(gap === null ? [] : [gap])];
  return step((byPid ?? only)?.id ?? null, ...(why.length > 0 ? why : ['its files say nothing']));
}

export function linkSteps(
  judged: Judged,
  record: RecordLook | undefined,
  held: HeldAnswer | undefined,
  stores: StoreAnswer | undefined,
): LinkStep[] {
  return [recordStep(judged, record), heldStep(judged, held), argvStep(judged), storeStep(judged, stores)];
}
