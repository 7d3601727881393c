/** The commands about open files and locks, on what makers hold; the compiled program for signals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Situation, startMaker } from '../../makers/start.js';
import { look } from '../../unit/cli/look.js';

const MAIN = join(__dirname, '../../../dist/cli/main.js');
let folder: string;
let file: string;
let started: Situation[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'procscope-cli-'));
  file = join(folder, 'a\u001b[2J\nfile');
  writeFileSync(file, '0123456789');
  started = [];
});
afterEach(async () => {
  for (const situation of started) await situation.end();
  rmSync(folder, { recursive: true });
});

async function lock(kind: string): Promise<{ pid: number; fd: number }> {
  const situation = await startMaker('locks', [kind, file]);
  started.push(situation);
  return { pid: situation.number(0), fd: situation.number(1) };
}

interface Holders {
  readonly ino: string;
  readonly holders: readonly Record<string, unknown>[];
}

describe.skipIf(process.platform !== 'linux')('commands about files (makers run on Linux)', () => {
  it('holders names who has the file, with its lock, as table and as JSON', async () => {
    const { pid, fd } = await lock('flock-ex');
    const { code, out } = await look(['holders', file]);
    expect(code).toBe(0);
    const shown = file.replace('\u001b', '\\x1b').replace('\n', '\\x0a');
    expect(out).toMatch(new RegExp(`^${pid} +\\S+ +locks +fd ${fd} +rw? +flock write +`, 'm'));
    expect(out).toContain(shown);
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);

    const json = JSON.parse((await look(['holders', file, '--json'])).out) as Holders;
    expect(json.ino).toBe(statSync(file, { bigint: true }).ino.toString());
    expect(json.holders).toEqual([
      expect.objectContaining({
        ...{ pid, fd, name: 'locks', role: 'fd', path: file },
        startKey: expect.stringMatching(/^\d+$/),
        locks: [{ type: 'FLOCK', mode: 'write', state: 'ADVISORY', start: '0', end: null }],
      }),
    ]);
  });

  it('holders takes a name byte for byte, and a path as the kernel resolves it', async () => {
    const invalid = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x41])]);
    writeFileSync(invalid, '');
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    symlinkSync(join(folder, 'a', 'b'), join(folder, 'link'));
    writeFileSync(join(folder, 'a', 'target'), '');
    // Nobody has them: what matters is which file was looked at. A shell, since spawn() takes no bytes.
    const script = 'cd "$1" && exec "$0" "$2" holders "$(printf "$3")" --json';
    for (const [operand, path] of [
      ['\\377A', invalid],
      ['link/../target', join(folder, 'a', 'target')],
    ] as const) {
      const child = spawn('sh', ['-c', script, process.execPath, folder, MAIN, operand]);
      const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
      expect(JSON.parse(out)).toMatchObject({ ino: String(statSync(path).ino), holders: [] });
    }
  });

  it('sockets of a process that is not there: code 1, and says so', async () => {
    const { pid } = await lock('flock-ex');
    await started.pop()?.end();
    const { code, out } = await look(['sockets', '--pid', String(pid)]);
    expect(code).toBe(1);
    expect(out).toContain('could not look at 1 process: gone');
  });

  it('holders of a file that nobody has, or that is not there: code 1, as lsof and fuser', async () => {
    const nobody = await look(['holders', file]);
    expect(nobody.code).toBe(1);
    expect(nobody.out).toMatch(/^nobody (has|seen to have) /);
    const missing = await look(['holders', join(folder, 'missing'), '--json']);
    expect(missing).toEqual({
      code: 1,
      out: '',
      err: `procscope: ${join(folder, 'missing')}: no such file\n`,
    });
  });

  it('locks lists the lock with its holder', async () => {
    const { pid, fd } = await lock('posix-write');
    const { code, out } = await look(['locks', '--json']);
    expect(code).toBe(0);
    const { locks } = JSON.parse(out) as { locks: Record<string, unknown>[] };
    expect(locks.filter((each) => each['path'] === file)).toEqual([
      expect.objectContaining({ type: 'POSIX', mode: 'write', holders: [{ pid, fd }], waiters: [] }),
    ]);
    const table = (await look(['locks'])).out;
    expect(table).toMatch(new RegExp(`^POSIX +write +whole +${pid}/locks +- +`, 'm'));
  });

  it('files lists what one process has, filtered as asked', async () => {
    const { pid, fd } = await lock('flock-sh');
    const { code, out } = await look(['files', String(pid)]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${pid} +locks +${fd} +rw? +file +flock read +10 +`, 'm'));
    expect(out).toMatch(new RegExp(`^${pid} +locks +cwd +`, 'm'));
    const filtered = await look(['files', String(pid), '--role', 'fd', '--kind', 'file', '--json']);
    const { files } = JSON.parse(filtered.out) as { files: Record<string, unknown>[] };
    expect(files.length).toBeGreaterThan(0);
    for (const each of files) expect(each).toMatchObject({ pid, role: 'fd', kind: 'file', name: 'locks' });
    expect(files).toContainEqual(expect.objectContaining({ fd, path: file, size: 10 }));
    const all = await look(['files', 'all', '--role', 'exe', '--json']);
    expect((JSON.parse(all.out) as { files: { pid: number }[] }).files.map((each) => each.pid)).toContain(
      pid,
    );
  });

  it('files of a process that is not there: code 1', async () => {
    const situation = await startMaker('locks', ['flock-ex', file]);
    const pid = situation.number(0);
    await situation.end();
    expect(await look(['files', String(pid)])).toEqual({ code: 1, out: '1 process is not there\n', err: '' });
  });

  it('--watch follows a file that comes and goes, and ends by SIGINT with code 0', async () => {
    const missing = join(folder, 'later');
    const child = spawn(
      process.execPath,
      [MAIN, 'holders', missing, '--watch', '--json', '--interval', '20'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const closed = once(child, 'close');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const until = async (found: (line: Record<string, unknown>) => boolean): Promise<void> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error('the command ended by itself');
        if (found(JSON.parse(value) as Record<string, unknown>)) return;
      }
    };
    // A first watch of what is missing is no mistake: it may be about to come.
    await until((line) => (line['fault'] as { kind?: string } | undefined)?.kind === 'gone');
    writeFileSync(missing, '');
    await until((line) => Array.isArray(line['holders']) && line['holders'].length === 0);
    const holder = await startMaker('locks', ['flock-ex', missing]);
    await until((line) => {
      const pids = (line['holders'] as { pid: number }[]).map(({ pid }) => pid);
      return pids.includes(holder.number(0));
    });
    await holder.end();
    child.kill('SIGINT');
    expect(await closed).toEqual([0, null]);
  });
});
