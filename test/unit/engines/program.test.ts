import { describe, expect, it } from 'vitest';
import { NODE_SWITCHES, NODE_VALUES } from '../../../lib/engines/node-options.js';
import { programOf } from '../../../lib/engines/program.js';

interface Row {
  readonly argv: readonly string[];
  readonly exe?: string;
  /** Script, or `-m` and the module; null = none. */
  readonly entry: string | null;
  readonly args?: readonly string[];
  readonly through?: readonly string[];
}

const ROWS: readonly Row[] = [
  { argv: ['node', '/x/bin/codex', 'resume'], entry: '/x/bin/codex', args: ['resume'] },
  { argv: ['node', '-r', './hook.js', '--import=x', '--inspect-port', '0', 'a.js'], entry: 'a.js', args: [] },
  { argv: ['node', '--max-old-space-size=100', 'a.js', '-p'], entry: 'a.js', args: ['-p'] },
  { argv: ['node', '--conditions', 'dev', '--', '-odd.js', 'x'], entry: '-odd.js', args: ['x'] },
  { argv: ['node', '--diagnostic-dir', 'claude', 'app.js'], entry: 'app.js' },
  { argv: ['node', '--unhandled-rejections', 'strict', '/x/claude'], entry: '/x/claude' },
  { argv: ['node', '--env_file', 'claude', '--no-warnings', 'app.js'], entry: 'app.js' },
  { argv: ['node', '-p', 'claude'], entry: null },
  { argv: ['node', '-e', 'claude', '/x/claude'], entry: null },
  { argv: ['node', '--eval=1', 'claude'], entry: null },
  { argv: ['node', '-', 'claude'], entry: null },
  { argv: ['node'], entry: null },
  { argv: ['bash', '-c', 'echo claude', 'claude'], entry: null },
  { argv: ['bash', '-lc', 'claude'], entry: null },
  { argv: ['bash', '-p', '/x/claude', 'y'], entry: '/x/claude', args: ['y'] },
  { argv: ['bash', '-m', '/x/claude'], entry: '/x/claude' },
  { argv: ['bash', '-O', 'extglob', '+o', 'posix', '--rcfile', 'rc', 'script'], entry: 'script' },
  { argv: ['-bash'], entry: null },
  { argv: ['bash', '-s', 'claude'], entry: null },
  { argv: ['/bin/sh', '/x/claude'], exe: '/usr/bin/dash', entry: '/x/claude' },
  { argv: ['python3.12', '-I', '-W', 'ignore', 'run.py', 'claude'], entry: 'run.py', args: ['claude'] },
  {
    argv: ['python', '-m', 'hermes_cli.main', 'gateway', 'run'],
    entry: '-m hermes_cli.main',
    args: ['gateway', 'run'],
  },
  { argv: ['python3', '-Im', 'x'], entry: '-m x', args: [] },
  { argv: ['python3', '-mx', 'y'], entry: '-m x', args: ['y'] },
  { argv: ['python3', '-c', 'x', 'claude'], entry: null },
  { argv: ['python3', '-m'], entry: null },
  { argv: ['bun', 'run', '--bun', '/x/claude'], entry: '/x/claude' },
  { argv: ['bun', 'x', 'claude'], entry: null },
  {
    argv: ['deno', 'run', '-A', '--config', 'deno.json', 'a.ts', '--', 'b'],
    entry: 'a.ts',
    args: ['--', 'b'],
  },
  { argv: ['deno', 'eval', 'claude'], entry: null },
  { argv: ['env', '-u', 'X', 'A=b', 'claude', '-p'], entry: null, args: ['-p'], through: ['env'] },
  { argv: ['env', '-C', '/tmp', 'node', '/x/claude'], entry: '/x/claude', through: ['env'] },
  { argv: ['ori', '--model', 'm', '--flag', 'codex', 'exec'], entry: null, args: ['exec'], through: ['ori'] },
  { argv: ['env', 'A=b', 'ori', 'claude'], entry: null, args: [], through: ['env', 'ori'] },
  { argv: ['env', 'A=b'], entry: null, args: ['A=b'] },
  {
    argv: ['/home/u/.local/bin/agent', '--use-system-ca', '/v/index.js', 'hi'],
    exe: '/v/node',
    entry: '/v/index.js',
    args: ['hi'],
  },
  {
    argv: ['C:\\nodejs\\node.exe', 'C:\\x\\codex.js'],
    exe: 'C:\\nodejs\\node.exe',
    entry: 'C:\\x\\codex.js',
  },
  { argv: ['vim', '/x/claude'], entry: null, args: ['/x/claude'] },
];

describe('the program of a process', () => {
  it.each(ROWS)('$argv', (row) => {
    const program = programOf({ name: 'x', argv: row.argv, exe: row.exe });
    const { entry } = program;
    const shown = entry === null ? null : entry.form === 'module' ? `-m ${entry.text}` : entry.text;
    expect(shown).toBe(row.entry);
    if (row.args) expect(program.args).toEqual(row.args);
    expect(program.through).toEqual(row.through ?? []);
  });

  it('doubts an entry behind an option that may have taken it', () => {
    const doubt = (...argv: string[]) => programOf({ name: 'x', argv, exe: undefined }).entry?.doubt;
    expect(doubt('node', '--new-thing', '/x/claude')).toBe('--new-thing');
    expect(doubt('node', '--new-thing=1', '/x/claude')).toBeNull();
    expect(doubt('node', '--no-new-thing', '--enable-source-maps', '/x/claude')).toBeNull();
    expect(doubt('bash', '--norc', '/x/claude')).toBeNull();
    expect(doubt('python3', '--new', 'x', '/x/claude')).toBe('--new');
  });

  it('gives each option of node one meaning', () => {
    expect(NODE_VALUES.filter((name) => NODE_SWITCHES.includes(name))).toEqual([]);
  });

  it('knows a title from a command line', () => {
    const titled = programOf({ name: 'claude', argv: ['claude'], exe: '/usr/bin/node' });
    expect(titled).toMatchObject({ retitled: true, word: 'claude', comm: null });
    expect(programOf({ name: 'node', argv: ['node', '-i'], exe: '/usr/bin/node' }).retitled).toBe(false);
  });

  it('takes comm for the program only where no interpreter runs', () => {
    expect(programOf({ name: 'MainThread', argv: ['node', 'a'], exe: '/usr/bin/node' }).comm).toBeNull();
    expect(programOf({ name: 'claude', argv: [], exe: undefined }).comm).toBe('claude');
    expect(programOf({ name: 'claude', argv: ['x'], exe: '/x/2.1.3' }).comm).toBe('claude');
  });

  it('says that an image was not read, and that there is none', () => {
    expect(programOf({ name: 'x', argv: undefined, exe: undefined }).image).toBeUndefined();
    expect(programOf({ name: 'x', argv: [], exe: null }).image).toBeNull();
  });
});
