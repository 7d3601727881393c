import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Binding } from './binding.js';

/** Thrown when no binary of the addon could be loaded. The message names what was tried. */
export class LoadError extends Error {
  readonly code = 'ERR_PROCSCOPE_BINARY';

  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = 'LoadError';
  }
}

interface Resolver {
  (directory: string): Binding;
  resolve(directory: string): string;
}

/** The package's own folder: dist/native/ and lib/native/ are both two floors below it. */
const TOP = join(__dirname, '..', '..');

let loaded: { readonly binding: Binding; readonly file: string } | undefined;

/**
 * The addon, loaded at the first use, so that importing the package never throws.
 * @throws LoadError
 */
export function load(): Binding {
  return loadWithFile().binding;
}

/** Where the addon was loaded from. */
export function loadedFile(): string {
  return loadWithFile().file;
}

function loadWithFile(): { readonly binding: Binding; readonly file: string } {
  if (loaded !== undefined) return loaded;
  try {
    const resolver = require('node-gyp-build') as Resolver;
    const file = resolver.resolve(TOP);
    loaded = { binding: resolver(TOP), file };
    return loaded;
  } catch (cause) {
    throw new LoadError(explain(cause), { cause });
  }
}

/** What the loader's own error does not say: which of the usual reasons it most likely is. */
function explain(cause: unknown): string {
  const target = `${process.platform}-${process.arch}, node ${process.versions.node}`;
  const built = ['Release', 'Debug'].map((kind) => join(TOP, 'build', kind));
  const places = [...built, join(TOP, 'prebuilds', `${process.platform}-${process.arch}`)];
  const tried = places.map((place) => `  ${place}: ${existsSync(place) ? 'there' : 'not there'}`).join('\n');
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `procscope has no binary that loads on ${target}.\nLooked in:\n${tried}\n${hint(reason, places)}\nThe loader said: ${reason}`;
}

function hint(reason: string, places: readonly string[]): string {
  if (/GLIBC|ld-musl|libstdc\+\+/.test(reason)) {
    return 'The binary was made for another C library. Build it here: npm rebuild procscope';
  }
  if (/invalid ELF header|not a valid Win32|incompatible architecture|wrong ELF class/i.test(reason)) {
    return 'The binary was made for another processor or system (node_modules copied over?). Run: npm rebuild procscope';
  }
  if (!places.some((place) => existsSync(place))) {
    return `Its install script did not run (--ignore-scripts?). Run: npm rebuild procscope, or node-gyp rebuild in ${dirname(join(TOP, 'package.json'))}`;
  }
  return 'Run: npm rebuild procscope';
}
