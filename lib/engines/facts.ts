/**
 * What rules may know of one process. Plain values: a rule never touches the live machine, so
 * each verdict can be replayed from a fixture.
 *
 * Three values everywhere: a value; `null` = looked, and there is none; `undefined` = could not
 * look, or was not asked.
 */
import type { PackageVersion } from './package.js';

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** A file that an argument names, as resolved in the process's own view of the file system. */
export interface ResolvedScript {
  /** The argument as it stands in argv. */
  readonly arg: string;
  /** Absolute path after every symbolic link. */
  readonly real: string;
  readonly file: FileIdentity | undefined;
}

export interface ProcessFacts {
  readonly pid: number;
  /** Start in the kernel's own unit (Linux: clock ticks since boot); with pid the identity. */
  readonly startKey: bigint | undefined;
  /** Milliseconds since the epoch: for people and files, never an identity. */
  readonly startTime: number | undefined;
  readonly ppid: number | undefined;
  readonly pgid: number | undefined;
  readonly sid: number | undefined;
  /** `pts/3`; null = no controlling terminal. */
  readonly tty: string | null | undefined;
  /** Foreground process group of the terminal; values <= 0 mean that the kernel does not say. */
  readonly tpgid: number | undefined;
  /** Kernel state letter. */
  readonly state: string | undefined;
  readonly uid: number | undefined;
  readonly user: string | null | undefined;
  /** comm: at most 15 bytes on Linux. */
  readonly name: string | undefined;
  readonly argv: readonly string[] | undefined;
  readonly exe: string | null | undefined;
  /** Identity of the running image, right also after the path was replaced. */
  readonly exeFile: FileIdentity | undefined;
  readonly cwd: string | null | undefined;
  /** Root directory as seen from ours; `/` = it sees our files, apart from other mounts. */
  readonly root?: string | null | undefined;
  /** Pids from the outermost namespace inward; the last one is what the process itself sees. */
  readonly nspid: readonly number[] | undefined;
  /** Inode number of the pid namespace. */
  readonly pidNamespace: number | undefined;
  /** Named keys only. `env[key]`: value, null = not set, undefined = not read. */
  readonly env: Readonly<Record<string, string | null | undefined>> | undefined;
  /** The entry script of an interpreter, where it was looked up. */
  readonly script: ResolvedScript | undefined;
  /** What the manifest of the package around its program says; null = there is none of an engine. */
  readonly version?: PackageVersion | null | undefined;
  /** The system that the process is from (a `process.platform`); left out = ours. */
  readonly system?: string;
}
