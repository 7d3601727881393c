// Runs watch.mjs with the maker `lives`, where pids can be made to come round, and compares.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maker } from '../makers/build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const WAYS = [[], ['--user', '--map-root-user']];
const NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child'];

/** The flags with which unshare(1) makes a pid namespace here; null where the system refuses one. */
export function namespaceFlags() {
  for (const way of WAYS) {
    const flags = [...way, ...NAMESPACE];
    if (spawnSync('unshare', [...flags, 'true'], { stdio: 'ignore' }).status === 0) return flags;
  }
  return null;
}

/** Before Linux 6.14 there is one pid_max for all namespaces, which is not ours to write. */
export function hasOwnPidMax() {
  const [major, minor] = release().split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 14);
}

/** A bound for pids, in a namespace: by pid_max of its own, or by moving the counter back. */
const boundOf = (pids) => (hasOwnPidMax() ? { pidMax: pids } : { reuse: `last=${pids}` });

/**
 * @param {object} churn rate, total, spanMs (what lives of children are measured in), intervalMs, maxAgeMs, options
 *   of the poller, `pids` (highest pid; undefined: outside of a namespace, pids given out anew by hand), async,
 *   descriptors (RLIMIT_NOFILE)
 * @returns {Promise<{ ledger: string, log: object }>}
 */
export async function churn({ pids, descriptors, ...asked }) {
  const folder = mkdtempSync(join(tmpdir(), 'churn-'));
  const plan = {
    maxAgeMs: 10_000,
    options: {},
    ...asked,
    ...(pids === undefined ? { reuse: 'same', alone: false } : { ...boundOf(pids), alone: true }),
    maker: maker('lives'),
    ledger: join(folder, 'ledger'),
    log: join(folder, 'log'),
  };
  const limit = descriptors === undefined ? [] : ['prlimit', `--nofile=${descriptors}:${descriptors}`];
  const enter = pids === undefined ? [] : ['unshare', ...namespaceFlags()];
  const words = [...limit, ...enter, process.execPath, join(here, 'watch.mjs'), JSON.stringify(plan)];
  try {
    const child = spawn(words[0], words.slice(1), { stdio: ['pipe', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint += text;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`the watcher ended with ${code}: ${complaint}`);
    return { ledger: readFileSync(plan.ledger, 'utf8'), log: JSON.parse(readFileSync(plan.log, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
