import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PaneInventory, panes, tmuxServers } from '../../../lib/index.js';
import { missingTmux, ownServers, place, Server, until } from './start.js';

const missing = missingTmux();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

const { server, servers } = ownServers();

/** What `panes()` says of given sockets alone. */
const read = (...of: readonly Server[]): Promise<PaneInventory> =>
  panes({ tmuxSockets: of.map(({ socket }) => socket), way: 'protocol', timeoutMs: 20_000 });

describe.skipIf(missing !== undefined)('panes()', () => {
  it('H29 gives titles and paths exactly, whatever stands in them', async () => {
    const tmux = server();
    const names = ['a|b', 'tab\there', 'two\nlines', 'snow☃ 😀', ' q\'uote"', '#{pane_id} %H', 'end;'];
    // By the shell, since tmux takes what follows -c for a format.
    const ids = names.map((name, at) => {
      const cwd = join(tmux.folder, name);
      mkdirSync(cwd);
      const command = `cd '${cwd.replaceAll("'", "'\\''")}' && exec sleep 600`;
      return at === 0 ? tmux.start(command) : tmux.pane(command);
    });
    const titles = ['x|y|z', 'tab\tin it', 'ünï 😀', '#{session_name}', '%H:%M', '  spaced  ', 'a;b;'];
    titles.forEach((title, at) => {
      tmux.run(
        'select-pane',
        '-t',
        ids[at] as string,
        '-T',
        title.replaceAll('#', '##').replace(/;$/, '\\;'),
      );
    });
    // A control character never gets into a title of this version: what tmux itself says is the measure.
    const said = ids.map((id) => tmux.run('display-message', '-p', '-t', id, '#{pane_title}').slice(0, -1));
    const found = await until('every shell is in its folder', async () => {
      const { panes: all } = await read(tmux);
      return all.every(({ command }) => command === 'sleep') && all;
    });
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found.map(({ cwd }) => cwd)).toEqual(names.map((name) => join(tmux.folder, name)));
    expect(found.map(({ title }) => title)).toEqual(said);
    expect(said.filter((title) => titles.includes(title)).length).toBeGreaterThanOrEqual(5);
  });

  it('agrees with tmux about every field', async () => {
    const tmux = server();
    tmux.start();
    tmux.run('split-window', '-d', 'exec sleep 601');
    const format =
      'pane_id pane_pid session_id session_name window_id window_name pane_index pane_active pane_tty pane_width pane_height';
    const lines = tmux
      .run(
        'list-panes',
        '-a',
        '-F',
        format
          .split(' ')
          .map((name) => `#{${name}}`)
          .join('\t'),
      )
      .trim()
      .split('\n');
    const { panes: found, state } = await read(tmux);
    expect(state).toBe('read');
    expect(
      found.map((pane) =>
        [pane.id, pane.rootPid, pane.sessionId, pane.sessionName, pane.windowId, pane.windowName, pane.index]
          .concat([pane.active ? 1 : 0, pane.tty, pane.width, pane.height])
          .join('\t'),
      ),
    ).toEqual(lines);
    expect(found[0]?.server.pid).toBe(tmux.pid);
    expect(new Set(found.map(({ key }) => key)).size).toBe(2);
  });

  it('tells when something was written last, to the pane or to another of its window', async () => {
    const tmux = server();
    const id = tmux.start();
    const own = () => Number(tmux.run('display-message', '-p', '-t', id, '#{window_activity}'));
    const agrees = async () => {
      const before = own();
      const [pane] = (await read(tmux)).panes;
      return pane?.activity === before && own() === before;
    };
    await until('both say the same', agrees);
    const first = own();
    tmux.run('split-window', '-d', 'while :; do echo again; sleep 0.2; done');
    await until('a second has passed', () => own() > first);
    await until('both say the same', agrees);
  });

  it('L53 keeps a pane without a title', async () => {
    const tmux = server();
    const pane = tmux.start();
    tmux.run('select-pane', '-t', pane, '-T', '');
    expect((await read(tmux)).panes).toMatchObject([{ id: pane, title: '' }]);
  });

  it('reads 200 panes', async () => {
    const tmux = server();
    tmux.start();
    const more = Array.from({ length: 199 }, () => ['new-window', '-d', 'exec sleep 600']);
    for (let at = 0; at < more.length; at += 50) {
      tmux.run(...more.slice(at, at + 50).flatMap((command) => [...command, ';']));
    }
    const { panes: found } = await read(tmux);
    expect(found.length).toBe(200);
    const listed = tmux.run('list-panes', '-a', '-F', '#{pane_id} #{pane_pid}').trim().split('\n');
    expect(found.map(({ id, rootPid }) => `${id} ${rootPid}`)).toEqual(listed);
  });

  it('lists a pane of grouped sessions once, with every session, and asks the caller which count', async () => {
    const tmux = server();
    tmux.start('exec sleep 600', '-s', 'one');
    tmux.run('new-session', '-d', '-t', 'one', '-s', 'two');
    tmux.run('new-session', '-d', '-s', 'other', 'exec sleep 600');
    const { panes: found } = await read(tmux);
    expect(found.map(({ sessions }) => sessions.map(({ name }) => name))).toEqual([
      ['one', 'two'],
      ['other'],
    ]);
    expect(found[0]?.sessions[0]?.group).toBe(found[0]?.sessions[1]?.group);
    expect(found[1]?.sessions[0]?.group).toBe(null);
    const options = { tmuxSockets: [tmux.socket] };
    const some = await panes({ ...options, sessions: ({ name }) => name === 'two' });
    expect(some.panes.map(({ sessionName }) => sessionName)).toEqual(['two']);
  });

  it('keeps servers apart, one inside the pane of another', async () => {
    const [outer, inner] = [server('outer'), server('inner')];
    outer.start(
      `exec env -i PATH="$PATH" SHELL=/bin/sh TERM=screen LC_ALL=C.UTF-8 tmux -S ${inner.socket} -f /dev/null new-session 'exec sleep 600'`,
    );
    const inventory = await until('the inner server has its pane and its client', async () => {
      const now = await read(outer, inner);
      return now.panes.length === 2 && now.panes[1]?.attached && now;
    });
    expect(inventory.panes.map(({ id }) => id)).toEqual(['%0', '%0']);
    expect(inventory.panes.map(({ socket }) => socket)).toEqual([outer.socket, inner.socket]);
    expect(inventory.panes[0]?.key).not.toBe(inventory.panes[1]?.key);
    expect(inventory.panes[0]?.attached).toBe(false);
  });

  it('shows a pane without any program', async () => {
    const tmux = server();
    const id = tmux.start();
    tmux.run('split-window', '-d', '-t', id, '');
    const inventory = await read(tmux);
    expect(inventory.state).toBe('read');
    expect(inventory.panes.map(({ rootPid, dead }) => [rootPid > 0, dead])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('L26 shows dead panes and how their process ended', async () => {
    const tmux = server();
    tmux.start();
    tmux.run('set-option', '-g', 'remain-on-exit', 'on');
    tmux.pane('exit 3');
    tmux.pane('kill -9 $$');
    const found = await until('both have ended', async () => {
      tmux.reap();
      const { panes: all } = await read(tmux);
      // A pane is dead before tmux has been told how its process ended.
      const ended = all.filter(({ dead, exitStatus }) => dead && exitStatus !== undefined);
      return ended.length === 2 && all;
    });
    expect(found.map(({ dead, exitStatus, exitSignal }) => [dead, exitStatus, exitSignal])).toEqual([
      [false, null, null],
      [true, 3, null],
      [true, null, 9],
    ]);
    expect(found[1]?.cwd).toBe(null);
  });

  it('L27 gives the panes of the next server on a socket other keys', async () => {
    const tmux = server();
    tmux.start();
    const before = await read(tmux);
    await tmux.kill();
    await until('it is gone', async () => (await read(tmux)).state === 'empty');
    tmux.start();
    const after = await panes({ tmuxSockets: [tmux.socket], previous: before });
    expect(after.panes.map(({ id }) => id)).toEqual(['%0']);
    expect(after.panes[0]?.key).not.toBe(before.panes[0]?.key);
  });

  it('L25 tells a server that does not answer from one that is not there, and freezes its panes alone', async () => {
    const [stopped, well, gone] = [server('stopped'), server('well'), server('gone')];
    stopped.start();
    well.start();
    gone.start();
    const before = await read(stopped, well, gone);
    expect(before.state).toBe('read');
    const { pid } = stopped;
    await gone.kill();
    process.kill(pid, 'SIGSTOP');
    try {
      const options = { tmuxSockets: [stopped, well, gone].map(({ socket }) => socket), timeoutMs: 2_000 };
      const after = await panes({ ...options, previous: before });
      expect(after.state).toBe('failed');
      expect(after.servers.map(({ state }) => state)).toEqual(['failed', 'running', 'absent']);
      const [failed] = after.servers;
      expect(failed).toMatchObject({ failure: { kind: 'timeout' }, panes: before.servers[0]?.panes });
      expect(after.panes.map(({ key }) => key)).toEqual(before.panes.slice(0, 2).map(({ key }) => key));
      const first = await panes(options);
      expect(first.servers[0]).toMatchObject({ state: 'failed', panes: [], at: undefined });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const again = await read(stopped, well);
    expect(again.state).toBe('read');
  });

  it('waits where the queue of a server is full for a moment', async () => {
    const tmux = server();
    tmux.start();
    const { pid } = tmux;
    const idle: Socket[] = [];
    const enters = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(tmux.socket, () => resolve(true));
        socket.on('error', () => resolve(false));
        idle.push(socket);
      });
    process.kill(pid, 'SIGSTOP');
    try {
      await until('the queue is full', async () => !(await enters()));
      const asked = panes({ tmuxSockets: [tmux.socket], way: 'protocol', timeoutMs: 20_000 });
      // A refusal would come at once; nothing is to come before the server goes on.
      await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 500))]);
      process.kill(pid, 'SIGCONT');
      for (const socket of idle) socket.destroy();
      expect((await asked).state).toBe('read');
    } finally {
      process.kill(pid, 'SIGCONT');
      for (const socket of idle) socket.destroy();
    }
  });

  it('says timeout where the queue of a stopped server is full', async () => {
    const tmux = server();
    tmux.start();
    const { pid } = tmux;
    process.kill(pid, 'SIGSTOP');
    try {
      const kinds = new Set<string>();
      for (let at = 0; at < 5; at++) {
        const all = await Promise.all(
          Array.from({ length: 60 }, () => panes({ tmuxSockets: [tmux.socket], timeoutMs: 200 })),
        );
        for (const {
          servers: [only],
        } of all)
          kinds.add(only?.state === 'failed' ? only.failure.kind : 'answered');
      }
      expect([...kinds]).toEqual(['timeout']);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('it answers again', async () => (await read(tmux)).state === 'read');
  });

  it('reads a server without sessions', async () => {
    const tmux = server();
    tmux.start();
    tmux.run('set-option', '-s', 'exit-empty', 'off');
    tmux.run('kill-session');
    const inventory = await read(tmux);
    expect(inventory.servers).toMatchObject([{ state: 'running', panes: [] }]);
    expect(inventory.state).toBe('read');
  });

  it('changes nothing in tmux', async () => {
    const tmux = server();
    tmux.start();
    const facts = () => [
      tmux.run(
        'display-message',
        '-p',
        '#{session_attached} #{session_last_attached} #{session_activity} #{window_activity}',
      ),
      tmux.run('list-clients'),
      tmux.run('show-options', '-s'),
      tmux.run('list-buffers'),
    ];
    const before = facts();
    for (let at = 0; at < 5; at++) await read(tmux);
    expect(facts()).toEqual(before);
  });
});

