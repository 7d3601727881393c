import type { AgentRow, AgentTable } from '../../../lib/agents/table.js';
import type { Fault } from '../../../lib/process/fault.js';
import type { FileStat, Look, LookAnswer, LookRequest } from '../../../lib/process/look.js';

export interface FakeRow extends Partial<Omit<AgentRow, 'fault' | 'pid'>> {
  readonly faults?: Readonly<Record<string, Fault>>;
}

/** A table of whole rows: what `rows` leaves out has a plain value. */
export function tableOf(rows: Readonly<Record<number, FakeRow>>, faults: readonly Fault[] = []): AgentTable {
  const made = new Map<number, AgentRow>();
  for (const [key, { faults: own = {}, ...given }] of Object.entries(rows)) {
    const pid = Number(key);
    made.set(pid, {
      pid,
      ppid: 1,
      pgid: pid,
      sid: pid,
      tty: `pts/${pid}`,
      tpgid: pid,
      state: 'S',
      uid: 1000,
      user: 'user',
      name: 'sh',
      argv: ['sh'],
      exe: `/usr/bin/${given.argv?.[0] ?? 'sh'}`,
      exeFile: null,
      cwd: '/w/a',
      nspid: [pid],
      pidNamespace: 4_026_531_836,
      startKey: BigInt(pid * 100),
      startTime: 1_796_000_000_000,
      env: { HOME: '/home/user' },
      kernelThread: false,
      fault: (field) => own[field],
      ...given,
    });
  }
  return {
    size: made.size,
    faults,
    get: (pid) => made.get(pid),
    [Symbol.iterator]: () => made.values(),
  };
}

export interface FakeFile {
  readonly text?: string;
  readonly uid?: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs?: number;
  /** Where a link leads. */
  readonly link?: string;
  readonly fault?: Fault['kind'];
}

function stat(file: FakeFile | 'folder', order: number): FileStat {
  const text = file === 'folder' ? '' : (file.text ?? '');
  return {
    dev: 1n,
    ino: BigInt(order + 1),
    size: Buffer.byteLength(text),
    mtimeMs: file === 'folder' ? 0 : (file.mtimeMs ?? 0),
    uid: file === 'folder' ? 1000 : (file.uid ?? 1000),
    mode: 0o644,
    nlink: 1,
    kind: file === 'folder' ? 'directory' : file.link === undefined ? 'file' : 'symlink',
  };
}

/** Answers from a handful of files, and keeps what was asked. */
export class FakeFiles {
  readonly asked: LookRequest[] = [];
  readonly #files: Map<string, FakeFile>;

  constructor(files: Readonly<Record<string, FakeFile | string>> = {}) {
    this.#files = new Map(
      Object.entries(files).map(([path, file]) => [path, typeof file === 'string' ? { text: file } : file]),
    );
  }

  readonly look: Look = async (requests) => {
    this.asked.push(...requests);
    return requests.map((request) => this.#answer(request));
  };

  set(path: string, file: FakeFile | string): void {
    this.#files.set(path, typeof file === 'string' ? { text: file } : file);
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  /** The time of a folder is that of the latest file in it. */
  #statOf(path: string): FileStat {
    const file = this.#files.get(path);
    if (file !== undefined) return stat(file, [...this.#files.keys()].indexOf(path));
    const below = [...this.#files].filter(([each]) => each.startsWith(`${path}/`));
    const latest = Math.max(0, ...below.map(([, { mtimeMs = 0 }]) => mtimeMs));
    return { ...stat('folder', -1), mtimeMs: latest + below.length };
  }

  #list(folder: string, maxEntries: number): Pick<LookAnswer, 'entries' | 'truncated'> {
    const below = [...this.#files.keys()].filter((path) => path.startsWith(`${folder}/`));
    const names = [...new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0] as string))];
    const entries = names.map((name) => ({ name, stat: this.#statOf(`${folder}/${name}`) }));
    return { entries: entries.slice(0, maxEntries), truncated: entries.length > maxEntries };
  }

  /** The path with its links resolved part by part; null where nothing is there. */
  #resolve(path: string, follow: boolean): string | null {
    const parts = path.split('/').slice(1);
    let at = '';
    for (const [index, part] of parts.entries()) {
      at += `/${part}`;
      const link = this.#files.get(at)?.link;
      if (link === undefined || (!follow && index === parts.length - 1)) continue;
      at = link;
    }
    return this.#files.has(at) || this.#isFolder(at) ? at : null;
  }

  #isFolder(path: string): boolean {
    return [...this.#files.keys()].some((file) => file.startsWith(`${path}/`));
  }

  #answer(request: LookRequest): LookAnswer {
    const fault = (kind: Fault['kind'], code: number): LookAnswer => ({
      fault: { kind, code, call: request.op, path: request.path },
    });
    const follow = request.op === 'realpath' || !('follow' in request) || request.follow !== false;
    const real = this.#resolve(`${request.root ?? ''}${request.path}`, follow);
    if (real === null) return fault('gone', 2);
    const file = this.#files.get(real);
    if (file?.fault) return fault(file.fault, 13);
    const own = this.#statOf(real);
    if (request.op === 'stat') return { stat: own };
    if (request.op === 'realpath') return { realpath: real, stat: own };
    if (request.op === 'list') return { stat: own, ...this.#list(real, request.maxEntries) };
    if (own.kind === 'symlink') return fault('io', 40);
    if (own.kind !== 'file') return fault('unsupported', 0);
    const bytes = Buffer.from(file?.text ?? '');
    return {
      stat: own,
      bytes: bytes.subarray(0, request.maxBytes),
      truncated: bytes.length > request.maxBytes,
    };
  }
}
