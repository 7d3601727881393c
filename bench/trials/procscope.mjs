// This package, from the build in dist/. Rows are decoded when they are touched, so each call is
// measured twice: as it is, and with every value of every row read.
import { existsSync } from 'node:fs';

const options = { fields: ['argv', 'cwd', 'exe'] };

async function load() {
  const built = new URL('../../dist/index.js', import.meta.url);
  if (!existsSync(built)) throw new Error('dist/ is not built: npm run build');
  return (await import(built.href)).default;
}

function touchAll(table) {
  let length = 0;
  for (const p of table) {
    length += p.pid + p.ppid + (p.name?.length ?? 0) + (p.exe?.length ?? 0) + (p.cwd?.length ?? 0);
    for (const argument of p.argv ?? []) length += argument.length;
  }
  // The sum must be used, or the reads might be optimised away.
  if (!(length > 0)) throw new Error('no row had a value');
  return table;
}

const trial = (name, about, look) => ({
  name,
  about,
  facts: ['argv', 'cwd', 'exe'],
  costUs: 35,
  open: async () => {
    const procscope = await load();
    return {
      look: () => look(procscope),
      count: (table) => table.size,
      rows: (table) => Array.from(table, (p) => ({ argv: p.argv, cwd: p.cwd, exe: p.exe })),
    };
  },
});

export default [
  trial('snapshot', 'procscope snapshot(), rows not touched', (p) => p.snapshot(options)),
  trial('snapshot+touch', 'procscope snapshot(), every value read', (p) => touchAll(p.snapshot(options))),
  trial('async', 'procscope snapshotAsync(), rows not touched', (p) => p.snapshotAsync(options)),
  trial('async+touch', 'procscope snapshotAsync(), every value read', async (p) =>
    touchAll(await p.snapshotAsync(options)),
  ),
];
