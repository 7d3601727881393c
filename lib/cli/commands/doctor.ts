import type { DoctorReport } from '../../index.js';
import type { Command, Run } from '../command.js';
import { type Cell, columns, plural, printable, printableJson } from '../text.js';

function verdictCells(name: string, good: boolean, why: string | undefined): Cell[] {
  const mark: Cell = good
    ? { text: why === undefined ? 'yes' : 'partly', styles: [why === undefined ? 'green' : 'yellow'] }
    : { text: 'no', styles: ['red'] };
  return [{ text: `  ${name}` }, mark, { text: why ?? '' }];
}

function lines(report: DoctorReport, { paint, version }: Run): string[] {
  const facts: [string, string][] = [
    ['procscope', version],
    ['platform', `${report.platform} ${report.arch}, node ${report.node}`],
    ['binary', report.binary],
    ['process files', report.procRoot],
    ['boot', report.bootId ?? 'not known'],
    ['processes', String(report.processes)],
  ];
  const fields = Object.entries(report.fields).map(([name, { readable, why }]) =>
    verdictCells(name, readable, why),
  );
  const capabilities = Object.entries(report.capabilities).map(([name, { available, why }]) =>
    verdictCells(name, available, why),
  );
  return [
    ...columns(
      facts.map(([name, text]) => [{ text: name, styles: ['bold'] as const }, { text }]),
      paint,
    ),
    '',
    paint('What this machine allows', 'bold'),
    ...columns(capabilities, paint),
    '',
    paint('Which fields can be read', 'bold'),
    ...columns(fields, paint),
    ...(report.faults.length === 0
      ? []
      : [
          '',
          paint(`The table is not complete: ${plural(report.faults.length, 'fault')}`, 'yellow'),
          ...report.faults.map(({ kind, code, call, path }) =>
            printable(`  ${kind}${code === 0 ? '' : ` (errno ${code})`}, ${call} ${path}`),
          ),
        ]),
  ];
}

async function show(run: Run): Promise<number> {
  const root = run.values['proc-root'];
  const report = await run.api.doctor(root === undefined ? {} : { procRoot: root as string });
  run.print(run.values['json'] === true ? printableJson(report) : lines(report, run));
  return report.processes === 0 ? 1 : 0;
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'what this machine allows, and why a field would be missing',
  options: {
    json: { type: 'boolean', help: 'print the report as JSON' },
    'proc-root': { type: 'string', value: 'DIR', help: 'where the process files lie (default /proc)' },
  },
  run: show,
};
