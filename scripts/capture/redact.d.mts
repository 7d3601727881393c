export interface Names {
  /** Home folders, each of which becomes /home/user (the first) or /home/other. */
  readonly homes: readonly string[];
  readonly user: string | null;
  readonly otherUsers: readonly string[];
  readonly hosts: readonly string[];
}

export interface Redaction {
  /** A text without homes, names, hosts and secrets; ids stay the same id wherever they stand. */
  text(text: string): string;
  argv(argv: readonly string[], keepArguments?: boolean): string[];
  /** `KEY=value` of the named keys; values only of those that are known to be harmless. */
  environ(entries: readonly string[], keys: readonly string[]): string[];
  /** Lines of /proc/pid/status that a reader needs. */
  status(text: string): string;
  /** A line of /proc/pid/stat with the name redacted. */
  stat(text: string): string;
  maps(text: string): string;
}

export function redaction(names: Names): Redaction;
export const KNOWN_FLAGS: ReadonlySet<string>;
export const ENV_KEYS: readonly string[];
