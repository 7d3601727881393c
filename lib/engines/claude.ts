import { hasFlag } from './args.js';
import { pathTail, programName } from './path.js';
import { firstObject, type PidRecord, plainText, type RecordReading, wholeNumber } from './record.js';
import type { EngineRule, Source } from './rule.js';
import { projectKey, timeOf } from './store-keys.js';
import { folderText, headLines, NO_SESSIONS, UUID, UUID_TEXT } from './store-reads.js';
import type { StoreReading } from './store-rule.js';
import { claudeTranscript } from './turns/claude.js';

const MEASURED: Source = {
  how: 'measured',
  what: 'processes and files of the npm and native installs on Linux',
  version: '2.1.332',
  date: '2026-11-30',
};
const BINARY: Source = {
  how: 'measured',
  what: 'claude --help and the words of its own binary',
  version: '2.1.197',
  date: '2026-11-30',
};
const REPORTED: Source = { how: 'reported', what: 'public reports', version: null, date: '2026-11-30' };
const reported = (what: string): Source => ({ ...REPORTED, what });

const VERSIONS = pathTail('claude/versions/<version>');

/** Tools inside claude's own program: it starts itself again with their name as argv[0]. */
const EMBEDDED = ['rg', 'bfs', 'ugrep', 'apply-seccomp'];

/** Subcommands that manage an installation and open no session. */
const MANAGEMENT = [
  'auth',
  'auto-mode',
  'daemon',
  'doctor',
  'install',
  'mcp',
  'plugin',
  'plugins',
  'project',
  'setup-token',
  'ultrareview',
  'update',
  'upgrade',
];

/** `linux:<machine id>:pid:[<inode>]` */
function namespaceOf(domain: unknown): number | null {
  const found = typeof domain === 'string' ? /pid:\[(\d{1,15})\]$/.exec(domain) : null;
  return found ? Number(found[1]) : null;
}

function startOf(value: unknown): Pick<PidRecord, 'procStart' | 'procStartOdd'> {
  if (value === undefined || value === null) return { procStart: null, procStartOdd: false };
  const text =
    typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : plainText(value, 64);
  return { procStart: text, procStartOdd: text === null };
}

function sessionOf(value: unknown): Pick<PidRecord, 'sessionId' | 'sessionIdOdd'> {
  const sessionId = typeof value === 'string' && UUID.test(value) ? value : null;
  return { sessionId, sessionIdOdd: sessionId === null && value !== undefined && value !== null };
}

/** Reads the text of `sessions/<pid>.json`. */
export function readClaudeRecord(text: string): RecordReading {
  if (text.trim() === '') return { problem: 'is empty just now: it is being written', unfinished: true };
  const fields = firstObject(text);
  if (fields === null) return { problem: 'holds no whole JSON object just now', unfinished: true };
  return {
    record: {
      pid: wholeNumber(fields['pid']),
      ...sessionOf(fields['sessionId']),
      ...startOf(fields['procStart']),
      pidNamespace: namespaceOf(fields['pidDomain']),
      headless: fields['kind'] === 'bg',
      status: plainText(fields['status']),
      statusAt: wholeNumber(fields['statusUpdatedAt']) ?? wholeNumber(fields['updatedAt']),
      waitingFor: plainText(fields['waitingFor']),
      version: plainText(fields['version'], 64),
    },
  };
}

/** Reads the beginning of `projects/<key>/<id>.jsonl`. Summaries and snapshots may stand before the first turn. */
export function readTranscript(text: string, names: readonly string[]): StoreReading {
  const id = names.at(-1)?.replace(/\.jsonl$/, '');
  const lines = headLines(text);
  const first = lines.find((line) => typeof line['cwd'] === 'string');
  if (id === undefined || first === undefined) return { problem: 'names no folder in its beginning' };
  // What an agent started for itself, and what a program asked for: no window shows them.
  if (first['isSidechain'] === true) return NO_SESSIONS;
  const times = lines.flatMap(({ timestamp }) => timeOf(timestamp) ?? []);
  return { sessions: [{ id, cwd: folderText(first['cwd']), begunAt: times[0] ?? null }] };
}

