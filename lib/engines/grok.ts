import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import { wholeNumber } from './record.js';
import type { EngineRule } from './rule.js';
import { measured, reported } from './source.js';
import { timeOf } from './store-keys.js';
import { type Fields, fieldsOf, folderText, NO_SESSIONS } from './store-reads.js';
import type { StoredSession, StoreReading } from './store-rule.js';

const HELP = measured('grok --help', '1.0.41', '2026-11-30');
const LAUNCHER = measured('bin/grok and its installer in the npm package', '1.0.41', '2026-11-30');
const VENDOR = reported('herdrdev/herdr#3273, corveil/crow#989', '1.0.5', '2026-11-30');
const OTHERS = reported('corveil/crow#911: other products install the name too', null, '2026-11-30');

const SERVICES = ['agent', 'cursor-worker', 'leader'];
const MANAGEMENT = [
  'clone',
  'completions',
  'disk-usage',
  'doctor',
  'du',
  'export',
  'help',
  'import',
  'inspect',
  'login',
  'logout',
  'mcp',
  'memory',
  'models',
  'plugin',
  'sessions',
  'setup',
  'trace',
  'update',
  'usage',
  'v',
  'version',
  'worktree',
  'wrap',
];

const SESSION = /^[0-9a-f-]{16,64}$/i;
/** More entries than processes that anybody runs. */
const MOST_ENTRIES = 1_000;

function entryOf(fields: Fields, pid: unknown): StoredSession[] {
  const id = fields['session_id'] ?? fields['sessionId'] ?? fields['id'];
  if (typeof id !== 'string' || !SESSION.test(id)) return [];
  const begunAt = timeOf(fields['opened_at'] ?? fields['started_at']);
  return [{ id, pid: wholeNumber(pid), cwd: folderText(fields['cwd']), begunAt }];
}

/** Reads the text of `active_sessions.json`: a list of `{session_id, pid, cwd}`, or one by pid. */
export function readGrokSessions(text: string): StoreReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'holds no whole JSON text just now' };
  }
  if (Array.isArray(value)) {
    const entries = value.slice(0, MOST_ENTRIES).map(fieldsOf);
    return { sessions: entries.flatMap((entry) => entryOf(entry, entry['pid'])) };
  }
  const entries = Object.entries(fieldsOf(value)).slice(0, MOST_ENTRIES);
  if (entries.length === 0) return NO_SESSIONS;
  return {
    sessions: entries.flatMap(([pid, entry]) =>
      typeof entry === 'string'
        ? entryOf({ id: entry }, Number(pid))
        : entryOf(fieldsOf(entry), fieldsOf(entry)['pid'] ?? Number(pid)),
    ),
  };
}

export const grok: EngineRule = {
  engine: 'grok',
  names: [
    { name: 'grok', shared: true, source: OTHERS },
    {
      name: /^grok(?:-[0-9a-z.]+)*-(?:macos|linux)-(?:aarch64|x86_64)$/,
      nativeOnly: true,
      source: VENDOR,
    },
  ],
  namesWithProof: ['agent'],
  layouts: [
    { of: 'image', path: pathTail('.grok/bin/{grok,agent}{,.exe}'), source: VENDOR },
    { of: 'image', path: pathTail('.grok/downloads/grok*'), source: VENDOR },
    { of: 'image', path: pathTail('@xai-official/grok/bin/grok-native'), source: LAUNCHER },
    { of: 'entry', path: pathTail('@xai-official/grok/bin/{grok,grok-bootstrap.js}'), source: LAUNCHER },
  ],
  argumentProof: [],
  excluded: [],
  installPlaces: [
    ['.grok', 'bin', 'grok'],
    ['.grok', 'bin', 'agent'],
  ],
  options: {
    switches: [
      '--always-approve',
      '--continue',
      '--debug',
      '--disable-web-search',
      '--fork-session',
      '--fullscreen',
      '--include-partial-messages',
      '--minimal',
      '--no-alt-screen',
      '--no-auto-update',
      '--no-plan',
      '--no-subagents',
      '--oauth',
      '--restore-code',
      '--verbatim',
      '--yolo',
      '-c',
    ],
    values: [
      '--agent',
      '--agents',
      '--allow',
      '--allowedTools',
      '--cwd',
      '--debug-file',
      '--deny',
      '--disallowed-tools',
      '--disallowedTools',
      '--effort',
      '--json-schema',
      '--leader-socket',
      '--max-turns',
      '--model',
      '--output-format',
      '--permission-mode',
      '--prompt-file',
      '--prompt-json',
      '--reasoning-effort',
      '--ref',
      '--rules',
      '--sandbox',
      '--session-id',
      '--single',
      '--system-prompt',
      '--system-prompt-override',
      '--tools',
      '--worktree-ref',
      '-m',
      '-p',
      '-s',
    ],
    optional: ['--resume', '--worktree', '-r', '-w'],
    lists: [],
  },
  kinds: [
    {
      kind: 'service',
      why: 'serves other programs without a screen',
      when: ({ args }) => args.command !== null && SERVICES.includes(args.command),
      source: HELP,
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => hasFlag(args, '-p', '--single', '--prompt-file', '--prompt-json'),
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && MANAGEMENT.includes(args.command),
      source: HELP,
    },
  ],
  home: { variable: 'GROK_HOME', folder: ['.grok'], source: LAUNCHER },
  argvId: {
    flags: ['--resume', '--session-id', '-r', '-s'],
    commands: [],
    pattern: SESSION,
    forks: { flags: ['--fork-session'], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'which files grok keeps open is not known' },
  stores: [
    {
      proof: 'pid',
      what: 'list of live sessions',
      place: 'active_sessions.json',
      parts: ['active_sessions.json'],
      maxBytes: 256 * 1024,
      read: readGrokSessions,
      source: reported('meviusisback/agent-orchestr#14, onevcat/Prowl#588', '1.0.34', '2026-11-30'),
    },
  ],
  bypass: [
    { flag: '--always-approve', source: HELP },
    { flag: '--permission-mode', value: 'bypassPermissions', source: HELP },
    { flag: '--yolo', source: reported('its headless mode manual', null, '2026-11-30') },
  ],
  environment: [],
  baseUrls: [],
  packages: [],
  versions: [pathTail('.grok/downloads/grok-<version>-{linux,macos}-*')],
  turns: [],
  stateGap: 'no rule for the states of grok was ever measured',
  linkGap: 'no id in its arguments',
};
