// Packages from npm, called as their documentation shows.
const psList = {
  name: 'ps-list',
  about: 'npm ps-list: starts ps twice',
  facts: ['argv'],
  costUs: 230,
  open: async () => {
    const { default: list } = await import('ps-list');
    return {
      look: () => list(),
      count: (answer) => answer.length,
      rows: (answer) => answer.map((row) => ({ argv: row.cmd })),
    };
  },
};

const systemInformation = {
  name: 'systeminformation',
  about: 'npm systeminformation: processes()',
  facts: ['argv'],
  // Within 500 ms it answers what it answered before.
  restMs: 501,
  costUs: 380,
  open: async () => {
    const { default: information } = await import('systeminformation');
    return {
      look: () => information.processes(),
      count: (answer) => answer.list.length,
      rows: (answer) => answer.list.map((row) => ({ argv: row.params })),
    };
  },
};

export default [psList, systemInformation];