export const claude: EngineRule = {
  engine: 'claude',
  names: [
    { name: 'claude', source: MEASURED },
    { name: '.claude-unwrapped', source: reported('herdrdev/herdr#802') },
    { name: '.claude-wrapped', source: reported('herdrdev/herdr#802') },
    {
      name: /^claude\.exe\.old\.\d+$/,
      nativeOnly: true,
      source: reported('the file that an update on Windows leaves'),
    },
  ],
  namesWithProof: [],
  layouts: [
    { of: 'image', path: VERSIONS, source: MEASURED },
    {
      of: 'image',
      path: pathTail('extensions/anthropic.claude-code-*/resources/native-binary/claude{,.exe}'),
      kind: 'ide',
      source: reported('AThevon/TokenEater#264'),
    },
    {
      of: 'entry',
      path: pathTail('@anthropic-ai/claude-code/{cli.js,cli.mjs,cli-wrapper.cjs,bin/claude.exe}'),
      source: MEASURED,
    },
  ],
  argumentProof: [],
  excluded: [
    // Claude Desktop: the same name for another program.
    pathTail('claude.app/contents/**'),
    pathTail('{lib,libexec,opt,share}/claude-desktop/**'),
    pathTail('programs/claude/claude.exe'),
    pathTail('appdata/local/anthropicclaude/**'),
    pathTail('windowsapps/claude_*/**'),
  ],
  installPlaces: [
    ['.local', 'bin', 'claude'],
    ['.claude', 'local', 'claude'],
    ['.npm-global', 'bin', 'claude'],
  ],
  options: {
    switches: [
      '--allow-dangerously-skip-permissions',
      '--ax-screen-reader',
      '--background',
      '--bare',
      '--bg',
      '--brief',
      '--chrome',
      '--continue',
      '--dangerously-skip-permissions',
      '--disable-slash-commands',
      '--fork-session',
      '--ide',
      '--no-chrome',
      '--print',
      '--safe-mode',
      '--strict-mcp-config',
      '--tmux',
      '--verbose',
      '-c',
      '-p',
    ],
    values: [
      '--agent',
      '--agents',
      '--append-system-prompt',
      '--append-system-prompt-file',
      '--debug-file',
      '--effort',
      '--fallback-model',
      '--input-format',
      '--json-schema',
      '--max-budget-usd',
      '--model',
      '--name',
      '--output-format',
      '--permission-mode',
      '--plugin-dir',
      '--plugin-url',
      '--prefill',
      '--remote-control-session-name-prefix',
      '--session-id',
      '--setting-sources',
      '--settings',
      '--system-prompt',
      '--system-prompt-file',
      '-n',
    ],
    optional: ['--debug', '--from-pr', '--remote-control', '--resume', '--worktree', '-d', '-r', '-w'],
    lists: [
      '--add-dir',
      '--allowed-tools',
      '--allowedTools',
      '--betas',
      '--disallowed-tools',
      '--disallowedTools',
      '--file',
      '--mcp-config',
      '--tools',
    ],
  },
  kinds: [
    {
      kind: 'helper',
      why: "one of claude's embedded tools, by its argv[0]",
      when: ({ program }) => program.word !== undefined && EMBEDDED.includes(programName(program.word)),
      source: BINARY,
    },
    {
      kind: 'helper',
      why: 'the native host of the browser extension',
      when: ({ args }) => hasFlag(args, '--chrome-native-host'),
      source: BINARY,
    },
    {
      kind: 'helper',
      why: 'the background daemon or one of its parts',
      when: ({ args }) =>
        (args.command === 'daemon' && args.words[1] === 'run') ||
        hasFlag(args, '--bg-pty-host', '--bg-spare', '--daemon-worker'),
      source: BINARY,
    },
    {
      kind: 'helper',
      why: 'an MCP server inside claude',
      when: ({ args }) => hasFlag(args, '--claude-in-chrome-mcp', '--computer-use-mcp'),
      source: BINARY,
    },
    {
      kind: 'service',
      why: 'a server without a session',
      when: ({ args }) => args.command === 'gateway' || (args.command === 'mcp' && args.words[1] === 'serve'),
      source: BINARY,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && MANAGEMENT.includes(args.command),
      source: BINARY,
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => hasFlag(args, '-p', '--print'),
      source: BINARY,
    },
  ],
  home: { variable: 'CLAUDE_CONFIG_DIR', folder: ['.claude'], source: MEASURED },
  argvId: {
    flags: ['--resume', '-r', '--session-id'],
    commands: [],
    pattern: UUID,
    forks: { flags: ['--fork-session'], commands: [] },
    source: BINARY,
  },
  pidRecord: {
    folder: 'sessions',
    fileName: (pid) => `${pid}.json`,
    maxBytes: 64 * 1024,
    read: readClaudeRecord,
    source: MEASURED,
  },
  held: {
    files: [
      {
        place: { tmp: 'claude-' },
        path: /^[^/]+\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/tasks$/i,
        kind: 'directory',
        proof: 'open',
        what: 'tasks folder',
        source: { ...MEASURED, what: 'open from the first tool use on, Linux' },
      },
    ],
    gap: 'no tasks folder among its open files (it opens one with its first tool)',
  },
  stores: [
    {
      // It holds a secret: its name is all that anybody looks at.
      proof: 'sign',
      what: 'key file',
      place: 'sessions/<pid>.<hex>.key',
      parts: ['sessions', ({ pid }) => new RegExp(`^${pid}\\.(?:[0-9a-f]+\\.)?key$`)],
      maxBytes: 0,
      read: () => NO_SESSIONS,
      says: 'it just started, or a question at its start waits for an answer',
      source: { ...MEASURED, what: 'written before the pid record' },
    },
    {
      proof: 'folder',
      what: 'transcript',
      place: 'projects/<folder>/<id>.jsonl',
      parts: [
        'projects',
        ({ cwd }) => (cwd === null ? [] : projectKey(cwd)),
        new RegExp(`^${UUID_TEXT}\\.jsonl$`, 'i'),
      ],
      maxBytes: 64 * 1024,
      appended: true,
      read: readTranscript,
      source: reported('graykode/abtop#135, manhhailua/lorekeep#264'),
    },
  ],
  bypass: [
    { flag: '--permission-mode', value: 'auto', source: BINARY },
    { flag: '--permission-mode', value: 'bypassPermissions', source: BINARY },
    { flag: '--dangerously-skip-permissions', source: BINARY },
  ],
  environment: [],
  baseUrls: ['ANTHROPIC_BASE_URL'],
  packages: ['@anthropic-ai/claude-code'],
  versions: [
    VERSIONS,
    pathTail('anthropic.claude-code-<version>-{linux,darwin,win32,alpine}-*/resources/native-binary/*'),
    pathTail('anthropic.claude-code-<version>/resources/native-binary/*'),
  ],
  turns: [claudeTranscript],
  stateGap: 'no status in a pid record of this process, and no transcript of its session tells it',
  linkGap: 'no pid record of this process, and no id in its arguments',
};
