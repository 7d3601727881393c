import openFiles from '../trials/files.mjs';
import floor from '../trials/floor.mjs';
import javascript from '../trials/javascript.mjs';
import packages from '../trials/packages.mjs';
import procscope from '../trials/procscope.mjs';
import ps from '../trials/ps.mjs';
import sockets from '../trials/sockets.mjs';

const files = { floor, ps, packages, javascript, procscope, files: openFiles, sockets };

/** Every trial by name, with the file that holds it. */
const trials = new Map(
  Object.entries(files).flatMap(([file, list]) =>
    list.map((trial) => [trial.name, { ...trial, file: `trials/${file}.mjs` }]),
  ),
);

const snapshotTargets = ['snapshot', 'snapshot+touch', 'async', 'async+touch'].flatMap((trial) => [
  { trial, against: 'floor', most: 1.25 },
  { trial, against: 'ps', less: 10 },
]);

/**
 * A group is measured together, in one run. `baseline` and `rival` are the two trials that all
 * others are set against; a target is met when the CPU time of `trial` divided by that of
 * `against` is at most `most`, or when that of `against` is at least `less` times as high.
 */
const groups = [
  {
    name: 'snapshot',
    about: 'a cold look at every process: stat, argv, cwd, exe',
    trials: [
      'floor',
      'ps',
      'ps-list',
      'systeminformation',
      'node-fs',
      'snapshot',
      'snapshot+touch',
      'async',
      'async+touch',
    ],
    baseline: 'floor',
    rival: 'ps',
    targets: snapshotTargets,
  },
  {
    name: 'sockets',
    about: 'sockets of tcp and udp with their owners, among idle processes',
    trials: ['sockets', 'sockets+touch', 'lsof -i'],
    baseline: 'sockets',
    rival: 'lsof -i',
    targets: [
      { trial: 'sockets', against: 'lsof -i', less: 20 },
      { trial: 'sockets+touch', against: 'lsof -i', less: 20 },
    ],
  },
  {
    name: 'floor',
    about: 'ways to read the same files from C',
    trials: ['floor', 'floor-dirfd', 'floor-threaded'],
    baseline: 'floor',
    rival: null,
    targets: [],
  },
  ...[
    ['files-pid', 'the open files of one process', 'floor-pid', 'lsof-pid', 'openFiles-pid', 50],
    ['files-all', 'the open files of every process', 'floor-all', 'lsof-all', 'openFiles-all', 10],
    ['files-holders', 'who has one file', 'floor-holders', 'lsof-file', 'holders', 20],
  ].map(([name, about, baseline, rival, trial, less]) => ({
    name,
    about,
    trials: [baseline, rival, trial],
    baseline,
    rival,
    targets: [{ trial, against: rival, less }],
  })),
];

/** Groups that are asked for together. */
const sets = { files: ['files-pid', 'files-all', 'files-holders'] };

export const groupNames = [...groups.map((group) => group.name), ...Object.keys(sets)];

/** The groups of a name: one, or those of a set. */
export const groupsOf = (name) => (sets[name] ?? [name]).map(groupOf);

/** A group with its trials looked up; undefined when there is none of that name. */
function groupOf(name) {
  const group = groups.find((candidate) => candidate.name === name);
  return group && { ...group, trials: group.trials.map((trial) => trials.get(trial)) };
}
