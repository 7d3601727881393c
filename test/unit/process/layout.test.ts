import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { OptionError, snapshot } from '../../../lib/index.js';
import { Decoder } from '../../../lib/native/decode.js';
import * as layout from '../../../lib/native/layout.js';
import { load } from '../../../lib/native/load.js';
import * as usageLayout from '../../../lib/native/usage-layout.js';

const listed = (columns: layout.ColumnSet): unknown =>
  Object.entries(columns).map(([name, type]) => ({ name, type }));

describe('what crosses', () => {
  it('is described alike on both sides', () => {
    expect(load().layout()).toEqual({
      magic: layout.MAGIC,
      version: layout.LAYOUT_VERSION,
      headerWords: layout.HEADER_WORDS,
      faultWords: layout.FAULT_WORDS,
      columns: {
        processes: listed(layout.COLUMNS),
        files: listed(layout.FILE_COLUMNS),
        locks: listed(layout.LOCK_COLUMNS),
        sockets: listed(layout.SOCKET_COLUMNS),
        usage: listed(usageLayout.USAGE_COLUMNS),
        sample: listed(usageLayout.SAMPLE_COLUMNS),
        member: listed(usageLayout.MEMBER_COLUMNS),
      },
      fields: [...layout.FIELDS],
      usageFields: [...usageLayout.USAGE_FIELDS],
      faultKinds: [...layout.FAULT_KINDS],
      calls: [...layout.CALLS],
    });
  });

  it('is refused when it is of another version', () => {
    const packed = load().snapshot({
      procRoot: '/proc',
      fields: 1,
      env: [],
      pids: Int32Array.of(process.pid),
      maxFieldBytes: 1,
      deadlineMs: 1,
    });
    new Int32Array(packed.buffer)[layout.HEADER.version] = layout.LAYOUT_VERSION + 1;
    expect(() => new Decoder(packed, layout.COLUMNS)).toThrow(/different versions/);
  });

  it('a request that lib did not check is a typed error and no crash', () => {
    for (const request of [undefined, {}, { procRoot: 7 }, { procRoot: '/proc', maxFieldBytes: 'x' }]) {
      expect(() => load().snapshot(request as never)).toThrow(TypeError);
      expect(() => load().snapshotAsync(request as never)).toThrow(TypeError);
    }
    expect(() => load().look([{ op: 'erase', path: '/' }] as never, 1)).toThrow(TypeError);
    expect(OptionError.prototype).toBeInstanceOf(TypeError);
  });

  it('columns hold the values that the rows show', () => {
    const table = snapshot({ fields: ['uid', 'argv'] });
    const { pid, ppid, startKey, uid, exeIno } = table.columns;
    expect(pid).toHaveLength(table.size);
    expect(exeIno).toBeUndefined();
    for (let i = 0; i < table.size; i++) {
      const row = table.row(i);
      // A column holds 0 where the row says that it could not be read.
      if (row.faultyFields.length > 0) continue;
      expect([pid?.[i], ppid?.[i], startKey?.[i], uid?.[i]]).toEqual([
        row.pid,
        row.ppid,
        row.startKey,
        row.uid,
      ]);
    }
    expect(table.row(0)).toBe(table.get(table.row(0).pid));
    expect(() => table.row(table.size)).toThrow(RangeError);
    expect(() => table.row(-1)).toThrow(RangeError);
  });

  it('rows and tables are plain data as JSON, and console.log shows them', () => {
    const table = snapshot({ fields: ['argv', 'exeFile', 'cwd'], env: ['HOME'], pids: [process.pid] });
    const row = table.get(process.pid);
    const plain = JSON.parse(JSON.stringify(row)) as Record<string, unknown>;
    expect(plain).toMatchObject({
      pid: process.pid,
      ppid: process.ppid,
      startKey: row?.startKey?.toString(),
      argv: row?.argv,
      cwd: process.cwd(),
      exeFile: { dev: row?.exeFile?.dev.toString(), ino: row?.exeFile?.ino.toString() },
      faults: {},
    });
    // Not asked for, or not for printing.
    for (const name of ['uid', 'env', 'root']) expect(plain).not.toHaveProperty(name);
    expect(JSON.parse(JSON.stringify(table))).toMatchObject({ processes: [plain] });
    expect(inspect(row)).toContain(`pid: ${process.pid}`);
    expect(inspect(table)).toBe('ProcessTable { 1 processes }');
  });
});
