/** Real processes under the names, paths and links of agents. */
import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Scene } from './start.js';

describe.skipIf(process.platform !== 'linux')('processes that look like agents (makers run on Linux)', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  it('H01 words in arguments and paths are no evidence', async () => {
    const script = scene.write('claude-watch/run.sh', 'read line\n');
    const waiting = scene.write('notes/codex.log', '');
    await scene.start('/bin/sh', { args: [script, 'compare codex and claude'] });
    await scene.start('/bin/bash', { args: ['-c', 'echo claude >/dev/null; read line', 'claude'] });
    await scene.start(await scene.fake('bin/tail'), { args: ['-f', waiting] });
    await scene.start(await scene.fake('bin/trampoline'), { argv0: 'grep', args: ['-r', 'claude', '.'] });
    expect(await scene.verdicts({ all: true })).toEqual({});
  });

  it('H02 the CLI beside the desktop application', async () => {
    const app = await scene.fake('usr/lib/claude-desktop/claude');
    const mac = await scene.fake('Applications/Claude.app/Contents/MacOS/Claude');
    await scene.start(app, { args: ['--type=renderer'] });
    await scene.start(mac);
    const cli = await scene.fake('bin/claude');
    const pids = [
      await scene.start(cli, { argv0: 'claude' }),
      await scene.start(cli, { argv0: 'claude', args: ['--resume', '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5'] }),
      await scene.start(cli, { argv0: 'claude', args: ['--prefill', 'x'] }),
    ];
    expect(await scene.verdicts({ all: true })).toEqual(
      Object.fromEntries(pids.map((pid) => [pid, 'claude tui'])),
    );
  });

  it("H03 claude's background helpers are no sessions", async () => {
    const version = await scene.fake('.local/share/claude/versions/2.1.168');
    const start = (...args: string[]) => scene.start(version, { args });
    await start('daemon', 'run', '--origin', 'transient');
    await start('--bg-pty-host', '/tmp/pty.sock', '80', '24', '--', version, '--resume', 'x');
    await start('--bg-spare', '/tmp/x.sock');
    const asked = await start('daemon run is broken, fix it');
    const printing = await start('-p', 'explain --bg-pty-host');
    expect(await scene.verdicts()).toEqual({ [asked]: 'claude tui', [printing]: 'claude headless' });
    expect(await scene.agents()).toMatchObject([{ version: '2.1.168' }, { version: '2.1.168' }]);
  });

  it("H05 codex's host is a helper of its parent", async () => {
    const host = await scene.fake('bin/codex-code-mode-host');
    const codex = await scene.start(await scene.fake('bin/codex'), { env: { FAKE_CHILD: host } });
    const child = await scene.childOf(codex, host);
    expect(await scene.verdicts()).toEqual({ [codex]: 'codex tui' });
    expect(await scene.verdicts({ all: true })).toEqual({ [codex]: 'codex tui', [child]: 'codex helper' });
  });

  it('H08 editor extension, vendored tool, CLI', async () => {
    const extension = await scene.fake(
      '.vscode/extensions/anthropic.claude-code-2.1.300-linux-x64/resources/native-binary/claude',
    );
    const tool = await scene.fake('.local/share/claude/versions/2.1.300.d/vendor/ripgrep/x64/rg');
    const version = await scene.fake('.local/share/claude/versions/2.1.300');
    const editor = await scene.start(extension, { tty: false });
    await scene.start(tool);
    const cli = await scene.start(version);
    expect(await scene.verdicts({ all: true })).toEqual({ [editor]: 'claude ide', [cli]: 'claude tui' });
    expect(await scene.agents()).toMatchObject([{ tty: null, version: '2.1.300' }, { version: '2.1.300' }]);
  });

  it('H09 a version needs the vendor folder', async () => {
    const version = await scene.start(await scene.fake('.local/share/claude/versions/2.1.121'));
    await scene.start(await scene.fake('v/2.1.121'));
    await scene.start(await scene.fake('other/versions/2.1.121'));
    expect(await scene.verdicts({ all: true })).toEqual({ [version]: 'claude tui' });
  });

  it('H10 wrappers of nix', async () => {
    const claude = await scene.start(await scene.fake('nix/store/h-claude/bin/.claude-unwrapped'));
    const wrapped = await scene.fake('nix/store/h-codex/bin/.codex-wrapped');
    const codex = await scene.start(wrapped, { argv0: '/etc/profiles/per-user/u/bin/codex' });
    const plain = await scene.start(await scene.fake('nix/store/h-codex/bin/codex-unwrapped'));
    expect(await scene.verdicts()).toEqual({
      [claude]: 'claude tui',
      [codex]: 'codex tui',
      [plain]: 'codex tui',
    });
  });

  it('H11 a script behind a link', async () => {
    const script = scene.write('lib/node_modules/@openai/codex/bin/codex.js', 'setInterval(() => {}, 1e6)');
    const link = scene.link('.nvm/versions/node/v24/bin/codex', script);
    const alias = scene.link('bin/ai', script);
    const codex = await scene.start(process.execPath, { argv0: 'node', args: [link] });
    const renamed = await scene.start(process.execPath, { argv0: 'node', args: [alias] });
    expect(await scene.verdicts()).toEqual({ [codex]: 'codex tui', [renamed]: 'codex tui' });
  });

  it('H13 .exe on Unix, the same in every look', async () => {
    const program = await scene.fake('lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe');
    const pid = await scene.start(scene.link('bin/claude', program), { argv0: 'claude' });
    await scene.start(await scene.fake('bin/notclaude.exe'));
    const [first] = await scene.agents({ all: true });
    expect(first).toMatchObject({ pid, engine: 'claude', kind: 'tui', exe: program });
    // The wall clock may be set in between; the identity does not move with it.
    const same = { ...first, startTime: expect.any(Number) };
    for (let look = 0; look < 5; look++) expect(await scene.agents({ all: true })).toEqual([same]);
  });

  it('H17 the program called agent is judged by its image', async () => {
    const cursor = await scene.fake('.local/share/cursor-agent/versions/2026.10.1-ab/cursor-agent');
    const known = await scene.start(scene.link('.local/bin/agent', cursor), { argv0: 'agent' });
    await scene.start(await scene.fake('usr/sbin/agent'), { argv0: 'agent' });
    expect(await scene.verdicts({ all: true })).toEqual({ [known]: 'cursor tui' });
  });

  it('a name that only argv[0] or the image before an update has', async () => {
    const liar = await scene.start(await scene.fake('bin/other'), { argv0: 'claude' });
    const program = await scene.fake('bin/codex');
    const old = await scene.start(program);
    renameSync(await scene.fake('bin/next'), program);
    expect(await scene.agents()).toMatchObject([
      { pid: liar, engine: 'claude', evidence: { confidence: 'low', from: 'argv[0]' } },
      { pid: old, engine: 'codex', exe: program, evidence: { confidence: 'high', from: 'exe' } },
    ]);
  });
});
