import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compare } from '../../test/churn/compare.mjs';
import { churn, namespaceFlags } from '../../test/churn/run.mjs';

const run = promisify(execFile);
const inside = join(dirname(fileURLToPath(import.meta.url)), 'inside.mjs');
const load = () => createRequire(import.meta.url)('../../dist/index.js');

const pass = (text) => ({ word: 'pass', text });
const fail = (text) => ({ word: 'FAIL', text });
const skip = (text) => ({ word: 'skip', text });

const NO_NAMESPACE = 'a private pid namespace is refused here';
/** A few hundred pids, so that each is given out again within a fraction of a second. */
const FEW_PIDS = 600;

/** The help of the kernel that a poller gets when it asks for this one. */
function sourceOf(events) {
  const poller = new (load().Poller)({ events });
  poller.poll();
  const source = poller.stats.events;
  poller.close();
  return source;
}

function verdict(what, { ledger, log }, needsReuse = true) {
  const result = compare(ledger, log);
  const { children, polls, starts, exits, names, reused, swaps, unjudged, failedPolls, problems } = result;
  const said = `${what}: ${polls} polls over ${children} children; ${starts} starts, ${exits} exits and ${names} names were due, ${reused} pids were reused, ${swaps} of them between two polls; ${failedPolls} polls failed, ${unjudged} children cannot be told apart`;
  const counts = ['missed', 'doubled', 'misattributed', 'table'].map(
    (kind) => `${problems.filter((problem) => problem.kind === kind).length} ${kind}`,
  );
  const examples = problems.slice(0, 5).map(({ kind, text }) => ({ word: '', text: `${kind}: ${text}` }));
  const holds = problems.length === 0 && starts > 0 && exits > 0 && (reused > 0 || !needsReuse);
  return [
    holds ? pass(`${said}; 0 missed, doubled or misattributed`) : fail(`${said}; ${counts}`),
    ...examples,
  ];
}

/** 2,000 forks a second while polling at 100 Hz, with each help that the kernel may give. */
async function churnAll(seconds) {
  const fast = { rate: 2000, total: 2000 * seconds, spanMs: 10, intervalMs: 10 };
  const lines = [];
  if (namespaceFlags() === null) lines.push(skip(NO_NAMESPACE));
  else {
    for (const [what, options] of [
      ['pidfds', { events: 'pidfd' }],
      ['pidfds, 32 descriptors', { events: 'pidfd', maxDescriptors: 32 }],
      ['no events', { events: 'none' }],
    ]) {
      lines.push(...verdict(what, await churn({ ...fast, pids: FEW_PIDS, options })));
    }
  }
  if (sourceOf('connector') === 'connector') {
    // Half of these get the pid of one that ended, which takes a whole fork.
    const slower = { ...fast, rate: 400, total: 400 * seconds };
    lines.push(...verdict('connector', await churn({ ...slower, options: { events: 'connector' } })));
  } else lines.push(skip('connector: the kernel does not let this program listen'));
  return lines;
}

/** Lives of seconds, so that names are found by the look that each row gets within maxAgeMs. */
async function oldRows(seconds) {
  if (namespaceFlags() === null) return [skip(NO_NAMESPACE)];
  const slow = { rate: 40, total: 40 * seconds, spanMs: 200, intervalMs: 20, maxAgeMs: 200, pids: FEW_PIDS };
  return verdict('names of old rows', await churn({ ...slow, options: { events: 'pidfd' } }), false);
}

async function fewDescriptors(seconds) {
  if (namespaceFlags() === null) return [skip(NO_NAMESPACE)];
  const limit = 64;
  const asked = { rate: 500, total: 500 * seconds, spanMs: 10, intervalMs: 10, pids: FEW_PIDS };
  const answer = await churn({ ...asked, descriptors: limit });
  const { descriptors } = answer.log;
  const most = limit * 0.75;
  const text = `RLIMIT_NOFILE ${limit}: the program with the poller had at most ${descriptors} descriptors`;
  return [
    ...verdict(`RLIMIT_NOFILE ${limit}`, answer),
    descriptors <= most ? pass(text) : fail(`${text}, more than ${most}`),
  ];
}

/** A check that runs as the first process of a namespace, where nothing else happens. */
const alone = (name) => async (seconds) => {
  const flags = namespaceFlags();
  if (flags === null) return [skip(NO_NAMESPACE)];
  const words = [...flags, process.execPath, '--expose-gc', inside, name, String(seconds)];
  const { stdout } = await run('unshare', words, { timeout: 3_600_000 });
  return JSON.parse(stdout);
};

export const checks = {
  churn: churnAll,
  'old-rows': oldRows,
  'few-descriptors': fewDescriptors,
  titles: alone('titles'),
  crowd: alone('crowd'),
  polls: alone('polls'),
};
