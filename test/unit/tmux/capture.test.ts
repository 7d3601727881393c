import { afterEach, expect, it } from 'vitest';
import { captureAll } from '../../../lib/index.js';
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
