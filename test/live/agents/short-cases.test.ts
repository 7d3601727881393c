/** Short cases of public reports, each by its id, with processes that really run. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../../lib/index.js';
import { snapshot } from '../../../lib/process/snapshot.js';
import { Scene } from './start.js';

const run = promisify(execFile);
const TOP = join(__dirname, '..', '..', '..');
const ID = '3f0e8a52-6d1b-4c57-9b7e-0d5c1f2a4e68';

let scene: Scene;
afterEach(async () => scene.end());

/** What a Node of its own answers for one pid, in an environment of its own. */
async function answerIn(env: Readonly<Record<string, string>>, pid: number): Promise<unknown> {
  const script = `
    require(process.argv[1]).agents({ pathEnv: '', overrides: {}, tmuxSockets: [] }).then(({ agents }) => {
      const { engine, kind, startTime, session } = agents.find(({ pid }) => pid === Number(process.argv[2]));
      console.log(JSON.stringify({ engine, kind, startTime, session: session.id }));
    });`;
  const { stdout } = await run(process.execPath, ['-e', script, TOP, String(pid)], { env });
  return JSON.parse(stdout);
}

function record(pid: number): void {
  const { startKey } = snapshot({ pids: [pid] }).get(pid) ?? {};
  const text = JSON.stringify({ pid, sessionId: ID, procStart: String(startKey), status: 'idle' });
  scene.write(`.claude/sessions/${pid}.json`, text);
}

describe.skipIf(process.platform !== 'linux')('short cases', () => {
  it('L01 L12 the language and the PATH of whoever asks change nothing', async () => {
    scene = new Scene();
    const pid = await scene.start(await scene.fake('.local/bin/claude'));
    record(pid);
    const plain = await answerIn({ LC_ALL: 'C' }, pid);
    expect(plain).toMatchObject({ engine: 'claude', kind: 'tui', session: ID });
    for (const locale of ['de_DE.UTF-8', 'ja_JP.UTF-8', 'en_GB.UTF-8']) {
      expect(await answerIn({ LC_ALL: locale, LANG: locale, PATH: '/nowhere' }, pid)).toEqual(plain);
    }
  });

  it('L19 claude is linked by its record, though it keeps no transcript open', async () => {
    scene = new Scene();
    const pid = await scene.start(await scene.fake('.local/bin/claude'));
    scene.write(`.claude/projects/-w/${ID}.jsonl`, '{"type":"user"}\n');
    record(pid);
    const held = [...(await openFiles(pid))].map(({ path }) => path ?? '');
    expect(held.filter((path) => path.endsWith('.jsonl'))).toEqual([]);
    const [agent] = await scene.agents();
    expect(agent?.session).toMatchObject({ id: ID, grade: 'exact', source: 'pid-record' });
  });

  it('L28 a program that is named by its version is known by its place', async () => {
    scene = new Scene();
    const pid = await scene.start(await scene.fake('.local/share/claude/versions/2.1.112'));
    expect(snapshot({ pids: [pid] }).get(pid)?.name).toBe('2.1.112');
    expect(await scene.verdicts()).toEqual({ [pid]: 'claude tui' });
    expect((await scene.agents())[0]?.version).toBe('2.1.112');
  });
});
