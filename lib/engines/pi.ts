import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { measured, reported } from './source.js';
import { readSessionHeader } from './store-reads.js';
import { piSession } from './turns/pi.js';

const PROCESSES = measured('processes of the npm installs on Linux', '1.6.0', '2026-11-30');
const OLDER = measured('processes of the npm install of the older scope on Linux', '0.73.1', '2026-11-30');
const HELP = measured('pi --help', '1.6.0', '2026-11-30');

const MANAGEMENT = ['auth', 'config', 'install', 'list', 'mcp', 'remove', 'uninstall', 'update'];

export const pi: EngineRule = {
  engine: 'pi',
  names: [{ name: 'pi', source: PROCESSES }],
  namesWithProof: [],
  layouts: [
    // Forks keep the name of the package's folder: its scope tells whose it is.
    { of: 'entry', path: pathTail('@earendil-works/pi-coding-agent/dist/**/cli.js'), source: PROCESSES },
    { of: 'entry', path: pathTail('@mariozechner/pi-coding-agent/dist/**/cli.js'), source: OLDER },
  ],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.npm-global', 'bin', 'pi']],
  options: {
    switches: [
      '--approve',
      '--continue',
      '--no-approve',
      '--no-builtin-tools',
      '--no-context-files',
      '--no-extensions',
      '--no-mcp',
      '--no-prompt-templates',
      '--no-session',
      '--no-skills',
      '--no-themes',
      '--no-tools',
      '--offline',
      '--print',
      '--resume',
      '--verbose',
      '-a',
      '-c',
      '-na',
      '-nbt',
      '-nc',
      '-ne',
      '-np',
      '-ns',
      '-nt',
      '-p',
      '-r',
    ],
    values: [
      '--api-key',
      '--append-system-prompt',
      '--exclude-tools',
      '--export',
      '--extension',
      '--fork',
      '--mode',
      '--model',
      '--models',
      '--name',
      '--prompt-template',
      '--provider',
      '--session',
      '--session-dir',
      '--session-id',
      '--skill',
      '--system-prompt',
      '--theme',
      '--thinking',
      '--tools',
      '--tui-mode',
      '--use-theme',
      '-e',
      '-n',
      '-t',
      '-xt',
    ],
    optional: ['--list-models'],
    lists: [],
  },
  kinds: [
    {
      kind: 'service',
      why: 'driven by another program (--mode rpc)',
      when: ({ args }) => args.flags.some(({ name, value }) => name === '--mode' && value === 'rpc'),
      source: HELP,
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) =>
        hasFlag(args, '-p', '--print') ||
        args.flags.some(({ name, value }) => name === '--mode' && value === 'json'),
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) =>
        hasFlag(args, '--export', '--list-models') ||
        (args.command !== null && MANAGEMENT.includes(args.command)),
      source: HELP,
    },
  ],
  home: { variable: 'PI_CODING_AGENT_DIR', folder: ['.pi', 'agent'], source: HELP },
  argvId: {
    flags: ['--session', '--session-id'],
    commands: [],
    // Also the head of an id, as pi itself takes it.
    pattern: /^[0-9a-f][0-9a-f-]{7,63}$/i,
    forks: { flags: ['--fork'], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'it keeps no session file open' },
  stores: [
    {
      // The folder is listed for those that got a file of late: its name is not made from the path here.
      proof: 'folder',
      what: 'session file',
      place: 'sessions/<folder>/<time>_<id>.jsonl',
      parts: ['sessions', /^--.*--$/, /^[^/]+_[0-9a-f-]{16,64}\.jsonl$/i],
      maxBytes: 64 * 1024,
      appended: true,
      read: readSessionHeader(/^[0-9a-f-]{16,64}$/i),
      source: reported('earendil-works/pi#9754, openclaw/openclaw#96881', null, '2026-11-30'),
    },
  ],
  bypass: [],
  environment: [],
  baseUrls: [],
  packages: ['@earendil-works/pi-coding-agent', '@mariozechner/pi-coding-agent'],
  versions: [],
  turns: [piSession],
  stateGap: 'no transcript of its session tells it',
  linkGap: 'no id in its arguments',
};
