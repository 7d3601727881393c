import { describe, expect, it } from 'vitest';
import { capture, captureAll, panes } from '../../../lib/index.js';
import { missingTmux, ownServers, until } from './start.js';

const missing = missingTmux();
const { server } = ownServers();

const way = { way: 'protocol', timeoutMs: 20_000 } as const;

describe.skipIf(missing !== undefined)('capture()', () => {
  it('gives what tmux itself captures', async () => {
    const tmux = server();
    const id = tmux.start(
      "i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); done; printf '\\033[31mred\\033[0m ünï 😀\\n'; printf '%0200d\\n' 7; printf done; exec sleep 600",
    );
    const pane = { socket: tmux.socket, id };
    await until('all is written', () => tmux.run('capture-pane', '-p', '-t', id).includes('done'));
    const own = (...args: string[]) => tmux.run('capture-pane', '-p', '-J', '-t', id, ...args);
    const text = async (options: Parameters<typeof capture>[1]) => {
      const answer = await capture(pane, { ...way, ...options });
      if (!answer.ok) throw new Error(answer.failure.message);
      expect(answer.way).toBe('protocol');
      return answer.text;
    };
    expect(await text({})).toBe(own('-e', '-S', '-100'));
    expect(await text({ ansi: false, historyLines: 30 })).toBe(own('-S', '-30'));
    expect(await text({ historyLines: 1 })).toBe(own('-e', '-S', '-20'));
    expect(await text({ historyLines: 9_999 })).toBe(own('-e', '-S', '-300'));
    expect(await text({ visible: true })).toBe(own('-e'));
    expect(await text({ visible: true })).toContain('\x1b[31m');
    expect(await capture(pane, { way: 'binary' })).toMatchObject({
      ok: true,
      text: own('-e', '-S', '-100'),
      way: 'binary',
    });
  });

  it('is null for a pane that tmux does not know, and a failure where it cannot be asked', async () => {
    const tmux = server();
    const id = tmux.start();
    expect(await capture({ socket: tmux.socket, id: '%77' })).toMatchObject({ ok: true, text: null });
    const other = { pid: tmux.pid, start: 1 };
    expect(await capture({ socket: tmux.socket, id, server: other })).toMatchObject({ ok: true, text: null });
    const { pid } = tmux;
    process.kill(pid, 'SIGSTOP');
    try {
      const answer = await capture({ socket: tmux.socket, id }, { timeoutMs: 500 });
      expect(answer).toMatchObject({ ok: false, failure: { kind: 'timeout', fault: { kind: 'timeout' } } });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await tmux.kill();
    await until('it is gone', async () => (await panes({ tmuxSockets: [tmux.socket] })).state === 'empty');
    expect(await capture({ socket: tmux.socket, id })).toEqual({ ok: true, text: null, way: undefined });
  });
});

const says = (text: string) => `printf '${text}'; exec sleep 600`;

describe.skipIf(missing !== undefined)('captureAll()', () => {
  it('gives each pane what tmux captures of it, in their order, also beside panes that are gone', async () => {
    const [one, two] = [server(), server()];
    const first = [
      one.start(says('pane 0')),
      ...Array.from({ length: 29 }, (_, i) => one.pane(says(`pane ${i + 1}`))),
    ];
    const second = [two.start(says('ünï <1> 😀')), two.pane(says('last'))];
    await until('all is written', () =>
      first.every((id, at) => one.run('capture-pane', '-p', '-t', id).startsWith(`pane ${at}\n`)),
    );
    await until('all is written', () =>
      two.run('capture-pane', '-p', '-t', second[1] ?? '').includes('last'),
    );
    const gone = ['%900', '%901', '%902'].map((id) => ({ socket: one.socket, id }));
    const known = first.map((id) => ({ socket: one.socket, id }));
    const refs = [
      ...gone.slice(0, 1),
      ...known.slice(0, 7),
      ...gone.slice(1),
      ...second.map((id) => ({ socket: two.socket, id })),
      { ...(known[7] as (typeof known)[0]), server: { pid: one.pid, start: 1 } },
      ...known.slice(7),
      known[0] as (typeof known)[0],
    ];
    const own = ({ socket, id }: { socket: string; id: string }) =>
      (socket === one.socket ? one : two).run('capture-pane', '-p', '-J', '-t', id);
    const expected = refs.map((ref) => (gone.includes(ref) || 'server' in ref ? null : own(ref)));
    const answers = await captureAll(refs, { ...way, visible: true, ansi: false });
    expect(answers.map((answer) => answer.ok && answer.text)).toEqual(expected);
    expect(new Set(expected).size).toBe(33);
    expect(await captureAll([])).toEqual([]);
  });

  it('fails of the pane alone that has more than may be read', async () => {
    const tmux = server();
    const ids = [tmux.start(says('a')), tmux.pane(says('%0600d')), tmux.pane(says('c'))];
    await until('all is written', () => tmux.run('capture-pane', '-p', '-t', ids[1] ?? '').includes('0000'));
    await until('all is written', () => tmux.run('capture-pane', '-p', '-t', ids[2] ?? '').includes('c'));
    await until('all is written', () => tmux.run('capture-pane', '-p', '-t', ids[0] ?? '').includes('a'));
    const refs = ids.map((id) => ({ socket: tmux.socket, id }));
    const answers = await captureAll(refs, { ...way, visible: true, ansi: false, maxOutputBytes: 400 });
    expect(answers.map((answer) => (answer.ok ? answer.text?.trim() : answer.failure.kind))).toEqual([
      'a',
      'limit',
      'c',
    ]);
  });
});
