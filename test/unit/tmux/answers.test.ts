import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { panes, type ServerPanes } from '../../../lib/index.js';
import { FakeServer, frames, type Peer } from './fake.js';

const fakes: FakeServer[] = [];
async function fake(serve: (peer: Peer) => unknown): Promise<FakeServer> {
  const made = await FakeServer.start(serve);
  fakes.push(made);
  return made;
}
afterEach(async () => {
  for (const each of fakes.splice(0)) await each.end();
});

/** Answers a command as servers from 3.1 on do. */
async function answer(peer: Peer, text: string, status = 0): Promise<void> {
  await peer.frame(200);
  peer.send(frames.writeOpen(1, 1));
  await peer.frame(305);
  peer.send(frames.write(1, text), frames.exit(status));
}

/** What a pane of a real server is told as, in the order in which it is asked. */
const VALUES = {
  ...{ serverPid: '1', serverStart: '2', version: '3.3a', id: '%0', rootPid: '7', sessionId: '$0' },
  ...{ sessionName: 's', group: '', attached: '0', windowId: '@0', windowIndex: '0', windowName: 'w' },
  ...{ index: '0', active: '1', cwd: '/', title: 't', dead: '0', exitStatus: '', exitSignal: '' },
  ...{ command: 'sh', tty: '/dev/x', width: '80', height: '24', activity: '5' },
} as const;
const values: readonly string[] = Object.values(VALUES);

const body = (mark: string, cells: readonly string[]) => `${mark}${cells.join(mark)}${mark}\n`;
const head = (mark: string) => body(mark, ['1', '2', '3.3a']);

/** What panes() makes of the answer of a server; `make` gets the separators that were asked for. */
async function run(make: (head: string, mark: string) => string): Promise<ServerPanes | undefined> {
  const { socket } = await fake(async (peer) => {
    await peer.frame(200);
    const mark = (of: string): string => {
      const format = peer.argv?.find((word) => word.includes(of)) ?? '';
      return /^<[0-9a-f]+>/.exec(format)?.[0] ?? '';
    };
    await answer(peer, make(mark('start_time'), mark('pane_pid')));
  });
  return (await panes({ tmuxSockets: [socket] })).servers[0];
}

const withPane = (change: Partial<Record<keyof typeof VALUES, string>>) =>
  run((one, two) => head(one) + body(two, Object.values({ ...VALUES, ...change })));

describe('answers that are not what was asked for', () => {
  it('make a failed inventory and no empty one', async () => {
    for (const text of ['', 'garbage\n', '%0 1 2\n']) {
      const { socket } = await fake((peer) => answer(peer, text));
      const got = await panes({ tmuxSockets: [socket] });
      expect(got).toMatchObject({
        state: 'failed',
        panes: [],
        servers: [{ state: 'failed', failure: { kind: 'broken' } }],
      });
    }
    const { socket } = await fake((peer) => answer(peer, '', 1));
    expect(await panes({ tmuxSockets: [socket] })).toMatchObject({
      servers: [{ failure: { kind: 'command' } }],
    });
  });

  it('make a record that was cut, or has too much, broken', async () => {
    expect(await run((one, two) => head(one) + body(two, values))).toMatchObject({
      state: 'running',
      panes: [{ id: '%0', title: 't' }],
    });
    expect(await run((one) => head(one))).toMatchObject({ state: 'running', panes: [] });
    expect(await run((one, two) => head(one) + body(two, values.slice(1)))).toMatchObject({
      state: 'failed',
    });
    expect(await run((one, two) => head(one) + body(two, values).slice(0, -1))).toMatchObject({
      state: 'failed',
    });
    expect(await run((one, two) => `${head(one)}${body(two, values)}more`)).toMatchObject({
      state: 'failed',
    });
    expect(
      await run((one, two) => head(one) + body(two, ['1', '2', '3.3a', 'x', ...values.slice(4)])),
    ).toMatchObject({ state: 'failed' });
    expect(await run((_, two) => body(two, values))).toMatchObject({ state: 'failed' });
  });

  it.each([
    ...['-1', '0', '-2147483648', '2147483648', '999999999999999', '', '7 ', '0x7', '1e3'].map((rootPid) => ({
      rootPid,
    })),
    ...['-1', '0', '65536', '999999999999999', ''].flatMap((cells) => [{ width: cells }, { height: cells }]),
    ...['-1', '2147483648', ''].map((index) => ({ index })),
    ...['-1', '0', '2147483648'].map((pid) => ({ rootPid: pid, dead: '' })),
    { rootPid: '-1', dead: '1' },
  ])('make a record with %j broken, which no tmux writes', async (change) => {
    expect(await withPane(change)).toMatchObject({
      state: 'failed',
      panes: [],
      failure: { kind: 'broken', fault: { kind: 'malformed' } },
    });
  });

  it.each([
    { rootPid: '1', width: '1', height: '1' },
    { rootPid: '2147483647', width: '65535', height: '65535', index: '2147483647' },
    { rootPid: '0', dead: '1' },
  ])('but not one with %j', async (change) => {
    expect(await withPane(change)).toMatchObject({ state: 'running', panes: [{ id: '%0' }] });
  });

  it('never make a pane out of numbers that cannot be, whatever stands in their place', async () => {
    const number = fc.oneof(
      fc.integer().map(String),
      fc.bigInt().map(String),
      fc.string({ maxLength: 8 }),
      fc.constantFrom('0', '1', '80', '-0', '+1', '01', 'NaN', 'Infinity', ' 1', '65535', '65536'),
    );
    await fc.assert(
      fc.asyncProperty(number, number, number, number, async (rootPid, index, width, height) => {
        const got = await withPane({ rootPid, index, width, height });
        if (got?.state !== 'running') {
          expect(got).toMatchObject({ state: 'failed', panes: [], failure: { kind: 'broken' } });
          return;
        }
        for (const pane of got.panes) {
          expect(pane.rootPid).toBeGreaterThan(0);
          expect(pane.index).toBeGreaterThanOrEqual(0);
          for (const cells of [pane.width, pane.height]) {
            expect(cells).toBeGreaterThan(0);
            expect(cells).toBeLessThanOrEqual(65_535);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
