import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { here } from './paths.mjs';

const run = promisify(execFile);

/** CPU time that is measured of one trial in one round, so that its clock's steps do not matter. */
const budgetMs = 200;

/**
 * Before that, a trial looks until it has seen so many rows, or for so long: a function that the
 * compiler has not met often is several times as slow, and what polls has long passed that.
 */
const warmUp = { rows: 15_000, ms: 450 };

/** A look that takes longer than this runs in every second round only: it needs fewer to be told. */
const heavyMs = 250;

/** Beside the crowd: its parent, this bench, and the trial itself. */
const others = 3;

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

const expectedMs = (trial, size) => trial.costMs ?? (trial.costUs * size) / 1000;

const repetitionsOf = (trial, size) =>
  Math.max(1, Math.min(60, Math.round(budgetMs / expectedMs(trial, size))));

const warmupsOf = (trial, size) =>
  Math.max(1, Math.round(Math.min(warmUp.rows / size, warmUp.ms / expectedMs(trial, size))));

async function runTrial(trial, repetitions, warmups) {
  const [program, args] = trial.command?.(repetitions, warmups) ?? [
    process.execPath,
    [join(here, 'lib/trial.mjs'), join(here, trial.file), trial.name, String(repetitions), String(warmups)],
  ];
  const { stdout } = await run(program, args, { maxBuffer: 1 << 26, timeout: 120_000 });
  return JSON.parse(stdout);
}

/** What is wrong with a report: rows or facts that should have been there and were not. */
function problemsOf(trial, report, size) {
  const problems = [];
  const least = trial.leastSeen?.(size) ?? size + others;
  if (report.seen < least) problems.push(`saw ${report.seen} of ${least}`);
  for (const fact of trial.facts) {
    if (report.facts[fact] < size)
      problems.push(`read ${fact} of ${report.facts[fact]} processes of ${size}`);
  }
  return problems;
}

function firstLine(error) {
  const lines = String(error.stderr || error.message).split('\n');
  return lines.find((line) => /^\w*Error\b|\berror:/.test(line)) ?? lines[0];
}

/**
 * Runs all trials of a group in turns, `rounds` times: A B C A B C, so that drift of the machine
 * hits all alike. Each run is a fresh process. Answers one result a trial.
 */
export async function measureGroup(group, size, rounds, progress) {
  const results = group.trials.map((trial) => ({
    trial,
    repetitions: repetitionsOf(trial, size),
    warmups: warmupsOf(trial, size),
    reports: [],
    problems: new Set(),
    failed: null,
  }));
  for (let round = 0; round < rounds; round++) {
    for (const result of results) {
      if (result.failed) continue;
      if (round % 2 === 1 && expectedMs(result.trial, size) > heavyMs) continue;
      progress(`${size} processes, round ${round + 1} of ${rounds}: ${result.trial.name}`);
      try {
        const report = await runTrial(result.trial, result.repetitions, result.warmups);
        result.reports.push({ ...report, round });
        for (const problem of problemsOf(result.trial, report, size)) result.problems.add(problem);
      } catch (error) {
        result.failed = firstLine(error);
      }
    }
  }
  return results.map(summary);
}

function summary({ trial, repetitions, warmups, reports, problems, failed }) {
  const wall = reports.flatMap((report) => report.wallMs);
  const measured = !failed && reports.length > 0;
  return {
    name: trial.name,
    about: trial.about,
    facts: trial.facts,
    repetitions,
    warmups,
    failed,
    wrong: [...problems],
    cpuMsByRound: Object.fromEntries(reports.map((report) => [report.round, report.cpuMs])),
    seen: measured ? Math.min(...reports.map((report) => report.seen)) : null,
    cpuMs: measured
      ? quantile(
          reports.map((report) => report.cpuMs),
          0.5,
        )
      : null,
    firstMs: measured
      ? quantile(
          reports.map((report) => report.firstMs),
          0.5,
        )
      : null,
    wallP50Ms: measured ? quantile(wall, 0.5) : null,
    wallP90Ms: measured ? quantile(wall, 0.9) : null,
  };
}
