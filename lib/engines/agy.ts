import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule, Source } from './rule.js';

const reported = (what: string, version: string | null = null): Source => ({
  how: 'reported',
  what,
  version,
  date: '2026-11-30',
});
const FLAGS = reported('slopus/happy#1430', '1.0.12');

const MANAGEMENT = ['agentapi', 'changelog', 'help', 'install', 'models', 'plugin', 'plugins', 'update'];

export const agy: EngineRule = {
  engine: 'agy',
  names: [
    { name: 'agy', source: FLAGS },
    {
      name: /^agy\.exe\.[0-9a-f]+\.old$/,
      nativeOnly: true,
      source: reported('the file that an update on Windows leaves'),
    },
  ],
  namesWithProof: [],
  layouts: [{ of: 'image', path: pathTail('.local/bin/agy{,.exe}'), source: FLAGS }],
  argumentProof: [],
  // The editor of the same maker ships a program of this name inside its bundle.
  excluded: [pathTail('*.app/contents/**')],
  installPlaces: [['.local', 'bin', 'agy']],
  options: {
    switches: ['--continue', '--dangerously-skip-permissions', '--new-project', '--sandbox', '-c'],
    values: [
      '--add-dir',
      '--conversation',
      '--log-file',
      '--model',
      '--print',
      '--print-timeout',
      '--project',
      '--prompt',
      '--prompt-interactive',
      '-i',
      '-p',
    ],
    optional: [],
    lists: [],
  },
  kinds: [
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => hasFlag(args, '-p', '--print', '--prompt'),
      source: FLAGS,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && MANAGEMENT.includes(args.command),
      source: FLAGS,
    },
  ],
  home: { variable: 'ANTIGRAVITY_CLI_HOME', folder: ['.gemini', 'antigravity-cli'], source: FLAGS },
  argvId: {
    flags: ['--conversation'],
    commands: [],
    pattern: /^[0-9a-f-]{16,64}$/i,
    forks: { flags: [], commands: [] },
    source: FLAGS,
  },
  pidRecord: null,
  held: {
    files: [
      {
        place: { home: 'conversations' },
        path: /^([0-9a-f-]{16,})\.db$/i,
        kind: 'file',
        proof: 'open',
        what: 'conversation',
        source: reported('open files of a running agy'),
      },
      {
        place: { home: 'presence' },
        path: /^([0-9a-f-]{16,})\.lock$/i,
        kind: 'file',
        proof: 'flock',
        what: 'presence lock',
        source: reported('the file stays behind; its flock ends with the process'),
      },
    ],
    gap: 'no conversation and no held presence lock among its open files',
  },
  bypass: [{ flag: '--dangerously-skip-permissions', source: FLAGS }],
  environment: [],
  baseUrls: [],
  versions: [],
  stateGap: 'agy keeps no status of its process; its log and its transcript are not read',
  linkGap: 'no id in its arguments',
};
