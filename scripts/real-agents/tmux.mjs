import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_MS = 15_000;

/** Asks until `test` answers something, or for so long; undefined = it never did. */
export async function waitFor(test, mostMs = MOST_MS) {
  for (const end = Date.now() + mostMs; ; ) {
    const answer = await test();
    if (answer !== undefined) return answer;
    if (Date.now() >= end) return undefined;
    await rest(100);
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Everybody below a pid, with what makes sure that it is still the same process. */
const familyOf = (pid, snapshot) => {
  const table = snapshot();
  return [table.get(pid), ...table.descendants(pid)]
    .filter((row) => row !== undefined)
    .map(({ pid, startKey }) => ({ pid, startKey }));
};

/** Runs a program in a tmux server of its own, with nothing of our environment but a PATH. */
export async function startInTmux(program, { folder, home, work }) {
  const socket = join(folder, 'sock');
  const env = {
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMPDIR: folder,
  };
  const tmux = async (...args) =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env })).stdout.trimEnd();
  const shown = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  // remain-on-exit: a program that ends at once leaves its last words on the screen.
  await tmux(
    'new-session',
    '-d',
    '-x',
    '120',
    '-y',
    '40',
    '-c',
    work,
    'sleep 600',
    ';',
    'set-option',
    '-g',
    'remain-on-exit',
    'on',
  );
  const pane = await tmux(
    'new-window',
    '-P',
    '-F',
    '#{pane_id}',
    '-c',
    work,
    '--',
    'env',
    '-i',
    ...shown,
    program,
  );
  const display = (format) => tmux('display-message', '-p', '-t', pane, format);
  const root = Number(await display('#{pane_pid}'));
  const server = Number(await display('#{pid}'));
  return {
    root,
    isDead: async () => (await display('#{pane_dead}')) === '1',
    screen: () => tmux('capture-pane', '-p', '-t', pane),
    /** Ends the server and whatever it started, by pid; daemons may have left the family. */
    async end(snapshot) {
      const known = familyOf(server, snapshot);
      await tmux('kill-server').catch(() => {});
      const strays = [...snapshot({ fields: ['cwd', 'exe'] })].filter(({ cwd, exe }) =>
        [cwd, exe].some((path) => path?.startsWith(`${folder}/`)),
      );
      const table = snapshot();
      for (const { pid, startKey } of [...known, ...strays]) {
        if (table.get(pid)?.startKey !== startKey || pid === process.pid) continue;
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // Ended by itself meanwhile.
        }
      }
      await waitFor(() => ([...known, ...strays].some(({ pid }) => alive(pid)) ? undefined : true));
    },
  };
}
