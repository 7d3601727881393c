/** `procscope send` and `capture` as people run them, and `--watch` on a terminal that gets another size. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingTmux, ownServers, readerIn, Server, until } from '../tmux/start.js';

const MAIN = join(__dirname, '../../../dist/cli/main.js');
const missing = missingTmux();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

const { servers } = ownServers();

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command on the panes of one server; `input` is its standard input. */
function cli({ socket }: Server, args: readonly string[], input: string | Buffer = ''): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args, '--tmux-socket', socket], {
    encoding: 'utf8',
    input,
  });
  return { code: status, out: stdout, err: stderr };
}

const SENT: Outcome = { code: 0, out: 'sent\n', err: '' };

describe.skipIf(missing !== undefined || process.platform !== 'linux')('procscope send', () => {
  it('types a text and Enter, a literal text, a key', async () => {
    const { tmux, pane, got } = await readerIn(servers, 'bracketed');
    expect(cli(tmux, ['send', pane.id, 'a text'])).toEqual(SENT);
    expect(cli(tmux, ['send', pane.id, 'Up', '--literal'])).toEqual(SENT);
    expect(cli(tmux, ['send', pane.id, 'Up', '--key'])).toEqual(SENT);
    const whole = 'a text\rUp\x1b[A';
    expect((await got(whole.length)).toString()).toBe(whole);
  });

  it('takes a text of several lines, and any bytes, from standard input', async () => {
    const { tmux, pane, got } = await readerIn(servers, 'bracketed');
    expect(cli(tmux, ['send', pane.id, '-'], 'one\ntwo ☃\n\n')).toEqual(SENT);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    expect(cli(tmux, ['send', pane.id, '-', '--paste'], bytes)).toEqual(SENT);
    const text = Buffer.from('\x1b[200~one\ntwo ☃\x1b[201~\r');
    const whole = Buffer.concat([text, Buffer.from('\x1b[200~'), bytes, Buffer.from('\x1b[201~')]);
    expect((await got(whole.length)).equals(whole)).toBe(true);
  });

  it('sends nothing where standard input is too long or empty', async () => {
    const { tmux, pane, got } = await readerIn(servers);
    const long = cli(tmux, ['send', pane.id, '-'], Buffer.alloc((16 << 20) + 1, 'x'));
    expect(long).toMatchObject({ code: 2, out: '' });
    expect(long.err).toContain('at most 16777216 bytes');
    expect(cli(tmux, ['send', pane.id, '-'])).toEqual({
      ...{ code: 1, out: '', err: `procscope: not sent: there is nothing to send; ${pane.id} got nothing\n` },
    });
    expect(cli(tmux, ['send', pane.id, '-', '-l'], 'mark\n')).toEqual(SENT);
    expect((await got(4)).toString()).toBe('mark');
  });

  it('sends to the process that is meant, or nothing', async () => {
    const { tmux, pane, got } = await readerIn(servers);
    const agent = tmux.run('display-message', '-p', '-t', pane.id, '#{pane_pid}').trim();
    const elsewhere = cli(tmux, ['send', pane.id, 'no', '--agent', String(tmux.pid)]);
    expect(elsewhere).toEqual({
      ...{ code: 1, out: '' },
      err: `procscope: not sent: the process is not one of the pane; ${pane.id} got nothing\n`,
    });
    expect(cli(tmux, ['send', pane.id, 'yes', '--agent', agent])).toEqual(SENT);
    expect((await got(4)).toString()).toBe('yes\r');
  });

  it('says of a pane in copy mode, and of one that is not there, that it got nothing', async () => {
    const { tmux, pane } = await readerIn(servers);
    tmux.run('copy-mode', '-t', pane.id);
    const mode = cli(tmux, ['send', pane.id, 'text', '--json']);
    expect({ code: mode.code, err: mode.err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(mode.out)).toMatchObject({ ok: false, reason: 'mode', delivered: 'nothing' });
    expect(cli(tmux, ['send', '%99', 'text'])).toEqual({
      ...{ code: 1, out: '', err: 'procscope: there is no pane %99\n' },
    });
    expect(cli(tmux, ['send', pane.id]).code).toBe(2);
  });
});

describe.skipIf(missing !== undefined || process.platform !== 'linux')('procscope capture', () => {
  it('prints the screen of a pane, with what stands above it where that is asked for', async () => {
    const tmux = new Server();
    servers.push(tmux);
    const id = tmux.start("seq 1 100; printf 'a\\033[31mred'; exec sleep 600");
    const screen = () => tmux.run('capture-pane', '-p', '-t', id).trimEnd();
    await until('all is printed', () => screen().endsWith('ared'));
    expect(cli(tmux, ['capture', id])).toEqual({ code: 0, out: `${screen()}\n`, err: '' });
    const history = cli(tmux, ['capture', id, '--history', '30', '--ansi']).out.split('\n');
    const above = tmux.run('capture-pane', '-p', '-e', '-t', id, '-S', '-30').trimEnd().split('\n');
    expect(history[0]).toBe(above[0]);
    expect(history.at(-2)).toBe('a\x1b[31mred\x1b[0m');
    expect(JSON.parse(cli(tmux, ['capture', id, '--json']).out)).toMatchObject({ ok: true, way: 'protocol' });
  });

  it('fails where there is no pane, and where nobody is to be asked', async () => {
    const tmux = new Server();
    servers.push(tmux);
    const id = tmux.start();
    const none = (pane: string) => ({ code: 1, out: '', err: `procscope: there is no pane ${pane}\n` });
    expect(cli(tmux, ['capture', '%99'])).toEqual(none('%99'));
    await tmux.kill();
    expect(cli(tmux, ['capture', id])).toEqual(none(id));
  });
});

describe.skipIf(missing !== undefined || process.platform !== 'linux')('procscope panes --watch', () => {
  it('fills a terminal that got another size at once, and gives the cursor back at the end', async () => {
    const tmux = new Server();
    servers.push(tmux);
    // The next look is an hour away.
    const watch = `'${process.execPath}' '${MAIN}' panes --watch --interval 3600000 --tmux-socket ${tmux.socket}`;
    const id = tmux.start(`trap : INT; ${watch}; echo over; exec sleep 600`, '-x', '30', '-y', '4');
    const screen = () => tmux.run('capture-pane', '-p', '-t', id);
    const shows = (text: string) => screen().includes(text);
    const resize = (columns: number, rows: number) =>
      tmux.run('resize-window', '-t', id, '-x', String(columns), '-y', String(rows));
    await until('the table is cut', () => shows('more lines') && shows('SESSION'));
    expect(screen()).not.toContain('TITLE');
    resize(150, 20);
    await until('all of it is there', () => shows('TITLE') && shows('1 pane of 1 tmux server.'));
    expect(screen()).not.toContain('more lines');
    resize(30, 4);
    await until('the table is cut again', () => shows('more lines') && !shows('TITLE'));
    const cursor = () => tmux.run('display-message', '-p', '-t', id, '#{cursor_flag}');
    expect(cursor()).toBe('0\n');
    tmux.run('send-keys', '-t', id, 'C-c');
    await until('it has ended', () => shows('over'));
    expect(cursor()).toBe('1\n');
  });
});
