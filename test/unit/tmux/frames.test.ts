import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeFrame,
  type Frame,
  FrameDecoder,
  FrameError,
  MAX_PAYLOAD_BYTES,
} from '../../../lib/tmux/frames.js';
import {
  argumentProblem,
  decodeAnswer,
  encodeInput,
  encodeOldInput,
  encodeRequest,
  encodeWriteReady,
  MAX_ARGUMENT_BYTES,
  MessageError,
} from '../../../lib/tmux/messages.js';

/** Decodes bytes that come in pieces of the given sizes, again and again. */
function decode(bytes: Buffer, sizes: readonly number[] = [bytes.length || 1]): Frame[] {
  const decoder = new FrameDecoder();
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    decoder.push(bytes.subarray(at, at + size));
    at += size;
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) frames.push(frame);
  }
  expect(decoder.pending).toBe(0);
  return frames;
}

const argument = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !text.includes('\0'));
const payload = fc.uint8Array({ maxLength: MAX_PAYLOAD_BYTES });

describe('frames', () => {
  it('come out as they went in, in whatever pieces they come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(0xffff), payload), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 5 }),
        (sent, sizes) => {
          const bytes = Buffer.concat(sent.map(([type, body]) => encodeFrame(type, body)));
          const got = decode(bytes, sizes);
          expect(got.map(({ type, version }) => [type, version])).toEqual(sent.map(([type]) => [type, 8]));
          got.forEach((frame, at) => {
            expect(frame.payload.equals(sent[at]?.[1] as Uint8Array)).toBe(true);
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('have the bytes that tmux documents', () => {
    expect(encodeFrame(0x0102, Buffer.from('ab')).toString('hex')).toBe(
      '020100001200000008000000ffffffff6162',
    );
  });

  it('refuse a payload that is too long, and a length that cannot be', () => {
    expect(encodeFrame(1, Buffer.alloc(MAX_PAYLOAD_BYTES)).length).toBe(16_384);
    expect(() => encodeFrame(1, Buffer.alloc(MAX_PAYLOAD_BYTES + 1))).toThrow(RangeError);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (word) => {
        const frame = encodeFrame(203, Buffer.alloc(MAX_PAYLOAD_BYTES));
        frame.writeUInt32LE(word, 4);
        const decoder = new FrameDecoder();
        decoder.push(frame);
        if (word >= 16 && word <= 16_384) expect(decoder.next()?.payload.length).toBe(word - 16);
        else expect(() => decoder.next()).toThrow(FrameError);
      }),
    );
  });

  it('refuse a descriptor, by the flag of old and of new servers', () => {
    for (const bit of [0x1_0000, 0x8000_0000]) {
      const frame = encodeFrame(203, Buffer.alloc(4));
      frame.writeUInt32LE((frame.length | bit) >>> 0, 4);
      const decoder = new FrameDecoder();
      decoder.push(frame);
      expect(() => decoder.next()).toThrow(expect.objectContaining({ what: 'descriptor' }));
    }
  });

  it('read noise without anything but frames or a FrameError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
        const decoder = new FrameDecoder();
        decoder.push(Buffer.from(noise));
        try {
          for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) decodeAnswer(frame);
          expect(decoder.pending).toBeLessThan(16_384);
        } catch (error) {
          expect(error instanceof FrameError || error instanceof MessageError).toBe(true);
        }
      }),
    );
  });
});

describe('the request', () => {
  it('is these frames and no other, with each argument as it was given', () => {
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 60 }), (argv) => {
        fc.pre(argumentProblem(argv) === undefined);
        const got = decode(encodeRequest(argv, 4_711));
        expect(got.map(({ type }) => type)).toEqual([100, 101, 102, 108, 107, 106, 200]);
        expect(got.map(({ version }) => version)).toEqual(Array(7).fill(8));
        const [flags, term, tty, cwd, pid, done, command] = got.map(({ payload: body }) => body) as Buffer[];
        expect(flags?.toString('hex')).toBe('00000100');
        expect([term, tty, cwd].map(String)).toEqual(['dumb\0', '\0', '/\0']);
        expect(pid?.readInt32LE(0)).toBe(4_711);
        expect(done?.length).toBe(0);
        expect(command?.readInt32LE(0)).toBe(argv.length);
        // What old servers check before they end: the last byte is the NUL of the last argument.
        expect(command?.at(-1)).toBe(0);
        expect(command?.toString('utf8', 4)).toBe(argv.map((each) => `${each}\0`).join(''));
      }),
      { numRuns: 100 },
    );
  });

  it('is refused where a server could not take it', () => {
    const of = (...argv: string[]) => [argumentProblem(argv), () => encodeRequest(argv, 1)] as const;
    const room = MAX_ARGUMENT_BYTES;
    const cases = [
      [of(), 'none'],
      [of('a\0b'), 'nul'],
      [of('x'.repeat(room)), 'too-long'],
      [of('x'.repeat(room - 1)), undefined],
      [of('é'.repeat(room / 2)), 'too-long'],
      [of(...Array<string>(1_001).fill('')), 'too-many'],
      [of(...Array<string>(1_000).fill('')), undefined],
    ] as const;
    for (const [[problem, encode], expected] of cases) {
      expect(problem).toBe(expected);
      if (expected === undefined) expect(decode(encode()).length).toBe(7);
      else expect(encode).toThrow(RangeError);
    }
  });
});

describe('input', () => {
  it('goes whole, in frames of the stream, with one end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60_000 }), fc.nat(1_000), (bytes, stream) => {
        const got = decode(Buffer.concat(encodeInput(stream, bytes, 0)));
        expect(got.map(({ type }) => type)).toEqual([...Array(got.length - 1).fill(301), 302]);
        expect(got.every(({ payload: body }) => body.readInt32LE(0) === stream)).toBe(true);
        const parts = got.slice(0, -1).map(({ payload: body }) => body.subarray(4));
        expect(parts.every(({ length }) => length > 0)).toBe(true);
        expect(Buffer.concat(parts).equals(bytes)).toBe(true);
        expect(got.at(-1)?.payload.length).toBe(8);
      }),
      { numRuns: 50 },
    );
  });

  it('goes to old servers in blocks of their own size, the last of them empty', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30_000 }), fc.constantFrom(1_024, 8_192), (bytes, block) => {
        const got = decode(Buffer.concat(encodeOldInput(bytes, block)));
        expect(got.every(({ type, payload: body }) => type === 212 && body.length === block + 8)).toBe(true);
        const sizes = got.map(({ payload: body }) => Number(body.readBigInt64LE(0)));
        expect(sizes.indexOf(0)).toBe(sizes.length - 1);
        const parts = got.map(({ payload: body }, at) => body.subarray(8, 8 + (sizes[at] as number)));
        expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('is asked for and allowed by eight bytes', () => {
    expect(decode(encodeWriteReady(3, 13))[0]?.payload.toString('hex')).toBe('030000000d000000');
  });
});
