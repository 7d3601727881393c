import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { measured, reported } from './source.js';
import { kiloMessages } from './turns/databases.js';

const PROCESSES = measured('processes of the npm install on Linux', '7.7.7', '2026-11-30');
const HELP = measured('kilo --help', '7.7.9', '2026-11-30');
const LAUNCHER = measured('bin/kilo of the npm package', '7.8.1', '2026-11-30');

const SERVICES = ['acp', 'console', 'daemon', 'remote', 'serve'];
const MANAGEMENT = [
  'agent',
  'auth',
  'cloud',
  'completion',
  'config',
  'db',
  'debug',
  'export',
  'github',
  'help',
  'import',
  'mcp',
  'models',
  'plug',
  'plugin',
  'pr',
  'profile',
  'providers',
  'roll-call',
  'session',
  'stats',
  'uninstall',
  'upgrade',
  'worktree',
];

export const kilo: EngineRule = {
  engine: 'kilo',
  names: [
    { name: 'kilo', source: PROCESSES },
    { name: 'kilocode', source: LAUNCHER },
    { name: '.kilo', source: PROCESSES },
    {
      name: /^kilo-(?:darwin|linux)-(?:arm64|x64)(?:-baseline)?$/,
      nativeOnly: true,
      source: reported('names of its release files', null, '2026-11-30'),
    },
  ],
  namesWithProof: [],
  layouts: [
    { of: 'image', path: pathTail('@kilocode/cli/bin/{.kilo,kilo,kilo.exe,.kilo.exe}'), source: PROCESSES },
    { of: 'image', path: pathTail('@kilocode/cli-*/bin/kilo{,.exe}'), source: LAUNCHER },
    { of: 'entry', path: pathTail('@kilocode/cli/bin/{.kilo,kilo,kilocode}'), source: PROCESSES },
  ],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.npm-global', 'bin', 'kilo']],
  options: {
    switches: [
      '--auto',
      '--cloud-fork',
      '--continue',
      '--fork',
      '--mdns',
      '--mini',
      '--no-replay',
      '--print-logs',
      '--pure',
      '-c',
    ],
    values: [
      '--agent',
      '--hostname',
      '--log-level',
      '--mdns-domain',
      '--model',
      '--port',
      '--prompt',
      '--replay-limit',
      '--session',
      '--worktree',
      '-m',
      '-s',
    ],
    optional: [],
    lists: ['--cors'],
  },
  kinds: [
    {
      kind: 'launcher',
      why: 'the script of the npm package, which runs nothing itself',
      when: ({ program }) => program.interpreter !== null && program.entry !== null,
      source: LAUNCHER,
    },
    {
      kind: 'service',
      why: 'a server without a screen',
      when: ({ args }) => args.command !== null && SERVICES.includes(args.command),
      source: HELP,
    },
    {
      kind: 'headless',
      why: 'runs one message and ends',
      when: ({ args }) => args.command === 'run',
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && MANAGEMENT.includes(args.command),
      source: HELP,
    },
  ],
  home: {
    variable: 'XDG_DATA_HOME',
    below: ['kilo'],
    folder: ['.local', 'share', 'kilo'],
    source: PROCESSES,
  },
  argvId: {
    flags: ['--session', '-s'],
    commands: [],
    pattern: /^ses_[A-Za-z0-9]{1,64}$/,
    forks: { flags: ['--cloud-fork', '--fork'], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'it has one database open for all sessions' },
  stores: [],
  bypass: [{ flag: '--auto', source: HELP }],
  environment: [],
  baseUrls: [],
  packages: ['@kilocode/cli'],
  versions: [],
  turns: [kiloMessages],
  stateGap: 'no message of its session tells it',
  linkGap: 'no id in its arguments',
};
