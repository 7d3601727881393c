import { availableParallelism, loadavg } from 'node:os';
import { quantile } from './measure.mjs';

const number = (value, digits) => (value === null ? '-' : value.toFixed(digits));
const milliseconds = (value) => number(value, value !== null && value < 10 ? 3 : 1);

/**
 * CPU time of `name` divided by that of `against`: the median of the quotients of single rounds,
 * whose runs were neighbours in time. Null when either did not run.
 */
function ratio(results, name, against) {
  const find = (wanted) => results.find((result) => result.name === wanted);
  const [above, below] = [find(name), find(against)];
  if (!above?.cpuMs || !below?.cpuMs) return null;
  const quotients = Object.entries(above.cpuMsByRound)
    .filter(([round]) => below.cpuMsByRound[round] > 0)
    .map(([round, cpuMs]) => cpuMs / below.cpuMsByRound[round]);
  return quotients.length > 0 ? quantile(quotients, 0.5) : null;
}

/** Rows of cells as lines, columns aligned. */
export function tableLines(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  '),
  );
}

/** What to say when other work makes the numbers rough. */
export function busyLines() {
  const busy = loadavg()[0];
  // The bench itself keeps one core busy, and two for a moment where a trial starts programs.
  if (busy <= availableParallelism() + 1) return [];
  return [`!! other work runs here (load ${busy.toFixed(1)}): even the ratios are rough`];
}

/** The results of one size as text. */
export function sizeReport(group, size, results) {
  const underRivalHead = group.rival ? `${group.rival}/CPU` : 'rival/CPU';
  const rows = [
    ['trial', 'CPU ms', 'wall p50', 'wall p90', 'first', 'CPU/floor', underRivalHead, 'seen', 'facts'],
  ];
  for (const result of results) {
    const overFloor = ratio(results, result.name, group.baseline);
    const underRival = group.rival ? ratio(results, group.rival, result.name) : null;
    rows.push([
      result.name,
      milliseconds(result.cpuMs),
      milliseconds(result.wallP50Ms),
      milliseconds(result.wallP90Ms),
      milliseconds(result.firstMs),
      number(overFloor, 2),
      number(underRival, 2),
      result.seen === null ? '-' : String(result.seen),
      result.facts.join(' '),
    ]);
  }
  const lines = ['', `== ${group.name}, ${size} processes: ${group.about}`, ...tableLines(rows)];
  for (const result of results) {
    if (result.failed) lines.push(`!! ${result.name} did not run: ${result.failed}`);
    for (const problem of result.wrong) lines.push(`!! WRONG: ${result.name} ${problem}`);
  }
  lines.push(...busyLines());
  return lines.join('\n');
}

/** Each target at each size: what was measured, and whether it holds. */
export function verdicts(group, measured) {
  return measured.flatMap(({ size, results }) =>
    group.targets.map((target) => {
      const value =
        target.most === undefined
          ? ratio(results, target.against, target.trial)
          : ratio(results, target.trial, target.against);
      const spoiled = results.some(
        (result) => result.wrong.length > 0 && [target.trial, target.against].includes(result.name),
      );
      const met = target.most === undefined ? value >= target.less : value <= target.most;
      const verdict = value === null || spoiled ? 'UNKNOWN' : met ? 'PASS' : 'MISS';
      // What no program can do better than shows whether a target can be met at all.
      const floorRatio =
        target.most === undefined && group.baseline ? ratio(results, target.against, group.baseline) : null;
      return { size, ...target, ratio: value, floorRatio, verdict };
    }),
  );
}

export function verdictReport(list) {
  if (list.length === 0) return '';
  const rows = list.map(({ size, trial, against, most, less, ratio: value, floorRatio, verdict }) => [
    verdict,
    String(size),
    trial,
    most === undefined ? `${number(value, 1)}x less than ${against}` : `${number(value, 2)}x ${against}`,
    most === undefined ? `target >= ${less}x less` : `target <= ${most}x`,
    floorRatio === null ? '' : `the floor itself: ${number(floorRatio, 1)}x less`,
  ]);
  return ['', '== targets (CPU time)', ...tableLines(rows)].join('\n');
}
