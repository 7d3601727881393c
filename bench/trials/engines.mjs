// Matching in a fresh process: `node --expose-gc engines.mjs ROWS VARIANT` judges a made-up table once, with
// code that is loaded but never ran, and prints what that cost as JSON. No process of the machine is looked at.
// About half of it is the compiler's: the functions are compiled at their first call, and most are run by
// V8's interpreter. `againCpuMs` is a look after many others.
import { performance } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';

const [{ TextFilter, candidatesOf }, { ENGINES }, { judge }] = await Promise.all(
  ['agents/candidates.js', 'engines/index.js', 'engines/judge.js'].map(
    async (file) => (await import(new URL(`../../dist/${file}`, import.meta.url).href)).default,
  ),
);

const MODULES = '/home/user/.npm-global/lib/node_modules';
const NODE = '/usr/bin/node';

/** What runs on a busy machine: [image, argv]. One row in fifty is an agent. */
const PROGRAMS = [
  ['/usr/bin/bash', ['-bash']],
  ['/usr/bin/bash', ['bash', '-c', 'while read line; do echo "$line"; done < claude.log']],
  [NODE, ['node', '--max-old-space-size=4096', '/srv/app/server.js', '--port', '8080']],
  [NODE, ['/usr/bin/node', '--require', './setup.js', 'node_modules/.bin/vite', 'build']],
  [NODE, ['npm run dev']],
  ['/usr/bin/python3.12', ['python3', '-m', 'http.server']],
  ['/usr/bin/python3.12', ['python3', '/opt/tools/claude-watch/run.py', 'codex', 'gemini']],
  ['/usr/lib/systemd/systemd', ['/sbin/init']],
  ['/usr/sbin/sshd', ['sshd: user [priv]']],
  [
    '/opt/google/chrome/chrome',
    ['/opt/google/chrome/chrome', '--type=renderer', '--lang=en', `--x=${'y'.repeat(600)}`],
  ],
  ['/usr/bin/vim', ['vim', '/home/user/.opencode/config.json']],
  ['/usr/bin/java', ['java', '-cp', '/opt/a.jar:/opt/b.jar', 'com.example.Main']],
  ['/usr/bin/postgres', ['postgres: writer']],
  ['/usr/bin/env', ['env', 'A=b', 'make', '-j8']],
  ['/usr/bin/tail', ['tail', '-f', 'notes/codex.log']],
];
const AGENTS = [
  ['/home/user/.local/share/claude/versions/2.1.332', ['claude']],
  [
    `${MODULES}/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`,
    ['codex'],
  ],
  [NODE, ['node', '/home/user/.npm-global/bin/gemini']],
  [NODE, ['pi']],
  ['/usr/bin/python3.12', ['python3', '-m', 'hermes_cli.main']],
];

function rowOf(pid) {
  const list = pid % 50 === 0 ? AGENTS : PROGRAMS;
  const [exe, argv] = list[Math.floor(pid / (pid % 50 === 0 ? 50 : 1)) % list.length];
  return {
    pid,
    startKey: BigInt(pid),
    startTime: pid,
    ppid: pid > 10 ? Math.floor(pid / 3) : 1,
    tty: `pts/${pid}`,
    state: 'S',
    uid: 1000,
    name: exe.split('/').at(-1).slice(0, 15),
    // Texts of their own, as a reader makes them: no two rows share a string.
    argv: argv.map((item) => Buffer.from(item).toString()),
    exe: Buffer.from(exe).toString(),
    cwd: '/home/user/project',
    env: { HOME: '/home/user' },
  };
}

const size = Number(process.argv[2]);
const rows = Array.from({ length: size }, (_, index) => rowOf(index + 1));
const byPid = new Map(rows.map((row) => [row.pid, row]));
const context = {
  rules: ENGINES,
  installed: [],
  overrides: [],
  lookup: (pid) => byPid.get(pid),
  ownerHome: () => null,
};

/** Every row against every rule. */
const all = () => judge(rows, context).judged;
/** What `agents()` does: the names first, then the rules for what has one. */
const sifted = () => judge(candidatesOf(rows, new TextFilter(ENGINES, [], [])).named, context).judged;

const work = { all, sifted }[process.argv[3]];
const warmUps = 100;

/** CPU time of all threads of this process, which the compiler's are among. */
function measured(look) {
  const before = process.cpuUsage();
  const start = performance.now();
  const answer = look();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { answer, wallMs, cpuMs: (user + system) / 1000 };
}

/** Until what made the table has settled: its garbage, and what the compiler does for it meanwhile. */
async function settle() {
  for (let time = 0; time < 2; time++) {
    await rest(50);
    globalThis.gc();
  }
  await rest(50);
}

await settle();
const { answer: found, cpuMs, wallMs } = measured(work);
for (let look = 0; look < warmUps; look++) work();
await settle();
const { cpuMs: againCpuMs } = measured(work);
console.log(JSON.stringify({ cpuMs, wallMs, againCpuMs, found: found.size }));
