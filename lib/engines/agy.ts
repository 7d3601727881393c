import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import { firstObject } from './record.js';
import type { EngineRule, Source } from './rule.js';
import { folderText } from './store-reads.js';
import type { StoreReading } from './store-rule.js';
import { agyLog, agySteps } from './turns/agy.js';

const reported = (what: string, version: string | null = null): Source => ({
  how: 'reported',
  what,
  version,
  date: '2026-11-30',
});
const FLAGS = reported('slopus/happy#1430', '1.0.12');

const MANAGEMENT = ['agentapi', 'changelog', 'help', 'install', 'models', 'plugin', 'plugins', 'update'];

const CONVERSATION = /^[0-9a-f-]{16,64}$/i;
const MOST_FOLDERS = 10_000;

/** Reads the text of `cache/last_conversations.json`: the latest conversation of each folder. */
export function readLastConversations(text: string): StoreReading {
  const fields = firstObject(text);
  if (fields === null) return { problem: 'holds no whole JSON object just now' };
  const entries = Object.entries(fields).slice(0, MOST_FOLDERS);
  return {
    sessions: entries.flatMap(([folder, id]) =>
      typeof id === 'string' && CONVERSATION.test(id) ? [{ id, cwd: folderText(folder) }] : [],
    ),
  };
}

/** Fourteen digits with anything but digits between them: local time or UTC, which the name does not say. */
function timesOfName(name: string): number[] {
  const digits = /^cli-(\d{4})\D?(\d\d)\D?(\d\d)\D?(\d\d)\D?(\d\d)\D?(\d\d)/.exec(name)?.slice(1).map(Number);
  if (digits === undefined) return [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits;
  return [
    Date.UTC(year, month - 1, day, hour, minute, second),
    new Date(year, month - 1, day, hour, minute, second).getTime(),
  ];
}

/** Reads the beginning of `cli-<time>.log`: the conversations that it names. */
export function readAgyLog(text: string, names: readonly string[]): StoreReading {
  const ids = text.matchAll(
    /\bconversation\w*\W{1,4}(?:id\W{1,4})?([0-9a-f]{8}-[0-9a-f-]{27})(?![0-9a-f-])/gi,
  );
  const distinct = [...new Set([...ids].map(([, id]) => id as string))];
  const times = timesOfName(names.at(-1) ?? '');
  return { sessions: distinct.flatMap((id) => times.map((begunAt) => ({ id, begunAt }))) };
}

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
    pattern: CONVERSATION,
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
  stores: [
    {
      proof: 'folder',
      what: 'list of last conversations',
      place: 'cache/last_conversations.json',
      parts: ['cache', 'last_conversations.json'],
      maxBytes: 1024 * 1024,
      read: readLastConversations,
      source: reported('codeaholicguy/ai-devkit#133'),
    },
    {
      proof: 'start',
      what: 'log',
      place: 'log/cli-<time>.log',
      parts: ['log', /^cli-\d.*\.log$/],
      maxBytes: 256 * 1024,
      appended: true,
      read: readAgyLog,
      source: reported('its log begins with the process and names its conversation'),
    },
  ],
  bypass: [{ flag: '--dangerously-skip-permissions', source: FLAGS }],
  environment: [],
  baseUrls: [],
  packages: [],
  versions: [],
  turns: [agyLog, agySteps],
  stateGap: 'neither its log nor a transcript of its conversation tells it',
  linkGap: 'no id in its arguments',
};
