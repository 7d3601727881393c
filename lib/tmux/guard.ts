/**
 * Something done to one pane, by one request: the server tells the state of the pane and then decides by the same
 * state, without anything in between, whether the command runs. So nothing reaches a pane that became another one.
 */
import { ask, commandFailure, type TmuxReply } from './ask.js';
import type { RequestInput } from './conversation.js';
import type { TmuxFailure } from './failure.js';
import type { CheckedTmux } from './options.js';
import { endOf, type Pane, type PaneRef } from './pane.js';
import { freshSeparator, numberOf, parseRecords, type RecordOf, recordFormat } from './records.js';
import { brokenAnswer, SERVER_FIELDS, sameServer, serverOf, type TmuxServer } from './servers.js';

export const STATE_FIELDS = {
  ...SERVER_FIELDS,
  id: 'pane_id',
  dead: 'pane_dead',
  exitStatus: 'pane_dead_status',
  exitSignal: 'pane_dead_signal',
  command: 'pane_current_command',
  modes: 'pane_in_mode',
  inputOff: 'pane_input_off',
  synchronized: 'pane_synchronized',
  bracketed: 'bracket_paste_flag',
} as const;

/** What a pane is to who wants to write to it. */
export interface PaneCondition extends Pick<Pane, 'exitStatus' | 'exitSignal'> {
  readonly server: TmuxServer;
  readonly dead: boolean;
  readonly command: string;
  /** Copy mode or another mode of tmux takes the keys. */
  readonly inMode: boolean;
  readonly inputOff: boolean;
  /** What is typed goes to the other panes of the window as well (keys; not what is pasted). */
  readonly synchronized: boolean;
  /** The program asked for bracketed paste; undefined = a tmux before 3.7 does not tell. */
  readonly bracketed: boolean | undefined;
}

/** Why a pane was left alone; nothing was sent. */
export type PaneRefusal = 'no-pane' | 'other-server' | 'dead' | 'mode' | 'input-off' | 'other-program';

const GUARD_FIELDS = { ...STATE_FIELDS, rootPid: 'pane_pid' } as const;

/** What runs in a pane, as the server sees it. */
export interface Occupant {
  /** The process that tmux started in it. */
  readonly rootPid: number;
  /** Name of the leader of the foreground group of its terminal. */
  readonly command: string;
}

/** Printed by the server where it held the command back. */
const HELD = 'held';
/** Names that mean nothing but themselves in a format; programs choose their names. */
const PLAIN_NAME = /^[\w.+@/ -]{1,64}$/;

/** `writing`: to the program in the pane; `setting`: of the pane itself, dead or not. */
export type Purpose = 'writing' | 'setting';

/** The state in a record; null = the server knows no such pane; undefined = that is no such record. */
export function conditionOf(
  record: RecordOf<typeof STATE_FIELDS> | undefined,
  pane: PaneRef,
  answer: TmuxReply,
): PaneCondition | null | undefined {
  const server = record && serverOf(record, pane.socket, answer);
  if (record === undefined || server === undefined) return undefined;
  if (record.id !== pane.id) return null;
  return {
    server,
    dead: record.dead === '1',
    ...endOf(record.dead === '1', record.exitStatus, record.exitSignal),
    command: record.command,
    inMode: (numberOf(record.modes) ?? 0) > 0,
    inputOff: record.inputOff === '1',
    synchronized: record.synchronized === '1',
    bracketed: record.bracketed === '' ? undefined : record.bracketed === '1',
  };
}

/** Servers before 3.2 or so make an error of a pane that is not there, where later ones tell an empty state. */
export function knowsNoPane({ status, stderr }: TmuxReply): boolean {
  return status !== 0 && /^can't find pane/m.test(stderr);
}

export function refusalOf(
  pane: PaneRef,
  condition: PaneCondition | null,
  purpose: Purpose,
): PaneRefusal | undefined {
  if (condition === null) return 'no-pane';
  if (pane.server !== undefined && !sameServer(pane.server, condition.server)) return 'other-server';
  if (purpose === 'setting') return undefined;
  if (condition.dead) return 'dead';
  if (condition.inMode) return 'mode';
  return condition.inputOff ? 'input-off' : undefined;
}

