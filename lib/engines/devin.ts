import { hasFlag } from './args.js';
import { pathTail } from './path.js';
import type { EngineRule } from './rule.js';
import { reported } from './source.js';

const MANUAL = reported('docs.devin.ai/cli/reference/commands', null, '2026-11-30');
const INSTALLED = reported('the folder of its installer', null, '2026-11-30');

const VERSIONS = pathTail('devin/cli/_versions/<version>/bin/devin{,.exe}');

/** Not all of its subcommands are known: what is no known one may be a session, and is one. */
const MANAGEMENT = ['auth', 'list', 'mcp'];

export const devin: EngineRule = {
  engine: 'devin',
  names: [{ name: 'devin', source: MANUAL }],
  namesWithProof: [],
  layouts: [{ of: 'image', path: VERSIONS, source: INSTALLED }],
  argumentProof: [],
  excluded: [pathTail('devin*.app/contents/**')],
  installPlaces: [['.local', 'bin', 'devin']],
  options: {
    switches: ['--continue', '--respect-workspace-trust', '--sandbox', '-c'],
    values: ['--agent-config', '--config', '--model', '--permission-mode', '--prompt-file', '--resume', '-r'],
    optional: ['--print', '-p'],
    lists: [],
  },
  kinds: [
    {
      kind: 'service',
      why: 'serves an editor (acp)',
      when: ({ args }) => args.command === 'acp',
      source: reported('pingdotgg/t3code#9335', null, '2026-11-30'),
    },
    {
      kind: 'headless',
      why: 'prints its answer and ends',
      when: ({ args }) => hasFlag(args, '-p', '--print'),
      source: MANUAL,
    },
    {
      kind: 'helper',
      why: 'a management command',
      when: ({ args }) => args.command !== null && MANAGEMENT.includes(args.command),
      source: MANUAL,
    },
  ],
  home: {
    variable: 'HOME',
    folder: [],
    notKnown: 'where devin keeps its files was neither measured nor reported',
    source: MANUAL,
  },
  argvId: {
    flags: ['--resume', '-r'],
    commands: [],
    // Ids are words with dashes; the flag takes nothing but an id, so that no title stands here.
    pattern: /^(?=.{4,64}$)[0-9a-z]+(?:-[0-9a-z]+)*$/i,
    forks: { flags: [], commands: [] },
    source: MANUAL,
  },
  pidRecord: null,
  held: { files: [], gap: 'which files devin keeps open is not known' },
  stores: [],
  bypass: [
    { flag: '--permission-mode', value: 'bypass', source: MANUAL },
    { flag: '--permission-mode', value: 'dangerous', source: MANUAL },
  ],
  environment: [],
  baseUrls: [],
  packages: [],
  versions: [VERSIONS],
  turns: [],
  stateGap: 'no rule for the states of devin was ever measured',
  linkGap: 'no id in its arguments',
};
