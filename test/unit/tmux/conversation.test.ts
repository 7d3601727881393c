import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conversation, type ConversationOptions } from '../../../lib/tmux/conversation.js';
import { FrameDecoder } from '../../../lib/tmux/frames.js';
import { frames, int } from './fake.js';

const LIMIT = 100_000;

interface Told {
  readonly conversation: Conversation;
  /** Types and first words of what it wants to send. */
  readonly replies: (readonly [number, ...number[]])[];
}

function tell(sent: readonly Buffer[], options: Partial<ConversationOptions> = {}): Told {
  const conversation = new Conversation({ maxOutputBytes: LIMIT, ...options });
  const decoder = new FrameDecoder();
  for (const bytes of sent) for (const reply of conversation.receive(bytes)) decoder.push(reply);
  const replies: (readonly [number, ...number[]])[] = [];
  for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
    const words = [0, 4].filter((at) => frame !== undefined && frame.payload.length >= at + 4);
    replies.push([frame.type, ...words.map((at) => (frame as { payload: Buffer }).payload.readInt32LE(at))]);
  }
  return { conversation, replies };
}

const EACCES = 13;
const EBADF = 9;

describe('a conversation', () => {
  it('ends with what the server wrote, each stream by itself', () => {
    const { conversation, replies } = tell([
      frames.writeOpen(1, 1),
      frames.writeOpen(2, 2),
      frames.write(1, 'out'),
      frames.write(2, 'err'),
      frames.write(1, 'put'),
      frames.writeClose(1),
      frames.exit(1),
    ]);
    expect(conversation.outcome).toEqual({
      kind: 'exit',
      status: 1,
      message: '',
      stdout: Buffer.from('output'),
      stderr: Buffer.from('err'),
    });
    expect(replies).toEqual([
      [305, 1, 0],
      [305, 2, 0],
    ]);
  });

  it('takes no file of ours for the server', () => {
    const { conversation, replies } = tell([
      frames.writeOpen(3, -1, '/etc/passwd'),
      frames.readOpen(4, -1, '/etc/shadow'),
      frames.writeOpen(5, 7),
      frames.readOpen(6, 0),
      frames.readOpen(7, 5),
      frames.writeClose(3),
      frames.exit(0),
    ]);
    expect(replies).toEqual([
      [305, 3, EACCES],
      [302, 4, EACCES],
      [305, 5, EBADF],
      [302, 6, EBADF],
      [302, 7, EBADF],
    ]);
    expect(conversation.outcome).toMatchObject({ kind: 'exit', status: 0 });
  });

  it('gives its input when that is admitted, and once', () => {
    const seen: string[] = [];
    const input = {
      bytes: Buffer.from('words'),
      admit: (output: Buffer) => {
        seen.push(output.toString());
        return output.includes('yes')
          ? ('now' as const)
          : output.includes('no')
            ? ('refuse' as const)
            : ('later' as const);
      },
    };
    const start = [frames.writeOpen(1, 1), frames.readOpen(3, 0)];
    const ready = [305, 1, 0];
    const words = int(0).fill('word').readInt32LE(0);
    expect(tell([...start, frames.write(1, 'ye')], { input }).replies).toEqual([ready]);
    expect(
      tell([...start, frames.write(1, 'ye'), frames.write(1, 's'), frames.write(1, '.')], { input }).replies,
    ).toEqual([ready, [301, 3, words], [302, 3, 0]]);
    expect(tell([...start, frames.write(1, 'no')], { input }).replies).toEqual([ready, [302, 3, 125]]);
    expect(tell([...start, frames.readCancel(3), frames.write(1, 'yes')], { input }).replies).toEqual([
      ready,
    ]);
    expect(seen.slice(0, 2)).toEqual(['', 'ye']);
  });

  it('speaks with servers up to 3.0', () => {
    const input = { bytes: Buffer.alloc(3_000, 'x') };
    const { conversation, replies } = tell(
      [
        frames.oldOutput(213, 'one\n', 1_024),
        frames.oldOutput(211, 'err\n', 1_024),
        frames.oldInput(),
        frames.exit(0),
      ],
      { input },
    );
    expect(replies.map(([type, size]) => [type, size])).toEqual([
      [212, 1_024],
      [212, 1_024],
      [212, 952],
      [212, 0],
    ]);
    expect(conversation.outcome).toMatchObject({
      kind: 'exit',
      stdout: Buffer.from('one\n'),
      stderr: Buffer.from('err\n'),
    });
    // Without an example of their size, a block would end such a server.
    expect(tell([frames.oldInput()], { input })).toMatchObject({
      replies: [],
      conversation: { outcome: { kind: 'broken' } },
    });
  });

  it('tells another version, a shutdown and a message from an answer', () => {
    expect(tell([frames.version(9)]).conversation.outcome).toEqual({ kind: 'version', version: 9 });
    const other = frames.exit(0);
    other[8] = 7;
    expect(tell([other]).conversation.outcome).toEqual({ kind: 'version', version: 7 });
    expect(tell([frames.raw(210, Buffer.alloc(0))]).conversation.outcome).toEqual({ kind: 'shutdown' });
    expect(tell([frames.exit(0, 'access not allowed')]).conversation.outcome).toMatchObject({
      message: 'access not allowed',
    });
    expect(tell([frames.raw(203, Buffer.alloc(0))]).conversation.outcome).toMatchObject({
      kind: 'exit',
      status: 0,
    });
  });

  it.each([
    ['an unknown type', [frames.raw(999, Buffer.alloc(0))]],
    ['a type of a client', [frames.raw(200, Buffer.alloc(8))]],
    ['ready, as for a terminal', [frames.raw(207, Buffer.alloc(0))]],
    ['a short exit', [frames.raw(203, Buffer.alloc(2))]],
    ['a message without its end', [frames.raw(203, Buffer.concat([int(0), Buffer.from('text')]))]],
    ['a short open', [frames.raw(303, Buffer.alloc(8))]],
    ['a short read', [frames.raw(300, Buffer.alloc(4))]],
    ['a write without a stream', [frames.raw(304, Buffer.alloc(3))]],
    ['a close of the wrong size', [frames.writeOpen(1, 1), frames.raw(306, Buffer.alloc(8))]],
    ['bytes of a stream that is not open', [frames.write(1, 'x')]],
    [
      'bytes of a stream that is closed',
      [frames.writeOpen(1, 1), frames.writeClose(1), frames.write(1, 'x')],
    ],
    ['bytes of a stream that was refused', [frames.writeOpen(3, -1, '/x'), frames.write(3, 'x')]],
    ['the end of a stream that is not open', [frames.writeClose(5)]],
    ['a stream that is opened twice', [frames.writeOpen(1, 1), frames.writeOpen(1, 2)]],
    [
      'an old block with a size beyond it',
      [frames.raw(213, Buffer.concat([int(5_000), int(0), Buffer.alloc(100)]))],
    ],
    [
      'an old block with a negative size',
      [frames.raw(213, Buffer.concat([int(-1), int(-1), Buffer.alloc(100)]))],
    ],
    ['an empty old block', [frames.raw(213, Buffer.alloc(8))]],
    ['old input with bytes', [frames.oldOutput(213, 'x'), frames.raw(212, Buffer.alloc(4))]],
    ['a header with a length of 0', [Buffer.alloc(16)]],
    ['streams without end', Array.from({ length: 2_000 }, (_, at) => frames.writeOpen(at + 3, 1))],
    [
      'empty frames without end',
      [frames.writeOpen(1, 1), ...Array.from({ length: 9_000 }, () => frames.write(1, ''))],
    ],
    ['cancels without end', Array.from({ length: 9_000 }, () => frames.readCancel(3))],
  ])('is broken by %s', (_, sent) => {
    const { outcome } = tell(sent).conversation;
    expect(outcome).toMatchObject({ kind: 'broken', first: expect.any(Boolean) });
    // What comes after is not looked at.
    const { conversation, replies } = tell([...sent, frames.writeOpen(77_777, 1), frames.exit(0)]);
    expect(conversation.outcome).toEqual(outcome);
    expect(replies.some(([, stream]) => stream === 77_777)).toBe(false);
  });

  it('holds no more than it may', () => {
    const piece = frames.write(1, 'x'.repeat(10_000));
    const endless = [frames.writeOpen(1, 1), ...Array.from({ length: 11 }, () => piece)];
    expect(tell(endless).conversation.outcome).toEqual({ kind: 'limit' });
    expect(tell(endless, { maxOutputBytes: 110_000 }).conversation.outcome).toBe(undefined);
  });

  it('waits, whatever of an answer is missing', () => {
    const whole = Buffer.concat([frames.writeOpen(1, 1), frames.write(1, 'text'), frames.exit(0)]);
    for (let length = 0; length < whole.length; length++) {
      expect(tell([whole.subarray(0, length)]).conversation.outcome).toBe(undefined);
    }
    expect(tell([whole]).conversation.outcome).toMatchObject({ kind: 'exit' });
  });

  it('never throws, and sends only frames that every server can take', () => {
    const some = fc.tuple(
      fc.constantFrom(12, 200, 203, 207, 210, 211, 212, 213, 300, 303, 304, 306, 307, 308, 999),
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.tuple(fc.integer({ min: -1, max: 4 }), fc.integer({ min: -1, max: 3 })),
      ),
    );
    const input = { bytes: Buffer.alloc(20_000, 'i') };
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), fc.boolean(), (all, asked) => {
        const sent = all.map(([type, body]) =>
          frames.raw(type, Array.isArray(body) ? Buffer.concat([...body.map(int), int(0)]) : body),
        );
        const { replies } = tell(sent, asked ? { input } : {});
        const sizes = new Set(replies.map(([type]) => type));
        for (const type of sizes) expect([212, 301, 302, 305]).toContain(type);
      }),
      { numRuns: 500 },
    );
  });
});
