import { hasFlag } from './args.js';
import { isBelow, joinPath, pathTail, programName } from './path.js';
import type { EngineRule, Source, Subject } from './rule.js';
import { dayFolders, timeOf, timeOfUuid } from './store-keys.js';
import {
  fieldsOf,
  folderText,
  headLines,
  NO_SESSIONS,
  UUID_TEXT as UUID,
  UUID as WHOLE_UUID,
} from './store-reads.js';
import type { StoreReading, StoreSubject } from './store-rule.js';
import { codexRollout } from './turns/codex.js';

const MEASURED: Source = {
  how: 'measured',
  what: 'processes of the npm install on Linux',
  version: '0.171.0',
  date: '2026-11-30',
};
const HELP: Source = { ...MEASURED, what: 'codex --help' };
const reported = (what: string): Source => ({ how: 'reported', what, version: null, date: '2026-11-30' });

/** Programs of codex that serve a codex and are none. */
const HELPER_NAMES = [
  'codex-code-mode-host',
  'codex-linux-sandbox',
  'codex-execve-wrapper',
  'codex-command-runner',
  'codex-windows-sandbox-setup',
  'codex-responses-api-proxy',
  'codex-stdio-to-uds',
];
const SERVICE_NAMES = ['codex-app-server', 'codex-exec-server', 'codex-mcp-server'];
const SERVICE_COMMANDS = ['app-server', 'exec-server', 'mcp-server', 'remote-control', 'responses-api-proxy'];
const HEADLESS_COMMANDS = ['exec', 'e', 'review'];
const HELPER_COMMANDS = [
  'a',
  'apply',
  'archive',
  'cloud',
  'completion',
  'debug',
  'delete',
  'doctor',
  'execpolicy',
  'features',
  'help',
  'login',
  'logout',
  'mcp',
  'migrate-nfs-db',
  'migrate-rollouts',
  'plugin',
  'queue',
  'sandbox',
  'unarchive',
  'update',
];

const ROLLOUT = new RegExp(`^rollout-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-(${UUID})\\.jsonl$`, 'i');

/** Days of ids that tell no time: further back nobody looks. */
const DAYS_BACK = 31;
const DAY_MS = 86_400_000;

/** Reads the beginning of a rollout: its first line. */
export function readRollout(text: string): StoreReading {
  const [meta] = headLines(text.split('\n', 1)[0] ?? '');
  if (meta?.['type'] !== 'session_meta') return { problem: 'does not begin with a whole session_meta' };
  const { id, cwd, timestamp, source } = fieldsOf(meta['payload']);
  if (typeof id !== 'string' || !WHOLE_UUID.test(id)) {
    return { problem: 'names a session by no id of this engine' };
  }
  // What an agent started for itself: no window shows it.
  if (typeof source === 'object' && source !== null) return NO_SESSIONS;
  const begunAt = timeOf(timestamp) ?? timeOf(meta['timestamp']);
  return { sessions: [{ id, cwd: folderText(cwd), begunAt }] };
}

/** The day of a resumed session may be long past: its id tells it. */
function daysOfId({ argvId, now }: StoreSubject): string[] {
  if (argvId === null) return [];
  const at = timeOfUuid(argvId);
  return at === null ? dayFolders(now - DAYS_BACK * DAY_MS, now) : dayFolders(at, at);
}

const DAEMON_RELEASE = pathTail('.codex/packages/app-server-daemon/releases/**');

function calledBy(names: readonly string[]): (subject: Subject) => boolean {
  return ({ program }) =>
    [program.image, program.word].some(
      (text) => typeof text === 'string' && names.includes(programName(text)),
    );
}

const TRIPLES = [
  'aarch64-apple-darwin',
  'aarch64-pc-windows-msvc',
  'aarch64-unknown-linux-gnu',
  'aarch64-unknown-linux-musl',
  'x86_64-apple-darwin',
  'x86_64-pc-windows-msvc',
  'x86_64-unknown-linux-gnu',
  'x86_64-unknown-linux-musl',
];

