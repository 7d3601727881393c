import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder `bench/`. */
export const here = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Where compiled programs of the bench go; ignored by git. */
export const builtFolder = resolve(here, '../build/bench');
