import { PassThrough } from 'node:stream';
import {
  AuthRequiredError,
  type JSONRPCMessage,
  type TransportDescription,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { expect, it } from 'vitest';
import { serveStdio } from '../src/bridge/serve-stdio.js';
import { upstreamTo } from './support/upstreams.js';

/** A server that answers nothing, and whose first `refusals` messages need a sign-in. */
class FakeServer extends BaseTransport {
  readonly written: JSONRPCMessage[] = [];
  isClosed = false;
  #refusals: number;

  constructor(refusals = 0) {
    super({ server: 'fake' });
    this.#refusals = refusals;
  }

  override describe(): TransportDescription {
    return {};
  }

  protected override async write(message: JSONRPCMessage): Promise<void> {
    if (this.#refusals-- > 0) throw new AuthRequiredError('Sign in first.');
    this.written.push(message);
  }

  protected override async open(): Promise<void> {}

  protected override async shutDown(): Promise<void> {
    this.isClosed = true;
  }

  /** Options of a bridge to it. */
  get options() {
    const plugin: TransportPlugin = {
      specVersion: 1,
      type: 'fake',
      schema: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      create: () => this,
    };
    return { server: 'fake', config: { type: 'fake' }, transports: [plugin] };
  }
}

it.each(['closes stdin', 'is told to stop'])(
  'ends when the client %s, and its server with it',
  async (end) => {
    const server = new FakeServer();
    const [stdin, stdout, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
    let hasEnded = false;
    const open = upstreamTo(server.options);
    const served = serveStdio({ open, stdin, stdout, signal: stop.signal }).finally(() => (hasEnded = true));
    stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await expect.poll(() => server.written).toHaveLength(1);
    expect(hasEnded).toBe(false);
    if (end === 'closes stdin') stdin.end();
    else stop.abort();
    await expect.poll(() => hasEnded).toBe(true);
    await served;
    expect(server.isClosed).toBe(true);
  },
);

it('a message that needed a sign-in is sent after it', async () => {
  const server = new FakeServer(1);
  const asked: unknown[] = [];
  const upstream = await upstreamTo({
    ...server.options,
    signIn: async (challenge) => void asked.push(challenge),
  })();
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
  await upstream.send(message);
  expect(asked).toHaveLength(1);
  expect(server.written).toEqual([message]);
  await upstream.transport.close();
});
