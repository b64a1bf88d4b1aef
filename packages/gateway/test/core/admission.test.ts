import { FittingsError } from '@mcp-fittings/client-core';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/contracts/request-event.js';
import { listen, gatewayOver, send, toyServer } from './support.js';

/** A gateway over one server, which admits as many requests as the test says. */
async function startLimited() {
  const reached: string[] = [];
  const events: RequestEvent[] = [];
  let left = Infinity;
  const notes = () => {
    const server = toyServer({
      tools: [{ name: 'read' }],
      prompts: [{ name: 'ask' }],
      resources: ['a', 'b', 'c'].map((name) => ({ name, uri: `memo://${name}` })),
      onRequest: (method) => void (method.endsWith('/list') || reached.push(method)),
    });
    server.setRequestHandler('logging/setLevel', () => {
      reached.push('logging/setLevel');
      return {};
    });
    return server;
  };
  const gateway = await gatewayOver(
    { notes },
    {
      observe: (event) => events.push(event),
      limiter: {
        async admit() {
          if (left-- > 0) return;
          const details = { retryAfterMs: 500 };
          throw new FittingsError('RATE_LIMITED', 'Too many requests.', { delivery: 'not-sent', details });
        },
      },
    },
  );
  return { gateway, reached, events, admitOnly: (count: number) => (left = count) };
}

const REFUSED = { data: { code: 'RATE_LIMITED', delivery: 'not-sent', retryAfterMs: 500 } };

describe('a rate limit', () => {
  it.each<readonly [string, (client: Client) => Promise<unknown>]>([
    ['tools/call', (client) => client.callTool({ name: 'notes__read', arguments: {} })],
    ['prompts/get', (client) => client.getPrompt({ name: 'notes__ask' })],
    ['resources/read', (client) => client.readResource({ uri: 'memo://a' })],
    [
      'completion/complete',
      (client) =>
        send(client, 'completion/complete', {
          ref: { type: 'ref/prompt', name: 'notes__ask' },
          argument: { name: 'x', value: '' },
        }),
    ],
    ['resources/subscribe', (client) => client.subscribeResource({ uri: 'memo://a' })],
    ['logging/setLevel', (client) => client.setLoggingLevel('debug')],
  ])('counts %s, which reaches no server when it is exhausted', async (method, ask) => {
    const { gateway, reached, events, admitOnly } = await startLimited();
    await using _ = gateway;
    const client = await gateway.v2();
    admitOnly(0);
    await expect(ask(client)).rejects.toMatchObject(REFUSED);
    expect(reached).toEqual([]);
    expect(events).toMatchObject([{ server: 'notes', method, error: { code: 'RATE_LIMITED' } }]);
    admitOnly(1);
    await ask(client);
    expect(reached).toEqual([method]);
    expect(events).toMatchObject([{ method }, { method, error: undefined }]);
  });

  it('counts resources/unsubscribe, and the subscription stays when it is exhausted', async () => {
    const { gateway, reached, admitOnly } = await startLimited();
    await using _ = gateway;
    const client = await gateway.v2();
    await client.subscribeResource({ uri: 'memo://a' });
    admitOnly(0);
    await expect(client.unsubscribeResource({ uri: 'memo://a' })).rejects.toMatchObject(REFUSED);
    expect(reached).toEqual(['resources/subscribe']);
    admitOnly(1);
    await client.unsubscribeResource({ uri: 'memo://a' });
    expect(reached).toEqual(['resources/subscribe', 'resources/unsubscribe']);
    // Neither what is not subscribed nor the end of a session reaches a server at the cost of the client.
    await client.unsubscribeResource({ uri: 'memo://a' });
  });

  it('counts each resource of subscriptions/listen', async () => {
    const { gateway, reached, events, admitOnly } = await startLimited();
    await using _ = gateway;
    admitOnly(2);
    const uris = ['memo://a', 'memo://b', 'memo://c'];
    const stop = listen(gateway.surface, { id: 'ann' }, { resourceSubscriptions: uris });
    await expect.poll(() => events.length).toBe(3);
    expect(reached).toEqual(['resources/subscribe', 'resources/subscribe']);
    expect(events.filter(({ error }) => error?.code === 'RATE_LIMITED')).toHaveLength(1);
    stop();
    await expect.poll(() => reached.slice(2)).toEqual(['resources/unsubscribe', 'resources/unsubscribe']);
  });

  it('does not count a level that the server knows', async () => {
    const { gateway, reached, admitOnly } = await startLimited();
    await using _ = gateway;
    const [one, two] = [await gateway.v2(), await gateway.v2()];
    admitOnly(1);
    await one.setLoggingLevel('warning');
    await two.setLoggingLevel('warning');
    await one.setLoggingLevel('warning');
    expect(reached).toEqual(['logging/setLevel']);
    await expect(two.setLoggingLevel('debug')).rejects.toMatchObject(REFUSED);
    admitOnly(1);
    await two.setLoggingLevel('debug');
    expect(reached).toEqual(['logging/setLevel', 'logging/setLevel']);
  });
});
