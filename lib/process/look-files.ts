import type { RawLookAnswer } from '../native/binding.js';
import { load } from '../native/load.js';
import type { DirectoryEntry, FileStat, LookAnswer, LookAtBytes, LookRequest } from './look.js';

const DEFAULT_DEADLINE_MS = 1_000;
/** Numbers of one entry in `entryStats`. */
const ENTRY_NUMBERS = 6;
/** Type bits of a mode and their values, as inode(7) lists them. */
const TYPE_BITS = 0o170000;
const KINDS: ReadonlyMap<number, FileStat['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
]);

function entryOf(name: string, numbers: Float64Array | undefined): DirectoryEntry {
  const [mode, uid, size, mtimeMs, high, low] = (numbers ?? []) as unknown as readonly number[];
  if (mode === undefined || Number.isNaN(mode)) return { name };
  const ino = (BigInt(high as number) << 32n) | BigInt(low as number);
  const kind = KINDS.get(mode & TYPE_BITS) ?? 'other';
  return {
    name,
    stat: { mode, kind, uid: uid as number, size: size as number, mtimeMs: mtimeMs as number, ino },
  };
}

function answerOf({ names, entryStats, ...rest }: RawLookAnswer): LookAnswer {
  if (names === undefined) return rest;
  const entries = names.map((name, index) =>
    entryOf(name, entryStats?.subarray(index * ENTRY_NUMBERS, (index + 1) * ENTRY_NUMBERS)),
  );
  return { ...rest, entries };
}

/** Looks at files on threads of our own, under a deadline. See LookRequest. */
export async function look(
  requests: readonly (LookRequest | LookAtBytes)[],
  deadlineMs: number = DEFAULT_DEADLINE_MS,
): Promise<LookAnswer[]> {
  if (requests.length === 0) return [];
  const answers = await load().look(requests, deadlineMs);
  return answers.map(answerOf);
}