export const codex: EngineRule = {
  engine: 'codex',
  names: [
    { name: 'codex', source: MEASURED },
    ...TRIPLES.map((triple) => ({
      name: `codex-${triple}`,
      nativeOnly: true,
      source: reported('names of its release files'),
    })),
    { name: '.codex-wrapped', source: reported('herdrdev/herdr#97') },
    { name: 'codex-unwrapped', source: reported('Untrivial-ai/agent-orchestrator#1954') },
    ...[...HELPER_NAMES, ...SERVICE_NAMES].map((name) => ({
      name,
      nativeOnly: true,
      source: reported('openai/codex'),
    })),
    // Builds of others go by such names, and so do programs that only watch codex.
    {
      name: /^codex-[a-z0-9_-]+$/,
      nativeOnly: true,
      shared: true,
      source: reported('renamed builds'),
    },
  ],
  namesWithProof: [],
  layouts: [
    { of: 'image', path: pathTail('@openai/codex*/**/vendor/*/{bin,codex}/codex{,.exe}'), source: MEASURED },
    { of: 'entry', path: pathTail('@openai/codex/bin/codex{,.js}'), source: MEASURED },
  ],
  argumentProof: [],
  excluded: [pathTail('codex.app/contents/macos/**'), pathTail('codex*.app/contents/frameworks/**')],
  installPlaces: [
    ['.local', 'bin', 'codex'],
    ['.npm-global', 'bin', 'codex'],
    ['.codex', 'bin', 'codex'],
  ],
  options: {
    switches: [
      '--approve-for-me',
      '--dangerously-bypass-approvals-and-sandbox',
      '--dangerously-bypass-hook-trust',
      '--full-auto',
      '--last',
      '--all',
      '--json',
      '--no-alt-screen',
      '--no-daemon',
      '--oss',
      '--search',
      '--skip-git-repo-check',
      '--strict-config',
      '--worktree',
      '--yolo',
    ],
    values: [
      '--add-dir',
      '--ask-for-approval',
      '--cd',
      '--color',
      '--config',
      '--disable',
      '--enable',
      '--local-provider',
      '--model',
      '--output-last-message',
      '--output-schema',
      '--profile',
      '--remote',
      '--remote-auth-token-env',
      '--sandbox',
      '-C',
      '-a',
      '-c',
      '-m',
      '-o',
      '-p',
      '-s',
    ],
    optional: [],
    lists: ['--image', '-i'],
  },
  kinds: [
    {
      kind: 'service',
      why: 'the app server, its daemon or its updater',
      when: ({ program, args }) =>
        (typeof program.image === 'string' && DAEMON_RELEASE.matches(program.image)) ||
        hasFlag(args, '--managed-daemon') ||
        (args.command !== null && SERVICE_COMMANDS.includes(args.command)),
      source: MEASURED,
    },
    {
      kind: 'service',
      why: 'a server of codex, by its name',
      when: calledBy(SERVICE_NAMES),
      source: reported('openai/codex'),
    },
    {
      kind: 'helper',
      why: 'a helper of codex, by its name',
      when: calledBy(HELPER_NAMES),
      source: reported('epilande/ccmux#133'),
    },
    {
      kind: 'helper',
      why: 'a plugin of codex, by its working directory',
      when: ({ facts, home }) =>
        typeof facts.cwd === 'string' && home !== null && isBelow(facts.cwd, joinPath(home, 'plugins')),
      source: reported('plugins run in their own folder'),
    },
    {
      kind: 'helper',
      why: 'a direct child of another codex',
      when: ({ parent, program }) =>
        parent?.engine === 'codex' && !(parent.interpreted && program.interpreter === null),
      source: reported('epilande/ccmux#133'),
    },
    {
      kind: 'headless',
      why: 'runs without a screen',
      when: ({ args }) => args.command !== null && HEADLESS_COMMANDS.includes(args.command),
      source: HELP,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && HELPER_COMMANDS.includes(args.command),
      source: HELP,
    },
  ],
  home: { variable: 'CODEX_HOME', folder: ['.codex'], source: MEASURED },
  argvId: {
    flags: [],
    commands: [['resume'], ['exec', 'resume'], ['e', 'resume']],
    pattern: WHOLE_UUID,
    forks: { flags: [], commands: ['fork'] },
    source: HELP,
  },
  pidRecord: null,
  held: {
    files: [
      {
        // Only plain rollouts: nobody appends to a compressed one, so whoever has it open reads an archive.
        place: { home: 'sessions' },
        path: new RegExp(
          `^\\d{4}/\\d\\d/\\d\\d/rollout-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-(${UUID})\\.jsonl$`,
          'i',
        ),
        kind: 'file',
        proof: 'open',
        what: 'rollout',
        source: MEASURED,
      },
      {
        place: { home: 'thread-writer-locks' },
        path: new RegExp(`^(${UUID})\\.lock$`, 'i'),
        kind: 'file',
        proof: 'flock',
        what: 'thread lock',
        source: MEASURED,
      },
    ],
    gap: 'no rollout and no thread lock among its open files',
  },
  stores: [
    {
      proof: 'folder',
      what: 'rollout',
      place: 'sessions/<day>/rollout-<time>-<id>.jsonl',
      parts: [
        'sessions',
        ({ startTime, now }) => (startTime === undefined ? [] : dayFolders(startTime, now)),
        ROLLOUT,
      ],
      // The first line holds the instructions too.
      maxBytes: 256 * 1024,
      appended: true,
      read: readRollout,
      source: { ...MEASURED, what: 'rollouts of the npm install on Linux: written from the first turn on' },
    },
    {
      proof: 'id',
      what: 'rollout',
      place: 'sessions/<day>/rollout-<time>-<id>.jsonl',
      parts: [
        'sessions',
        daysOfId,
        ({ argvId }) => (argvId === null ? [] : new RegExp(`^rollout-.{19}-${argvId}\\.jsonl$`, 'i')),
      ],
      maxBytes: 0,
      read: (_, names) => {
        const id = ROLLOUT.exec(names.at(-1) ?? '')?.[1];
        return id === undefined ? NO_SESSIONS : { sessions: [{ id }] };
      },
      source: reported('tuiboard#20, mjjo16/marmonitor#73'),
    },
  ],
  bypass: [
    { flag: '--approve-for-me', source: HELP },
    { flag: '--ask-for-approval', value: 'never', source: HELP },
    { flag: '-a', value: 'never', source: HELP },
    { flag: '--dangerously-bypass-approvals-and-sandbox', source: HELP },
    { flag: '--yolo', source: HELP },
  ],
  environment: [],
  baseUrls: ['OPENAI_BASE_URL'],
  packages: ['@openai/codex'],
  versions: [pathTail('app-server-daemon/releases/<version>/bin/codex{,.exe}')],
  turns: [codexRollout],
  stateGap: 'no rollout of its session tells it',
  linkGap: 'no id in its arguments',
};
