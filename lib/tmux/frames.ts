/**
 * Frames of tmux's socket, pure: bytes in, frames out, and back.
 *
 * A server up to 3.5 ends with all its sessions when a frame displeases it, so what is sent comes from this
 * encoder alone. Layout (measured on 2.9a to 3.7c, little-endian; compat/imsg.h of tmux): type u32, length
 * u32 with the header, protocol u32, pid u32. Up to 3.5 the length is a u16 and a u16 of flags follows; without
 * a descriptor attached the bytes are the same.
 */
export const HEADER_BYTES = 16;
/** Header included. */
export const MAX_FRAME_BYTES = 16_384;
export const MAX_PAYLOAD_BYTES = MAX_FRAME_BYTES - HEADER_BYTES;
/** The one that tmux 2.3 and all later ones speak. */
export const PROTOCOL_VERSION = 8;

/** As tmux's own client sends it. */
const NO_PID = 0xffff_ffff;
/** A length needs 15 bits. What stands above them says that a descriptor came along, in either layout. */
const LENGTH_MASK = 0x7fff;

export interface Frame {
  readonly type: number;
  /** Protocol of who sent it. */
  readonly version: number;
  readonly payload: Buffer;
}

/** What came is no frame; nothing after it can be read. */
export class FrameError extends Error {
  readonly what: 'length' | 'descriptor';

  constructor(what: 'length' | 'descriptor', message: string) {
    super(message);
    this.name = 'FrameError';
    this.what = what;
  }
}

/** @throws RangeError for what does not fit a frame */
export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  if (payload.length > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`a payload of ${payload.length} bytes; a frame takes ${MAX_PAYLOAD_BYTES}`);
  }
  const frame = Buffer.alloc(HEADER_BYTES + payload.length);
  frame.writeUInt32LE(type, 0);
  frame.writeUInt32LE(frame.length, 4);
  frame.writeUInt32LE(PROTOCOL_VERSION, 8);
  frame.writeUInt32LE(NO_PID, 12);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Takes bytes as they come and gives whole frames. Keeps less than one frame beside the last chunk. */
export class FrameDecoder {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** Bytes of a frame whose end has not come. */
  get pending(): number {
    return this.#rest.length;
  }

  /**
   * The next frame; undefined = its end has not come.
   * @throws FrameError
   */
  next(): Frame | undefined {
    const bytes = this.#rest;
    if (bytes.length < HEADER_BYTES) return undefined;
    const word = bytes.readUInt32LE(4);
    const length = word & LENGTH_MASK;
    if (word !== length) {
      // Nobody attaches a descriptor to an answer, so a high bit is noise or a trap.
      throw new FrameError('descriptor', `a frame with the length word 0x${word.toString(16)}`);
    }
    if (length < HEADER_BYTES || length > MAX_FRAME_BYTES) {
      throw new FrameError('length', `a frame of ${length} bytes`);
    }
    if (bytes.length < length) return undefined;
    this.#rest = bytes.subarray(length);
    return {
      type: bytes.readUInt32LE(0),
      version: bytes[8] as number,
      payload: bytes.subarray(HEADER_BYTES, length),
    };
  }
}
