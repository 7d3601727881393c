import type { PackedTable } from './binding.js';
import type { Fault, FaultKind } from './fault.js';
import {
  CALLS,
  type ColumnSet,
  FAULT_KINDS,
  FAULT_WORDS,
  HEADER,
  HEADER_WORDS,
  LAYOUT_VERSION,
  MAGIC,
  type NumberOf,
  type TextOf,
} from './layout.js';

interface ArrayOf {
  i32: Int32Array;
  u32: Uint32Array;
  u8: Uint8Array;
  f64: Float64Array;
  u64: BigUint64Array;
  text: never;
}

/** The typed array of a numeric column. */
export type ColumnArray<C extends ColumnSet, K extends NumberOf<C>> = ArrayOf[C[K]];

const VIEW = {
  i32: (buffer: ArrayBuffer, at: number, rows: number) => new Int32Array(buffer, at, rows),
  u32: (buffer: ArrayBuffer, at: number, rows: number) => new Uint32Array(buffer, at, rows),
  u8: (buffer: ArrayBuffer, at: number, rows: number) => new Uint8Array(buffer, at, rows),
  f64: (buffer: ArrayBuffer, at: number, rows: number) => new Float64Array(buffer, at, rows),
  u64: (buffer: ArrayBuffer, at: number, rows: number) => new BigUint64Array(buffer, at, rows),
  text: (buffer: ArrayBuffer, at: number, rows: number) => new Uint32Array(buffer, at, rows * 2),
};

/** A fault of one row as it crosses: the path is made by whoever knows what the row is. */
export interface PackedFault extends Omit<Fault, 'path'> {
  /** Number of the field. */
  readonly field: number;
}

/** Packed rows, read in place: nothing is copied, and text is decoded when it is asked for. */
export class Decoder<C extends ColumnSet> {
  readonly rows: number;
  /** Mask of the fields that were asked for. */
  readonly asked: number;
  /** What this kind of table counts beside its rows. */
  readonly extra: number;

  readonly #buffer: ArrayBuffer;
  readonly #blob: Buffer;
  readonly #offsets: ReadonlyMap<keyof C, number>;
  readonly #views = new Map<keyof C, unknown>();
  readonly #faultWords: Int32Array;
  #faultsByRow: Map<number, PackedFault[]> | undefined;

  readonly #columns: C;

  constructor(packed: PackedTable, columns: C) {
    const head = new Int32Array(packed.buffer, 0, HEADER_WORDS);
    const word = (name: keyof typeof HEADER): number => head[HEADER[name]] as number;
    if (word('magic') !== MAGIC || word('version') !== LAYOUT_VERSION) {
      throw new Error(
        'procscope: the binary and the JavaScript are of different versions; rebuild the addon',
      );
    }
    this.#buffer = packed.buffer;
    this.#columns = columns;
    this.rows = word('rows');
    this.extra = word('extra');
    this.asked = word('asked') >>> 0;
    this.#blob = Buffer.from(packed.buffer, word('blobOffset'), word('blobLength'));
    this.#faultWords = new Int32Array(packed.buffer, word('faultOffset'), word('faults') * FAULT_WORDS);

    const directory = new Int32Array(packed.buffer, HEADER_WORDS * 4, word('columns') * 2);
    const names = Object.keys(columns) as (keyof C)[];
    const offsets = new Map<keyof C, number>();
    for (let i = 0; i < directory.length; i += 2) {
      const name = names[directory[i] as number];
      if (name !== undefined) offsets.set(name, directory[i + 1] as number);
    }
    this.#offsets = offsets;
  }

  /** The column as a typed array over the packed bytes; undefined if it was not asked for. */
  column<K extends NumberOf<C>>(name: K): ColumnArray<C, K> | undefined {
    return this.#view(name) as ColumnArray<C, K> | undefined;
  }

  /** Exact bytes of a text; undefined if the column was not asked for. The bytes are shared. */
  bytes(name: TextOf<C>, row: number): Buffer | undefined {
    const refs = this.#view(name) as Uint32Array | undefined;
    if (refs === undefined) return undefined;
    const at = refs[row * 2] as number;
    return this.#blob.subarray(at, at + (refs[row * 2 + 1] as number));
  }

  /** The text, with U+FFFD for what is no UTF-8. */
  text(name: TextOf<C>, row: number): string | undefined {
    const refs = this.#view(name) as Uint32Array | undefined;
    if (refs === undefined) return undefined;
    const at = refs[row * 2] as number;
    return this.#blob.toString('utf8', at, at + (refs[row * 2 + 1] as number));
  }

  rowFaults(row: number): readonly PackedFault[] {
    this.#faultsByRow ??= this.#indexFaults();
    return this.#faultsByRow.get(row) ?? [];
  }

  #view(name: keyof C): unknown {
    const known = this.#views.get(name);
    if (known !== undefined) return known;
    const at = this.#offsets.get(name);
    if (at === undefined) return undefined;
    const view = VIEW[this.#columns[name] as keyof typeof VIEW](this.#buffer, at, this.rows);
    this.#views.set(name, view);
    return view;
  }

  #indexFaults(): Map<number, PackedFault[]> {
    const index = new Map<number, PackedFault[]>();
    const words = this.#faultWords;
    for (let i = 0; i < words.length; i += FAULT_WORDS) {
      const row = words[i] as number;
      const what = words[i + 1] as number;
      const fault: PackedFault = {
        field: what & 0xff,
        kind: FAULT_KINDS[(what >> 8) & 0xff] as FaultKind,
        code: words[i + 2] as number,
        call: CALLS[(what >> 16) & 0xff] as string,
      };
      const list = index.get(row);
      if (list === undefined) index.set(row, [fault]);
      else list.push(fault);
    }
    return index;
  }
}
