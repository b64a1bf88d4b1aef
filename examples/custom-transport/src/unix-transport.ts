import { createConnection, type Socket } from 'node:net';
import type {
  JSONRPCMessage,
  Transport,
  TransportDescription,
  TransportError,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import { BaseTransport, type BaseTransportOptions } from '@mcp-fittings/toolbox/base-transport';
import { entrySchema, required, text } from '@mcp-fittings/toolbox/entries';
import { createLineReader } from '@mcp-fittings/toolbox/framing';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Sends one JSON message per line over a local socket, or over a named pipe (`\\.\pipe\…`) on Windows. */
class UnixTransport extends BaseTransport {
  readonly #path: string;
  #socket: Socket | undefined;

  constructor({ path, ...options }: UnixTransportOptions) {
    super(options);
    this.#path = path;
  }

  protected async open(): Promise<void> {
    const socket = createConnection(this.#path);
    this.#socket = socket;
    await new Promise((resolve, reject) =>
      socket.once('connect', resolve).once('error', reject).once('close', reject),
    );
    const lines = createLineReader({
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => {
        if (line.kind === 'text') this.#read(line.text);
        else this.fail(this.error('MESSAGE_TOO_LARGE', `A line of ${line.bytes} bytes is ${line.kind}.`));
      },
    });
    socket.on('data', (chunk) => lines.push(chunk));
    socket.on('error', (error) => this.fail(this.asTransportError(error, 'CONNECTION_LOST')));
    socket.on('close', () =>
      this.fail(this.error('CONNECTION_LOST', `The socket ${this.#path} was closed.`)),
    );
  }

  protected async write(message: JSONRPCMessage): Promise<void> {
    const line = `${this.encode(message)}\n`;
    await new Promise<void>((resolve, reject) => {
      this.#socket?.write(line, (error) => {
        if (error) reject(this.asTransportError(error, 'CONNECTION_LOST', 'unknown'));
        else resolve();
      });
    });
  }

  protected async shutDown(reason: TransportError | undefined): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.closed) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    if (reason === undefined) socket.destroySoon();
    else socket.destroy();
    await closed;
  }

  describe(): TransportDescription {
    return { path: this.#path };
  }

  #read(line: string): void {
    try {
      this.receive(JSON.parse(line));
    } catch {
      this.reportCounted('MESSAGE_INVALID', () => 'The server sent a line that is not JSON.');
    }
  }
}

/** Options of {@link createUnixTransport}. */
export interface UnixTransportOptions extends BaseTransportOptions {
  /** Path of the socket, or name of the pipe. */
  readonly path: string;
}

/** Creates a transport for the `Client` of an official SDK. */
export function createUnixTransport(options: UnixTransportOptions): Transport {
  return new UnixTransport(options);
}

/** The config entry of a server. */
export interface UnixEntry {
  /** Path of the socket, or name of the pipe. */
  readonly path: string;
}

/** Creates a plugin for `createHost({ transports: [unix()] })`. It accepts entries such as `{ "type": "unix", "path": "/run/me.sock" }`. */
export function unix(): TransportPlugin<UnixEntry> {
  return {
    specVersion: 1,
    type: 'unix',
    schema: entrySchema({ path: required(text({ minLength: 1 })) }),
    create: ({ path }, { server, signal }) => createUnixTransport({ path, server, signal }),
  };
}
