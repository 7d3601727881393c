import { pathTail } from './path.js';
import { wholeNumber } from './record.js';
import type { EngineRule } from './rule.js';
import { reported } from './source.js';
import { dayFolders, timeOf } from './store-keys.js';
import { type Fields, fieldsOf, folderText, headLines } from './store-reads.js';
import type { StorePart, StoreReading, StoreRule } from './store-rule.js';

const NAMED = reported('stablyai/orca#21494, herdrdev/herdr#2489', '1.3.0', '2026-11-30');
const HELP = reported('its --help in receptron/mulmoterminal#1513', null, '2026-11-30');
const EXEC = reported('mattpocock/sandcastle#941', '1.2', '2026-11-30');
const STORE = reported('specstoryai/getspecstory#269, powerfooI/herdr-studio#233', '1.3', '2026-11-30');
const SERVE = reported('BennyKok/omg.dev#271', null, '2026-11-30');

const SESSION = /^[0-9a-f-]{16,64}$/i;

const PARTS: readonly StorePart[] = [
  'sessions',
  ({ startTime, now }) => (startTime === undefined ? [] : dayFolders(startTime, now)),
  SESSION,
  'session.jsonl',
];

/** `kind` or `type` of a record, and what it holds. */
function recordOf(line: Fields): { kind: unknown; record: Fields } {
  const payload = fieldsOf(line['payload']);
  const record = fieldsOf(payload['record']);
  return { kind: line['kind'] ?? line['type'] ?? payload['kind'], record: { ...payload, ...record } };
}

/** Reads the beginning of a `session.jsonl`: its metadata, and the facts of the process that began it. */
export function readMuseSession(text: string, names: readonly string[]): StoreReading {
  const id = names.at(-2);
  const lines = headLines(text);
  const records = lines.map(recordOf);
  const of = (kind: string) => records.find((each) => each.kind === kind)?.record;
  const meta = of('runtime.session.metadata');
  const facts = of('runtime.session.route_facts');
  if (id === undefined || (meta === undefined && facts === undefined)) {
    return { problem: 'does not begin with facts of its session' };
  }
  const cwd = folderText(facts?.['cwd']) ?? folderText(meta?.['workspace_root']);
  const at = lines[0]?.['recorded_at'];
  // Microseconds since the epoch, as a number.
  const begunAt = typeof at === 'number' && at > 1e14 ? Math.floor(at / 1_000) : timeOf(at);
  return { sessions: [{ id, pid: wholeNumber(facts?.['pid']), cwd, begunAt }] };
}

const STORED: Omit<StoreRule, 'proof'> = {
  what: 'session file',
  place: 'sessions/<day>/<id>/session.jsonl',
  parts: PARTS,
  maxBytes: 64 * 1024,
  appended: true,
  read: readMuseSession,
  source: reported('junhoyeo/tokscale#1349, corveil/crow#1106', '1.3', '2026-11-30'),
};

export const muse: EngineRule = {
  engine: 'muse',
  names: [
    { name: 'muse', source: NAMED },
    // comm ends after 15 bytes, in the middle of the version.
    { name: /^muse-bin-\d[0-9a-z.+-]*$/, nativeOnly: true, source: NAMED },
  ],
  namesWithProof: [],
  layouts: [],
  argumentProof: [],
  excluded: [],
  installPlaces: [['.local', 'bin', 'muse']],
  options: {
    switches: [
      '--disable-approval',
      '--disable-shell',
      '--disable-write',
      '--json',
      '--last',
      '--no-session-log',
      '--yolo',
    ],
    values: ['--base-url', '--model', '--prompt-file', '--reasoning-effort', '--session-id', '--workspace'],
    optional: [],
    lists: [],
  },
  kinds: [
    {
      kind: 'service',
      why: 'a server for other programs (serve)',
      when: ({ args }) => args.command === 'serve',
      source: SERVE,
    },
    {
      kind: 'headless',
      why: 'runs without a screen',
      when: ({ args }) => args.command === 'exec',
      source: EXEC,
    },
  ],
  home: {
    variable: 'XDG_DATA_HOME',
    below: ['muse'],
    folder: ['.local', 'share', 'muse'],
    source: STORE,
  },
  argvId: {
    flags: ['--session-id'],
    commands: [['resume']],
    pattern: SESSION,
    forks: { flags: [], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'whether muse keeps its session file open is not known' },
  stores: [
    { ...STORED, proof: 'pid' },
    { ...STORED, proof: 'folder' },
  ],
  bypass: [{ flag: '--yolo', source: EXEC }],
  environment: [],
  baseUrls: [],
  packages: [],
  versions: [pathTail('muse-bin-<version>')],
  turns: [],
  stateGap: 'no rule for the states of muse was ever measured',
  linkGap: 'no id in its arguments',
};
