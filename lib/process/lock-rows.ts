import type { PackedTable } from '../native/binding.js';
import { Decoder } from '../native/decode.js';
import { LOCK_COLUMNS, LOCK_MODES, LOCK_TYPES } from '../native/layout.js';

export type LockType = (typeof LOCK_TYPES)[number];
export type LockMode = (typeof LOCK_MODES)[number];

/** What a lock is, apart from who has it. proc_locks(5). */
export interface LockMark {
  readonly type: LockType;
  readonly mode: LockMode;
  /** ADVISORY, MANDATORY; for leases ACTIVE, BREAKING, BREAKER. */
  readonly state: string;
  /** First byte of the range. */
  readonly start: bigint;
  /** Last byte of the range; null = to the end of the file, however long it grows. */
  readonly end: bigint | null;
}

/** One line of /proc/locks, or of the fdinfo of a descriptor that holds it. */
export interface LockLine extends LockMark {
  readonly id: number;
  readonly waiting: boolean;
  /** The process and descriptor in whose fdinfo the line stands; 0 and -1 in /proc/locks. */
  readonly holder: number;
  readonly fd: number;
  /** The pid that took it as the kernel shows it: -1 for OFD locks, 0 where it is not visible. */
  readonly taker: number;
  /** Device of the file system (s_dev, which on some is not st_dev) and its inode. */
  readonly major: number;
  readonly minor: number;
  readonly ino: bigint;
}

const END_OF_FILE = 0xffff_ffff_ffff_ffffn;

export function lockLines(packed: PackedTable): LockLine[] {
  const decoder = new Decoder(packed, LOCK_COLUMNS);
  return Array.from({ length: decoder.rows }, (_, row) => {
    const number = (
      column: 'id' | 'type' | 'mode' | 'waiting' | 'holder' | 'fd' | 'taker' | 'major' | 'minor',
    ) => decoder.column(column)?.[row] as number;
    const end = decoder.column('end')?.[row] as bigint;
    return {
      id: number('id'),
      type: LOCK_TYPES[number('type')] as LockType,
      mode: LOCK_MODES[number('mode')] as LockMode,
      state: decoder.text('state', row) as string,
      waiting: number('waiting') !== 0,
      holder: number('holder'),
      fd: number('fd'),
      taker: number('taker'),
      major: number('major'),
      minor: number('minor'),
      ino: decoder.column('ino')?.[row] as bigint,
      start: decoder.column('start')?.[row] as bigint,
      end: end === END_OF_FILE ? null : end,
    };
  });
}

/** Two lines that speak of one lock: the numbers in front differ from file to file. */
export function lockKey(line: LockLine): string {
  const { type, mode, taker, major, minor, ino, start, end } = line;
  return [type, mode, taker, major, minor, ino, start, end].join(' ');
}

export function markOf(line: LockLine): LockMark {
  const { type, mode, state, start, end } = line;
  return { type, mode, state, start, end };
}
