import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

type Module = typeof import('../../../scripts/capture/redact.mjs', { with: { 'resolution-mode': 'import' }});
type Redaction = ReturnType<Module['redaction']>;

const NAMES = {
  homes: ['/home/bob', '/srv/people/alice'],
  user: 'bob',
  otherUsers: ['alice'],
  hosts: ['buildbox.example.org', 'buildbox'],
};
const ID = '0199a213-81c0-7800-8aa1-bbab2a035a53';

let module: Module;
let redact: Redaction;

beforeAll(async () => {
  module = await import('../../../scripts/capture/redact.mjs');
});
beforeAll(() => {
  redact = module.redaction(NAMES);
});

const letters = (from: string, length: number) =>
  fc
    .array(fc.constantFrom(...from), { minLength: length, maxLength: length + 40 })
    .map((all) => all.join(''));
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base64 = fc
  .uint8Array({ minLength: 33, maxLength: 64 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
  .filter((text) => /[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));
/** Tokens that nobody would call a word. */
const secret = fc.oneof(
  letters('0123456789abcdef', 32),
  fc.uint8Array({ minLength: 24, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  letters(ALNUM, 16).map((text) => `sk-${text}`),
  letters(ALNUM, 16).map((text) => `sk-ant-api03-${text}`),
  letters(ALNUM, 16).map((text) => `ghp_${text}`),
  letters(ALNUM, 16).map((text) => `eyJ${text}.${text}.${text}`),
);
const around = fc.constantFrom(
  '',
  ' ',
  '"',
  "'",
  ':',
  '=',
  '--key=',
  '/x/',
  'TOKEN=',
  'a b ',
  '\n',
  ',',
  '(',
  '@',
);

describe('the name of a session file', () => {
  it('keeps its time, and nothing that only begins like one', () => {
    const name = `/w/rollout-2026-11-30T10-00-00-${ID}.jsonl`;
    expect(redact.text(name)).toMatch(/^\/w\/rollout-2026-11-30T10-00-00-[0-9a-f-]{36}\.jsonl$/);
    expect(redact.text('x-2026-11-30T10-00-00-Zx81qqLm20fTTrWe83hD')).not.toContain('Zx81qqLm20fTTrWe83hD');
  });
});

describe('secrets', () => {
  it('do not survive in any text, whatever stands around them', () => {
    fc.assert(
      fc.property(around, secret, around, (before, token, after) => {
        expect(redact.text(before + token + after)).not.toContain(token);
      }),
      { numRuns: 2_000 },
    );
  });

  it('do not survive as base64 with slashes, where that can be told from a path', () => {
    const before = fc.constantFrom('', ' ', '"', "'", ':', '=', '--key=', 'TOKEN=', ',', '(', '@');
    const token = base64.filter((text) => !text.startsWith('/'));
    fc.assert(
      fc.property(before, token, around, (start, text, end) => {
        expect(redact.text(start + text + end)).not.toContain(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('do not survive in arguments, also where arguments are kept', () => {
    fc.assert(
      fc.property(fc.array(around), secret, fc.boolean(), (words, token, keep) => {
        const argv = ['claude', '--resume', ...words, token, `--settings=${token}`, `{"key":"${token}"}`];
        expect(redact.argv(argv, keep).join('\0')).not.toContain(token);
      }),
    );
  });

  it('do not survive in the environment', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('HOME', 'API_KEY', 'OTHER'), (token, key) => {
        expect(redact.environ([`${key}=${token}`, token], ['HOME', 'API_KEY']).join('\0')).not.toContain(
          token,
        );
      }),
    );
  });

  it('do not survive in names and mapped files', () => {
    fc.assert(
      fc.property(secret, (token) => {
        expect(redact.stat(`7 (${token}) S 1 2 3`)).not.toContain(token);
        expect(redact.status(`Name:\t${token}\nGroups:\t${token}\nUid:\t1\n`)).not.toContain(token);
        expect(redact.maps(`7f-8f r-xp 00000000 08:01 12      /x/${token}\n${token}`)).not.toContain(token);
      }),
    );
  });
});

describe('arguments', () => {
  it('no word of the user survives: only the program, its script, known flags and stand-ins of ids', () => {
    const word = fc
      .string({ minLength: 1 })
      .filter((text) => !module.KNOWN_FLAGS.has(text.split('=')[0] as string));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(redact.argv(['/usr/bin/claude', ...words])).toEqual([
          '/usr/bin/claude',
          ...words.map(() => '<arg>'),
        ]);
      }),
    );
  });

  it.each([
    [
      ['/home/bob/.local/bin/claude', '-p', 'write my novel', '--model=opus-x', '--unknown'],
      ['/home/user/.local/bin/claude', '-p', '<arg>', '--model=<arg>', '<arg>'],
    ],
    [
      ['node', '/home/bob/lib/node_modules/@anthropic-ai/claude-code/cli.js', '--resume'],
      ['node', '/home/user/lib/node_modules/@anthropic-ai/claude-code/cli.js', '--resume'],
    ],
    [
      ['bash', '-c', 'echo /home/bob'],
      ['bash', '-c', '<arg>'],
    ],
    [['claude --resume my-title'], ['claude --resume <arg>']],
    [[], []],
  ])('%j', (argv, expected) => {
    expect(redact.argv(argv)).toEqual(expected);
  });

  it('keeps them when asked, without homes and names', () => {
    expect(redact.argv(['sh', '-c', 'cat /home/bob/x; ssh alice@buildbox'], true)).toEqual([
      'sh',
      '-c',
      'cat /home/user/x; ssh other@host',
    ]);
  });

  it.each([
    [
      ['x', '--password', 'hunter2', '-v'],
      ['x', '--password', '<secret>', '-v'],
    ],
    [
      ['x', '--api-key=hunter2', 'DB_PASSWORD=hunter2', '--token', '--all'],
      ['x', '--api-key=<secret>', 'DB_PASSWORD=<secret>', '--token', '--all'],
    ],
    [
      ['curl', '-H', 'Authorization: Bearer hunter2', 'https://joe:hunter2@example.com/x'],
      ['curl', '-H', 'Authorization: <secret>', 'https://<secret>@example.com/x'],
    ],
    [
      ['sh', '-c', `x --password hunter2; SECRET='hunter2' y "token": "hunter2", z postgres://u:hunter2@h/d`],
      [
        'sh',
        '-c',
        `x --password <secret>; SECRET='<secret>' y "token": "<secret>", z postgres://<secret>@h/d`,
      ],
    ],
    [
      ['git', 'commit', '-m', 'passing by: http://example.com/a@b', '--author', 'me'],
      ['git', 'commit', '-m', 'passing by: http://example.com/a@b', '--author', 'me'],
    ],
  ])('keeps %j without what is called a secret', (given, expected) => {
    expect(redact.argv(given, true)).toEqual(expected);
  });
});

describe('texts', () => {
  it('an id has one stand-in wherever it stands', () => {
    const [flag, id] = redact.argv(['claude', '--resume', ID]).slice(1);
    expect(flag).toBe('--resume');
    expect(id).toMatch(/^00000000-0000-4000-8000-\d{12}$/);
    expect(redact.text(`/home/bob/.claude/projects/-home-bob-x/${ID.toUpperCase()}.jsonl`)).toBe(
      `/home/user/.claude/projects/-home-user-x/${id}.jsonl`,
    );
    expect(redact.argv(['claude', `--resume=${ID}`])).toEqual(['claude', `--resume=${id}`]);
  });

  it.each([
    ['/home/bob', '/home/user'],
    ['/home/bobsled/x', '/home/bobsled/x'],
    ['/srv/people/alice/work', '/home/other/work'],
    ['/mnt/alice/BOB/buildbox.example.org', '/mnt/other/user/host'],
    ['/usr/lib/x86_64-linux-gnu/libc.so.6', '/usr/lib/x86_64-linux-gnu/libc.so.6'],
    [
      '/x/node_modules/@anthropic-ai/claude-code-linux-x64/cli.js',
      '/x/node_modules/@anthropic-ai/claude-code-linux-x64/cli.js',
    ],
    ['socket:[1234567]', 'socket:[1234567]'],
    ['anon_inode:[eventpoll]', 'anon_inode:[eventpoll]'],
    ['0::/user.slice/user-1000.slice/session-12.scope', '0::/user.slice/user-1000.slice/session-12.scope'],
  ])('%s becomes %s', (given, expected) => {
    expect(redact.text(given)).toBe(expected);
  });

  it('keeps the facts of stat, status and maps', () => {
    expect(redact.stat('7 (bob (x) y) S 1 2 3\n')).toBe('7 (user (x) y) S 1 2 3\n');
    expect(redact.stat('junk')).toBe('');
    expect(redact.status('Name:\tclaude\nUid:\t1\t1\t1\t1\nGroups:\t4 27 \nNSpid:\t7\n')).toBe(
      'Name:\tclaude\nUid:\t1\t1\t1\t1\nNSpid:\t7\n',
    );
    expect(redact.maps('7f0000000000-7f0000001000 r-xp 00000000 08:01 12   /home/bob/x\n')).toBe(
      '7f0000000000-7f0000001000 r-xp 00000000 08:01 12   /home/user/x\n',
    );
  });

  it('takes only named keys of the environment, and values only of the harmless', () => {
    const entries = ['HOME=/home/bob', 'API_KEY=hunter2', 'OTHER=x', 'junk', '=x'];
    expect(redact.environ(entries, [...module.ENV_KEYS, 'API_KEY'])).toEqual([
      'HOME=/home/user',
      'API_KEY=<value>',
    ]);
  });
});
