import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { listen } from './net.js';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A server that is nothing but a TCP socket and this handshake; what it then sends is up to the test. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Request heads that came in, in order. */
  readonly heads: string[];
  /** Resolves with the next connection whose handshake is answered. */
  connection(): Promise<RawPeer>;
}

export interface RawPeer {
  readonly socket: Socket;
  /** The next frame that the client sends, whole. */
  nextFrame(): Promise<ReceivedFrame>;
}

export interface ReceivedFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface RawServerOptions {
  /** Lines of the answer, after the status line; default: a proper handshake with the sub-protocol `mcp`. */
  readonly answer?: (head: string, accept: string) => string;
  /** Sent in the same segment as the answer. */
  readonly withAnswer?: Buffer;
}

export async function startRawServer(options: RawServerOptions = {}): Promise<RawServer> {
  const heads: string[] = [];
  const ready: RawPeer[] = [];
  const waiters: ((peer: RawPeer) => void)[] = [];
  const server = createServer((socket) => {
    let head = '';
    const onData = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      heads.push(head);
      const key = /sec-websocket-key: (.+)\r\n/i.exec(head)?.[1] ?? '';
      const accept = createHash('sha1')
        .update(key + GUID)
        .digest('base64');
      const answer = options.answer?.(head, accept) ?? upgradeAnswer(accept);
      socket.write(Buffer.concat([Buffer.from(answer, 'latin1'), options.withAnswer ?? Buffer.alloc(0)]));
      const peer = createPeer(socket);
      const waiter = waiters.shift();
      if (waiter === undefined) ready.push(peer);
      else waiter(peer);
    };
    socket.on('data', onData);
  });
  const listening = await listen(server);
  return {
    url: `ws://127.0.0.1:${listening.port}/mcp`,
    port: listening.port,
    heads,
    connection: () => {
      const peer = ready.shift();
      return peer === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(peer);
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

export function upgradeAnswer(accept: string, ...more: readonly string[]): string {
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(more.length === 0 ? ['Sec-WebSocket-Protocol: mcp'] : more),
    '\r\n',
  ].join('\r\n');
}

function createPeer(socket: Socket): RawPeer {
  let buffered = Buffer.alloc(0);
  const frames: ReceivedFrame[] = [];
  const waiters: ((frame: ReceivedFrame) => void)[] = [];
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (let parsed = parse(buffered); parsed !== undefined; parsed = parse(buffered)) {
      buffered = buffered.subarray(parsed.size);
      const waiter = waiters.shift();
      if (waiter === undefined) frames.push(parsed);
      else waiter(parsed);
    }
  });
  return {
    socket,
    nextFrame: () => {
      const first = frames.shift();
      return first === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(first);
    },
  };
}

/** A whole masked frame at the start of the bytes. */
function parse(bytes: Buffer): (ReceivedFrame & { readonly size: number }) | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  let length = second & 0x7f;
  let at = 2;
  if (length === 126) {
    if (bytes.length < 4) return undefined;
    length = bytes.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (bytes.length < 10) return undefined;
    length = Number(bytes.readBigUInt64BE(2));
    at = 10;
  }
  const size = at + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(
    bytes.subarray(at + 4, size).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  );
  return { opcode: first & 0x0f, payload, size };
}

export interface FrameOptions {
  readonly opcode?: number;
  readonly fin?: boolean;
  /** Of permessage-deflate. */
  readonly compressed?: boolean;
  /** Length to announce, when it is not that of the payload. */
  readonly announced?: bigint;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** An unmasked frame, as a server sends it. */
export function frame(payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const body = Buffer.from(payload);
  const { opcode = OPCODE.text, fin = true, compressed = false, announced } = options;
  const first = (fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode;
  const length = announced ?? BigInt(body.length);
  if (length < 126n) return Buffer.concat([Buffer.from([first, Number(length)]), body]);
  if (length < 65_536n) {
    const head = Buffer.from([first, 126, 0, 0]);
    head.writeUInt16BE(Number(length), 2);
    return Buffer.concat([head, body]);
  }
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(length, 2);
  return Buffer.concat([head, body]);
}

export function closeFrame(code: number, reason: string | Buffer = ''): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code, 0);
  return frame(Buffer.concat([head, Buffer.from(reason)]), { opcode: OPCODE.close });
}

export function jsonFrame(value: unknown): Buffer {
  return frame(JSON.stringify(value));
}
