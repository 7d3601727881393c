/** The file system of a capture: its files, the folders above them, and where links lead. */
import { withSlashes } from '../../engines/path.js';
import type { FaultKind } from '../../process/fault.js';
import type { FileStat, Look, LookAnswer, LookRequest } from '../../process/look.js';
import type { Replay, ReplayFile } from './format.js';

const GONE = 2;
const DENIED = 13;
const MODE = { file: 0o100600, directory: 0o40700 } as const;

/** Links that lead from one to the next are followed so often. symlink(7). */
const MOST_LINKS = 40;

class CapturedFiles {
  readonly #files = new Map<string, ReplayFile>();
  /** With the owner of what lies in them. */
  readonly #folders = new Map<string, number>();
  readonly #links = new Map<string, string>();
  readonly #order = new Map<string, bigint>();

  constructor({ files, links, processes }: Replay) {
    for (const file of files) this.#add(withSlashes(file.path), file);
    // What somebody has open is there.
    for (const { openFiles = [], uid } of processes) {
      for (const { path, kind, deleted } of openFiles) {
        const key = withSlashes(path);
        if (deleted || this.#files.has(key)) continue;
        if (kind === 'directory') this.#addFolders(`${key}/`, uid ?? 0);
        else this.#add(key, { path, uid: uid ?? 0 });
      }
    }
    for (const [from, to] of Object.entries(links)) {
      this.#links.set(withSlashes(from), to);
      if (!this.#files.has(withSlashes(to)) && !this.#folders.has(withSlashes(to))) {
        this.#add(withSlashes(to), { path: to });
      }
    }
  }

  #add(key: string, file: ReplayFile): void {
    this.#files.set(key, file);
    this.#addFolders(key, file.uid ?? 0);
  }

  #addFolders(path: string, uid: number): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (!this.#folders.has(folder)) this.#folders.set(folder, uid);
    }
  }

  /** The path with its links resolved, in the form of the capture; null = nothing is there. */
  resolve(path: string): string | null {
    let at = path;
    for (let times = 0; times < MOST_LINKS; times++) {
      const key = withSlashes(at);
      const target = this.#links.get(key);
      if (target === undefined) return this.#files.has(key) || this.#folders.has(key) ? at : null;
      at = target;
    }
    return null;
  }

  file(path: string): ReplayFile | undefined {
    return this.#files.get(withSlashes(path));
  }

  names(path: string): string[] {
    const before = `${withSlashes(path)}/`;
    const inside = [...this.#files.keys(), ...this.#folders.keys()].filter((each) => each.startsWith(before));
    return [...new Set(inside.map((each) => each.slice(before.length).split('/', 1)[0] as string))];
  }

  stat(path: string): FileStat {
    const key = withSlashes(path);
    const file = this.#files.get(key);
    const ino = this.#order.get(key) ?? BigInt(this.#order.size + 1);
    this.#order.set(key, ino);
    const kind = file === undefined ? 'directory' : 'file';
    return {
      dev: 0n,
      ino,
      size: Buffer.byteLength(file?.text ?? ''),
      mtimeMs: file?.mtimeMs ?? 0,
      uid: file?.uid ?? this.#folders.get(key) ?? 0,
      mode: MODE[kind],
      nlink: 1,
      kind,
    };
  }
}

function answer(files: CapturedFiles, request: LookRequest): LookAnswer {
  const { op, path } = request;
  const failed = (kind: FaultKind, code: number): LookAnswer => ({ fault: { kind, code, call: op, path } });
  const real = files.resolve(path);
  if (real === null) return failed('gone', GONE);
  const stat = files.stat(real);
  if (op === 'stat') return { stat };
  if (op === 'realpath') return { realpath: real, stat };
  if (op === 'list') {
    const names = files.names(real);
    const entries = names.slice(0, request.maxEntries).map((name) => ({
      name,
      ...(request.stats ? { stat: files.stat(`${withSlashes(real)}/${name}`) } : {}),
    }));
    return { stat, entries, truncated: names.length > request.maxEntries };
  }
  const file = files.file(real);
  // The capture has names of session files without their contents.
  if (file?.text === undefined) return failed(file ? 'denied' : 'unsupported', file ? DENIED : 0);
  const { maxBytes, fromEnd = false } = request;
  const offset = fromEnd ? Math.max(0, stat.size - maxBytes) : (request.offset ?? 0);
  const bytes = Buffer.from(file.text).subarray(offset, offset + maxBytes);
  return { stat, bytes, offset, truncated: stat.size > offset + bytes.length };
}

export function lookOf(replay: Replay): Look {
  const files = new CapturedFiles(replay);
  return async (requests) => requests.map((request) => answer(files, request));
}
