/** What a kind of file may tell beside what every file has. */
export type KindDetails = Readonly<Record<string, number | string | readonly number[]>>;

/** One kind of file that a descriptor can name. Pure: the link, the mode and fdinfo in, a verdict out. */
export interface Kind {
  readonly name: string;
  /**
   * Whether a file is of this kind.
   * @param link what readlink of /proc/pid/fd/N gives
   * @param type the file type bits of st_mode; undefined where they could not be read
   */
  readonly fits: (link: string, type: number | undefined) => boolean;
  /** @param info the lines of fdinfo that only this kind has. proc_pid_fdinfo(5). */
  readonly details?: (link: string, info: string) => KindDetails;
}

/** File type bits of st_mode. inode(7). */
export const TYPE = {
  mask: 0o170000,
  socket: 0o140000,
  regular: 0o100000,
  block: 0o060000,
  directory: 0o040000,
  character: 0o020000,
  fifo: 0o010000,
} as const;

/** A kind that the kernel names in the link alone, such as `anon_inode:[eventfd]`. */
export function anonymous(name: string): (link: string) => boolean {
  return (link) => link === `anon_inode:[${name}]` || link === `anon_inode:${name}`;
}

/** A kind that the type bits tell. A link that is no path never names a file of the file system. */
export function ofType(type: number): Kind['fits'] {
  return (link, actual) => actual === type && link.startsWith('/');
}

/** The number behind `key:` in fdinfo. */
export function numberAt(info: string, key: string): number | undefined {
  const match = new RegExp(`^${key}:\\s*(-?\\d+)`, 'm').exec(info);
  return match === null ? undefined : Number(match[1]);
}

/** Every number behind `key:` in fdinfo. */
export function numbersAt(info: string, key: string): number[] {
  return [...info.matchAll(new RegExp(`^${key}:\\s*(-?\\d+)`, 'gm'))].map((match) => Number(match[1]));
}

/** The entries whose value is known. */
export function known(entries: Readonly<Record<string, number | string | undefined>>): KindDetails {
  const found = Object.entries(entries).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found) as KindDetails;
}

/** The inode number in `pipe:[123]`. */
export function inodeIn(link: string): number | undefined {
  const match = /:\[(\d+)\]$/.exec(link);
  return match === null ? undefined : Number(match[1]);
}
