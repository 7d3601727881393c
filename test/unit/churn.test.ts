// The comparison that the churn rests on, on a small log that is right and on doctored copies of it.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Comparison, Log, LoggedRow } from '../churn/compare.mjs' with { 'resolution-mode': 'import' };

let compare: (ledger: string, log: Log) => Comparison;
beforeAll(async () => {
  ({ compare } = await import('../churn/compare.mjs'));
});

const MAKER = 5;
const MS = 1e6;

/**
 * Polls run from 10 to 11 ms, 20 to 21, and so on. Child 0 has pid 40 from 12 to 35 ms; child 1 gets that pid at 38 and
 * changes its name at 52; child 2 ends as it is born; child 3 is a zombie from 45 on.
 */
const LEDGER = [
  [0, 40, 700, 12, 13, 35, 36, 37],
  [1, 40, 703, 38, 39, 85, 86, 87, 'r', 52, 53],
  [2, 41, 701, 22, 23, 0, 24, 25],
  [3, 42, 702, 25, 26, 44, 45, 78],
]
  .map((line) => line.map((word, at) => (at > 2 && typeof word === 'number' ? word * MS : word)).join(' '))
  .join('\n');

const row = (pid: number, key: number, name = 'lives', argv = ['/build/lives']): LoggedRow => ({
  pid,
  key: String(key),
  ppid: MAKER,
  name,
  argv,
});

const renamed = row(40, 703, '1.1', ['lives-title', '1.1']);

/** A copy each time, for the doctors. */
function healthy(): Log {
  const nothing = { started: [], exited: [], changed: [] };
  return structuredClone({
    begins: [10, 20, 30, 40, 50, 60, 70, 80, 90].map((ms) => ms * MS),
    ends: [11, 21, 31, 41, 51, 61, 71, 81, 91].map((ms) => ms * MS),
    failed: [],
    news: [
      { ...nothing, poll: 0, started: [{ ...row(1, 1), ppid: 0 }], size: 1 },
      { ...nothing, poll: 1, started: [row(40, 700)], size: 2 },
      { ...nothing, poll: 2, started: [row(42, 702)], size: 3 },
      { ...nothing, poll: 3, exited: [row(40, 700)], started: [row(40, 703)], size: 3 },
      { ...nothing, poll: 4, exited: [row(42, 702)], size: 2 },
      { ...nothing, poll: 5, changed: [{ row: renamed, before: row(40, 703) }], size: 2 },
      { ...nothing, poll: 8, exited: [renamed], size: 1 },
    ],
    descriptors: 20,
    maker: MAKER,
    others: [1],
    alone: true,
    maxAgeMs: 10_000,
    refused: 0,
  });
}

type News = Log['news'][number];
const news = (log: Log, poll: number): News => log.news.find((one) => one.poll === poll) as News;

describe('a log that is right', () => {
  it('has no problem, and each statement was looked for', () => {
    expect(compare(LEDGER, healthy())).toEqual({
      children: 4,
      polls: 9,
      failedPolls: 0,
      starts: 3,
      exits: 3,
      names: 4,
      reused: 1,
      swaps: 1,
      unjudged: 0,
      problems: [],
    });
  });

  it('may report what lay within one poll or is in doubt either way', () => {
    const log = healthy();
    log.begins[2] = 22.5 * MS;
    news(log, 2).started.push(row(41, 701));
    news(log, 2).size = 4;
    news(log, 3).exited.push(row(41, 701));
    expect(compare(LEDGER, log).problems).toEqual([]);
  });

  it('may report the end of a child before its parent knew of its birth', () => {
    const log = healthy();
    const ledger = LEDGER.replace(` ${23 * MS} 0 `, ` ${58 * MS} 0 `).replace(
      ` ${24 * MS} ${25 * MS}`,
      ` ${59 * MS} ${60 * MS}`,
    );
    expect(ledger).not.toBe(LEDGER);
    news(log, 2).started.push(row(41, 701));
    news(log, 2).size = 4;
    news(log, 3).exited.push(row(41, 701));
    expect(compare(ledger, log).problems).toEqual([]);
  });

  it('is not asked for what a failed poll could have told', () => {
    const log = healthy();
    news(log, 3).poll = 4;
    log.news = log.news.filter((one) => one !== log.news[4]);
    news(log, 4).exited.push(row(42, 702));
    news(log, 4).size = 2;
    expect(compare(LEDGER, log).problems.map(({ kind }) => kind)).toContain('missed');
    log.failed.push(3);
    expect(compare(LEDGER, log).problems).toEqual([]);
  });
});

