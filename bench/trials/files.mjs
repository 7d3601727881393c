// Open files: one process, all, and who has one file. Whatever is spawned or called here gives its
// rows as values: lsof's lines are split, the rows of this package are read.
import { execFile } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compile } from '../../test/makers/build.mjs';
import { builtFolder, here } from '../lib/paths.mjs';

const run = promisify(execFile);

/** Each trial of `holders` has it open itself, so that there is somebody to find. */
const heldFile = join(here, 'README.md');
/** Of each process of the crowd: cwd, root, exe and three descriptors. */
const filesOfOne = 6;

async function load() {
  const built = new URL('../../dist/index.js', import.meta.url);
  if (!existsSync(built)) throw new Error('dist/ is not built: npm run build');
  return (await import(built.href)).default;
}

function worker() {
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('--worker-id=');
      } catch {
        return false;
      }
    });
  if (pid === undefined) throw new Error('there is no crowd');
  return Number(pid);
}

/** Rows of which path and inode are known, with every value read that `lsof -Fn` prints and more. */
function touch(table) {
  let rows = 0;
  for (const file of table) {
    const { pid, fd, role, path, ino, kind } = file;
    if (
      pid > 0 &&
      (fd !== null || role !== 'fd') &&
      path !== undefined &&
      ino !== undefined &&
      kind !== undefined
    )
      rows++;
  }
  return rows;
}

const ownTrials = [
  [
    'openFiles-pid',
    'pid',
    'procscope openFiles(pid), every row read',
    async (p, pid) => touch(await p.openFiles(pid)),
  ],
  [
    'openFiles-all',
    'all',
    "procscope openFiles('all'), every row read",
    async (p) => touch(await p.openFiles('all')),
  ],
  ['holders', 'holders', 'procscope holders(path)', async (p) => (await p.holders(heldFile)).holders.length],
];

async function lsof(args) {
  const { stdout } = await run('lsof', ['-nP', ...args, '-Fn'], {
    maxBuffer: 1 << 28,
    env: { ...process.env, LC_ALL: 'C' },
    // It warns of file systems that it cannot stat, and ends with 1 where something was not found.
  }).catch((error) => (error.code === 1 && error.stdout ? error : Promise.reject(error)));
  return stdout.split('\n').filter((line) => line[0] === 'n').length;
}

const lsofTrials = [
  [
    'lsof-pid',
    'pid',
    'Node: starts lsof -nP -p PID -Fn and splits its lines',
    (_, pid) => lsof(['-p', String(pid)]),
  ],
  ['lsof-all', 'all', 'Node: starts lsof -nP -Fn and splits its lines', () => lsof([])],
  [
    'lsof-file',
    'holders',
    'Node: starts lsof -nP -Fn FILE and splits its lines',
    () => lsof(['--', heldFile]),
  ],
];

/** What must be seen, for the answer to count. */
const leastSeen = {
  pid: () => filesOfOne,
  all: (size) => filesOfOne * size,
  holders: () => 1,
};

const costUs = { pid: 0, all: 150, holders: 120 };

const trial =
  (usesOwn) =>
  ([name, question, about, look]) => ({
    name,
    about,
    facts: [],
    leastSeen: leastSeen[question],
    ...(question === 'pid' ? { costMs: usesOwn ? 0.5 : 60 } : { costUs: usesOwn ? costUs[question] : 1_000 }),
    open: async () => {
      const procscope = usesOwn ? await load() : undefined;
      const pid = question === 'pid' ? worker() : undefined;
      if (question === 'holders') openSync(heldFile);
      return { look: () => look(procscope, pid), count: (seen) => seen, rows: () => [] };
    },
  });

const floorProgram = () =>
  compile(join(here, 'files-floor.c'), join(builtFolder, 'files-floor'), { inputs: [join(here, 'clock.h')] });

const floors = ['pid', 'all', 'holders'].map((question) => ({
  name: `floor-${question}`,
  about: 'C: fd listed, each link read and its file looked at, maps read; nothing parsed',
  facts: [],
  leastSeen: leastSeen[question],
  ...(question === 'pid' ? { costMs: 0.1 } : { costUs: 90 }),
  command: (repetitions, warmups) => [
    floorProgram(),
    [String(repetitions), String(warmups), question, ...(question === 'holders' ? [heldFile] : [])],
  ],
}));

export default [...floors, ...lsofTrials.map(trial(false)), ...ownTrials.map(trial(true))];
