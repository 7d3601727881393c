// Do the rules find the vendors' real programs? `npm run test:real-agents -- [ENGINE...]`
// One CLI after the other: its package is installed into a temporary folder, started in a private tmux server with
// an empty home and no credentials (it stops at a login or trust screen), and `agents()` is asked about it. It prints
// a table in Markdown; nothing of the machine but the processes started here is told. Needs a network, tmux and
// some hundred megabytes; not part of CI.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLIS } from './real-agents/clis.mjs';
import { install } from './real-agents/install.mjs';
import { startInTmux } from './real-agents/tmux.mjs';
import { judge, line, TABLE_HEAD } from './real-agents/verdict.mjs';
import { fail, top } from './tools.mjs';

const built = join(top, 'dist/index.js');
if (!existsSync(built)) fail('dist/ is not built: npm run build');
const { agents, explainAgent, snapshot } = (await import(built)).default;

/** One CLI from its package to its verdict; the answer of what went wrong is a verdict as well. */
async function trial(cli) {
  // Short: tmux puts a socket below it.
  const folder = mkdtempSync(join(tmpdir(), 'ra-'));
  const place = { folder, app: join(folder, 'app'), home: join(folder, 'home'), work: join(folder, 'work') };
  for (const path of [place.app, place.home, place.work]) mkdirSync(path);
  let session;
  try {
    const installed = await install(cli, place.app);
    if (installed.problem) return { version: installed.version, skipped: installed.problem };
    session = await startInTmux(installed.program, place);
    return {
      version: installed.version,
      ...(await judge(cli, { session, place, installed, agents, explainAgent })),
    };
  } catch (error) {
    return { version: null, skipped: `could not be tried: ${error.message.split('\n')[0]}` };
  } finally {
    await session?.end(snapshot);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.filter((name) => CLIS.every(({ engine }) => engine !== name));
if (unknown.length > 0) fail(`no such engine: ${unknown.join(', ')}`);
const wanted = CLIS.filter(({ engine }) => positionals.length === 0 || positionals.includes(engine));

const results = [];
console.log(TABLE_HEAD.join('\n'));
for (const cli of wanted) {
  const result = await trial(cli);
  results.push(result);
  console.log(line(cli, result));
}
const count = (test) => results.filter(test).length;
const failed = count(({ problems }) => problems?.length > 0);
console.log(
  `\n${count(({ problems }) => problems?.length === 0)} passed, ${failed} failed, ` +
    `${count(({ skipped }) => skipped !== undefined)} skipped`,
);
process.exitCode = failed > 0 ? 1 : 0;
