/** Databases of engines: when one is opened, and what a real one tells where the runtime brings SQLite. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSystemOf, readDatabase, runtimeSqlite, type Sqlite } from '../../../lib/agents/databases.js';
import { hermesMessages, opencodeMessages } from '../../../lib/engines/turns/databases.js';
import { currentMark, type DatabaseRule } from '../../../lib/engines/turns/turn.js';
import type { FileStat, Look, LookAnswer } from '../../../lib/process/look.js';
import { look } from '../../../lib/process/look-files.js';

const MOUNTS =
  '21 1 8:1 / / rw - ext4 /dev/sda rw\n30 21 0:40 / /net\\040share rw shared:1 - nfs4 server:/x rw\n';

const stat = (more: Partial<FileStat> = {}): LookAnswer => ({
  stat: {
    dev: 1n,
    ino: 2n,
    size: 3,
    mtimeMs: 4,
    uid: process.geteuid?.() ?? 0,
    mode: 0,
    nlink: 1,
    kind: 'file',
    ...more,
  },
});
const gone: LookAnswer = { fault: { kind: 'gone', code: 2, call: 'stat', path: '/x' } };
const mounts = (text = MOUNTS): LookAnswer => ({ bytes: Buffer.from(text) });

describe('a database', () => {
  let opened = 0;
  /** Never gets as far as to an answer. */
  const sqlite: Sqlite = {
    DatabaseSync: class {
      constructor() {
        opened++;
        throw new Error('opened');
      }
    } as unknown as Sqlite['DatabaseSync'],
  };
  const problemOf = async (
    answers: readonly LookAnswer[],
    path = '/h/opencode.db',
    own: Sqlite | null = sqlite,
  ) => {
    opened = 0;
    const given: Look = async () => [...answers];
    const { finding } = await readDatabase(opencodeMessages, path, 'ses_1', given, undefined, own);
    return finding && 'problem' in finding ? finding.problem : null;
  };

  it('is opened where no call can last', async () => {
    expect(await problemOf([stat(), stat(), stat(), mounts()])).toBe(
      'its database could not be read: opened',
    );
    expect(opened).toBe(1);
  });

  it.each([
    ['is no file', [stat({ kind: 'other' }), stat(), stat(), mounts()], 'its database is no regular file'],
    [
      'belongs to somebody else',
      [stat({ uid: 4_000_000 }), stat(), stat(), mounts()],
      'its database belongs to another user than this program',
    ],
    [
      'has no log',
      [stat(), gone, gone, mounts()],
      'its database has no write-ahead log, so that no engine has it open',
    ],
    [
      'lies where nothing is known of',
      [stat(), stat(), stat(), mounts('')],
      'its database lies on a file system that may not answer (of unknown type)',
    ],
    [
      'hangs',
      [{ fault: { kind: 'timeout', code: 0, call: 'stat', path: '/x' } }, stat(), stat(), mounts()],
      'its database could not be looked at: timeout: stat /x',
    ],
  ] as const)('that %s is not', async (_, answers, why) => {
    expect(await problemOf(answers)).toBe(why);
    expect(opened).toBe(0);
  });

  it('on the file system of a server is not', async () => {
    const why = await problemOf([stat(), stat(), stat(), mounts()], '/net share/h/opencode.db');
    expect(why).toBe('its database lies on a file system that may not answer (nfs4)');
    expect(opened).toBe(0);
  });

  it('is not where the runtime brings no SQLite', async () => {
    expect(await problemOf([], '/h/opencode.db', null)).toBe(
      'this runtime brings no SQLite (node:sqlite) to read its database',
    );
    const missing = () => {
      throw new Error('no such module');
    };
    expect(runtimeSqlite(missing)).toBeNull();
    expect(runtimeSqlite(() => ({}))).toBeNull();
  });

  it('lies on the file system that is mounted last', () => {
    expect(fileSystemOf('/a/b', '')).toBeNull();
    expect(fileSystemOf('/a/b', MOUNTS)).toBe('ext4');
    expect(fileSystemOf('/net share/x', `${MOUNTS}31 30 0:41 / /net\\040share rw - tmpfs t rw\n`)).toBe(
      'tmpfs',
    );
    expect(fileSystemOf('/net share2', MOUNTS)).toBe('ext4');
  });
});

