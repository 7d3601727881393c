import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELDS, type ProcessRow, type ProcessTable, snapshot, snapshotAsync } from '../../../lib/index.js';
import { type Situation, startMaker } from '../../makers/start.js';
import { hasProgram, isRoot, ps, statFields, statusLine } from './oracle.js';

const ALL = FIELDS.filter((field) => field !== 'env');

/** One process in a folder and an environment of this test's own, seen by both calls. */
describe.each([
  ['snapshot', async (): Promise<ProcessTable> => snapshot({ fields: ALL, env: ['MARK', 'EMPTY', 'NONE'] })],
  ['snapshotAsync', () => snapshotAsync({ fields: ALL, env: ['MARK', 'EMPTY', 'NONE'] })],
])('%s: each field of a process against another source', (_, look) => {
  let situation: Situation;
  let pid: number;
  let table: ProcessTable;
  let row: ProcessRow;

  beforeAll(async () => {
    situation = await startMaker('nicer', ['7'], { env: { MARK: 'a=b c', EMPTY: '' }, cwd: '/' });
    pid = situation.number(0);
    table = await look();
    row = table.get(pid) as ProcessRow;
  });
  afterAll(() => situation.end());

  it('has the whole table: at least what ps lists at both ends of the look', async () => {
    const list = (): Set<number> =>
      new Set(execFileSync('ps', ['-eo', 'pid='], { encoding: 'utf8' }).trim().split(/\s+/).map(Number));
    const before = list();
    const now = await look();
    const after = list();
    const stayed = [...before].filter((each) => after.has(each));
    expect(stayed.filter((each) => !now.has(each))).toEqual([]);
    expect(now.faults).toEqual([]);
    expect(now.size).toBe(new Set([...now].map((each) => each.pid)).size);
  });

  it('ids: ppid, pgid, sid, uid, euid, gid, egid, user', () => {
    expect(row.ppid).toBe(Number(ps(pid, 'ppid')));
    expect(row.pgid).toBe(Number(ps(pid, 'pgid')));
    expect(row.sid).toBe(Number(ps(pid, 'sid')));
    expect(row.uid).toBe(Number(ps(pid, 'ruid')));
    expect(row.euid).toBe(Number(ps(pid, 'euid')));
    expect(row.gid).toBe(Number(ps(pid, 'rgid')));
    expect(row.egid).toBe(Number(ps(pid, 'egid')));
    expect(row.user).toBe(execFileSync('id', ['-un'], { encoding: 'utf8' }).trim());
  });

  it('state, nice, priority, threads, kernelThread', () => {
    expect(row.state).toBe(ps(pid, 'state'));
    expect(row.nice).toBe(7);
    expect(row.priority).toBe(Number(statFields(pid)[15]));
    expect(row.threads).toBe(Number(ps(pid, 'nlwp')));
    expect(row.kernelThread).toBe(false);
  });

  it('start: the ticks of the kernel, and the wall clock within the second that ps shows', () => {
    expect(row.startKey).toBe(BigInt(statFields(pid)[19] as string));
    const shown = Date.parse(`${ps(pid, 'lstart')} UTC`);
    expect(Math.abs((row.startTime as number) - shown)).toBeLessThan(2_000);
    expect(table.bootId).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    expect(row.key).toEqual({ bootId: table.bootId, pid, startKey: row.startKey });
  });

  it('memory and processor time', () => {
    expect(row.vsize).toBe(Number(ps(pid, 'vsz')) * 1024);
    const pageSize = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
    expect(row.rss).toBe(Number(statFields(pid)[21]) * pageSize);
    const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    expect(row.cpu?.user).toBe((Number(statFields(pid)[11]) * 1000) / ticks);
    expect(row.cpu?.system).toBe((Number(statFields(pid)[12]) * 1000) / ticks);
  });

  it('program: name, argv, exe and its identity', () => {
    expect(row.name).toBe(readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd());
    expect(row.bytes('argv')).toEqual(readFileSync(`/proc/${pid}/cmdline`));
    expect(row.exe).toBe(readlinkSync(`/proc/${pid}/exe`));
    expect(row.exeDeleted).toBe(false);
    const { dev, ino } = statSync(`/proc/${pid}/exe`, { bigint: true });
    expect(row.exeFile).toEqual({ dev, ino });
  });

  it('places: cwd, root, pid namespace, NSpid, cgroup', () => {
    expect(row.cwd).toBe('/');
    expect(row.cwdDeleted).toBe(false);
    expect(row.root).toBe('/');
    expect(`pid:[${row.pidNamespace}]`).toBe(readlinkSync(`/proc/${pid}/ns/pid`));
    expect(row.nspid?.join('\t')).toBe(statusLine(pid, 'NSpid'));
    const cgroup = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    expect(row.bytes('cgroup')?.toString()).toBe(cgroup);
    expect(row.cgroup).toBe(/^0::(.*)$/m.exec(cgroup)?.[1] ?? null);
    expect(row.cgroups).toHaveLength(cgroup.trim().split('\n').length);
  });

  it('environment: only the named keys, with set, empty and not set told apart', () => {
    expect({ ...row.env }).toEqual({ MARK: 'a=b c', EMPTY: '', NONE: null });
  });

  it('no fault stands on a field that is there', () => {
    expect(row.faultyFields).toEqual([]);
  });
});

