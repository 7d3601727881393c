import { join } from 'node:path';
import { compile } from '../../test/makers/build.mjs';
import { builtFolder, here } from '../lib/paths.mjs';

const program = () =>
  compile(join(here, 'floor.c'), join(builtFolder, 'floor'), {
    flags: ['-pthread'],
    inputs: [join(here, 'clock.h')],
  });

const floor = (name, mode, about) => ({
  name,
  about,
  facts: ['argv', 'cwd', 'exe'],
  costUs: 27,
  command: (repetitions, warmups) => [program(), [String(repetitions), String(warmups), mode]],
});

export default [
  floor('floor', 'full', 'C: stat, cmdline, cwd, exe by whole paths; nothing parsed'),
  floor('floor-dirfd', 'directory', 'C: the same relative to one descriptor a process'),
  floor('floor-threaded', 'threaded', 'C: the floor in a process that has a second thread'),
];
