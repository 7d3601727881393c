/** Captured, redacted and replayed, an agent is judged as it was alive. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from '../../../lib/agents/discover.js';
import type { Agent } from '../../../lib/agents/envelope.js';
import { readReplay } from '../../../lib/agents/replay/read.js';
import { Scene } from '../agents/start.js';

const run = promisify(execFile);
const SCRIPT = join(__dirname, '../../../scripts/capture.mjs');
const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
const SECRET = 'sk-ant-api03-Zx81qqLm20fTTrWe83hD';

/** Everything but names, paths and ids, which the capture replaces. */
function verdictOf({
  engine,
  kind,
  pid,
  startKey,
  launcherPid,
  tty,
  uid,
  evidence,
  session,
  state,
  bypassPermissions,
}: Agent) {
  const { grade, source, shared } = session;
  const link = { linked: session.id !== null, grade, source, shared, refused: session.refused.length };
  return { engine, kind, pid, startKey, launcherPid, tty, uid, evidence, link, state, bypassPermissions };
}

describe.skipIf(process.platform !== 'linux')(
  'capture and replay (captures the process files of Linux)',
  () => {
    let scene: Scene;
    beforeEach(() => {
      scene = new Scene();
    });
    afterEach(() => scene.end());

    async function roundTrip(
      pid: number,
    ): Promise<{ live: Agent; replayed: readonly Agent[]; text: string }> {
      const [live] = await scene.agents();
      const out = scene.path('captured');
      await run(process.execPath, [SCRIPT, String(pid), '--out', out]);
      const { agents: replayed } = await agents(await readReplay(out));
      return { live: live as Agent, replayed, text: readFileSync(join(out, 'replay.json'), 'utf8') };
    }

    it('a claude with its record: the same verdict, session and state', async () => {
      const program = await scene.fake('.local/bin/claude');
      const args = ['--dangerously-skip-permissions', `prompt ${SECRET}`];
      const pid = await scene.start(program, { args, env: { ANTHROPIC_API_KEY: SECRET } });
      const record = {
        pid,
        sessionId: UUID,
        procStart: await scene.startOf(pid),
        status: 'busy',
        note: SECRET,
      };
      scene.write(`.claude/sessions/${pid}.json`, JSON.stringify(record));
      const { live, replayed, text } = await roundTrip(pid);
      expect(live.session).toMatchObject({ id: UUID, grade: 'exact' });
      expect(replayed.map(verdictOf)).toEqual([verdictOf(live)]);
      expect(replayed[0]).toMatchObject({ state: { value: 'busy' }, bypassPermissions: true });
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(UUID);
    });

    it('a codex that holds its rollout: linked by the open file', async () => {
      const rollout = scene.write(
        `.codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-${UUID}.jsonl`,
        SECRET,
      );
      const pid = await scene.start(await scene.fake('bin/codex'), { hold: [`open ${rollout}`] });
      const { live, replayed, text } = await roundTrip(pid);
      expect(live.session).toMatchObject({ id: UUID, source: 'open-file' });
      expect(replayed.map(verdictOf)).toEqual([verdictOf(live)]);
      expect(text).not.toContain(SECRET);
    });

    it('a script behind a link: found by where the link leads', async () => {
      const script = scene.write(
        'lib/node_modules/@google/gemini-cli/bundle/gemini.js',
        'setInterval(() => {}, 9e8)',
      );
      const link = scene.link('bin/tool', script);
      const pid = await scene.start(process.execPath, { args: [link] });
      const { live, replayed } = await roundTrip(pid);
      expect(live.engine).toBe('gemini');
      expect(replayed.map(verdictOf)).toEqual([verdictOf(live)]);
    });
  },
);
