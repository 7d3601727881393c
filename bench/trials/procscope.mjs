// This package, from the build in dist/. Rows are decoded when they are touched, so each call is
// measured twice: as it is, and with every value of every row read.
const options = { fields: ['argv', 'cwd', 'exe'] };

const load = async () => (await import('../../dist/index.js')).default;

function touchAll(table) {
  let rows = 0;
  let length = 0;
  for (const p of table) {
    rows += p.pid > 0 && p.ppid >= 0 ? 1 : 0;
    length += (p.name?.length ?? 0) + (p.exe?.length ?? 0) + (p.cwd?.length ?? 0);
    for (const argument of p.argv ?? []) length += argument.length;
  }
  if (length === 0) throw new Error('no row had a value');
  return rows;
}

const rowsOf = (table) => Array.from(table, (p) => ({ pid: p.pid, argv: p.argv, cwd: p.cwd, exe: p.exe }));

const trial = (name, about, call, count) => ({
  name,
  about,
  facts: ['argv', 'cwd', 'exe'],
  costUs: 35,
  open: async () => {
    const procscope = await load();
    return {
      look: () => {
        const table = procscope[call](options);
        return typeof table.then === 'function' ? table.then(count) : count(table);
      },
      check: async () => rowsOf(await procscope[call](options)),
    };
  },
});

const size = (table) => table.size;

export default [
  trial('snapshot', 'procscope snapshot(), rows not touched', 'snapshot', size),
  trial('snapshot+touch', 'procscope snapshot(), every value read', 'snapshot', touchAll),
  trial('async', 'procscope snapshotAsync(), rows not touched', 'snapshotAsync', size),
  trial('async+touch', 'procscope snapshotAsync(), every value read', 'snapshotAsync', touchAll),
];
