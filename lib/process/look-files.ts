import { load } from '../native/load.js';
import type { LookAnswer, LookAtBytes, LookRequest } from './look.js';

const DEFAULT_DEADLINE_MS = 1_000;

/** Looks at files on threads of our own, under a deadline. See LookRequest. */
export async function look(
  requests: readonly (LookRequest | LookAtBytes)[],
  deadlineMs: number = DEFAULT_DEADLINE_MS,
): Promise<LookAnswer[]> {
  if (requests.length === 0) return [];
  return load().look(requests, deadlineMs);
}
