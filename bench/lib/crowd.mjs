import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { maker } from '../../test/makers/build.mjs';

const insideMark = 'PROCSCOPE_BENCH_PRIVATE';

/** Whether this run is the first process of a process namespace of its own. */
export const isPrivate = process.env[insideMark] === '1';

/**
 * Runs this program again in a private pid namespace, where nothing but the bench lives and every
 * run sees the same table. Answers its exit code, or null when the system refuses a namespace.
 */
export async function runPrivately(program, args) {
  const ways = [[], ['--user', '--map-root-user']];
  for (const way of ways) {
    const flags = [...way, '--pid', '--fork', '--mount-proc', '--kill-child'];
    if (spawnSync('unshare', [...flags, 'true'], { stdio: 'ignore' }).status !== 0) continue;
    const inside = spawn('unshare', [...flags, process.execPath, program, ...args], {
      // The pipe closes when this process ends, however it does: see endWithRunner().
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...process.env, [insideMark]: '1' },
    });
    const [code] = await once(inside, 'close');
    return code ?? 1;
  }
  return null;
}

/**
 * Ends the private run with the one that started it. It is the first process of its namespace, which
 * no signal from inside or a terminal ends by default, and with which all others there end.
 */
export function endWithRunner() {
  process.stdin.on('close', () => process.exit(1)).resume();
  process.stdin.unref();
}

/** Runs `work` while `size` idle processes stand; `kind` as the maker takes it. */
export async function withCrowd(size, work, kind = []) {
  const crowd = spawn(maker('crowd'), [String(size), ...kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(crowd, 'close');
  const lines = createInterface({ input: crowd.stdout })[Symbol.asyncIterator]();
  try {
    const { value } = await lines.next();
    if (value !== `ready ${size}`) throw new Error(`no crowd of ${size} processes came up`);
    return await work();
  } finally {
    crowd.stdin.end();
    await closed;
  }
}
