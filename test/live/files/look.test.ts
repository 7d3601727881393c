/** A list of a folder against what Node's own calls say of it. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { look } from '../../../lib/process/look-files.js';

describe.skipIf(process.platform !== 'linux')('look (foreign files are looked at on Linux)', () => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'procscope-look-')));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lists each entry with its own status, links unfollowed', async () => {
    writeFileSync(join(folder, 'file'), '0123456789');
    mkdirSync(join(folder, 'directory'));
    symlinkSync('/nowhere', join(folder, 'symlink'));
    const [answer] = await look([{ op: 'list', path: folder, maxEntries: 10, stats: true, links: false }]);
    expect(answer).toMatchObject({
      truncated: false,
      stat: { kind: 'directory', ino: BigInt(lstatSync(folder).ino) },
    });
    const entries = [...(answer?.entries ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(entries.map(({ name }) => name)).toEqual(readdirSync(folder).sort());
    for (const { name, stat } of entries) {
      const own = lstatSync(join(folder, name), { bigint: true });
      expect(stat).toEqual({
        kind: name,
        ino: own.ino,
        uid: Number(own.uid),
        mode: Number(own.mode),
        size: Number(own.size),
        mtimeMs: expect.closeTo(Number(own.mtimeNs) / 1e6, 2),
      });
    }
  });

  it('lists names alone where no more is asked, and says where it was cut', async () => {
    for (let file = 0; file < 5; file++) writeFileSync(join(folder, `${file}`), '');
    const [some] = await look([{ op: 'list', path: folder, maxEntries: 3 }]);
    expect(some?.truncated).toBe(true);
    expect(some?.entries).toHaveLength(3);
    for (const entry of some?.entries ?? []) expect(Object.keys(entry)).toEqual(['name']);
    const [all] = await look([{ op: 'list', path: folder, maxEntries: 5 }]);
    expect(all?.truncated).toBe(false);
  });

  it('opens what was resolved before through no link, wherever in the path it stands', async () => {
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'file'), 'x');
    symlinkSync('real', join(folder, 'link'));
    const through = join(folder, 'link', 'file');
    const answers = await look([
      { op: 'read', path: through, maxBytes: 10 },
      { op: 'read', path: through, maxBytes: 10, links: false },
      { op: 'list', path: join(folder, 'link'), maxEntries: 10, links: false },
    ]);
    expect(answers.map(({ fault }) => fault?.kind)).toEqual([undefined, 'io', 'io']);
  });
});
