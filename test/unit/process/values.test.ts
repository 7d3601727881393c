import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProcessKey, sameProcess } from '../../../lib/process/identity.js';
import { parseCgroups, parseEnv, splitArguments, splitPids } from '../../../lib/process/texts.js';
import { Tree, type TreeNode } from '../../../lib/process/tree.js';

const joined = (parts: readonly string[]): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(''));

describe('splitArguments', () => {
  it('gives back every vector but a title and its padding', () => {
    const word = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        fc.pre(argv.length < 3 || argv.slice(1).some((part) => part !== ''));
        expect(splitArguments(joined(argv)).map(String)).toEqual(
          argv.map((part) => Buffer.from(part).toString()),
        );
      }),
    );
  });

  it('takes the NULs behind a title as padding', () => {
    expect(splitArguments(Buffer.from('title\0\0\0\0\0')).map(String)).toEqual(['title']);
    expect(splitArguments(Buffer.from('prog\0\0')).map(String)).toEqual(['prog', '']);
    expect(splitArguments(Buffer.from('no end')).map(String)).toEqual(['no end']);
    expect(splitArguments(Buffer.alloc(0))).toEqual([]);
  });

  it('loses no byte of anything but the padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const parts = splitArguments(Buffer.from(bytes));
        const text = Buffer.concat(parts);
        expect(text.equals(Buffer.from(bytes.filter((byte) => byte !== 0)))).toBe(true);
      }),
    );
  });
});

describe('other texts', () => {
  it('environment selections', () => {
    const env = parseEnv(Buffer.from('=a=b\0-\0?\0=\0'), ['SET', 'NOT', 'CUT', 'EMPTY', 'MISSING']);
    expect({ ...env }).toEqual({ SET: 'a=b', NOT: null, CUT: undefined, EMPTY: '', MISSING: undefined });
    expect(Object.keys(parseEnv(Buffer.from('=x\0'), ['__proto__']))).toEqual(['__proto__']);
  });

  it('namespace pids and control groups', () => {
    expect(splitPids('4605\t12\t1')).toEqual([4605, 12, 1]);
    expect(parseCgroups('4:memory:/a:b\n1:cpu,cpuacct:/\n0::/user.slice\nbroken\n')).toEqual([
      { hierarchy: 4, controllers: ['memory'], path: '/a:b' },
      { hierarchy: 1, controllers: ['cpu', 'cpuacct'], path: '/' },
      { hierarchy: 0, controllers: [], path: '/user.slice' },
    ]);
  });
});

describe('sameProcess', () => {
  const key = (bootId: string | undefined, pid: number, startKey: bigint | undefined): ProcessKey => ({
    bootId,
    pid,
    startKey,
  });

  it.each([
    ['same', key('b', 1, 5n), key('b', 1, 5n)],
    ['different', key('b', 1, 5n), key('b', 2, 5n)],
    ['different', key('b', 1, 5n), key('b', 1, 6n)],
    ['different', key('b', 1, 5n), key('c', 1, 5n)],
    ['different', key(undefined, 1, 5n), key('b', 1, 6n)],
    ['unknown', key('b', 1, undefined), key('b', 1, 5n)],
    ['unknown', key(undefined, 1, 5n), key('b', 1, 5n)],
    ['unknown', key('b', 1, undefined), key('b', 1, undefined)],
  ])('%s', (answer, a, b) => {
    expect(sameProcess(a, b)).toBe(answer);
    expect(sameProcess(b, a)).toBe(answer);
  });
});

describe('Tree', () => {
  const node = (pid: number, ppid: number | undefined, start = pid): TreeNode => ({
    pid,
    ppid,
    startKey: BigInt(start),
  });
  const pids = (nodes: readonly TreeNode[]): number[] => nodes.map((each) => each.pid);

  it('children, descendants breadth first, ancestors upward', () => {
    const tree = new Tree([node(1, 0), node(2, 1), node(3, 1), node(4, 2), node(5, 4), node(9, 8)]);
    expect(pids(tree.children(1))).toEqual([2, 3]);
    expect(pids(tree.descendants(1))).toEqual([2, 3, 4, 5]);
    expect(pids(tree.ancestors(5))).toEqual([4, 2, 1]);
    expect(tree.ancestors(9)).toEqual([]);
    expect(tree.descendants(77)).toEqual([]);
  });

  it('L13: a cycle after pid reuse ends, and a parent that is younger than its child is none', () => {
    const cycle = new Tree([node(1, 2, 5), node(2, 1, 5)]);
    expect(pids(cycle.descendants(1))).toEqual([2]);
    expect(pids(cycle.ancestors(1))).toEqual([2]);
    const reused = new Tree([node(7, 0, 100), node(8, 7, 50), node(6, 6, 1)]);
    expect(reused.children(7)).toEqual([]);
    expect(reused.ancestors(8)).toEqual([]);
    expect(reused.descendants(6)).toEqual([]);
  });

  it('any table of parents is walked to an end, each process once', () => {
    const entry = fc.record({
      pid: fc.integer({ min: 1, max: 12 }),
      ppid: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
      start: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const nodes = [...new Map(entries.map((each) => [each.pid, each])).values()];
        const tree = new Tree(nodes.map((each) => node(each.pid, each.ppid, each.start)));
        for (let pid = 0; pid <= 12; pid++) {
          const below = pids(tree.descendants(pid));
          expect(new Set(below).size).toBe(below.length);
          expect(below).not.toContain(pid);
          const above = pids(tree.ancestors(pid));
          expect(new Set(above).size).toBe(above.length);
        }
      }),
    );
  });
});
