import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { reported } from './source.js';

const NAMED = reported('stablyai/orca#21494, herdrdev/herdr#2489', '1.3.0', '2026-11-30');
const HELP = reported('its --help in receptron/mulmoterminal#1513', null, '2026-11-30');
const EXEC = reported('mattpocock/sandcastle#941', '1.2', '2026-11-30');
const STORE = reported('specstoryai/getspecstory#269, powerfooI/herdr-studio#233', '1.3', '2026-11-30');
const SERVE = reported('BennyKok/omg.dev#271', null, '2026-11-30');

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
    pattern: /^[0-9a-f-]{16,64}$/i,
    forks: { flags: [], commands: [] },
    source: HELP,
  },
  pidRecord: null,
  held: { files: [], gap: 'whether muse keeps its session file open is not known' },
  bypass: [{ flag: '--yolo', source: EXEC }],
  environment: [],
  baseUrls: [],
  versions: [pathTail('muse-bin-<version>')],
  stateGap: 'no rule for the states of muse was ever measured',
  linkGap: 'no id in its arguments',
};
