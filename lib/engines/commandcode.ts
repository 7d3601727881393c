import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { measured, reported } from './source.js';
import { readSessionHeader, UUID, UUID_TEXT } from './store-reads.js';

const PROCESSES = measured('processes of the npm install on Linux', '1.64.0', '2026-11-30');
const PROGRAM = measured('options and commands in its own program', '1.64.0', '2026-11-30');
const TITLE = reported('CommandCodeAI/command-code#764, herdrdev/herdr#2431', null, '2026-11-30');

const MANAGEMENT = [
  'auth',
  'config',
  'feedback',
  'help',
  'info',
  'learn-taste',
  'login',
  'logout',
  'mcp',
  'mods',
  'providers',
  'skills',
  'status',
  'taste',
  'update',
  'whoami',
];

export const commandcode: EngineRule = {
  engine: 'commandcode',
  // Its package also installs `cmd` and `cmdc`: common words, which the package's folder has to prove.
  names: [
    { name: 'command-code', source: PROCESSES },
    { name: 'commandcode', source: PROGRAM },
    // Its title stands where its name and arguments were.
    { name: /^\s*\u2318(?:\s.*)?$/s, source: TITLE },
  ],
  namesWithProof: [],
  layouts: [{ of: 'entry', path: pathTail('command-code/dist/index.mjs'), source: PROCESSES }],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.npm-global', 'bin', 'command-code']],
  options: {
    switches: [
      '--accept-edits',
      '--auto-accept',
      '--continue',
      '--dangerously-skip-permissions',
      '--debug',
      '--experimental',
      '--fork-session',
      '--ide-setup',
      '--list-models',
      '--local',
      '--local-only',
      '--no-auto-update',
      '--no-session',
      '--no-skills',
      '--plan',
      '--skip-onboarding',
      '--staging',
      '--tools-all',
      '--trust',
      '--verbose',
      '--yolo',
      '-c',
      '-d',
      '-t',
    ],
    values: [
      '--add-dir',
      '--benchmark-output',
      '--config',
      '--max-turns',
      '--mod',
      '--mod-option',
      '--model',
      '--name',
      '--output-format',
      '--permission-mode',
      '--session',
      '--skill',
      '--tools-enable',
      '-m',
      '-n',
    ],
    optional: ['--print', '--resume', '--sessions', '--worktree', '-p', '-r', '-w'],
    lists: [],
  },
  kinds: [
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => hasFlag(args, '-p', '--print'),
      source: PROGRAM,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) =>
        hasFlag(args, '--list-models') || (args.command !== null && MANAGEMENT.includes(args.command)),
      source: PROGRAM,
    },
  ],
  home: { variable: 'HOME', folder: ['.commandcode'], source: PROGRAM },
  argvId: {
    flags: ['--resume', '--session', '--sessions', '-r'],
    commands: [],
    pattern: /^[0-9a-f-]{16,64}$/i,
    forks: { flags: ['--fork-session'], commands: [] },
    source: PROGRAM,
  },
  pidRecord: null,
  held: { files: [], gap: 'it keeps no session file open' },
  stores: [
    {
      proof: 'folder',
      what: 'session file',
      place: 'projects/<folder>/<id>.jsonl',
      parts: ['projects', /^[^.].*$/, new RegExp(`^${UUID_TEXT}\\.jsonl$`, 'i')],
      maxBytes: 64 * 1024,
      appended: true,
      read: readSessionHeader(UUID),
      source: reported('Kewton/CommandMate#2252, akitaonrails/ai-memory#373', '1.14.1', '2026-11-30'),
    },
  ],
  bypass: [
    { flag: '--yolo', source: PROGRAM },
    { flag: '--dangerously-skip-permissions', source: PROGRAM },
    { flag: '--permission-mode', value: 'bypass', source: PROGRAM },
    { flag: '--permission-mode', value: 'yolo', source: PROGRAM },
  ],
  environment: [],
  baseUrls: [],
  packages: ['command-code'],
  versions: [],
  turns: [],
  stateGap: 'no rule for the states of commandcode was ever measured',
  linkGap: 'no id in its arguments',
};
