import type { Fault, ProcessUsage, Sample, SamplerOptions, Usage, UsageOptions } from '../../index.js';
import { type Command, type Run, UsageError } from '../command.js';
import { faultLines, PROC_ROOT, procRootOf } from '../faults.js';
import { type Cell, columns, plural, printable, printableJson } from '../text.js';
import { pidOf } from './files.js';

const DEFAULT_INTERVAL_MS = 1000;
const MOST_INTERVAL_MS = 3_600_000;
const SIZES = ['B', 'K', 'M', 'G', 'T', 'P'];

function sizeText(bytes: number | null | undefined): string {
  if (bytes === undefined) return '?';
  if (bytes === null) return '-';
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < SIZES.length - 1; unit++) value /= 1024;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)}${SIZES[unit]}`;
}

function timeText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '?';
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(2)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(Math.floor(seconds % 60)).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

const whole = (value: number | undefined): string => (value === undefined ? '?' : String(value));
const cells = (texts: readonly string[]): Cell[] => texts.map((text) => ({ text }));
const heads = (texts: readonly string[]): Cell[] => texts.map((text) => ({ text, styles: ['bold'] }));

const HEAD = [
  'PID',
  'STATE',
  'CPU',
  'USER',
  'SYSTEM',
  'WAITED',
  'RSS',
  'PEAK',
  'SWAP',
  'THREADS',
  'READ',
  'WRITTEN',
  'NAME',
];

function rowCells(row: ProcessUsage): Cell[] {
  const { cpu, waitedCpu, runtime, io } = row;
  return cells([
    String(row.pid),
    row.state ?? '?',
    timeText(runtime ?? (cpu && cpu.user + cpu.system)),
    timeText(cpu?.user),
    timeText(cpu?.system),
    timeText(waitedCpu && waitedCpu.user + waitedCpu.system),
    sizeText(row.rss),
    sizeText(row.peakRss),
    sizeText(row.swap),
    whole(row.threads),
    sizeText(io?.readBytes),
    sizeText(io?.writeBytes),
    row.name ?? '?',
  ]);
}

function totalCells({ total }: Usage): Cell[] {
  return cells([
    'total',
    '',
    timeText(total?.cpuTime),
    timeText(total?.cpu?.user),
    timeText(total?.cpu?.system),
    '',
    sizeText(total?.rss),
    '',
    sizeText(total?.swap),
    whole(total?.threads),
    sizeText(total?.io?.readBytes),
    sizeText(total?.io?.writeBytes),
    plural(total?.processes ?? 0, 'process', 'processes'),
  ]);
}

function allFaults({ faults, processes }: Usage): Fault[] {
  return [...faults, ...processes.flatMap((row) => Object.values(row.faults))];
}

/** The same with start keys, which are no numbers of JSON, as decimal strings. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => {
      if (typeof one === 'bigint') return String(one);
      return one === undefined ? null : one;
    }),
  );
}

async function showOnce(pid: number, run: Run): Promise<number> {
  const options: UsageOptions = {
    tree: run.values['tree'] === true,
    fields: [
      'runtime',
      'peakRss',
      'swap',
      'io',
      'switches',
      ...(run.values['pss'] === true ? ['pss' as const] : []),
      'cgroup',
    ],
    ...procRootOf(run),
  };
  const answer = await run.api.usage(pid, options);
  const found = answer.processes.length > 0;
  if (run.values['json'] === true) {
    run.print(printableJson(plain(answer)));
    return found ? 0 : 1;
  }
  if (found) {
    const rows = answer.processes.map(rowCells);
    run.print(columns([heads(HEAD), ...rows, ...(rows.length > 1 ? [totalCells(answer)] : [])], run.paint));
  }
  if (found && !answer.complete) run.print(['', 'A process ended during the look: its time may be missing.']);
  const gone = !found && answer.faults.every(({ kind }) => kind === 'gone');
  run.print(gone ? `process ${pid} is not there` : faultLines(allFaults(answer), run));
  return found ? 0 : 1;
}

const WATCH_HEAD = ['CPU%', 'CPU', 'RSS', 'PROCESSES', 'THREADS', 'READ', 'WRITTEN', 'MISSED'];
/** Lines come one by one, so their widths are fixed. */
const WATCH_WIDTH = 10;

function watchLine(sample: Sample): string {
  const texts = [
    sample.percent === undefined ? '-' : sample.percent.toFixed(1),
    timeText(sample.cpu),
    sizeText(sample.rss),
    String(sample.processes),
    String(sample.threads),
    sizeText(sample.io?.readBytes),
    sizeText(sample.io?.writeBytes),
    String(sample.missed),
  ];
  return texts.map((text) => text.padStart(WATCH_WIDTH)).join(' ');
}

function intervalOf({ values }: Run): number {
  const text = values['interval'];
  if (text === undefined) return DEFAULT_INTERVAL_MS;
  const ms = /^\d{1,9}(\.\d+)?$/.test(text as string) ? Number(text) : Number.NaN;
  if (ms >= 1 && ms <= MOST_INTERVAL_MS) return ms;
  throw new UsageError(`--interval must be a number from 1 to ${MOST_INTERVAL_MS}: ${text as string}`);
}

async function watch(pid: number, run: Run): Promise<number> {
  for (const name of ['pss', 'proc-root']) {
    if (run.values[name] !== undefined) throw new UsageError(`--${name} cannot be watched`);
  }
  const options: SamplerOptions = {
    intervalMs: intervalOf(run),
    tree: run.values['tree'] === true,
    processes: run.values['json'] === true,
    fields: ['rss', 'io'],
  };
  const sampler = new run.api.UsageSampler(pid, options);
  const forget = run.onInterrupt(() => sampler.stop());
  const json = run.values['json'] === true;
  if (!json) run.print(WATCH_HEAD.map((text) => run.paint(text.padStart(WATCH_WIDTH), 'bold')).join(' '));
  // One document a line, for programs that read them as they come.
  for await (const sample of sampler) run.print(json ? printableJson(plain(sample), 0) : watchLine(sample));
  forget();
  const { reason, fault } = sampler.state;
  if (reason !== 'fault') return 0;
  const why = fault === undefined ? 'cannot be followed' : run.api.describeFault(fault);
  run.stderr.write(`procscope: ${printable(why)}
`);
  return 1;
}

async function show(run: Run): Promise<number> {
  const pid = pidOf(run.operands[0] as string);
  if (run.values['watch'] === true) return watch(pid, run);
  if (run.values['interval'] !== undefined) throw new UsageError('--interval needs --watch');
  return showOnce(pid, run);
}

export const usage: Command = {
  name: 'usage',
  summary: 'processor time, memory and io of a process or a tree',
  operands: { text: 'PID', least: 1, most: 1 },
  options: {
    tree: { type: 'boolean', short: 't', help: 'all processes below it, and the sum' },
    json: {
      type: 'boolean',
      help: 'print everything that is known, as JSON (with --watch: one line a sample)',
    },
    watch: {
      type: 'boolean',
      short: 'w',
      help: 'a line for each look, until the process ends; sums count from the first',
    },
    interval: { type: 'string', value: 'MS', help: 'milliseconds between looks, from 1 (default 1000)' },
    pss: { type: 'boolean', help: 'read the proportional set size too, which costs much (with --json)' },
    'proc-root': PROC_ROOT,
  },
  run: show,
};
