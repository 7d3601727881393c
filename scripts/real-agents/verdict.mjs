import { realpathSync } from 'node:fs';
import { waitFor } from './tmux.mjs';

const START_MS = 40_000;
/** Looks in a row that must agree: an agent may start its worker a moment after its launcher. */
const STEADY = 8;

export const TABLE_HEAD = [
  '| engine | package | version | verdict | result |',
  '| --- | --- | --- | --- | --- |',
];

/** Sessions among the descendants of the pane. `all`: launchers and helpers too. */
async function rowsBelow({ root, place, agents, all }) {
  const { agents: found } = await agents({ homes: [], all, pathEnv: '' });
  return found.filter(
    ({ pid, cwd, ppid, homes, launcherPid }) =>
      [pid, ppid, launcherPid].includes(root) || cwd === place.work || homes.user === place.home,
  );
}

/**
 * Waits until the same rows stand for a while and the screen shows something. `seen`: the last rows and what
 * was wrong with them while the program still ran, for one that gives up without a network.
 */
async function settled(cli, context) {
  const { session, place, agents } = context;
  let before = '';
  let times = 0;
  let seen;
  const answer = await waitFor(async () => {
    const rows = await rowsBelow({ root: session.root, place, agents });
    if (await session.isDead()) return { ...seen, dead: true };
    if (rows.length > 0) seen = { rows, problems: problemsOf(cli, rows, context) };
    const now = JSON.stringify(
      rows.map(({ pid, engine, kind, session: { id }, state }) => [pid, engine, kind, id, state.value]),
    );
    const screen = (await session.screen()).trim();
    times = now === before && screen !== '' ? times + 1 : 0;
    before = now;
    return rows.length > 0 && times >= STEADY ? { ...seen, dead: false } : undefined;
  }, START_MS);
  return answer ?? seen;
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What is not as it should be. */
function problemsOf({ engine }, rows, { place, installed }) {
  if (rows.length !== 1) return [`${rows.length} rows, not one`];
  const [row] = rows;
  const problems = [];
  if (row.engine !== engine) problems.push(`found as ${row.engine}`);
  if (row.kind !== 'tui') problems.push(`kind ${row.kind}`);
  if (!alive(row.pid)) problems.push('its pid is not alive');
  if (row.cwd !== realpathSync(place.work)) problems.push('another cwd');
  if (row.homes.user !== place.home) problems.push('another home');
  // No path and no record may name a version; a wrong one is an error.
  if (row.version !== null && row.version !== installed.version) problems.push(`version ${row.version}`);
  for (const [what, known] of [
    ['session', row.session.id],
    ['state', row.state.value === 'unknown' ? null : row.state.value],
  ]) {
    if (
      known === null &&
      !row.because.some((each) => each.startsWith(`${what} unknown`) || each.startsWith(`${what}:`))
    ) {
      problems.push(`no reason for an unknown ${what}`);
    }
  }
  return problems;
}

function verdictOf(row) {
  const { evidence, session, state, version } = row;
  return [
    `${row.engine} ${row.kind}`,
    `${evidence.rule} by ${evidence.from}${evidence.confidence === 'low' ? ' (confidence low)' : ''}`,
    `${row.launcherPid === null ? 'one process' : 'worker of a launcher'}`,
    `version ${version ?? 'unknown'}`,
    `session ${session.id === null ? 'unknown' : `${session.grade} by ${session.source}`}`,
    `state ${state.value}`,
  ].join(', ');
}

/** What a program said before it ended: why, if a line says so, else the last one; without tmux's own. */
function lastWords(screen, folder) {
  const lines = screen
    .split('\n')
    .map((text) => text.replaceAll(folder, '<folder>').trim())
    .filter((text) => /[A-Za-z]{3}/.test(text) && !text.startsWith('Pane is dead'))
    // A stack trace comes with the line of a minified program.
    .filter((text) => !/[{};]\S*[{};]/.test(text));
  const why = lines.find((text) =>
    /error|cannot|could not|unable|failed|unavailable|not available|manually/i.test(text),
  );
  return (why ?? lines.at(-1) ?? 'said nothing').slice(0, 160);
}

export async function judge(cli, context) {
  const { session, place, agents, explainAgent } = context;
  const { rows, problems, dead } = (await settled(cli, context)) ?? {};
  const ended = dead ? lastWords(await session.screen(), place.folder) : null;
  if (rows !== undefined) return { verdict: rows.map(verdictOf).join('; '), problems, ended };
  if (ended !== null) return { skipped: `ended before it was seen: ${ended}` };
  const others = await rowsBelow({ root: session.root, place, agents, all: true });
  if (others.length > 0)
    return { verdict: others.map(verdictOf).join('; '), problems: ['no row of a session'] };
  const { because } = await explainAgent(session.root);
  return { verdict: 'none', problems: [`not found: ${because.join('; ')}`] };
}

export function line({ engine, package: name }, { version, verdict, problems, skipped, ended }) {
  const result = skipped
    ? `skipped: ${skipped}`
    : problems.length === 0
      ? `pass${ended ? `; then it ended by itself: ${ended}` : ''}`
      : `FAIL: ${problems.join('; ')}`;
  const cells = [engine, `\`${name}\``, version ?? '-', verdict ?? '-', result];
  return `| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`;
}
