import { describe, expect, it } from 'vitest';
import { everythingServer } from '../../../scripts/everything-server.js';
import { createHttpTransport } from '../src/index.js';
import { ALL_CLIENTS, clientV2 } from './support/clients.js';
import { fastmcpServer, sdkV1Server, sdkV2Server } from './support/real-servers.js';

describe.each(ALL_CLIENTS)('with the client of $name', (kind) => {
  it('server-everything', async () => {
    await using server = await everythingServer();
    await using client = await kind.connect(createHttpTransport({ url: server.url }));
    expect(await client.tools()).toContain('echo');
    expect(await client.call('echo', { message: 'hello' })).toContain('hello');
  });

  it.each([
    ['event streams', {}],
    ['JSON', { json: true }],
  ])('a server of SDK v1 that answers with %s', async (_, options) => {
    await using server = await sdkV1Server(options);
    await using client = await kind.connect(createHttpTransport({ url: server.url }));
    expect(await client.tools()).toEqual(['add', 'slow', 'announce']);
    expect(await client.call('add', { a: 2, b: 3 })).toBe('5');
  });

  it('a server of SDK v2', async () => {
    await using server = await sdkV2Server();
    await using client = await kind.connect(createHttpTransport({ url: server.url }));
    const era = kind.name === 'SDK v2 auto' ? 'modern' : 'legacy';
    expect(client.serverName).toBe(`sdk-v2 ${era}`);
    expect(await client.call('add', { a: 2, b: 3 })).toBe('5');
    expect(await client.read('memo:///größe')).toBe('a name beyond ASCII');
  });

  it('fastmcp', async () => {
    await using server = await fastmcpServer();
    await using client = await kind.connect(createHttpTransport({ url: server.url }));
    expect(await client.call('add', { a: 2, b: 3 })).toBe('5');
  });

  it('delivers all progress before the result', async () => {
    await using server = await sdkV1Server();
    await using client = await kind.connect(createHttpTransport({ url: server.url }));
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
    expect(await client.call('slow', { ms: 30 }, { onprogress })).toBe('done');
    expect(steps).toEqual([1, 2, 3]);
  });
});

describe('C.3 negotiation of SDK v2', () => {
  it('lands on the older era with every older server, and sees no error on the way', async () => {
    await using everything = await everythingServer();
    await using sdk = await sdkV1Server();
    await using fast = await fastmcpServer();
    for (const { url } of [everything, sdk, fast]) {
      const errors: Error[] = [];
      const transport = createHttpTransport({ url });
      transport.onerror = (error) => errors.push(error);
      await using client = await clientV2('auto').connect(transport);
      expect(client.era).toBe('legacy');
      expect(transport.sessionId).toBeDefined();
      expect(errors).toEqual([]);
    }
  });

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
