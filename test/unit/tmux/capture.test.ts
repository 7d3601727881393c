import { afterEach, describe, expect, it } from 'vitest';
import { captureAll, type PaneRef } from '../../../lib/index.js';
import { FakeServer, frames, type Peer } from './fake.js';

const fakes: FakeServer[] = [];
afterEach(async () => {
  for (const each of fakes.splice(0)) await each.end();
});

/** What a request asks of each pane: a record of it, and its text. */
function askedOf({ argv = [] }: Peer): { readonly id: string; readonly answer: string }[] {
  return argv.flatMap((word, at) => {
    const [mark] = /^<[0-9a-f]+>/.exec(word) ?? [];
    const id = argv[at - 1] ?? '';
    return mark === undefined
      ? []
      : [{ id, answer: `${mark}${['1', '2', '3.3a', id].join(mark)}${mark}\ntext of ${id}\n` }];
  });
}

it.each(['%0', '%1', '%2', '%3'])(
  'gives no pane the text of others where a server that fails nothing leaves %s out',
  async (left) => {
    const fake = await FakeServer.start(async (peer) => {
      await peer.frame(200);
      const asked = askedOf(peer);
      const told = asked.length === 1 ? asked : asked.filter(({ id }) => id !== left);
      peer.send(frames.writeOpen(1, 1));
      await peer.frame(305);
      peer.send(frames.write(1, told.map(({ answer }) => answer).join('')), frames.exit(0));
    });
    fakes.push(fake);
    const ids = ['%0', '%1', '%2', '%3'];
    const answers = await captureAll(
      ids.map((id) => ({ socket: fake.socket, id })),
      { way: 'protocol' },
    );
    expect(answers).toEqual(ids.map((id) => ({ ok: true, text: `text of ${id}\n`, way: 'protocol' })));
  },
);

/** A server that is asked for a chain of panes; how many requests were open at once at most. */
async function scene(serve: (peer: Peer) => unknown) {
  let open = 0;
  const most = { open: 0 };
  const fake = await FakeServer.start((peer) => {
    open++;
    most.open = Math.max(most.open, open);
    peer.socket.on('close', () => {
      open--;
    });
    return serve(peer);
  });
  fakes.push(fake);
  const refs: PaneRef[] = Array.from({ length: 24 }, (_, at) => ({ socket: fake.socket, id: `%${at}` }));
  return { fake, refs, most };
}

const kinds = (answers: Awaited<ReturnType<typeof captureAll>>) =>
  answers.map((answer) => (answer.ok ? 'text' : answer.failure.kind));

describe('captureAll() of a server that', () => {
  it('writes more than it may holds one answer at a time', async () => {
    const { refs, most } = await scene(async (peer) => {
      await peer.frame(200);
      peer.send(frames.writeOpen(1, 1), frames.write(1, 'x'.repeat(200)));
    });
    const answers = await captureAll(refs, { way: 'protocol', maxOutputBytes: 100, timeoutMs: 60_000 });
    expect(new Set(kinds(answers))).toEqual(new Set(['limit']));
    // One that ends may not have been seen to end when the next comes.
    expect(most.open).toBeLessThanOrEqual(2);
  });

  it('fails at each pane, and late, is not asked without end', async () => {
    const { fake, refs } = await scene(async (peer) => {
      await peer.frame(200);
      setTimeout(() => peer.send(frames.exit(1)), 60);
    });
    const answers = await captureAll(refs, { way: 'protocol', timeoutMs: 100 });
    expect(kinds(answers)).toContain('timeout');
    expect(fake.peers.length).toBeLessThan(refs.length);
  });
});
