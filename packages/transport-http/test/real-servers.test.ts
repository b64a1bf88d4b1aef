import { describe, expect, it } from 'vitest';
import { everythingServer } from '../../../scripts/everything-server.js';
import { createHttpTransport } from '../src/index.js';
import { ALL_CLIENTS, clientV2, type SomeClient } from './support/clients.js';
import { fastmcpServer, sdkV1Server, sdkV2Server } from './support/real-servers.js';

describe.each(ALL_CLIENTS)('with the client of $name', (kind) => {
  /** Connects to a server of the older revisions: in their era, with a session, and without an error on the way. */
  const connectToOlder = async (url: string): Promise<SomeClient> => {
    const errors: Error[] = [];
    const transport = createHttpTransport({ url });
    transport.onerror = (error) => errors.push(error);
    const client = await kind.connect(transport);
    expect(client.era ?? 'legacy').toBe('legacy');
    expect(transport.sessionId).toBeDefined();
    expect(errors).toEqual([]);
    return client;
  };

  it('C.3 server-everything', async () => {
    await using server = await everythingServer();
    await using client = await connectToOlder(server.url);
    expect(await client.tools()).toContain('echo');
    expect(await client.call('echo', { message: 'hello' })).toContain('hello');
  });

  it.each([
    ['event streams, with all progress before the result', { json: false, progress: [1, 2, 3] }],
    ['JSON', { json: true, progress: [] }],
  ])('C.3 a server of SDK v1 that answers with %s', async (_, { json, progress: expected }) => {
    await using server = await sdkV1Server({ json });
    await using client = await connectToOlder(server.url);
    expect(await client.tools()).toEqual(['add', 'slow', 'announce']);
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
    expect(await client.call('slow', { ms: 30 }, { onprogress })).toBe('done');
    expect(steps).toEqual(expected);
  });

  it('a server of SDK v2', async () => {
    await using server = await sdkV2Server();
    await using client = await kind.connect(createHttpTransport({ url: server.url }));
    const era = kind.name === 'SDK v2 auto' ? 'modern' : 'legacy';
    expect(client.serverName).toBe(`sdk-v2 ${era}`);
    expect(await client.call('add', { a: 2, b: 3 })).toBe('5');
    expect(await client.read('memo:///größe')).toBe('a name beyond ASCII');
  });

  it('C.3 fastmcp', async () => {
    await using server = await fastmcpServer();
    await using client = await connectToOlder(server.url);
    expect(await client.call('add', { a: 2, b: 3 })).toBe('5');
  });
});

describe('C.3 negotiation of SDK v2', () => {
  it.each(['auto', 'sse', 'json'] as const)(
    'lands on 2026-07-28 where it is spoken (%s)',
    async (responseMode) => {
      await using server = await sdkV2Server({ legacy: 'reject', responseMode });
      for (const mode of ['auto', { pin: '2026-07-28' }] as const) {
        const transport = createHttpTransport({ url: server.url });
        await using client = await clientV2(mode).connect(transport);
        expect(client.era).toBe('modern');
        expect(transport.sessionId).toBeUndefined();
        expect(await client.call('add', { a: 2, b: 3 })).toBe('5');
      }
    },
  );
});