describe.skipIf(missing !== undefined)('tmuxServers()', () => {
  it('finds servers in TMUX, in TMUX_TMPDIR, in the folder of the user and by their process', async () => {
    const uid = process.getuid?.() ?? 0;
    const home = place();
    try {
      const [tmp, own] = [join(home.folder, 't'), join(home.folder, 'o')];
      for (const each of [tmp, own]) mkdirSync(join(each, `tmux-${uid}`), { recursive: true, mode: 0o700 });
      const at = (...parts: string[]) => {
        const made = new Server(join(...parts), { folder: home.folder, remove: () => {} });
        servers.push(made);
        made.start();
        return made;
      };
      const [inTmp, inOwn, elsewhere, named] = [
        at('t', `tmux-${uid}`, 'default'),
        at('o', `tmux-${uid}`, 'l'),
        at('e'),
        at('n'),
      ];
      writeFileSync(join(tmp, `tmux-${uid}`, 'default.lock'), '');
      const options = { tmpDir: tmp, env: { TMUX_TMPDIR: own, TMUX: `${named.socket},1,0` } };
      const found = await tmuxServers({ ...options, timeoutMs: 10_000 });
      const sockets = found.servers.map(({ socket }) => socket);
      expect(sockets).toEqual(
        expect.arrayContaining([inTmp, inOwn, elsewhere, named].map(({ socket }) => socket)),
      );
      const without = await tmuxServers({ ...options, processes: false });
      expect(without.servers.map(({ socket }) => socket).sort()).toEqual(
        [inTmp, inOwn, named].map(({ socket }) => socket).sort(),
      );
      const [server] = without.servers.filter(({ socket }) => socket === inTmp.socket);
      const version = inTmp.run('display-message', '-p', '#{version}').trim();
      expect(server).toMatchObject({ protocol: 8, version, pid: inTmp.pid, way: 'protocol', fallback: null });
      expect(without.refused).toEqual([]);
    } finally {
      for (const each of servers.splice(0)) each.end();
      home.remove();
    }
  });

  it('counts a server that has two names once', async () => {
    const tmux = server();
    tmux.start();
    symlinkSync(tmux.folder, join(tmux.folder, 'again'));
    const found = await tmuxServers({ tmuxSockets: [tmux.socket, join(tmux.folder, 'again', 's')] });
    expect(found.servers.map(({ socket }) => socket)).toEqual([tmux.socket]);
  });
});
