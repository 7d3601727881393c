// `npm run bench -- [GROUP] [--sizes 200,1000,5000] [--rounds 5] [--json] [--shared]`; see README.md.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endWithRunner, isPrivate, runPrivately, withCrowd } from './lib/crowd.mjs';
import { enginesReport, measureEngines } from './lib/engines.mjs';
import { groupNames, groupsOf } from './lib/groups.mjs';
import { measureGroup } from './lib/measure.mjs';
import { measureParts, partsReport } from './lib/parts.mjs';
import { measurePoll } from './lib/poll.mjs';
import { pollReport, pollVerdicts, problemsOf } from './lib/poll-report.mjs';
import { sizeReport, verdictReport, verdicts } from './lib/report.mjs';
import { measureTmux, tmuxReport, tmuxVerdicts, wrongOf } from './lib/tmux.mjs';
import { measureUsage, usageReport } from './lib/usage.mjs';

const names = [...groupNames, 'engines', 'parts', 'usage', 'poll', 'tmux'];
const defaultSizes = { engines: '1000', tmux: '1000', usage: '20', poll: '200,1000,5000,20000' };

function usage(problem) {
  console.error(
    `${problem}\nusage: bench [${names.join('|')}] [--sizes N,N] [--rounds N] [--json] [--shared]`,
  );
  process.exit(2);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        sizes: { type: 'string' },
        rounds: { type: 'string', default: '5' },
        json: { type: 'boolean', default: false },
        shared: { type: 'boolean', default: false },
      },
    });
    const rounds = Number(values.rounds);
    const group = positionals[0] ?? 'snapshot';
    const sizes = (values.sizes ?? defaultSizes[group] ?? '200,1000,5000').split(',').map(Number);
    if (positionals.length > 1 || !names.includes(group)) usage(`unknown group: ${positionals.join(' ')}`);
    if (![...sizes, rounds].every((value) => Number.isInteger(value) && value > 0)) usage('not a count');
    return { ...values, sizes, rounds, group };
  } catch (error) {
    return usage(error.message);
  }
}

const progress = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function runGroup(group, { sizes, rounds, json }) {
  const measured = [];
  for (const size of sizes) {
    progress(`starting ${size} processes`);
    const results = await withCrowd(size, () => measureGroup(group, size, rounds, progress));
    progress('');
    measured.push({ size, results });
    if (!json) console.log(sizeReport(group, size, results));
  }
  const targets = verdicts(group, measured);
  if (!json) console.log(verdictReport(targets));
  const spoiled = measured.some(({ results }) => results.some((one) => one.failed || one.wrong.length > 0));
  return { report: { group: group.name, private: isPrivate, rounds, measured, targets }, spoiled };
}

async function runGroups(asked) {
  const done = [];
  for (const group of groupsOf(asked.group)) done.push(await runGroup(group, asked));
  const reports = done.map(({ report }) => report);
  if (asked.json) console.log(JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2));
  return done.some(({ spoiled }) => spoiled) ? 1 : 0;
}

async function runParts({ sizes, rounds, json }) {
  for (const size of sizes) {
    const parts = await withCrowd(size, () => measureParts(size, rounds));
    console.log(json ? JSON.stringify(parts) : partsReport(parts));
  }
  return 0;
}

async function runUsage({ sizes, rounds, json }) {
  let wrong = false;
  for (const size of sizes) {
    const results = await measureUsage(size, rounds);
    wrong ||= results.some((one) => one.seen < one.size);
    console.log(json ? JSON.stringify(results) : usageReport(results));
  }
  return wrong ? 1 : 0;
}

async function runPoll({ sizes, rounds, json }) {
  const results = await measurePoll(sizes, rounds, progress);
  const targets = pollVerdicts(results);
  console.log(json ? JSON.stringify({ ...results, targets }, null, 2) : pollReport(results));
  return problemsOf(results).length > 0 ? 1 : 0;
}

async function runTmux({ sizes, rounds, json }) {
  let wrong = false;
  for (const size of sizes) {
    const measured = await measureTmux(size, rounds, progress);
    wrong ||= wrongOf(measured).length > 0;
    const targets = tmuxVerdicts(measured);
    console.log(json ? JSON.stringify({ ...measured, targets }, null, 2) : tmuxReport(measured));
  }
  return wrong ? 1 : 0;
}

function runEngines({ sizes, rounds, json }) {
  const results = sizes.flatMap((size) => measureEngines(size, rounds));
  console.log(json ? JSON.stringify(results) : enginesReport(results));
  return results.some(({ wrong }) => wrong) ? 1 : 0;
}

async function main() {
  const asked = readArguments();
  if (asked.group === 'engines') return runEngines(asked);
  if (isPrivate) endWithRunner();
  if (!isPrivate && !asked.shared) {
    const code = await runPrivately(fileURLToPath(import.meta.url), process.argv.slice(2));
    if (code !== null) return code;
    console.error(
      'A private pid namespace is refused here: the processes of this machine are in every count.',
    );
  }
  if (asked.group === 'usage') return runUsage(asked);
  if (asked.group === 'poll') return runPoll(asked);
  if (asked.group === 'tmux') return runTmux(asked);
  return asked.group === 'parts' ? runParts(asked) : runGroups(asked);
}

process.exitCode = await main();
