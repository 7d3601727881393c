import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../lib/engines/args.js';
import { argvIdOf } from '../../../lib/engines/argv-id.js';
import { readClaudeRecord } from '../../../lib/engines/claude.js';
import { ENGINES } from '../../../lib/engines/index.js';
import { baseName, joinPath, pathTail } from '../../../lib/engines/path.js';
import { programOf } from '../../../lib/engines/program.js';
import { firstObject } from '../../../lib/engines/record.js';
import { facts, judgeAll, UUID } from './situation.js';

const WORDS = [
  'claude',
  'codex',
  'cursor-agent',
  'agy',
  'agent',
  'node',
  'bash',
  'python3',
  'env',
  'ori',
  'deno',
  'bun',
  'run',
  '-c',
  '-m',
  '-p',
  '--',
  '-',
  '-e',
  '--print',
  '--resume',
  `--resume=${UUID}`,
  UUID,
  'resume',
  'daemon',
  '/x/claude',
  'C:\\x\\claude.exe',
  'a\tb',
  '',
];
const item = fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 40, unit: 'binary' }));
const argv = fc.array(item, { maxLength: 12 });
const RUNS = { numRuns: 1_000 };

describe('whatever a process says of itself', () => {
  it('never throws, and takes its entry and arguments from argv in order', () => {
    fc.assert(
      fc.property(argv, fc.option(item, { nil: undefined }), item, (items, exe, name) => {
        const program = programOf({ argv: items, exe, name });
        const tail = items.slice(items.length - program.args.length);
        expect(program.args).toEqual(tail);
        if (program.entry?.form === 'script') expect(items).toContain(program.entry.text);
      }),
      RUNS,
    );
  });

  it('every engine reads every argument list', () => {
    fc.assert(
      fc.property(argv, (items) => {
        for (const rule of ENGINES) {
          const args = readArguments(items, rule.options);
          for (const word of args.words) expect(items).toContain(word);
          const { id } = argvIdOf(args, rule.argvId);
          if (id !== null) expect(items.some((each) => each === id || each.endsWith(`=${id}`))).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('a table with any parents is judged, and no process twice', () => {
    const process = fc.record({
      argv,
      exe: fc.option(item, { nil: undefined }),
      ppid: fc.integer({ min: 0, max: 8 }),
      startKey: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
      tty: fc.constantFrom('pts/1', 'pts/2', null, undefined),
    });
    fc.assert(
      fc.property(fc.array(process, { maxLength: 8 }), (processes) => {
        const rows = processes.map((each, index) => facts({ ...each, pid: index + 1 }));
        const { judged } = judgeAll(rows);
        for (const [pid, { worker, launcher }] of judged) {
          if (worker !== null) expect(judged.get(worker)?.launcher).toBe(pid);
          if (launcher !== null) expect(judged.get(launcher)?.worker).toBe(pid);
        }
        const reversed = judgeAll([...rows].reverse()).judged;
        expect([...reversed.keys()].sort()).toEqual([...judged.keys()].sort());
      }),
      RUNS,
    );
  });

  it('names in arguments never make an agent of another program', () => {
    const others = fc.constantFrom('vim', 'grep', 'less', 'python3 -c x', 'bash -c y', 'tail', 'git');
    fc.assert(
      fc.property(others, argv, (command, items) => {
        const head = command.split(' ');
        const exe = `/usr/bin/${head[0]}`;
        const row = facts({ argv: [...head, ...items], exe, name: head[0] });
        expect(judgeAll([row]).judged.size).toBe(0);
      }),
      RUNS,
    );
  });

  it('names with anything before or after them are other names', () => {
    const letters = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abcz019_') });
    fc.assert(
      fc.property(
        fc.constantFrom('claude', 'cursor-agent', 'agy'),
        letters,
        letters,
        (name, before, after) => {
          for (const word of [before + name, name + after, before + name + after]) {
            expect(judgeAll([facts({ argv: [`/t/${word}`] })]).judged.size).toBe(0);
          }
        },
      ),
      RUNS,
    );
  });
});

describe('whatever stands in a record', () => {
  it('any text is read or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const reading = readClaudeRecord(text);
        expect('record' in reading || reading.problem.length > 0).toBe(true);
      }),
      RUNS,
    );
  });

  it('any object is read, and a tail behind it changes nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (fields, tail) => {
        const text = JSON.stringify(fields);
        expect(firstObject(text + tail)).toEqual(JSON.parse(text));
        expect(readClaudeRecord(text + tail)).toEqual(readClaudeRecord(text));
      }),
      RUNS,
    );
  });

  it('a cut object is none', () => {
    const fields = JSON.stringify({ pid: 1, sessionId: UUID, name: 'a}"]{\\', list: [{ a: [] }] });
    for (let length = 0; length < fields.length; length++) {
      expect(firstObject(fields.slice(0, length))).toBeNull();
    }
  });

  it('fields of a wrong type are as good as missing', () => {
    const keys = ['pid', 'sessionId', 'status', 'waitingFor', 'version', 'statusUpdatedAt', 'pidDomain'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()), (fields) => {
        const reading = readClaudeRecord(JSON.stringify(fields));
        if (!('record' in reading)) throw new Error('an object is a record');
        const { record } = reading;
        expect(record.pid === null || Number.isSafeInteger(record.pid)).toBe(true);
        for (const text of [record.sessionId, record.status, record.waitingFor, record.version]) {
          expect(text === null || (typeof text === 'string' && text !== '')).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

describe('paths of any system', () => {
  it('give a base name without a separator', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (path) => {
        const base = baseName(path);
        expect(base.length).toBeLessThanOrEqual(path.length);
        if (path.startsWith('/')) expect(base).not.toContain('/');
      }),
      RUNS,
    );
  });

  it.each([
    ['/a/b', 'b'],
    ['/a/b/', 'b'],
    ['/a\\claude', 'a\\claude'],
    ['C:\\a b\\claude.exe', 'claude.exe'],
    ['\\\\host\\share\\x', 'x'],
    ['.\\x', 'x'],
    ['/Users/John Smith/bin/claude', 'claude'],
    ['npm view @x/claude', 'npm view @x/claude'],
    ['/', ''],
  ])('baseName(%j) is %j', (path, base) => {
    expect(baseName(path)).toBe(base);
  });

  it('join in their own form', () => {
    expect(joinPath('/a/', 'b', 'c')).toBe('/a/b/c');
    expect(joinPath('/', 'b')).toBe('/b');
    expect(joinPath('C:\\a', 'b')).toBe('C:\\a\\b');
  });

  it('are met by the tail of a pattern, part by part', () => {
    const pattern = pathTail('claude/versions/<version>');
    expect(pattern.part('/x/Claude/versions/2.1')).toBe('2.1');
    expect(pattern.matches('/x/notclaude/versions/2.1')).toBe(false);
    expect(pattern.matches('/x/claude/versions/2.1/y')).toBe(false);
    expect(pathTail('a/**/b{,.js}').matches('/a/1/2/b.js')).toBe(true);
    expect(pathTail('a/**/b').matches('/a/b')).toBe(true);
    expect(pathTail('a.b').matches('/axb')).toBe(false);
  });
});
