import { type Arguments, hasFlag } from './args.js';
import { pathTail, withSlashes } from './path.js';
import type { EngineRule, Source, Subject } from './rule.js';
import { cursorProjectKey } from './store-keys.js';
import { NO_SESSIONS } from './store-reads.js';
import { cursorTranscript } from './turns/cursor.js';

const reported = (what: string): Source => ({ how: 'reported', what, version: null, date: '2026-11-30' });
const MANUAL = reported('cursor.com/docs/cli/reference/parameters');
const VERSIONED = reported('herdrdev/herdr#3273, pingdotgg/t3code#3479');

const MANAGEMENT = [
  'about',
  'acp',
  'create-chat',
  'generate-rule',
  'help',
  'install-shell-integration',
  'login',
  'logout',
  'mcp',
  'models',
  'rule',
  'status',
  'uninstall-shell-integration',
  'update',
  'upgrade',
  'whoami',
];

const WORKER_PART = /(?:^|\/)anysphere\.cursor-agent-worker/i;

const prints = (args: Arguments): boolean => hasFlag(args, '-p', '--print');

function inWorkerExtension({ program, facts }: Subject): boolean {
  return [program.image, program.word, program.entry?.text, facts.script?.real].some(
    (text) => typeof text === 'string' && WORKER_PART.test(withSlashes(text)),
  );
}

export const cursor: EngineRule = {
  engine: 'cursor',
  names: [{ name: 'cursor-agent', source: VERSIONED }],
  namesWithProof: ['agent'],
  layouts: [
    {
      of: 'image',
      path: pathTail('cursor-agent/versions/*/{cursor-agent,cursor-agent.exe,node,node.exe}'),
      source: VERSIONED,
    },
    {
      of: 'entry',
      path: pathTail('cursor-agent/versions/*/{cursor-agent,index.js,index.mjs,index.cjs}'),
      source: VERSIONED,
    },
  ],
  argumentProof: [pathTail('cursor-agent/versions/*/*')],
  excluded: [pathTail('cursor.app/contents/macos/**')],
  installPlaces: [['.local', 'bin', 'cursor-agent']],
  options: {
    switches: [
      '--approve-mcps',
      '--continue',
      '--force',
      '--plan',
      '--print',
      '--stream-partial-output',
      '--trust',
      '--yolo',
      '-f',
      '-p',
    ],
    values: [
      '--api-key',
      '--header',
      '--mode',
      '--model',
      '--output-format',
      '--sandbox',
      '--workspace',
      '-H',
      '-m',
    ],
    optional: ['--resume', '--worktree', '-w'],
    lists: [],
  },
  kinds: [
    {
      kind: 'helper',
      why: 'the worker of an editor extension, by its path',
      when: inWorkerExtension,
      source: reported('anysphere.cursor-agent-worker'),
    },
    {
      kind: 'helper',
      why: 'started by an editor (VSCODE_PID) without a terminal',
      // Whatever an editor starts inherits the variable, tasks and scripts too: a run that was asked to
      // print its answer is somebody's run, not the editor's worker.
      when: ({ facts, args }) =>
        facts.tty === null && typeof facts.env?.['VSCODE_PID'] === 'string' && !prints(args),
      source: reported('anysphere.cursor-agent-worker'),
    },
    {
      kind: 'helper',
      why: "cursor's worker server",
      when: ({ args }) => args.command === 'worker-server',
      source: reported('a child of cursor-agent'),
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => prints(args),
      source: MANUAL,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && MANAGEMENT.includes(args.command),
      source: MANUAL,
    },
  ],
  home: { variable: 'CURSOR_CONFIG_DIR', folder: ['.cursor'], source: MANUAL },
  argvId: {
    flags: ['--resume'],
    commands: [],
    pattern: /^[0-9a-f-]{16,64}$/i,
    forks: { flags: [], commands: [] },
    source: MANUAL,
  },
  pidRecord: null,
  held: {
    files: [
      {
        place: { home: 'chats' },
        path: /^[0-9a-f]{32}\/([0-9a-f-]{16,})\/store\.db$/i,
        kind: 'file',
        proof: 'open',
        what: 'chat store',
        source: reported('its chat store is held open for the life of the chat'),
      },
    ],
    gap: 'no chat store among its open files',
  },
  stores: [
    {
      proof: 'folder',
      what: 'chat store',
      place: 'chats/<md5 of the folder>/<id>/store.db',
      parts: ['chats', ({ cwdMd5 }) => (cwdMd5 === null ? [] : [cwdMd5]), /^[0-9a-f-]{16,64}$/i, 'store.db'],
      maxBytes: 0,
      // The hash of one folder is the name of no other: that proves it as a word in the file would.
      read: (_, [, , id], { cwd }) => (id === undefined ? NO_SESSIONS : { sessions: [{ id, cwd }] }),
      source: reported('entireio/cli#1063'),
    },
    {
      // Many folders share such a name, so it proves nothing: the id does.
      proof: 'id',
      what: 'transcript',
      place: 'projects/<folder>/agent-transcripts/<id>/<id>.jsonl',
      parts: [
        'projects',
        ({ cwd }) => (cwd === null ? [] : [cursorProjectKey(cwd)]),
        'agent-transcripts',
        ({ argvId: id }) => (id === null ? [] : [`${id}/${id}.jsonl`, `${id}.jsonl`]),
      ],
      maxBytes: 0,
      read: (_, __, { argvId }) => (argvId === null ? NO_SESSIONS : { sessions: [{ id: argvId }] }),
      source: reported('momhq/mom#140'),
    },
  ],
  bypass: [
    { flag: '--force', source: MANUAL },
    { flag: '-f', source: MANUAL },
    { flag: '--yolo', source: reported('illegalstudio/lazyagent#61') },
  ],
  environment: ['VSCODE_PID'],
  baseUrls: [],
  packages: [],
  versions: [pathTail('cursor-agent/versions/<version>/*')],
  turns: [cursorTranscript],
  stateGap: 'no transcript of its session tells it',
  linkGap: 'no id in its arguments',
};
