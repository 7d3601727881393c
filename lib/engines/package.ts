/** Versions of programs that a package manager unpacked: they stand in the manifest of their package. */
import { withSlashes } from './path.js';

/** What a manifest says of itself, without the ending of a package for one platform. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

const FOLDER = '/node_modules/';
/** What packages for one platform add to their name, and some to their version. */
const PLATFORM =
  /-(?:linux|darwin|win32|windows|android|freebsd)-(?:x64|arm64|arm|ia32|x86_64|aarch64)(?:-[a-z0-9-]+)?$/;
const VERSION = /^\d{1,10}\.\d{1,10}\.\d{1,10}(?:[-+][0-9A-Za-z.+-]{1,40})?$/;

const plainName = (name: string): string => name.replace(PLATFORM, '');

/** The innermost package that a path lies in: its name and its folder, as the path has it; null = in none. */
export function packageAround(path: string): { readonly name: string; readonly folder: string } | null {
  const slashed = withSlashes(path);
  const at = slashed.lastIndexOf(FOLDER);
  if (at < 0) return null;
  const parts = slashed.slice(at + FOLDER.length).split('/');
  const count = parts[0]?.startsWith('@') ? 2 : 1;
  // The last part is a file.
  if (parts.length <= count) return null;
  const name = parts.slice(0, count).join('/');
  return { name: plainName(name), folder: path.slice(0, at + FOLDER.length + name.length) };
}

/** What the text of a `package.json` says; null = it is none, or names no version that npm would take. */
export function packageVersion(manifest: string): PackageVersion | null {
  let fields: unknown;
  try {
    fields = JSON.parse(manifest);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null) return null;
  const { name, version } = fields as Record<string, unknown>;
  if (typeof name !== 'string' || typeof version !== 'string' || name.length > 214) return null;
  const plain = version.length > 100 ? '' : version.replace(PLATFORM, '');
  return VERSION.test(plain) ? { name: plainName(name), version: plain } : null;
}
