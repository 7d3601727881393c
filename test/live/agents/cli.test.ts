/** The command as people run it: the compiled program, its streams and its exit codes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentsEnvelope } from '../../../lib/agents/envelope.js';
import { CELL_WIDTH } from '../../../lib/cli/commands/agents.js';
import { cut } from '../../../lib/cli/text.js';
import { Scene } from './start.js';

const MAIN = join(__dirname, '../../../dist/cli/main.js');
const NOBODY = 65_534;
const NO_ACCOUNT = 54_321;

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function cli(
  args: readonly string[],
  how: { uid?: number; firstLineOnly?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(how.env === undefined ? {} : { env: how.env }),
    ...(how.uid === undefined ? {} : { uid: how.uid, gid: how.uid }),
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (how.firstLineOnly) child.stdout.destroy();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

describe.skipIf(process.platform !== 'linux')('the command (makers run on Linux)', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  it('prints what agents() answers, and no colour into a pipe', async () => {
    const pid = await scene.start(await scene.fake('bin/claude'), { cwd: scene.home });
    const json = await cli(['--json']);
    expect(json).toMatchObject({ code: 0, err: '' });
    const { agents } = JSON.parse(json.out) as AgentsEnvelope;
    const [agent] = await scene.agents();
    expect(agents.filter((each) => each.pid === pid)).toEqual([{ ...agent, startTime: expect.any(Number) }]);
    const text = await cli([]);
    const row = text.out.split('\n').find((line) => line.startsWith(`${pid} `));
    expect(row).toMatch(/ +claude +tui +unknown /);
    expect(row?.endsWith(` ${cut(scene.home, CELL_WIDTH, 'tail')}`)).toBe(true);
    expect(text.out).not.toContain('\u001b');
  });

  it('escapes what a process calls itself', async () => {
    const folder = scene.path('a\u001b]0;x\u0007\nb');
    scene.write('a\u001b]0;x\u0007\nb/x', '');
    await scene.start(await scene.fake('bin/claude'), { cwd: folder });
    const { agents } = JSON.parse((await cli(['--json'])).out) as AgentsEnvelope;
    expect(agents.map(({ cwd }) => cwd)).toContain(folder);
    const { out } = await cli(['--why']);
    expect(out).toContain(cut(scene.path('a\\x1b]0;x\\x07\\x0ab'), CELL_WIDTH, 'tail'));
    expect(out).not.toContain('\u001b');
  });

  it('ends quietly when nobody reads any more', async () => {
    // More than a pipe holds, so that a write meets the closed end.
    await Promise.all(
      Array.from({ length: 40 }, async (_, at) =>
        scene.start(await scene.fake(`${'long-'.repeat(30)}/${at}/claude`)),
      ),
    );
    const { code, err } = await cli(['--json'], { firstLineOnly: true });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('says that the output could not be written, and fails', async (context) => {
    context.skip(!existsSync('/dev/full'), 'this machine has no full device');
    const full = openSync('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, [MAIN, 'help'], { stdio: ['ignore', full, 'pipe'] });
      let err = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(err).toBe('procscope: the output could not be written: ENOSPC\n');
    } finally {
      closeSync(full);
    }
  });

  it('says what it could not read, once, and where the doctor looks', async () => {
    const { code, out } = await cli(['--proc-root', scene.home]);
    expect(code).toBe(1);
    expect(out.match(/the table: /g)).toHaveLength(1);
    const report = await cli(['doctor', '--json', '--proc-root', scene.home]);
    expect(report.code).toBe(1);
    const unread = { available: false, why: expect.stringContaining('could not be read') };
    expect(JSON.parse(report.out)).toMatchObject({
      capabilities: { allProcesses: unread, foreignProcesses: unread },
      fields: { cwd: { readable: false, why: unread.why } },
    });
  });

  it('works for a user without an account and without HOME', async (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can become another user');
    const { HOME: _, ...env } = process.env;
    const probe = await cli(['--version'], { uid: NO_ACCOUNT, env });
    context.skip(probe.code !== 0, 'another user cannot read this checkout');
    const { code, err, out } = await cli(['--json'], { uid: NO_ACCOUNT, env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect((JSON.parse(out) as AgentsEnvelope).scanned).toBeGreaterThan(0);
  });

  it('refuses what it does not know', async () => {
    expect(await cli(['--nonsense'])).toMatchObject({ code: 2, out: '' });
    expect(await cli(['nonsense'])).toMatchObject({ code: 2, out: '' });
  });

  it('looks at this machine', async () => {
    const report = await cli(['doctor', '--json']);
    expect(report.code).toBe(0);
    expect(JSON.parse(report.out)).toMatchObject({ platform: 'linux', procRoot: '/proc' });
    expect((await cli(['doctor'])).out).toContain('What this machine allows');
  });

  it("shows another user's agent with what it may not see", async (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can start a process of another user');
    const probe = await cli(['--version'], { uid: NOBODY });
    context.skip(probe.code !== 0, 'another user cannot read this checkout');
    const pid = await scene.start(await scene.fake('bin/claude'), { argv0: 'claude' });
    const { code, out } = await cli(['--json'], { uid: NOBODY });
    expect(code).toBe(0);
    const { agents, faults } = JSON.parse(out) as AgentsEnvelope;
    const row = agents.find((agent) => agent.pid === pid);
    expect(row).toMatchObject({ engine: 'claude', cwd: null, exe: null, uid: 0, user: 'root' });
    expect(row?.because.some((why) => why.startsWith('cwd could not be read: denied'))).toBe(true);
    expect(faults).toContainEqual(expect.objectContaining({ pid, field: 'cwd', kind: 'denied' }));
  });
});
