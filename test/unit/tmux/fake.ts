import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame, type Frame, FrameDecoder } from '../../../lib/tmux/frames.js';

export const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value, 0);
  return bytes;
};

/** Frames as a server sends them. */
export const frames = {
  writeOpen: (stream: number, fd: number, path = '') =>
    encodeFrame(
      303,
      Buffer.concat([int(stream), int(fd), int(0), Buffer.from(path === '' ? '' : `${path}\0`)]),
    ),
  write: (stream: number, text: string | Buffer) =>
    encodeFrame(304, Buffer.concat([int(stream), Buffer.from(text)])),
  writeClose: (stream: number) => encodeFrame(306, int(stream)),
  readOpen: (stream: number, fd: number, path = '-') =>
    encodeFrame(300, Buffer.concat([int(stream), int(fd), Buffer.from(`${path}\0`)])),
  readCancel: (stream: number) => encodeFrame(307, int(stream)),
  exit: (status: number, message?: string) =>
    encodeFrame(203, Buffer.concat([int(status), Buffer.from(message === undefined ? '' : `${message}\0`)])),
  version: (number: number) => {
    const frame = encodeFrame(12, Buffer.alloc(0));
    frame[8] = number;
    return frame;
  },
  oldOutput: (type: 211 | 213, text: string, block = 8_192) => {
    const payload = Buffer.alloc(8 + block);
    payload.writeBigInt64LE(BigInt(Buffer.byteLength(text)), 0);
    payload.write(text, 8);
    return encodeFrame(type, payload);
  },
  oldInput: () => encodeFrame(212, Buffer.alloc(0)),
  raw: encodeFrame,
};

/** A client that a fake server has, and what it got from it. */
export interface Peer {
  readonly socket: Socket;
  readonly got: Frame[];
  /** The arguments of its command, once they came. */
  readonly argv: string[] | undefined;
  send(...frames: readonly Buffer[]): void;
  /** Waits for a frame of this type. */
  frame(type: number): Promise<Frame>;
}

function argvOf(frame: Frame): string[] {
  const words = frame.payload.toString('utf8', 4).split('\0');
  return words.slice(0, frame.payload.readInt32LE(0));
}

function peerOf(socket: Socket): Peer & { waiters: (() => void)[] } {
  const decoder = new FrameDecoder();
  const got: Frame[] = [];
  const waiters: (() => void)[] = [];
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    decoder.push(chunk);
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) got.push(frame);
    for (const wake of waiters.splice(0)) wake();
  });
  return {
    socket,
    got,
    waiters,
    get argv() {
      const command = got.find(({ type }) => type === 200);
      return command && argvOf(command);
    },
    send: (...bytes) => {
      socket.write(Buffer.concat(bytes));
    },
    frame: async (type) => {
      for (;;) {
        const frame = got.find((each) => each.type === type);
        if (frame !== undefined) return frame;
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
    },
  };
}

/** A server of tmux that says what a test wants: `serve` is called for each client. */
export class FakeServer {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'psf')));
  readonly socket = join(this.folder, 's');
  readonly peers: Peer[] = [];
  readonly #server: Server;

  private constructor(serve: (peer: Peer, count: number) => unknown) {
    this.#server = createServer((socket) => {
      const peer = peerOf(socket);
      this.peers.push(peer);
      serve(peer, this.peers.length);
    });
  }

  static async start(serve: (peer: Peer, count: number) => unknown): Promise<FakeServer> {
    const fake = new FakeServer(serve);
    await new Promise<void>((resolve) => fake.#server.listen(fake.socket, resolve));
    return fake;
  }

  async end(): Promise<void> {
    for (const { socket } of this.peers) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    rmSync(this.folder, { recursive: true, force: true });
  }
}
