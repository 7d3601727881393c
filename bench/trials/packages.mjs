// Packages from npm, called as their documentation shows.
const psList = {
  name: 'ps-list',
  about: 'npm ps-list: starts ps once or twice',
  facts: ['argv'],
  costUs: 150,
  open: async () => {
    const { default: list } = await import('ps-list');
    return {
      look: async () => (await list()).length,
      check: async () => (await list()).map((row) => ({ pid: row.pid, argv: row.cmd })),
    };
  },
};

const systemInformation = {
  name: 'systeminformation',
  about: 'npm systeminformation: processes()',
  facts: ['argv'],
  costUs: 300,
  open: async () => {
    const { default: information } = await import('systeminformation');
    const rows = async () => (await information.processes()).list;
    return {
      look: async () => (await rows()).length,
      check: async () =>
        (await rows()).map((row) => ({ pid: row.pid, argv: `${row.command} ${row.params}`.trim() })),
    };
  },
};

export default [psList, systemInformation];