describe('terminal', () => {
  it('tty and foreground group of a process on a terminal of its own', async () => {
    const situation = await startMaker('pty');
    const pid = situation.number(0);
    const slave = situation.words[1] as string;
    const background = situation.number(2);
    const table = snapshot();
    expect(`/dev/${table.get(pid)?.tty}`).toBe(slave);
    expect(table.get(pid)?.tty).toBe(ps(pid, 'tty'));
    expect(table.get(pid)?.tpgid).toBe(Number(ps(pid, 'tpgid')));
    expect(table.get(background)?.tty).toBe(ps(background, 'tty'));
    expect(table.get(background)?.pgid).not.toBe(table.get(background)?.tpgid);
    await situation.end();
  });
});

describe.runIf(isRoot)('ids that differ (only root can make them)', () => {
  it('case 33: real, effective and saved ids', async () => {
    const situation = await startMaker('setids', ['1001', '1002', '1003', '1004', '1005', '1006']);
    const row = snapshot({ fields: ['uid', 'euid', 'gid', 'egid', 'user'] }).get(situation.number(0));
    expect([row?.uid, row?.euid, row?.gid, row?.egid]).toEqual([1001, 1002, 1004, 1005]);
    // No user has this id: looked, and there is none.
    expect(row?.user).toBeNull();
    await situation.end();
  });
});

describe('field mask', () => {
  it('reads each field alone and answers no other', () => {
    for (const field of ALL) {
      const [row] = snapshot({ fields: [field], identity: false, pids: [process.pid] });
      expect(row?.fault(field), field).toBeUndefined();
      const others = ALL.filter((other) => other !== field).filter(
        (other) => other !== 'start' && row?.[other as 'name'] !== undefined,
      );
      expect(others, `beside ${field}`).toEqual([]);
    }
  });

  it.skipIf(!hasProgram('strace'))('opens no file that no field needs (needs strace)', () => {
    const names = (options: string): string[] => {
      const script = [
        "const { snapshot } = require('./dist/index.js');",
        `const look = () => snapshot({ ...${options}, pids: [process.pid] });`,
        "look(); require('fs').writeSync(1, 'MARK'); look(); require('fs').writeSync(1, 'MARK');",
      ].join(' ');
      const trace = execFileSync(
        'sh',
        ['-c', 'exec strace -f -qq -e trace=open,openat,readlink,readlinkat,write node -e "$0" 2>&1', script],
        { encoding: 'latin1' },
      );
      const between = trace.split('"MARK"')[1] ?? '';
      return [...between.matchAll(/(?:openat|readlinkat)\(\d+, "(?:\d+\/)?([^"]+)"/g)]
        .map((match) => match[1] as string)
        .filter((name) => !/^\d+$/.test(name) && !name.startsWith('sys/'))
        .sort();
    };
    expect(names("{ fields: ['cwd'], identity: false }")).toEqual(['cwd']);
    expect(names("{ fields: ['argv'], identity: false }")).toEqual(['cmdline']);
    expect(names('{}')).toEqual(['stat']);
    expect(names("{ fields: ['uid', 'nspid'] }")).toEqual(['stat', 'status']);
    expect(names("{ fields: ['exe'], env: ['HOME'] }")).toEqual(['environ', 'exe', 'stat']);
  });
});
