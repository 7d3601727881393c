import type { ProcessRow, ProcessTable } from '../../index.js';
import type { Command, Run } from '../command.js';
import { faultLines, PROC_ROOT, procRootOf } from '../faults.js';
import { cutTo, showsUnicode } from '../terminal.js';
import { printable, printableJson } from '../text.js';
import { pidOf } from './files.js';

interface Node {
  readonly row: ProcessRow;
  readonly depth: number;
  /** Whether each of its ancestors below the top, and it itself, is the last of its siblings. */
  readonly last: readonly boolean[];
}

const LINES = {
  unicode: { on: '│ ', off: '  ', branch: '├─', end: '└─' },
  ascii: { on: '| ', off: '  ', branch: '|-', end: '`-' },
} as const;
/** Deeper than this the branches alone would fill any screen; the row stays, its branches end. */
const DEEPEST = 100;

const byPid = (a: ProcessRow, b: ProcessRow): number => a.pid - b.pid;

/** The process and all below it, parents first. No recursion: a chain of processes may be any length. */
function* walk(table: ProcessTable, top: ProcessRow, seen: Set<number>): Generator<Node> {
  const open: Node[] = [{ row: top, depth: 0, last: [] }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node.row.pid)) continue;
    seen.add(node.row.pid);
    yield node;
    const { depth, last } = node;
    const children = [...table.children(node.row.pid)].sort(byPid);
    for (const [at, row] of children.reverse().entries()) {
      open.push({ row, depth: depth + 1, last: depth < DEEPEST ? [...last, at === 0] : last });
    }
  }
}

function* nodesOf(table: ProcessTable, pid: number | undefined): Generator<Node> {
  const seen = new Set<number>();
  const rows =
    pid === undefined ? [...table].sort(byPid) : [table.get(pid)].filter((row) => row !== undefined);
  const below = new Set(
    pid === undefined ? rows.flatMap((row) => table.children(row.pid)).map((row) => row.pid) : [],
  );
  for (const row of rows) if (!below.has(row.pid)) yield* walk(table, row, seen);
  // Two rows that name each other as parent have no top: they are shown all the same.
  if (pid === undefined) for (const row of rows) if (!seen.has(row.pid)) yield* walk(table, row, seen);
}

function commandOf({ argv, name, kernelThread, state }: ProcessRow): string {
  if (argv !== undefined && argv.length > 0) return argv.join(' ');
  if (kernelThread === true) return `[${name ?? '?'}]`;
  return state === 'Z' ? `${name ?? '?'} <defunct>` : (name ?? '?');
}

function treeLines(nodes: readonly Node[], run: Run): string[] {
  const marks = showsUnicode(run.env) ? LINES.unicode : LINES.ascii;
  const users = nodes.map(({ row }) => printable(row.user ?? String(row.euid ?? '?')));
  const widest = (texts: readonly string[], least: number): number =>
    texts.reduce((most, text) => Math.max(most, [...text].length), least);
  const pidWidth = widest(
    nodes.map(({ row }) => String(row.pid)),
    3,
  );
  const userWidth = widest(users, 4);
  const width = run.stdout.isTTY === true ? run.stdout.columns : undefined;
  const head = run.paint(`${'PID'.padStart(pidWidth)}  ${'USER'.padEnd(userWidth)}  COMMAND`, 'bold');
  const lines = nodes.map(({ row, last }, at) => {
    const branches = last.map((isLast, level) =>
      level === last.length - 1 ? (isLast ? marks.end : marks.branch) : isLast ? marks.off : marks.on,
    );
    const user = users[at] as string;
    const start = `${String(row.pid).padStart(pidWidth)}  ${user}${' '.repeat(userWidth - [...user].length)}  `;
    const drawn = branches.length === 0 ? '' : run.paint(branches.join(''), 'dim');
    return start + drawn + printable(commandOf(row));
  });
  return [head, ...lines].map((line) => (width === undefined ? line : cutTo(line, width)));
}

/** Flat and in the order of the tree, since a nest of unlimited depth is more than parsers take. */
function documentOf(nodes: readonly Node[], { faults }: ProcessTable) {
  return {
    processes: nodes.map(({ row, depth }) => {
      const { pid, ppid, name, argv, state, startKey, startTime, euid, user } = row;
      return { pid, ppid, depth, name, argv, state, startKey, startTime, euid, user };
    }),
    faults,
  };
}

async function show(run: Run): Promise<number> {
  const pid = run.operands[0] === undefined ? undefined : pidOf(run.operands[0]);
  const table = await run.api.snapshotAsync({ ...procRootOf(run), fields: ['argv', 'euid', 'user'] });
  const nodes = [...nodesOf(table, pid)];
  if (run.values['json'] === true) run.print(printableJson(documentOf(nodes, table)));
  else {
    const missing = pid === undefined ? 'no process could be read' : `process ${pid} is not there`;
    const faults = nodes.flatMap(({ row }) => row.fault('argv') ?? []).filter(({ kind }) => kind !== 'gone');
    run.print([
      ...(nodes.length === 0 ? [missing] : treeLines(nodes, run)),
      ...faultLines([...table.faults, ...faults], run),
    ]);
  }
  return nodes.length === 0 ? 1 : 0;
}

export const tree: Command = {
  name: 'tree',
  summary: 'processes below their parents',
  operands: { text: '[PID]', least: 0, most: 1 },
  options: {
    json: { type: 'boolean', help: 'print the tree as JSON: a list in its order, each with its depth' },
    'proc-root': PROC_ROOT,
  },
  notes: [
    'Exit code: 0 processes were found, 1 none (the process is not there), 2 the command line is wrong.',
  ],
  run: show,
};
