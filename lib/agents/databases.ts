/**
 * Reads the latest record of a session from the database of an engine, where the runtime brings SQLite
 * (`node:sqlite`). Its calls are synchronous and cannot be broken off, so a database is opened only where
 * none of them can last: a regular file of our own user, on a file system of this machine, which the
 * engine has open, so that its log is there and nothing needs to be created or repaired.
 */
import { createRequire } from 'node:module';
import { type DatabaseRule, NO_TURN, withMark } from '../engines/turns/turn.js';
import type { TurnFinding } from '../engines/turns/verdict.js';
import { describeFault } from '../process/fault.js';
import type { FileStat, Look, LookAnswer } from '../process/look.js';
import { groupOf } from './scripts.js';

/** How long a read waits for a writer. */
const BUSY_MS = 20;
const MOST_MOUNTS_BYTES = 1 << 20;
/** A server or a program of a user may stand behind every other type. */
const LOCAL_TYPES = [
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'jfs',
  'overlay',
  'ramfs',
  'tmpfs',
  'xfs',
  'zfs',
];

export interface DatabaseAnswer {
  /** Differs as soon as anything was written. */
  readonly sign: string;
  readonly finding: TurnFinding | null;
}

interface Statement {
  get(...values: readonly string[]): unknown;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
export interface Sqlite {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => Database;
}

/** SQLite as the runtime brings it (Node 22.13 and later); null = it does not. */
export function runtimeSqlite(load: (name: string) => unknown = createRequire(__filename)): Sqlite | null {
  try {
    const found = load('node:sqlite') as Partial<Sqlite>;
    return typeof found.DatabaseSync === 'function' ? (found as Sqlite) : null;
  } catch {
    return null;
  }
}

/** The type of the file system on which a path lies, by the text of mountinfo; null = it does not tell. */
export function fileSystemOf(path: string, mountinfo: string): string | null {
  let point = '';
  let type: string | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const raw = before.split(' ')[4];
    if (raw === undefined) continue;
    const own = raw.replace(/\\([0-7]{3})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    const holds = own === '/' || path === own || path.startsWith(`${own}/`);
    // The last of several mounts on one point is the one that is seen.
    if (!holds || own.length < point.length) continue;
    point = own;
    type = after.split(' ')[0] ?? null;
  }
  return type;
}

function signOf(stats: readonly (FileStat | undefined)[]): string {
  return stats
    .map((stat) => (stat ? `${stat.dev}:${stat.ino} ${stat.size} ${stat.mtimeMs}` : '-'))
    .join(', ');
}

/** Why the database is not opened; null = it may be. */
function objectionTo(answers: readonly (LookAnswer | undefined)[], path: string): string | null {
  const [main, wal, shm, mounts] = answers;
  const failed = [main, wal, shm].find((answer) => answer?.fault && answer.fault.kind !== 'gone')?.fault;
  if (failed) return `its database could not be looked at: ${describeFault(failed)}`;
  if (main?.stat?.kind !== 'file') return 'its database is no regular file';
  if (main.stat.uid !== process.geteuid?.()) return 'its database belongs to another user than this program';
  const type = fileSystemOf(path, mounts?.bytes?.toString('utf8') ?? '');
  if (type === null || !LOCAL_TYPES.includes(type)) {
    return `its database lies on a file system that may not answer (${type ?? 'of unknown type'})`;
  }
  const logged = [wal, shm].every((answer) => answer?.stat?.kind === 'file');
  return logged ? null : 'its database has no write-ahead log, so that no engine has it open';
}

function isPlainTable(database: Database, name: string): boolean {
  const row = database.prepare('SELECT type, sql FROM sqlite_schema WHERE name = ?').get(name) as
    | { readonly type?: unknown; readonly sql?: unknown }
    | undefined;
  return row?.type === 'table' && typeof row.sql === 'string' && /^\s*CREATE TABLE\b/i.test(row.sql);
}

function query(rule: DatabaseRule, path: string, id: string, { DatabaseSync }: Sqlite): TurnFinding | null {
  const what = rule.what;
  let database: Database | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA query_only = 1; PRAGMA trusted_schema = 0`);
    const odd = rule.tables.find((name) => !isPlainTable(database as Database, name));
    if (odd !== undefined) return { what, path, problem: `its database has no table ${odd}` };
    const row = database.prepare(rule.query).get(id);
    if (row === undefined || row === null) return null;
    const mark = rule.read(row as Readonly<Record<string, unknown>>);
    return mark === null ? null : { what, path, turn: withMark(NO_TURN, mark) };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    return { what, path, problem: `its database could not be read: ${why}` };
  } finally {
    database?.close();
  }
}

let known: Sqlite | null | undefined;

/** Loaded once, and only when there is a database to be read: a runtime may warn that it is experimental. */
function ownSqlite(): Sqlite | null {
  known ??= runtimeSqlite();
  return known;
}

/** `before`: the last answer, which stands while nothing was written. */
export async function readDatabase(
  rule: DatabaseRule,
  path: string,
  id: string,
  look: Look,
  before: DatabaseAnswer | undefined,
  sqlite: Sqlite | null = ownSqlite(),
): Promise<DatabaseAnswer> {
  const problem = (why: string, sign: string): DatabaseAnswer => ({
    sign,
    finding: { what: rule.what, path, problem: why },
  });
  if (sqlite === null) return problem('this runtime brings no SQLite (node:sqlite) to read its database', '');
  const group = groupOf(path);
  const answers = await look([
    { op: 'stat', path, follow: false, group },
    { op: 'stat', path: `${path}-wal`, follow: false, group },
    { op: 'stat', path: `${path}-shm`, follow: false, group },
    { op: 'read', path: '/proc/self/mountinfo', maxBytes: MOST_MOUNTS_BYTES },
  ]);
  const sign = signOf([answers[0]?.stat, answers[1]?.stat]);
  const why = objectionTo(answers, path);
  if (why !== null) return problem(why, sign);
  if (before?.sign === sign) return before;
  return { sign, finding: query(rule, path, id, sqlite) };
}
