import { createHost } from '@mcp-fittings/host';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { stdio } from '@mcp-fittings/transport-stdio';
import { describe, expect, it } from 'vitest';
import { lateServer, SLOW_STARTS } from '../../../host/test/support/late-server.js';
import { createCallbackRouter } from '../../src/callbacks/callback-router.js';
import { gatewayOf, type ClientOptions } from './support.js';

describe('a server behind a gateway that starts late', () => {
  it.each(SLOW_STARTS)('of %s, after %i s, is reached, and its question arrives', async (era, seconds) => {
    const clock = createManualClock();
    const server = await lateServer(era);
    const callbacks = createCallbackRouter();
    const host = createHost({
      name: 'gateway',
      version: '1',
      clock,
      transports: [stdio()],
      callbacks: callbacks.hostCallbacks,
    });
    const connecting = host.connect({ late: server.entry });
    await server.begin(clock, seconds);
    await connecting;
    await using gateway = gatewayOf(host, { callbacks });
    const options: ClientOptions = {
      capabilities: { elicitation: { form: {} } },
      prepare(client) {
        client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { who: 'Ann' } }));
      },
    };
    for (const client of [await gateway.v2(options), await gateway.modern(options)]) {
      const { content } = await client.callTool({ name: 'late__greet', arguments: {} });
      expect(content).toEqual([{ type: 'text', text: expect.stringContaining('hello Ann') }]);
    }
  });
});
