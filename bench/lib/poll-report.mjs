// The numbers of the group `poll` as text, and their targets.
import { busyLines, tableLines } from './report.mjs';

const mostIdleUs = 25;
const leastUnderPs = 1000;
const mostGrowth = 2;
const mostBlockUs = 1000;
const mostPercent = 0.1;
const mostAgentsUs = 200;
const targetSize = 1000;

const us = (value) => (value === undefined ? '-' : value.toFixed(value < 100 ? 2 : 0));
const times = (value) => `${value.toFixed(value < 10 ? 2 : 0)}x`;

/** The C program whose calls a trial has to make at least. */
const floorOf = {
  idle: 'floor: news',
  "events: 'none'": 'floor: stat',
  'few descriptors': 'floor: list',
  volatile: 'floor: stat',
  'one started': 'floor: news',
  'one exited': 'floor: news',
  'one came and went': 'floor: news',
};

function sizeLines({ size, results }) {
  const rows = [['trial', 'CPU us', 'p50 us', 'p99 us', 'CPU/floor', 'ps/CPU', 'seen', 'events', 'fds']];
  for (const [name, one] of Object.entries(results)) {
    const floor = results[floorOf[name]];
    const rival = results.ps;
    rows.push([
      name,
      us(one.cpuUs),
      us(one.p50Us),
      us(one.p99Us),
      floor ? times(one.cpuUs / floor.cpuUs) : '-',
      rival ? times(rival.cpuUs / one.cpuUs) : '-',
      String(one.seen ?? '-'),
      one.events ?? '-',
      String(one.descriptors ?? '-'),
    ]);
  }
  return ['', `== poll, ${size} processes`, ...tableLines(rows)];
}

const verdict = (met, text) => ({ verdict: met ? 'PASS' : 'MISS', text });

/** How many changes one poll must have told in each of the trials with a fork. */
const told = { 'one started': 1, 'one exited': 1, 'one came and went': 0 };

/** What makes a number worthless: it was quick because it did not do the work. */
export function problemsOf({ measured }) {
  return measured.flatMap(({ size, results }) =>
    Object.entries(results).flatMap(([name, one]) => [
      ...(one.seen < size ? [`${name} saw ${one.seen} of ${size} processes`] : []),
      ...(name in told && one.told !== told[name] ? [`${name}: a poll told ${one.told} changes`] : []),
    ]),
  );
}

function growthVerdict(least, most) {
  const between = (name) => times(most.results[name].cpuUs / least.results[name].cpuUs);
  const growth = most.results.idle.cpuUs / least.results.idle.cpuUs;
  const text = `idle poll ${times(growth)} from ${least.size} to ${most.size} processes (floor ${between('floor: news')}): <= 2x`;
  // Without a descriptor for each, ends are told in the first pid namespace only, or by the connector.
  if (growth > mostGrowth && most.results.idle.listed > 0.5) {
    return { verdict: 'UNKNOWN', text: `${text}; RLIMIT_NOFILE is too low to hold so many: --shared` };
  }
  return verdict(growth <= mostGrowth, text);
}

function idleVerdicts(measured) {
  const found = measured.find(({ size }) => size === targetSize)?.results;
  const verdicts = [];
  if (found) {
    const ratio = found.ps.cpuUs / found.idle.cpuUs;
    verdicts.push(
      verdict(found.idle.p50Us <= mostIdleUs, `idle poll p50 ${us(found.idle.p50Us)} us at 1,000: <= 25 us`),
      verdict(ratio >= leastUnderPs, `idle poll ${times(ratio)} less CPU than ps at 1,000: >= 1000x`),
    );
  }
  if (measured.length > 1) verdicts.push(growthVerdict(measured[0], measured.at(-1)));
  return verdicts;
}

function loopVerdict({ alone, idle, news, volatile }) {
  const text = `event loop held up by pollAsync() at 5,000, p99: idle ${us(idle.p99Us)} us, with news ${us(news.p99Us)} us (volatile fields of all ${us(volatile.p99Us)} us; any work of 2 ms on another thread ${us(alone.p99Us)} us): < 1 ms`;
  const met = Math.max(idle.p99Us, news.p99Us) < mostBlockUs;
  return !met && alone.p99Us >= mostBlockUs ? { verdict: 'UNKNOWN', text } : verdict(met, text);
}

function shareVerdict({ polling, waiting, floor }) {
  const added = polling.percent - waiting.percent;
  const whole = `${polling.percent.toFixed(3)} % of a core, of which a Node that only waits is ${waiting.percent.toFixed(3)} %; a C program that wakes up and looks: ${floor.percent.toFixed(3)} %`;
  return verdict(
    added < mostPercent,
    `watching 1,000 at 10 Hz adds ${added.toFixed(3)} % (${whole}): < 0.1 %`,
  );
}

function agentsVerdict(agents) {
  if (agents === null)
    return { verdict: 'UNKNOWN', text: 'idle poll of 20 agents: this build has no AgentMonitor' };
  const { p50Us, p99Us, cpuUs } = agents;
  return verdict(
    p50Us <= mostAgentsUs && agents.agents === 20,
    `idle poll of ${agents.agents} agents at 1,000: p50 ${us(p50Us)} us, p99 ${us(p99Us)} us, CPU ${us(cpuUs)} us: p50 <= 200 us`,
  );
}

export function pollVerdicts({ measured, loop, share, agents }) {
  return [...idleVerdicts(measured), loopVerdict(loop), shareVerdict(share), agentsVerdict(agents)];
}

export function pollReport(results) {
  return [
    ...results.measured.flatMap(sizeLines),
    ...problemsOf(results).map((problem) => `!! WRONG: ${problem}`),
    ...busyLines(),
    '',
    '== targets',
    ...pollVerdicts(results).map((one) => `${one.verdict.padEnd(8)} ${one.text}`),
  ].join('\n');
}
