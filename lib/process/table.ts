import { inspect } from 'node:util';
import type { PackedProcesses, SnapshotRequest } from '../native/binding.js';
import { type ColumnArray, Decoder } from '../native/decode.js';
import type { Fault } from '../native/fault.js';
import {
  COLUMNS,
  FIELDS,
  fieldBit,
  isField,
  type NumberColumn,
  type ProcessField,
  type TextColumn,
} from '../native/layout.js';
import { load } from '../native/load.js';
import { Relatives } from './relatives.js';
import { ProcessRow } from './row.js';

/** The numeric columns as typed arrays, one value a row; undefined where the field was not asked for. */
export type Columns = { readonly [K in NumberColumn]: ColumnArray<typeof COLUMNS, K> | undefined };

const NUMBER_COLUMNS = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).filter(
  (name): name is NumberColumn => COLUMNS[name] !== 'text',
);

/**
 * One look at the process table. Rows are views over the packed bytes: strings are made when they
 * are asked for, and then kept.
 */
export class ProcessTable extends Relatives {
  /** What kept the table as a whole from being complete. A table with a fault and no row was not read. */
  readonly faults: readonly Fault[];
  /** Identity of the boot; undefined where the system gives none. */
  readonly bootId: string | undefined;
  /** Entries whose process ended before anything of it was read. */
  readonly vanished: number;
  readonly procRoot: string;
  /** Keys of the environment that were asked for. */
  readonly envKeys: readonly string[];

  readonly #decoder: Decoder<typeof COLUMNS>;
  readonly #rows: (ProcessRow | undefined)[];
  readonly #texts = new Map<TextColumn, (string | undefined)[]>();
  #byPid: ReadonlyMap<number, number> | undefined;
  #columns: Columns | undefined;

  constructor(packed: PackedProcesses, request: Pick<SnapshotRequest, 'procRoot' | 'env'>) {
    super();
    this.#decoder = new Decoder(packed, COLUMNS);
    this.faults = packed.faults;
    this.bootId = packed.bootId === '' ? undefined : packed.bootId;
    this.vanished = this.#decoder.extra;
    this.procRoot = request.procRoot;
    this.envKeys = request.env;
    this.#rows = new Array<ProcessRow | undefined>(this.#decoder.rows);
  }

  /** Rows in the table. */
  get size(): number {
    return this.#decoder.rows;
  }

  /** Whether the field was asked for. */
  asked(field: ProcessField): boolean {
    return isField(field) && (this.#decoder.asked & fieldBit(field)) !== 0;
  }

  get columns(): Columns {
    this.#columns ??= Object.fromEntries(
      NUMBER_COLUMNS.map((name) => [name, this.#decoder.column(name)]),
    ) as unknown as Columns;
    return this.#columns;
  }

  /** The row of a pid, if it is in the table. */
  get(pid: number): ProcessRow | undefined {
    this.#byPid ??= this.#indexPids();
    const index = this.#byPid.get(pid);
    return index === undefined ? undefined : this.row(index);
  }

  has(pid: number): boolean {
    this.#byPid ??= this.#indexPids();
    return this.#byPid.has(pid);
  }

  /** The row at a position from 0 to size - 1; the same object each time. */
  row(index: number): ProcessRow {
    if (!Number.isInteger(index) || index < 0 || index >= this.size) {
      throw new RangeError(`row ${index} of a table of ${this.size}`);
    }
    let row = this.#rows[index];
    if (row === undefined) {
      row = new ProcessRow(this, this.#decoder, index);
      this.#rows[index] = row;
    }
    return row;
  }

  /** The row at a position, with the texts of an earlier row of the same process. Internal to pollers. */
  rowAfter(index: number, earlier: ProcessRow): ProcessRow {
    const row = new ProcessRow(this, this.#decoder, index, earlier);
    this.#rows[index] = row;
    return row;
  }

  *[Symbol.iterator](): IterableIterator<ProcessRow> {
    for (let index = 0; index < this.size; index++) yield this.row(index);
  }

  /** console.log() of a table tells its size, not every row. */
  [inspect.custom](): string {
    const faults = this.faults.length === 0 ? '' : `, ${this.faults.length} faults`;
    return `ProcessTable { ${this.size} processes${faults} }`;
  }

  /** Text of a cell, decoded once. Internal to rows. */
  text(column: TextColumn, index: number): string | undefined {
    let kept = this.#texts.get(column);
    if (kept === undefined) {
      kept = new Array<string | undefined>(this.size);
      this.#texts.set(column, kept);
    }
    kept[index] ??= this.#decoder.text(column, index);
    return kept[index];
  }

  /** What a fault of this field of this process speaks of. Internal to rows. */
  faultPath(pid: number, field: ProcessField): string {
    return load().faultPath(this.procRoot, pid, FIELDS.indexOf(field));
  }

  #indexPids(): ReadonlyMap<number, number> {
    const pids = this.#decoder.column('pid') as Int32Array;
    const index = new Map<number, number>();
    for (let i = 0; i < pids.length; i++) index.set(pids[i] as number, i);
    return index;
  }
}
