/** A captured tree read back: the same rows as the living ones, and nothing that was to stay private. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles, snapshot } from '../../../lib/index.js';
import { startMaker } from '../../makers/start.js';

const run = promisify(execFile);
const SCRIPT = join(__dirname, '../../../scripts/capture.mjs');
const SECRET = 'sk-ant-api03-Zx81qqLm20fTTrWe83hD';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'procscope-capture-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Every name, link and byte of a capture. */
function everything(directory: string): string {
  // Not readdir's own recursion: later releases of Node follow the links of a capture, out of it.
  return readdirSync(directory, { withFileTypes: true })
    .map((entry) => {
      const path = join(directory, entry.name);
      if (entry.isSymbolicLink()) return `${entry.name}\n${readlinkSync(path)}`;
      if (entry.isDirectory()) return `${entry.name}\n${everything(path)}`;
      return entry.isFile() ? `${entry.name}\n${readFileSync(path, 'utf8')}` : entry.name;
    })
    .join('\n');
}

describe.skipIf(process.platform !== 'linux')(
  'scripts/capture.mjs (reads the process files of Linux)',
  () => {
    it('gives the same rows, without what was private', async () => {
      const file = join(folder, `held-${SECRET}`);
      writeFileSync(file, 'contents');
      const holder = await startMaker('locks', ['flock-ex', file], {
        env: { API_KEY: SECRET, HOME: '/home/x' },
        cwd: folder,
      });
      const pid = holder.number(0);
      const out = join(folder, 'out');
      const { stdout } = await run(process.execPath, [
        SCRIPT,
        '--pids',
        String(pid),
        '--out',
        out,
        '--env',
        'API_KEY',
      ]);
      const live = snapshot({
        pids: [pid],
        fields: ['uid', 'gid', 'nspid', 'pidNamespace', 'cgroup', 'exe'],
      }).get(pid);
      const table = snapshot({
        procRoot: out,
        fields: ['uid', 'gid', 'nspid', 'pidNamespace', 'cgroup', 'argv', 'cwd', 'exe'],
        env: ['API_KEY', 'HOME', 'PATH'],
      });
      expect(table.faults).toEqual([]);
      expect(table.size).toBe(1);
      const row = table.get(pid);
      for (const name of ['ppid', 'pgid', 'sid', 'tty', 'state', 'name', 'startKey', 'threads'] as const) {
        expect([name, row?.[name]]).toEqual([name, live?.[name]]);
      }
      for (const name of ['uid', 'gid', 'nspid', 'pidNamespace', 'nice', 'kernelThread'] as const) {
        expect([name, row?.[name]]).toEqual([name, live?.[name]]);
      }
      // The boot time is recorded in whole seconds.
      expect(Math.abs((row?.startTime ?? 0) - (live?.startTime ?? 0))).toBeLessThan(1_001);
      expect(row?.argv?.slice(1)).toEqual(['<arg>', '<arg>']);
      expect(row?.env).toEqual({ API_KEY: '<value>', HOME: '/home/x', PATH: null });
      expect(row?.cwd).toBeTypeOf('string');

      const fds = (files: Iterable<{ fd: number | null }>) => [...files].map(({ fd }) => fd);
      const [before, after] = [
        await openFiles(pid, { roles: ['fd'], fields: ['path', 'info'] }),
        await openFiles(pid, { roles: ['fd'], fields: ['path', 'info'], procRoot: out }),
      ];
      expect(fds(after).length).toBeGreaterThan(2);
      expect(fds(after).sort()).toEqual(fds(before).sort());
      expect([...after].map((each) => each.path).filter((path) => path?.includes('<secret>'))).toHaveLength(
        1,
      );
      await holder.end();

      for (const text of [everything(out), stdout]) {
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain('contents');
        if (homedir().length > 1 && homedir() !== '/home/user')
          expect(text).not.toMatch(new RegExp(`${homedir()}(?![\\w.-])`));
      }
      expect(stdout).toContain('Read it before you post it.');
    });

    it('takes a process and all below it, in its folder only', async () => {
      const file = join(folder, 'x');
      writeFileSync(file, '');
      const maker = await startMaker('lockfork', [file, '3']);
      const out = join(folder, 'tree');
      await run(process.execPath, [SCRIPT, String(maker.pid), '--out', out]);
      const captured = [...snapshot({ procRoot: out })].map(({ pid }) => pid);
      const alive = [
        maker.pid,
        ...snapshot()
          .descendants(maker.pid)
          .map(({ pid }) => pid),
      ];
      expect(alive).toHaveLength(4);
      expect(captured.sort()).toEqual(alive.sort());
      await maker.end();
      await expect(run(process.execPath, [SCRIPT, String(process.pid), '--out', out])).rejects.toMatchObject({
        code: 1,
      });
    });

    it.each([[[]], [['x']], [['1', '2']], [['1', '--pids', '2']], [['--nonsense', '1']]])(
      'refuses %j',
      async (args) => {
        await expect(run(process.execPath, [SCRIPT, ...args])).rejects.toMatchObject({ code: 1, stdout: '' });
      },
    );
  },
);
