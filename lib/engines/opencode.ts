import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { measured, reported } from './source.js';
import { opencodeMessages } from './turns/databases.js';

const PROCESSES = measured('processes of the npm install on Linux', '1.18.33', '2026-11-30');
const HELP = measured('opencode --help', '1.18.33', '2026-11-30');
const PLATFORM = measured('the package opencode-linux-x64', '1.18.33', '2026-11-30');
const INSTALLER = reported("the vendor's install script: ~/.opencode/bin", null, '2026-11-30');

const SERVICES = ['acp', 'serve', 'web'];
const MANAGEMENT = [
  'agent',
  'auth',
  'completion',
  'db',
  'debug',
  'export',
  'github',
  'import',
  'mcp',
  'models',
  'plug',
  'plugin',
  'pr',
  'providers',
  'session',
  'stats',
  'uninstall',
  'upgrade',
];

export const opencode: EngineRule = {
  engine: 'opencode',
  names: [
    { name: 'opencode', source: PROCESSES },
    { name: '.opencode', source: reported('shuntaka9576/agentoast#91', null, '2026-11-30') },
  ],
  namesWithProof: [],
  layouts: [
    { of: 'image', path: pathTail('opencode-ai/bin/{opencode,opencode.exe,.opencode}'), source: PROCESSES },
    { of: 'entry', path: pathTail('opencode-ai/bin/{opencode,opencode.exe}'), source: PROCESSES },
    {
      of: 'image',
      path: pathTail('opencode-{linux,darwin,windows}-*/bin/opencode{,.exe}'),
      source: PLATFORM,
    },
    { of: 'image', path: pathTail('.opencode/bin/opencode{,.exe}'), source: INSTALLER },
  ],
  argumentProof: [],
  excluded: [pathTail('opencode*.app/contents/**')],
  installPlaces: [
    ['.opencode', 'bin', 'opencode'],
    ['.npm-global', 'bin', 'opencode'],
  ],
  options: {
    switches: [
      '--auto',
      '--continue',
      '--fork',
      '--interactive',
      '--mdns',
      '--mini',
      '--no-replay',
      '--print-logs',
      '--pure',
      '--share',
      '--thinking',
      '-c',
      '-i',
    ],
    values: [
      '--agent',
      '--attach',
      '--command',
      '--dir',
      '--format',
      '--hostname',
      '--log-level',
      '--mdns-domain',
      '--model',
      '--password',
      '--port',
      '--prompt',
      '--replay-limit',
      '--session',
      '--title',
      '--username',
      '--variant',
      '-m',
      '-p',
      '-s',
      '-u',
    ],
    optional: [],
    lists: ['--cors', '--file', '-f'],
  },
  kinds: [
    {
      kind: 'service',
      why: 'a server without a screen',
      when: ({ args }) => args.command !== null && SERVICES.includes(args.command),
      source: HELP,
    },
    {
      kind: 'tui',
      why: 'run with a screen of its own',
      when: ({ args }) =>
        args.command === 'run' && args.flags.some(({ name }) => name === '--interactive' || name === '-i'),
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
    below: ['opencode'],
    folder: ['.local', 'share', 'opencode'],
    source: PROCESSES,
  },
  argvId: {
    flags: ['--session', '-s'],
    commands: [],
    // Upper and lower case of these ids differ.
    pattern: /^ses_[A-Za-z0-9]{1,64}$/,
    forks: { flags: ['--fork'], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'it has one database open for all sessions' },
  stores: [],
  bypass: [{ flag: '--auto', source: HELP }],
  environment: [],
  baseUrls: [],
  packages: ['opencode-ai'],
  versions: [],
  turns: [opencodeMessages],
  stateGap: 'no message of its session tells it',
  linkGap: 'no id in its arguments',
};