/** The same question as refusalOf(), and about the occupant, as a format: 1 = nothing speaks against it. */
function guardFormat({ pane, purpose, occupant }: GuardedCommand): string {
  const same = [`#{==:#{pane_id},${pane.id}}`];
  if (pane.server !== undefined) {
    same.push(`#{==:#{pid}.#{start_time},${pane.server.pid}.${pane.server.start}}`);
  }
  if (purpose === 'writing') same.push('#{==:#{pane_dead}.#{pane_in_mode}.#{pane_input_off},0.0.0}');
  if (occupant !== undefined) {
    same.push(`#{==:#{pane_pid},${occupant.rootPid}}`);
    // The server asks the terminal who has it each time that it writes this name.
    if (PLAIN_NAME.test(occupant.command)) same.push(`#{==:#{pane_current_command},${occupant.command}}`);
  }
  return same.reduce((all, each) => `#{&&:${all},${each}}`);
}

export type Guarded =
  /** The command ran. */
  | {
      readonly outcome: 'done';
      readonly condition: PaneCondition;
      readonly occupant: Occupant;
      readonly reply: TmuxReply;
    }
  | { readonly outcome: 'refused'; readonly refusal: PaneRefusal; readonly reply: TmuxReply }
  | { readonly outcome: 'failed'; readonly failure: TmuxFailure };

export interface GuardedCommand {
  readonly pane: PaneRef;
  readonly purpose: Purpose;
  /** What is to run, as tmux parses text: `''` = only look. */
  readonly command: string;
  readonly idempotent: boolean;
  /** Bytes for a buffer of this name, which the command may use. */
  readonly buffer?: { readonly name: string; readonly bytes: Uint8Array };
  /** What must still run in the pane. */
  readonly occupant?: Occupant | undefined;
}

export async function guarded(what: GuardedCommand, how: CheckedTmux): Promise<Guarded> {
  const { pane, command, idempotent, buffer } = what;
  const separator = freshSeparator();
  const look = ['display-message', '-p', '-t', pane.id, recordFormat(GUARD_FIELDS, separator)];
  const commands: string[][] = [look];
  let input: RequestInput | undefined;
  if (buffer !== undefined) {
    // The bytes leave only when the server has shown that it is the right one and has the pane.
    commands.push(['load-buffer', '-b', buffer.name, '-'], look);
    input = { bytes: buffer.bytes, admit: (output) => admission(output, what, separator) };
  }
  if (command !== '') {
    const condition = guardFormat(what);
    commands.push(['if-shell', '-F', '-t', pane.id, condition, command, `display-message -p ${HELD}`]);
  }
  const answer = await ask({ socket: pane.socket, commands, idempotent, ...(input && { input }) }, how);
  return answer.ok ? outcomeOf(answer, what, separator) : { outcome: 'failed', failure: answer.failure };
}

function outcomeOf(
  answer: TmuxReply,
  { pane, purpose, occupant }: GuardedCommand,
  separator: string,
): Guarded {
  const parsed = parseRecords(answer.stdout.toString('utf8'), GUARD_FIELDS, separator);
  const record = parsed?.records[parsed.records.length - 1];
  const condition = conditionOf(record, pane, answer);
  const rootPid = numberOf(record?.rootPid ?? '') ?? 0;
  if (condition === undefined && knowsNoPane(answer)) {
    return { outcome: 'refused', refusal: 'no-pane', reply: answer };
  }
  const broken = brokenAnswer(pane.socket, answer.way);
  if (condition === undefined) {
    return { outcome: 'failed', failure: answer.status === 0 ? broken : commandFailure(pane.socket, answer) };
  }
  const refusal = refusalOf(pane, condition, purpose);
  if (refusal !== undefined || condition === null) {
    return { outcome: 'refused', refusal: refusal ?? 'no-pane', reply: answer };
  }
  if (answer.status !== 0) return { outcome: 'failed', failure: commandFailure(pane.socket, answer) };
  // The terminal may have been given to another program since the state was told, a few lines above.
  if (parsed?.rest === `${HELD}\n`) {
    return occupant === undefined
      ? { outcome: 'failed', failure: { ...broken, mayHaveRun: false } }
      : { outcome: 'refused', refusal: 'other-program', reply: answer };
  }
  return { outcome: 'done', condition, occupant: { rootPid, command: condition.command }, reply: answer };
}

function admission(
  output: Buffer,
  { pane, purpose }: GuardedCommand,
  separator: string,
): 'now' | 'later' | 'refuse' {
  const text = output.toString('utf8');
  const record = text.endsWith(`${separator}\n`) && parseRecords(text, GUARD_FIELDS, separator)?.records[0];
  if (!record) return 'later';
  const known: TmuxReply = {
    ok: true,
    status: 0,
    stdout: output,
    stderr: '',
    way: 'protocol',
    fallback: null,
  };
  const condition = conditionOf(record, pane, known);
  return condition !== undefined && refusalOf(pane, condition, purpose) === undefined ? 'now' : 'refuse';
}
