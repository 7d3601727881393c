import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule, Subject } from './rule.js';
import { reported } from './source.js';
import { hermesMessages } from './turns/databases.js';

const ENTRIES = reported('meviusisback/agent-orchestr#3', null, '2026-11-30');
const MANUAL = reported('its CLI commands reference', '2026.9.24', '2026-11-30');

/** Subcommands under which a conversation runs. */
const SESSIONS = ['chat'];
const SERVICES = ['acp', 'dashboard', 'egress', 'proxy', 'serve'];

function serves({ args }: Subject): boolean {
  const [first, second] = args.words;
  if (args.command === null) return false;
  if (first === 'gateway') return second === undefined || second === 'run';
  return SERVICES.includes(args.command) || (first === 'mcp' && second === 'serve');
}

export const hermes: EngineRule = {
  engine: 'hermes',
  names: [
    { name: 'hermes', source: ENTRIES },
    { name: 'hermes-agent', source: ENTRIES },
  ],
  namesWithProof: [],
  layouts: [
    { of: 'entry', path: pathTail('hermes-agent/hermes'), source: ENTRIES },
    { of: 'entry', path: pathTail('hermes_cli/**'), source: ENTRIES },
    { of: 'module', path: pathTail('{hermes_cli,hermes_cli.*}'), source: ENTRIES },
  ],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.local', 'bin', 'hermes']],
  options: {
    switches: [
      '--checkpoints',
      '--cli',
      '--dev',
      '--ignore-rules',
      '--ignore-user-config',
      '--oneshot',
      '--pass-session-id',
      '--quiet',
      '--safe-mode',
      '--tui',
      '--verbose',
      '--worktree',
      '--yolo',
      '-Q',
      '-v',
      '-w',
    ],
    values: [
      '--image',
      '--in',
      '--max-turns',
      '--model',
      '--profile',
      '--provider',
      '--query',
      '--query-file',
      '--resume',
      '--skills',
      '--source',
      '--toolsets',
      '--usage-file',
      '-m',
      '-p',
      '-q',
      '-r',
      '-s',
      '-t',
      '-z',
    ],
    optional: ['--continue', '-c'],
    lists: [],
  },
  kinds: [
    {
      kind: 'service',
      why: 'a gateway or a server without a session of its own',
      when: serves,
      source: MANUAL,
    },
    {
      kind: 'headless',
      why: 'answers one question and ends',
      // With a terminal `-q` only begins a conversation that stays open.
      when: ({ args, facts }) =>
        hasFlag(args, '-z', '--oneshot', '-Q', '--quiet') ||
        (facts.tty === null && hasFlag(args, '-q', '--query', '--query-file')),
      source: MANUAL,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && !SESSIONS.includes(args.command),
      source: MANUAL,
    },
  ],
  home: { variable: 'HERMES_HOME', folder: ['.hermes'], source: MANUAL },
  argvId: {
    flags: ['--resume', '-r'],
    commands: [],
    pattern: /^\d{8}_\d{6}_[0-9a-z]{1,64}$/i,
    forks: { flags: [], commands: [] },
    source: MANUAL,
  },
  pidRecord: null,
  held: { files: [], gap: 'it has one database open for all sessions' },
  stores: [],
  bypass: [{ flag: '--yolo', source: MANUAL }],
  environment: [],
  baseUrls: [],
  packages: [],
  versions: [],
  turns: [hermesMessages],
  stateGap: 'no message of its session tells it',
  linkGap: 'no id in its arguments',
};
