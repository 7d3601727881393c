/** The quick question may say yes to nothing, and never no to something. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../../lib/engines/index.js';
import { headOf, Interest, interestOf } from '../../../lib/engines/interest.js';
import { matchByRules, matchProcess } from '../../../lib/engines/match.js';
import { GOLDEN, processesOf } from './shapes.js';
import { facts, matchContext } from './situation.js';

const interest = new Interest(ENGINES);
const LAYOUTS = ENGINES.flatMap((rule) => rule.layouts.map(({ path }) => ({ rule, path })));
const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/);
const fillers = fc.array(part, { minLength: 8, maxLength: 8 });

/** A path that a pattern means: `{a,b}` one of them, `**` some parts, `*` and `<...>` any text. */
function pathOf(pattern: string, fill: readonly string[], choice: number): string {
  let at = 0;
  const next = () => fill[at++ % fill.length] as string;
  return pattern
    .replace(/\{([^}]*)\}/g, (_, list: string) => {
      const choices = list.split(',');
      return choices[choice % choices.length] as string;
    })
    .replaceAll('**', () => `${next()}/${next()}`)
    .replace(/\*|<[^>]*>/g, next);
}

describe('the interest of the rules', () => {
  it('covers whatever lies in a place of theirs, in every spelling', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LAYOUTS), fillers, fc.nat(5), ({ rule, path }, fill, choice) => {
        const below = pathOf(path.text, fill, choice);
        for (const text of [`/home/user/${below}`, `/X/${below.toUpperCase()}`, below]) {
          expect(path.matches(text), text).toBe(true);
          expect(interest.inText(text), text).toContain(rule);
        }
        const windows = `C:\\Users\\u\\${below.replaceAll('/', '\\')}`;
        expect(path.matches(windows)).toBe(true);
        expect(interest.inText(windows)).toContain(rule);
      }),
      { numRuns: 500 },
    );
  });

  it('covers every name, as a text and as a comm', () => {
    for (const rule of ENGINES) {
      const names = rule.names.map(({ name }) => name).filter((name) => typeof name === 'string');
      for (const name of [...names, ...rule.namesWithProof]) {
        for (const text of [name, `/t/${name}.exe`, name.toUpperCase()]) {
          expect(interest.inText(text), text).toContain(rule);
        }
        expect(interest.inComm(name)).toContain(rule);
      }
    }
  });

  it('is nobody’s for what is no agent, and for what is no path', () => {
    for (const text of ['/usr/bin/bash', '-bash', 'tail', 'notes/codex.log', '', 'x'.repeat(40_000)]) {
      expect(interest.inText(text), text.slice(0, 40)).toEqual([]);
    }
    expect(interest.inComm('kworker/claude')).toEqual([]);
  });

  it('answers alike again, and once a list of rules', () => {
    expect(interest.inText('/usr/bin/claude')).toBe(interest.inText('/usr/bin/claude'));
    expect(interestOf(ENGINES)).toBe(interestOf(ENGINES));
    expect(interestOf(ENGINES, [])).toBe(interestOf(ENGINES));
  });

  it('reads the plain beginning off an expression, and none where there may be others', () => {
    const heads = [/^kilo-(?:darwin|linux)$/, /^muse-bin-\d+$/, /^agy\.exe$/, /^ab?c$/].map(headOf);
    expect(heads).toEqual(['kilo-', 'muse-bin-', 'agy', 'a']);
    const none = [/^a|b$/, /^(?:a)(b)|c$/, /^a$/i, /^\s*\u2318/, /^(?:a|b)/, /ab/].map(headOf);
    expect(none).toEqual(['', '', '', '', '', '']);
  });

  it('looks behind interpreters and launchers only where something stands there', () => {
    const glance = (exe: string, argv: readonly string[], name = 'x') => interest.glance({ exe, argv, name });
    expect(glance('/usr/bin/bash', ['-bash'])).toBe('nothing');
    expect(glance('/usr/bin/bash', ['bash', 'x.sh'])).toBe('runs');
    expect(glance('/usr/bin/env', ['env', 'A=b', 'claude'])).toBe('runs');
    expect(glance('/opt/app', ['node', 'x.js'])).toBe('runs');
    expect(glance('/usr/bin/vim', ['vim', '/home/u/.claude/x', 'claude'])).toBe('nothing');
    expect(glance('/usr/bin/node', ['node', 'x.js'], 'claude')).toBe('runs');
    expect(glance('/t/x', ['x'], 'claude')).toBe('wanted');
  });

  it('knows the names that overrides give, and the cut head of a long one', () => {
    const own = new Interest(ENGINES, [{ engine: 'pi', program: '/opt/my-very-own-agent-7' }]);
    expect(own.wants('/x/my-very-own-agent-7')).toBe(true);
    expect(own.wantsComm('my-very-own-age')).toBe(true);
    expect(own.wantsComm('my-very-own-ag')).toBe(false);
    expect(interest.wants('/x/my-very-own-agent-7')).toBe(false);
  });
});

describe('a row that is nothing at a glance', () => {
  it('is nothing by all rules as well', () => {
    const word = fc.constantFrom(
      'node',
      'agent',
      'claude',
      'python3',
      '-m',
      'hermes_cli.main',
      'vim',
      '--',
      'x',
    );
    const exe = fc.constantFrom('/usr/bin/node', '/usr/sbin/agent', '/t/claude', '/usr/bin/vim', undefined);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), exe, word, (argv, image, name) => {
        const one = facts({ argv, exe: image, name });
        expect(matchProcess(one, matchContext())).toEqual(matchByRules(one, matchContext()));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is nothing as well with an override, or reaches the rules', () => {
    const context = matchContext({ overrides: [{ engine: 'pi', program: '/opt/node-tool' }] });
    const text = fc.constantFrom('node', '/opt/node-tool', 'node-tool', 'x', 'env', 'bash', 'claude', '-c');
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 4 }),
        fc.option(text, { nil: undefined }),
        text,
        (argv, exe, name) => {
          const one = facts({ argv, exe, name });
          expect(matchProcess(one, context)).toEqual(matchByRules(one, context));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is none of the golden cases that are something', () => {
    for (const shape of [...GOLDEN.values()].flat().filter(({ expect: right }) => right.row)) {
      for (const process of processesOf([shape])) {
        expect(matchProcess(process, matchContext()).outcome, shape.group).toBe('engine');
      }
    }
  });

  it('may still be an installed file, or what an override names', () => {
    const file = { dev: 1n, ino: 7n };
    const installed = [{ engine: 'pi', file, path: '/i/pi' }];
    const one = facts({ argv: ['/t/tool'], exeFile: file });
    expect(matchProcess(one, matchContext({ installed }))).toMatchObject({ rule: { engine: 'pi' } });
    const overrides = [{ engine: 'pi', program: 'tool' }];
    expect(matchProcess(facts({ argv: ['/t/tool'] }), matchContext({ overrides }))).toMatchObject({
      rule: { engine: 'pi' },
    });
  });
});
