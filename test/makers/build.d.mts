/** The flags of every C program of tests and benches. */
export const cFlags: readonly string[];

/**
 * Compiles one C file unless `binary` is newer than it and than `inputs`; answers `binary`.
 * Callers in several processes at once are safe.
 */
export function compile(
  source: string,
  binary: string,
  options?: { flags?: readonly string[]; inputs?: readonly string[] },
): string;

/** The names of all makers. */
export function makers(): string[];

/** The path of a maker's program, compiled first when its source is newer. */
export function maker(name: string): string;