describe('a doctored log', () => {
  it.each<[string, string, (log: Log) => void]>([
    [
      'a start is left out',
      'missed',
      (log) => {
        news(log, 2).started.pop();
      },
    ],
    [
      'a start comes a poll late',
      'missed',
      (log) => {
        news(log, 1).poll = 2;
      },
    ],
    [
      'an exit is left out',
      'missed',
      (log) => {
        news(log, 4).exited.pop();
      },
    ],
    [
      'a zombie stays in the table until it is reaped',
      'missed',
      (log) => {
        news(log, 4).poll = 7;
      },
    ],
    [
      'the new owner of a pid is taken for the old one',
      'missed',
      (log) => {
        news(log, 3).exited.pop();
        news(log, 3).started.pop();
      },
    ],
    [
      'a name is not seen',
      'missed',
      (log) => {
        news(log, 5).changed.pop();
      },
    ],
    [
      'a start is there twice',
      'doubled',
      (log) => {
        news(log, 3).started.push(row(42, 702));
      },
    ],
    [
      'a start comes again after the exit',
      'doubled',
      (log) => {
        news(log, 8).started.push(row(42, 702));
      },
    ],
    [
      'an exit is there twice',
      'doubled',
      (log) => {
        news(log, 5).exited.push(row(42, 702));
      },
    ],
    [
      'an exit comes without a start',
      'misattributed',
      (log) => {
        news(log, 4).exited.push(row(41, 701));
      },
    ],
    [
      'a start has the key of another',
      'misattributed',
      (log) => {
        news(log, 2).started[0] = row(42, 700);
      },
    ],
    [
      'a start comes after the end',
      'misattributed',
      (log) => {
        news(log, 3).started.push(row(41, 701));
      },
    ],
    [
      'a start comes before the birth',
      'misattributed',
      (log) => {
        news(log, 0).started.push(row(40, 700));
      },
    ],
    [
      'an exit comes while it lives',
      'misattributed',
      (log) => {
        news(log, 8).poll = 7;
      },
    ],
    [
      'somebody unknown starts',
      'misattributed',
      (log) => {
        news(log, 5).started.push(row(66, 705));
      },
    ],
    [
      'the parent is another',
      'misattributed',
      (log) => {
        (news(log, 2).started[0] as LoggedRow).ppid = 1;
      },
    ],
    [
      'a reused pid gives a change',
      'misattributed',
      (log) => {
        const [before, after] = [news(log, 3).exited.pop(), news(log, 3).started.pop()];
        news(log, 3).changed.push({ row: after as LoggedRow, before: before as LoggedRow });
      },
    ],
    [
      'a name is that of another child',
      'misattributed',
      (log) => {
        (news(log, 5).changed[0] as News['changed'][number]).row.name = '3.1';
      },
    ],
    [
      'the arguments are those of another child',
      'misattributed',
      (log) => {
        (news(log, 5).changed[0] as News['changed'][number]).row.argv = ['lives-title', '3.1'];
      },
    ],
    [
      'a name comes before it was taken',
      'misattributed',
      (log) => {
        (news(log, 3).started[0] as LoggedRow).name = '1.1';
      },
    ],
    [
      'the table is not the sum of the deltas',
      'table',
      (log) => {
        news(log, 4).size++;
      },
    ],
  ])('%s', (_, kind, doctor) => {
    const log = healthy();
    doctor(log);
    expect(compare(LEDGER, log).problems.map((problem) => problem.kind)).toContain(kind);
  });
});
