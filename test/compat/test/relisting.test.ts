import { createHost, type Host } from '@mcp-fittings/host';
import { sse } from '@mcp-fittings/transport-sse';
import { ws } from '@mcp-fittings/transport-ws';
import { expect, it } from 'vitest';
import { TOKEN, wireServers } from './support/wire-servers.js';

const names = (host: Host): readonly string[] => host.tools().map(({ name }) => name);

it.each(['sse', 'ws'] as const)('a host lists again when a connection over %s comes back', async (type) => {
  let tools = ['before'];
  await using server = await wireServers[type]({ tools: () => tools });
  await using host = createHost({
    name: 'test',
    version: '1.0.0',
    transports: [sse(), ws()],
  });
  await host.connect({
    one: {
      type,
      url: server.url,
      headers: { Authorization: `Bearer ${TOKEN}` },
      reconnect: { delayMs: 1 },
    },
  });
  expect(names(host)).toEqual(['before']);
  // No one hears of this: the connection is gone.
  tools = ['after'];
  const back = new Promise((resolve) => host.on('reconnected', resolve));
  server.drop();
  await back;
  expect(names(host)).toEqual(['after']);
});
