import type { JSONRPCMessage, Logger, Transport, TransportDescription } from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { createLineReader, type Line } from '@mcp-fittings/toolbox/framing';
import { createDedicatedConnection } from './dedicated-connection.js';
import type { OpenUpstream } from './upstream.js';

export interface ServeStdioOptions extends StdioSideOptions {
  readonly open: OpenUpstream;
  readonly logger?: Logger | undefined;
  readonly signal: AbortSignal;
}

/**
 * Serves the client on stdin and stdout. Resolves after the client has closed stdin, or `signal` was aborted, and the
 * connection to the server is closed.
 */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { open, logger, signal } = options;
  const client = createStdioSide(options);
  const connection = createDedicatedConnection({
    open,
    logger,
    client: { send: (message) => client.send(message) },
  });
  client.onmessage = (message) => connection.receive(message);
  client.onerror = (error) => logger?.warn(error.message);
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const stop = (): void => void client.close();
  signal.addEventListener('abort', stop, { once: true });
  await client.start();
  if (signal.aborted) stop();
  await ended;
  signal.removeEventListener('abort', stop);
  await connection.close();
}

interface StdioSideOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Largest message that is accepted from the client, in bytes. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

const MIB = 1024 * 1024;
const OPENING_BRACE = 0x7b;

/**
 * Creates a transport to the client that started this process. It closes when the client closes stdin. It writes only
 * messages to stdout.
 */
function createStdioSide(options: StdioSideOptions): Transport {
  return new StdioSide(options);
}

class StdioSide extends BaseTransport {
  readonly #options: StdioSideOptions;

  constructor(options: StdioSideOptions) {
    super({ server: 'client' });
    this.#options = options;
  }

  override describe(): TransportDescription {
    return { ignoredLines: this.ignored['MESSAGE_INVALID'] ?? 0 };
  }

  protected override async open(): Promise<void> {
    const { stdin, stdout, maxMessageBytes = 64 * MIB } = this.#options;
    const reader = createLineReader({
      maxBytes: maxMessageBytes,
      onLine: (line) => this.#receiveLine(line),
      accepts: (firstByte) => firstByte === OPENING_BRACE,
      onSkip: () => this.#ignore(),
    });
    stdin.on('data', (chunk: Uint8Array | string) => {
      reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    });
    stdin.once('end', this.#onGone);
    stdin.once('close', this.#onGone);
    stdin.once('error', this.#onGone);
    // A client that has exited does not read stdout.
    stdout.on('error', this.#onGone);
    stdin.resume();
  }

  protected override write(message: JSONRPCMessage): Promise<void> {
    const text = `${this.encode(message)}\n`;
    return new Promise((resolve, reject) => {
      this.#options.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  protected override async shutDown(): Promise<void> {
    const { stdin } = this.#options;
    for (const event of ['end', 'close', 'error']) stdin.off(event, this.#onGone);
    stdin.removeAllListeners('data');
    stdin.pause();
  }

  readonly #onGone = (): void =>
    this.fail(this.error('CONNECTION_LOST', 'The client closed the connection.'));

  #receiveLine(line: Line): void {
    if (line.kind !== 'text') {
      this.reportCounted(
        'MESSAGE_TOO_LARGE',
        () => `The client sent ${line.bytes} bytes that cannot be a message.`,
      );
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch {
      return this.#ignore();
    }
    this.receive(value);
  }

  #ignore(): void {
    this.reportCounted('MESSAGE_INVALID', () => 'The client sent a line that is not JSON.');
  }
}
