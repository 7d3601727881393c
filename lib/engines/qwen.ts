import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import { firstObject, wholeNumber } from './record.js';
import type { EngineRule } from './rule.js';
import { measured } from './source.js';
import { projectKey, timeOf } from './store-keys.js';
import { folderText, UUID, UUID_TEXT } from './store-reads.js';
import type { StoreReading } from './store-rule.js';

const PROCESSES = measured('processes of the npm install on Linux', '0.24.4', '2026-11-30');
const HELP = measured('qwen --help', '0.24.4', '2026-11-30');
const PROGRAM = measured('the words of its own program', '0.24.4', '2026-11-30');

const MANAGEMENT = [
  'auth',
  'board',
  'channel',
  'extensions',
  'hook',
  'hooks',
  'mcp',
  'sandbox',
  'sessions',
  'update',
];

/** Reads the text of `chats/<id>.runtime.json`. */
export function readQwenRuntime(text: string): StoreReading {
  const fields = firstObject(text);
  if (fields === null) return { problem: 'holds no whole JSON object just now' };
  const id = fields['session_id'];
  if (typeof id !== 'string' || !UUID.test(id)) return { problem: 'names a session by no id of this engine' };
  const session = {
    id,
    pid: wholeNumber(fields['pid']),
    cwd: folderText(fields['work_dir']),
    begunAt: timeOf(fields['started_at']),
  };
  return { sessions: [session] };
}

export const qwen: EngineRule = {
  engine: 'qwen',
  names: [{ name: 'qwen', entryOnly: true, source: PROCESSES }],
  namesWithProof: [],
  layouts: [{ of: 'entry', path: pathTail('@qwen-code/qwen-code/{cli-entry.js,cli.js}'), source: PROCESSES }],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.npm-global', 'bin', 'qwen']],
  options: {
    switches: [
      '--acp',
      '--bare',
      '--chat-recording',
      '--continue',
      '--debug',
      '--experimental-lsp',
      '--fork-session',
      '--include-partial-messages',
      '--insecure',
      '--list-extensions',
      '--openai-logging',
      '--restore-ask-user-question',
      '--safe-mode',
      '--sandbox',
      '--screen-reader',
      '--telemetry',
      '--telemetry-log-prompts',
      '--yolo',
      '-c',
      '-d',
      '-l',
      '-s',
      '-y',
    ],
    values: [
      '--append-system-prompt',
      '--approval-mode',
      '--auth-type',
      '--channel',
      '--fallback-model',
      '--input-file',
      '--input-format',
      '--json-fd',
      '--json-file',
      '--json-schema',
      '--max-session-turns',
      '--max-subagent-depth',
      '--max-tool-calls',
      '--max-wall-time',
      '--mcp-config',
      '--model',
      '--openai-api-key',
      '--openai-base-url',
      '--openai-logging-dir',
      '--output-format',
      '--output-style',
      '--prompt',
      '--prompt-interactive',
      '--proxy',
      '--sandbox-image',
      '--session-id',
      '--system-prompt',
      '--telemetry-otlp-endpoint',
      '--telemetry-otlp-protocol',
      '--telemetry-outfile',
      '--telemetry-target',
      '-i',
      '-m',
      '-o',
      '-p',
    ],
    optional: ['--resume', '--worktree', '-r'],
    lists: [
      '--add-dir',
      '--allowed-mcp-server-names',
      '--allowed-tools',
      '--core-tools',
      '--disabled-slash-commands',
      '--exclude-tools',
      '--extensions',
      '--include-directories',
      '-e',
    ],
  },
  kinds: [
    {
      kind: 'service',
      why: 'a server without a screen',
      when: ({ args }) =>
        hasFlag(args, '--acp') ||
        args.command === 'serve' ||
        (args.command === 'channel' && args.words[1] === 'start'),
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) =>
        hasFlag(args, '--list-extensions', '-l') ||
        (args.command !== null && MANAGEMENT.includes(args.command)),
      source: HELP,
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      // A prompt without a flag is one shot too, unless `-i` keeps the screen.
      when: ({ args }) =>
        hasFlag(args, '-p', '--prompt') ||
        (args.command !== null && !hasFlag(args, '-i', '--prompt-interactive')),
      source: HELP,
    },
  ],
  home: { variable: 'QWEN_HOME', folder: ['.qwen'], source: PROGRAM },
  argvId: {
    flags: ['--resume', '--session-id', '-r'],
    commands: [],
    pattern: UUID,
    forks: { flags: ['--fork-session'], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'it keeps no session file open' },
  stores: [
    {
      proof: 'pid',
      what: 'runtime file',
      place: 'projects/<folder>/chats/<id>.runtime.json',
      parts: [
        'projects',
        ({ cwd }) => (cwd === null ? [] : projectKey(cwd)),
        'chats',
        new RegExp(`^${UUID_TEXT}\\.runtime\\.json$`, 'i'),
      ],
      maxBytes: 64 * 1024,
      read: readQwenRuntime,
      source: measured('files of the npm install on Linux', '0.24.4', '2026-11-30'),
    },
  ],
  bypass: [
    { flag: '--yolo', source: HELP },
    { flag: '-y', source: HELP },
    { flag: '--approval-mode', value: 'yolo', source: HELP },
  ],
  environment: [],
  baseUrls: ['OPENAI_BASE_URL'],
  packages: ['@qwen-code/qwen-code'],
  versions: [],
  turns: [],
  stateGap: 'no rule for the states of qwen was ever measured',
  linkGap: 'no id in its arguments',
};
