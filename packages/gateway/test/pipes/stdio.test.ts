import { PassThrough } from 'node:stream';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, ReadBuffer, type Transport, serializeMessage } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { createFrontDoors } from '../../src/front-doors.js';
import { createTestSurface } from '../support/test-surface.js';
import { textOf } from '../support/test-gateway.js';

/** The client's end of two pipes. */
function connectTo(input: PassThrough, output: PassThrough): Transport {
  const transport: Transport = {
    async start() {
      const buffer = new ReadBuffer();
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
    },
    async send(message) {
      input.write(serializeMessage(message));
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const start = (mount = {}, signal?: AbortSignal, maxSubscriptions?: number) => {
  const surface = createTestSurface(maxSubscriptions);
  const gateway = createFrontDoors(surface, (_caller, { server }) => server !== 'unknown', {});
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = gateway.serveStdio({ input, output, mount, signal });
  return { surface, gateway, input, output, served };
};

describe('stdio', () => {
  it('serves SDK v1 by initialize, until it closes stdin', async () => {
    const { surface, gateway, input, output, served } = start();
    const client = new ClientV1({ name: 'v1', version: '1' });
    const changed = vi.fn<() => void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    await client.connect(connectTo(input, output));
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('owner at all');
    for (const session of surface.sessions) session.notify('notifications/tools/list_changed', {});
    await expect.poll(() => changed.mock.calls.length).toBe(1);
    const call = client.callTool({ name: 'wait' });
    call.catch(() => undefined);
    await expect.poll(() => surface.waiting()).toBe(1);
    await client.close();
    await served;
    await expect.poll(() => surface.canceled()).toBe(1);
    expect(surface.sessions.size).toBe(0);
    await gateway.close();
  });

  it('serves SDK v2 without initialize, with subscriptions/listen, and one server alone', async () => {
    const { surface, gateway, input, output, served } = start({ server: 'notes' });
    const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(connectTo(input, output));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('owner at notes');
    const changed = vi.fn<() => void>();
    client.setNotificationHandler('notifications/tools/list_changed', changed);
    await client.listen({ toolsListChanged: true });
    surface.bus({ id: 'owner' }, { server: 'notes' }).publish({ kind: 'tools' });
    await expect.poll(() => changed.mock.calls.length).toBe(1);
    input.end();
    await served;
    expect(surface.bus({ id: 'owner' }, { server: 'notes' }).listenerCount).toBe(0);
    await client.close();
    await gateway.close();
  });

  it('answers each request of a batch, and skips a line that it cannot read', async () => {
    const { gateway, input, output, served } = start();
    const received: unknown[] = [];
    const transport = connectTo(input, output);
    transport.onmessage = (message) => void received.push(message);
    await transport.start();
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    input.write(`"\xff"\n${JSON.stringify(batch)}\n`, 'latin1');
    const answer = expect.objectContaining({ result: expect.anything() });
    await expect.poll(() => received).toEqual([answer, answer]);
    expect(received).toMatchObject([{ id: 1 }, { id: 2 }]);
    input.end();
    await served;
    await gateway.close();
  });

  it('bounds the event streams, also if a client sends the id of an open one again', async () => {
    const { gateway, input, output, served } = start({}, undefined, 1);
    const received: { readonly id?: unknown; readonly method?: string; readonly error?: unknown }[] = [];
    const transport = connectTo(input, output);
    transport.onmessage = (message) => void received.push(message);
    await transport.start();
    const listen = async (id: number) => {
      const params = { notifications: { toolsListChanged: true }, _meta: META };
      await transport.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
    };
    await listen(1);
    await listen(1);
    await listen(2);
    await expect.poll(() => received).toHaveLength(3);
    const message = 'A caller can have 1 event streams at a time.';
    expect(received).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' }),
        expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32_600 }) }),
        expect.objectContaining({ id: 2, error: { code: -32_603, message } }),
      ]),
    );
    const params = { requestId: 1 };
    // In one chunk: a client that replaces its stream does not wait for the end of the old one.
    const canceled = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    const next = { notifications: { toolsListChanged: true }, _meta: META };
    const replaced = { jsonrpc: '2.0', id: 3, method: 'subscriptions/listen', params: next };
    input.write(`${JSON.stringify(canceled)}\n${JSON.stringify(replaced)}\n`);
    await expect.poll(() => received).toHaveLength(4);
    expect(received[3]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    input.end();
    await served;
    await gateway.close();
  });

  it('ends when the signal is aborted, and when the gateway is closed', async () => {
    const stop = new AbortController();
    const first = start({}, stop.signal);
    stop.abort();
    await first.served;
    await first.gateway.close();
    const second = start();
    await second.gateway.close();
    await second.served;
    await expect(second.gateway.serveStdio()).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    await expect(second.gateway.listen({ socketPath: '/tmp/x' })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
    });
  });

  it('ends if the client no longer reads', async () => {
    const { gateway, output, served } = start();
    output.destroy(new Error('EPIPE'));
    await served;
    await gateway.close();
  });

  it('refuses a server that the host does not have', async () => {
    const { gateway, served } = start({ server: 'unknown' });
    await expect(served).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
    await gateway.close();
  });
});
