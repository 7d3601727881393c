import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { measured, reported } from './source.js';

const PROCESSES = measured('processes of the npm install on Linux', '0.0.1790142911-g7618fb', '2026-11-30');
const HELP = measured('amp --help', '0.0.1790142911-g7618fb', '2026-11-30');
const OLDER = reported('the older package @sourcegraph/amp', null, '2026-11-30');

/** Words behind which the id of a thread makes a session. */
const THREADS = ['thread', 'threads', 't'];
const CONTINUE = ['continue', 'c'];
/** New and continued threads open the screen. */
const OPENING = [...CONTINUE, 'new', 'n'];

const MANAGEMENT = [
  'apps',
  'clone',
  'completions',
  'config',
  'diagnostics',
  'domains',
  'files',
  'git-setup',
  'login',
  'logout',
  'mcp',
  'net',
  'oauth-clients',
  'orb',
  'permission',
  'permissions',
  'plugin',
  'plugins',
  'portal',
  'projects',
  'report',
  'report-bug',
  'runner',
  'secrets',
  'skill',
  'skills',
  'svc',
  'tool',
  'tools',
  'top',
  'update',
  'usage',
  'version',
];

export const amp: EngineRule = {
  engine: 'amp',
  names: [{ name: 'amp', source: PROCESSES }],
  namesWithProof: [],
  layouts: [
    { of: 'image', path: pathTail('@ampcode/cli/bin/amp{,.exe}'), source: PROCESSES },
    {
      of: 'image',
      path: pathTail('.amp/bin/amp{,.exe}'),
      source: reported('its install script', null, '2026-11-30'),
    },
    { of: 'entry', path: pathTail('@ampcode/cli/**'), source: PROCESSES },
    { of: 'entry', path: pathTail('@sourcegraph/amp/**'), source: OLDER },
  ],
  argumentProof: [],
  excluded: [],
  installPlaces: [
    ['.amp', 'bin', 'amp'],
    ['.local', 'bin', 'amp'],
    ['.npm-global', 'bin', 'amp'],
  ],
  options: {
    switches: [
      '--amp-env',
      '--color',
      '--dangerously-allow-all',
      '--fast',
      '--ide',
      '--no-archive-after-execute',
      '--no-color',
      '--no-ide',
      '--no-notifications',
      '--no-remote-control-terminal',
      '--no-tui',
      '--notifications',
      '--remote-control-terminal',
      '--stream-json',
      '--stream-json-input',
      '--stream-json-thinking',
    ],
    values: [
      '--attach',
      '--executor',
      '--features',
      '--label',
      '--log-file',
      '--log-level',
      '--mcp-config',
      '--mode',
      '--orb-size',
      '--runner-dir',
      '--settings-file',
      '--title',
      '--visibility',
      '-l',
      '-m',
    ],
    optional: ['--execute', '--orb-execute', '--plugin-ready-timeout', '--project', '-ox', '-x'],
    lists: [],
  },
  kinds: [
    {
      kind: 'service',
      why: 'serves threads without a screen (--no-tui)',
      when: ({ args }) => hasFlag(args, '--no-tui') || args.command === 'orb-spawner',
      source: HELP,
    },
    {
      kind: 'headless',
      why: 'executes one message and ends',
      when: ({ args }) => hasFlag(args, '-x', '--execute', '-ox', '--orb-execute'),
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) =>
        args.command !== null &&
        (MANAGEMENT.includes(args.command) ||
          (THREADS.includes(args.command) && !OPENING.includes(args.words[1] ?? ''))),
      source: HELP,
    },
  ],
  home: {
    variable: 'XDG_DATA_HOME',
    below: ['amp'],
    folder: ['.local', 'share', 'amp'],
    source: reported('nowledge-co/community#531', null, '2026-11-30'),
  },
  argvId: {
    flags: ['--continue', '-c'],
    commands: [...THREADS.flatMap((word) => CONTINUE.map((next) => [word, next])), ['continue']],
    pattern: /^T-[0-9a-f-]{16,64}$/i,
    forks: { flags: [], commands: [] },
    source: measured('amp --help; `-c` and `--continue` as reported', '0.0.1790142911-g7618fb', '2026-11-30'),
  },
  pidRecord: null,
  held: { files: [], gap: 'its threads live on a server' },
  stores: [],
  bypass: [{ flag: '--dangerously-allow-all', source: OLDER }],
  environment: [],
  baseUrls: [],
  packages: ['@ampcode/cli'],
  versions: [],
  turns: [],
  stateGap: 'no rule for the states of amp was ever measured',
  linkGap: 'no id in its arguments',
};
