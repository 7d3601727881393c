import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { PaneRef } from '../../../lib/index.js';

/** Why tests with real servers are skipped; undefined = they are not. */
export function missingTmux(): string | undefined {
  const found = spawnSync('tmux', ['-V'], { encoding: 'utf8' });
  return found.status === 0 ? undefined : 'tmux is not installed (Debian: apt-get install tmux)';
}

/** Waits for a condition; an error after a time that no machine needs. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`it never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** A private folder for a test, removed by `remove()`. */
export interface Place {
  readonly folder: string;
  remove(): void;
}

export function place(): Place {
  // The path of a socket has little room.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pst')));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A tmux server of its own, on a socket of its own, without anybody's configuration. */
export class Server {
  readonly socket: string;
  readonly folder: string;
  readonly #place: Place;

  constructor(name = 's', where?: Place) {
    this.#place = where ?? place();
    this.folder = this.#place.folder;
    this.socket = join(this.folder, name);
  }

  /** Runs the binary; an error when it fails. */
  run(...args: string[]): string {
    const result = this.try(...args);
    if (result.status !== 0) throw new Error(`tmux ${args[0]}: ${result.stderr}`);
    return result.stdout;
  }

  try(...args: string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const environment = [
      '-i',
      `PATH=${process.env['PATH']}`,
      `HOME=${this.folder}`,
      'LC_ALL=C.UTF-8',
      'SHELL=/bin/sh',
    ];
    const command = ['tmux', '-S', this.socket, '-f', '/dev/null', ...args];
    const { status, stdout, stderr } = spawnSync('env', [...environment, ...command], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      cwd: this.folder,
    });
    return { status, stdout, stderr };
  }

  /** Starts it with one pane that runs `command`, and answers the id of the pane. */
  start(command = 'exec sleep 600', ...args: string[]): string {
    this.run('new-session', '-d', '-x', '80', '-y', '24', ...args, command);
    return this.run('list-panes', '-F', '#{pane_id}').trim();
  }

  pane(command: string, ...args: string[]): string {
    return this.run('new-window', '-d', '-P', '-F', '#{pane_id}', ...args, command).trim();
  }

  /**
   * Makes the server take note of children that have ended. 3.3a now and then leaves one of two that end at once unreaped
   * until another one ends: seen with `true | exit 7`, 10 of 60 times.
   */
  reap(): void {
    this.run('run-shell', 'true');
  }

  get pid(): number {
    return Number(this.run('display-message', '-p', '#{pid}'));
  }

  /** Ends the server: `kill-server` alone comes back while it still takes connections. */
  async kill(): Promise<void> {
    const { pid } = this;
    this.run('kill-server');
    await until('the server has ended', () => !runs(pid));
  }

  end(): void {
    this.try('kill-server');
    this.#place.remove();
  }
}

export interface Reader {
  readonly tmux: Server;
  readonly pane: PaneRef;
  /** What the program in the pane has read, once there are `length` bytes. */
  got(length: number): Promise<Buffer>;
}

/** A pane, of a server that is added to `servers`, whose program writes what it reads to a file. */
export async function readerIn(servers: Server[], mode: 'plain' | 'bracketed' = 'plain'): Promise<Reader> {
  const tmux = new Server();
  servers.push(tmux);
  const file = join(tmux.folder, 'read');
  const script = join(__dirname, 'reader.mjs');
  const id = tmux.start(`exec '${process.execPath}' '${script}' '${file}' ${mode}`);
  // The program is seen to have asked for what it asks before it is written to.
  await until(
    'the reader reads',
    () => existsSync(file) && tmux.run('capture-pane', '-p', '-t', id).includes('ready'),
  );
  const got = (length: number) =>
    until(`${length} bytes were read`, () => {
      const bytes = readFileSync(file);
      return bytes.length >= length && bytes;
    });
  return { tmux, pane: { socket: tmux.socket, id }, got };
}

/** Servers of a test file, each ended after the test that made it. */
export function ownServers(): { readonly servers: Server[]; readonly server: (name?: string) => Server } {
  const servers: Server[] = [];
  afterEach(() => {
    for (const each of servers.splice(0)) each.end();
  });
  const server = (name?: string): Server => {
    const made = new Server(name);
    servers.push(made);
    return made;
  };
  return { servers, server };
}
