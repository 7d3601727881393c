/** The version of a program by the manifest of its package. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import { packageAround, packageVersion } from '../../../lib/engines/package.js';
import { FakeFiles, tableOf } from './fakes.js';
import { expectSameAsAgents, later, scene } from './machine.js';

const MODULES = '/opt/npm/lib/node_modules';
const CLAUDE_CODE = `${MODULES}/@anthropic-ai/claude-code`;
const MANIFEST = `${CLAUDE_CODE}/package.json`;
const CLAUDE = { argv: ['claude'], exe: `${CLAUDE_CODE}/bin/claude.exe`, name: 'claude' } as const;
const manifest = (name: string, version: unknown = '2.1.197') => JSON.stringify({ name, version });
const NAMED = manifest('@anthropic-ai/claude-code');

describe('the package around a path', () => {
  it.each([
    [`${CLAUDE_CODE}/bin/claude.exe`, '@anthropic-ai/claude-code', CLAUDE_CODE],
    [
      `${MODULES}/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/x/bin/codex`,
      '@openai/codex',
      `${MODULES}/@openai/codex/node_modules/@openai/codex-linux-x64`,
    ],
    [`${MODULES}/command-code/dist/index.mjs`, 'command-code', `${MODULES}/command-code`],
    [
      'C:\\Users\\u\\node_modules\\@google\\gemini-cli\\bundle\\gemini.js',
      '@google/gemini-cli',
      'C:\\Users\\u\\node_modules\\@google\\gemini-cli',
    ],
  ])('%s', (path, name, folder) => {
    expect(packageAround(path)).toEqual({ name, folder });
  });

  it.each(['/usr/bin/claude', `${MODULES}/command-code`, `${MODULES}/@google/gemini-cli`, `${MODULES}/`, ''])(
    'none around %j',
    (path) => {
      expect(packageAround(path)).toBeNull();
    },
  );
});

describe('a manifest', () => {
  it.each([
    ['a', '1.2.3', '1.2.3'],
    ['a', '0.0.1790712063-gb89205', '0.0.1790712063-gb89205'],
    ['a', '0.171.0-linux-x64', '0.171.0'],
    ['a-linux-x64-musl', '1.0.102', '1.0.102'],
    ['a-darwin-arm64', '2.0.0-beta.1+7', '2.0.0-beta.1+7'],
  ])('of %s %s says %s', (name, version, said) => {
    expect(packageVersion(manifest(name, version))).toEqual({ name: 'a', version: said });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"name":"a"}',
    '{"version":"1.2.3"}',
    manifest('a', 1),
    manifest('a', 'latest'),
    manifest('a', '1.2.3 \u001b[31m'),
    manifest('a', `1.2.3-${'9'.repeat(200)}`),
    manifest('a'.repeat(300)),
  ])('%j says nothing', (text) => {
    expect(packageVersion(text)).toBeNull();
  });

  it('of any text is a version that can be shown, or none', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((each) => manifest('a', each)),
        ),
        (text) => {
          expect(packageVersion(text)?.version ?? '0').toMatch(/^[\w.+-]{1,80}$/);
        },
      ),
    );
  });
});

describe('the version of an agent', () => {
  const versionsOf = async (files: FakeFiles, row: object = CLAUDE) => {
    const { agents: found, faults } = await agents({
      table: tableOf({ 10: row }),
      look: files.look,
      pathEnv: '',
      overrides: {},
    });
    return { versions: found.map(({ version }) => version), faults };
  };

  it('is that of the package which its program lies in', async () => {
    const { versions, faults } = await versionsOf(new FakeFiles({ [MANIFEST]: NAMED }));
    expect([versions, faults]).toEqual([['2.1.197'], []]);
  });

  it('is that of the package which its script leads to', async () => {
    const script = `${MODULES}/@google/gemini-cli/bundle/gemini.js`;
    const files = new FakeFiles({
      '/opt/npm/bin/gemini': { link: script },
      [script]: '',
      [`${MODULES}/@google/gemini-cli/package.json`]: manifest('@google/gemini-cli', '0.61.0'),
    });
    const row = { argv: ['node', '/opt/npm/bin/gemini'], exe: '/usr/bin/node', name: 'node' };
    expect((await versionsOf(files, row)).versions).toEqual(['0.61.0']);
  });

  it('is read below the root of a process that sees other files', async () => {
    const files = new FakeFiles({ [MANIFEST]: manifest('@anthropic-ai/claude-code', '9.9.9') });
    const row = { ...CLAUDE, root: '/var/lib/images/1' };
    expect((await versionsOf(files, row)).versions).toEqual([null]);
    files.set(`/proc/10/root${MANIFEST}`, NAMED);
    expect((await versionsOf(files, row)).versions).toEqual(['2.1.197']);
  });

  it.each([
    ['gone', {}],
    ['of another package', { [MANIFEST]: manifest('claude-code') }],
    ['too large', { [MANIFEST]: `${' '.repeat(1 << 17)}${NAMED}` }],
    ['no JSON', { [MANIFEST]: '{' }],
  ])('is unknown where its manifest is %s, and that is no fault', async (_, files) => {
    expect(await versionsOf(new FakeFiles(files))).toEqual({ versions: [null], faults: [] });
  });

  it.each([
    ['is denied', { fault: 'denied' }, 'denied'],
    ['is a link', { link: '/etc/passwd' }, 'io'],
  ] as const)('is a fault where its manifest %s', async (_, file, kind) => {
    const files = new FakeFiles({ [MANIFEST]: file, '/etc/passwd': NAMED });
    const { versions, faults } = await versionsOf(files);
    expect(versions).toEqual([null]);
    expect(faults).toMatchObject([{ pid: 10, field: 'version', kind, path: MANIFEST }]);
  });

  it('asks nothing of a package that is of no engine', async () => {
    const files = new FakeFiles();
    await versionsOf(files, { ...CLAUDE, exe: `${MODULES}/else/bin/claude` });
    expect(files.asked.filter(({ path }) => path.endsWith('package.json'))).toEqual([]);
  });
});

describe('a monitor', () => {
  const readsOf = ({ asked }: FakeFiles) => asked.filter(({ path }) => path === MANIFEST).length;

  it('reads a manifest once a process, however often it polls', async () => {
    const it = scene({ 10: CLAUDE }, {}, new FakeFiles({ [MANIFEST]: NAMED }));
    expect(await it.poll()).toEqual(['started 10']);
    for (let count = 0; count < 5; count++) expect(await later(it, 60_000)).toEqual([]);
    expect(it.monitor.agents).toMatchObject([{ version: '2.1.197' }]);
    expect(readsOf(it.files)).toBe(1);
    await expectSameAsAgents(it);
  });

  it('asks again where one hung, and takes what comes then', async () => {
    const it = scene({ 10: CLAUDE }, {}, new FakeFiles({ [MANIFEST]: { fault: 'timeout' } }));
    await it.poll();
    expect(it.monitor.agents).toMatchObject([{ version: null }]);
    expect(it.monitor.envelope.faults).toMatchObject([{ field: 'version', kind: 'timeout' }]);
    it.files.set(MANIFEST, NAMED);
    expect(await later(it)).toEqual(['changed 10']);
    expect(it.monitor.agents).toMatchObject([{ version: '2.1.197' }]);
    expect(it.monitor.envelope.faults).toEqual([]);
  });
});
