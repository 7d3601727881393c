import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { agents } from '../../../lib/agents/discover.js';
import type { Agent, AgentsEnvelope } from '../../../lib/agents/envelope.js';
import type { AgentsOptions } from '../../../lib/agents/options.js';
import { snapshotAsync } from '../../../lib/process/snapshot.js';

const output = join(__dirname, '../../../build/makers');

export async function built(name: 'fake' | 'stage'): Promise<string> {
  const { compile } = await import('../../makers/build.mjs');
  const header = join(__dirname, '../../makers/maker.h');
  return compile(join(__dirname, `${name}.c`), join(output, `agents-${name}`), { inputs: [header] });
}

export interface Start {
  readonly argv0?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** On a terminal of its own (default), or in a session without one. */
  readonly tty?: boolean;
  /** Files that it has open from the start: `open PATH`, `lock PATH` (exclusive flock), `share PATH`. */
  readonly hold?: readonly string[];
}

/** A home and processes of its own, gone without a trace after `end()`. */
export class Scene {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'procscope-agents-')));
  readonly #stages: ChildProcessWithoutNullStreams[] = [];
  readonly #pids = new Set<number>();

  path(...parts: string[]): string {
    return join(this.home, ...parts);
  }

  write(path: string, text: string): string {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
    return this.path(path);
  }

  link(path: string, target: string): string {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    symlinkSync(target, this.path(path));
    return this.path(path);
  }

  /** A program at this place that only waits. */
  async fake(path: string): Promise<string> {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    copyFileSync(await built('fake'), this.path(path));
    return this.path(path);
  }

  /** Starts a program; resolves to its pid once it runs. */
  async start(program: string, how: Start = {}): Promise<number> {
    const { argv0 = program, args = [], env = {}, cwd = this.home, tty = true, hold = [] } = how;
    const stage = spawn(await built('stage'), [tty ? 'tty' : 'none', program, argv0, ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: this.home, STAGE_HOLD: hold.join('\n'), ...env },
    });
    this.#stages.push(stage);
    const [line] = (await once(createInterface({ input: stage.stdout }), 'line')) as [string];
    const pid = Number(/^ready (\d+)$/.exec(line)?.[1]);
    if (!Number.isInteger(pid)) throw new Error(`the stage said ${line}`);
    this.#pids.add(pid);
    return pid;
  }

  /** A child of a process of ours, once there is one that runs another image than its parent did. */
  async childOf(parent: number, image: string): Promise<number> {
    for (;;) {
      const table = await snapshotAsync({ fields: ['exe'] });
      const child = table.children(parent).find(({ exe }) => exe === image);
      if (child) {
        this.#pids.add(child.pid);
        return child.pid;
      }
      if (!table.has(parent)) throw new Error(`process ${parent} ended without a child`);
    }
  }

  /** What agents() says of the processes of this scene; what else runs here is nobody's business. */
  async look(options: AgentsOptions = {}): Promise<AgentsEnvelope> {
    const found = await agents({ pathEnv: '', overrides: {}, tmuxSockets: [], ...options });
    const table = await snapshotAsync({ pids: this.#pids });
    // A decoy that ended would pass every test.
    for (const pid of this.#pids) if (!table.has(pid)) throw new Error(`process ${pid} ended too early`);
    // In the order of their start: pids may have begun anew in between.
    const ours = [...this.#pids].flatMap((pid) => found.agents.filter((agent) => agent.pid === pid));
    return {
      ...found,
      agents: ours,
      faults: found.faults.filter(({ pid }) => pid !== null && this.#pids.has(pid)),
    };
  }

  async agents(options: AgentsOptions = {}): Promise<readonly Agent[]> {
    return (await this.look(options)).agents;
  }

  /** `pid: engine kind` of everything that was found. */
  async verdicts(options: AgentsOptions = {}): Promise<Record<number, string>> {
    const found = await this.agents(options);
    return Object.fromEntries(found.map(({ pid, engine, kind }) => [pid, `${engine} ${kind}`]));
  }

  /** The process is no longer looked for. */
  forget(pid: number): void {
    this.#pids.delete(pid);
  }

  /** Start of a process in ticks, as the engines write it down. */
  async startOf(pid: number): Promise<string> {
    const row = (await snapshotAsync({ pids: [pid] })).get(pid);
    if (row?.startKey === undefined) throw new Error(`process ${pid} has no start`);
    return row.startKey.toString();
  }

  async end(): Promise<void> {
    for (const stage of this.#stages) {
      const closed = once(stage, 'close');
      stage.stdin.end();
      if (stage.exitCode === null) await closed;
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}
