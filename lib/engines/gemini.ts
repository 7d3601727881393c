import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { measured } from './source.js';

const PROCESSES = measured('processes of the npm install on Linux', '0.61.0', '2026-11-30');
const HELP = measured('gemini --help', '0.61.0', '2026-11-30');
const PROGRAM = measured('the words of its own program', '0.61.0', '2026-11-30');

const MANAGEMENT = ['extension', 'extensions', 'gemma', 'hook', 'hooks', 'mcp', 'skill', 'skills'];

export const gemini: EngineRule = {
  engine: 'gemini',
  names: [{ name: 'gemini', entryOnly: true, source: PROCESSES }],
  namesWithProof: [],
  layouts: [{ of: 'entry', path: pathTail('@google/gemini-cli/bundle/gemini.js'), source: PROCESSES }],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.npm-global', 'bin', 'gemini']],
  options: {
    switches: [
      '--accept-raw-output-risk',
      '--acp',
      '--debug',
      '--experimental-acp',
      '--list-extensions',
      '--list-sessions',
      '--raw-output',
      '--sandbox',
      '--screen-reader',
      '--skip-trust',
      '--yolo',
      '-d',
      '-l',
      '-s',
      '-y',
    ],
    values: [
      '--approval-mode',
      '--delete-session',
      '--model',
      '--output-format',
      '--prompt',
      '--prompt-interactive',
      '--session-file',
      '--session-id',
      '-i',
      '-m',
      '-o',
      '-p',
    ],
    optional: ['--resume', '--worktree', '-r', '-w'],
    lists: [
      '--admin-policy',
      '--allowed-mcp-server-names',
      '--allowed-tools',
      '--extensions',
      '--include-directories',
      '--policy',
      '-e',
    ],
  },
  kinds: [
    {
      kind: 'service',
      why: 'serves an editor (--acp)',
      when: ({ args }) => hasFlag(args, '--acp', '--experimental-acp'),
      source: HELP,
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => hasFlag(args, '-p', '--prompt'),
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) =>
        hasFlag(args, '--delete-session', '--list-extensions', '--list-sessions', '-l') ||
        (args.command !== null && MANAGEMENT.includes(args.command)),
      source: HELP,
    },
  ],
  home: { variable: 'GEMINI_CLI_HOME', below: ['.gemini'], folder: ['.gemini'], source: PROGRAM },
  argvId: {
    flags: ['--resume', '--session-id', '-r'],
    commands: [],
    // `latest` and a number are no ids.
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    forks: { flags: [], commands: [] },
    source: PROGRAM,
  },
  pidRecord: null,
  held: { files: [], gap: 'it keeps no session file open, and its session files name no process' },
  stores: [],
  bypass: [
    { flag: '--yolo', source: HELP },
    { flag: '-y', source: HELP },
    { flag: '--approval-mode', value: 'yolo', source: HELP },
  ],
  environment: [],
  baseUrls: ['GOOGLE_GEMINI_BASE_URL'],
  packages: ['@google/gemini-cli'],
  versions: [],
  turns: [],
  stateGap: 'no rule for the states of gemini was ever measured',
  linkGap: 'no id in its arguments',
};