interface Writer {
  exec(sql: string): void;
  close(): void;
}

const own = runtimeSqlite();

describe.skipIf(own === null || process.platform !== 'linux')(
  'a real database (this runtime brings node:sqlite, and files are looked at on Linux)',
  () => {
    let home: string;
    let writer: Writer;
    let path: string;

    beforeEach(() => {
      home = realpathSync(mkdtempSync(join(tmpdir(), 'procscope-db-')));
      path = join(home, 'some.db');
      const { DatabaseSync } = own as unknown as { readonly DatabaseSync: new (path: string) => Writer };
      writer = new DatabaseSync(path);
      writer.exec('PRAGMA journal_mode = WAL');
    });
    afterEach(() => {
      writer.close();
      rmSync(home, { recursive: true, force: true });
    });

    const read = (rule: DatabaseRule, before?: Awaited<ReturnType<typeof readDatabase>>) =>
      readDatabase(rule, path, 'ses_1', look, before);
    const told = async (rule: DatabaseRule) => {
      const { finding } = await read(rule);
      if (finding === null) return null;
      return 'problem' in finding ? finding.problem : currentMark(finding.turn)?.value;
    };
    const messages = 'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)';
    const put = (id: number, data: unknown, session = 'ses_1') =>
      writer.exec(`INSERT INTO message VALUES ('m${id}', '${session}', ${id}, '${JSON.stringify(data)}')`);

    it('tells the latest message of its session, and is not asked while nothing was written', async () => {
      writer.exec(messages);
      expect(await told(opencodeMessages)).toBeNull();
      put(1, { role: 'assistant', time: { created: 1, completed: 2 }, finish: 'stop' });
      put(2, { role: 'user', time: {} }, 'ses_2');
      expect(await told(opencodeMessages)).toBe('idle');
      const first = await read(opencodeMessages);
      expect(await read(opencodeMessages, first)).toBe(first);
      put(3, { role: 'assistant', time: { created: 3 } });
      expect(await read(opencodeMessages, first)).not.toBe(first);
      expect(await told(opencodeMessages)).toBe('busy');
    });

    it('of hermes tells by the reason why a message ended', async () => {
      writer.exec('CREATE TABLE sessions (id TEXT, source TEXT)');
      writer.exec(
        'CREATE TABLE messages (id INTEGER, session_id TEXT, role TEXT, finish_reason TEXT, timestamp REAL)',
      );
      writer.exec("INSERT INTO sessions VALUES ('ses_1', 'cli')");
      writer.exec("INSERT INTO messages VALUES (1, 'ses_1', 'assistant', 'tool_calls', 1796050000.5)");
      expect(await told(hermesMessages)).toBe('busy');
      writer.exec("INSERT INTO messages VALUES (2, 'ses_1', 'assistant', 'stop', 1796050001.5)");
      expect(await told(hermesMessages)).toBe('idle');
    });

    it('with a view in the place of a table is not asked', async () => {
      writer.exec(`CREATE VIEW message AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS id, 'ses_1' AS session_id, i AS time_created, '{}' AS data FROM n`);
      expect(await told(opencodeMessages)).toBe('its database has no table message');
    });

    it('with other columns, or that is none, leaves a reason', async () => {
      writer.exec('CREATE TABLE message (id TEXT)');
      expect(await told(opencodeMessages)).toMatch(/^its database could not be read: no such column/);
    });

    it('that its writer holds is waited for shortly', async () => {
      writer.exec(messages);
      put(1, { role: 'user', time: { created: 1 } });
      writer.exec('BEGIN EXCLUSIVE');
      expect(await told(opencodeMessages)).toBe('busy');
      writer.exec('COMMIT');
    });
  },
);
