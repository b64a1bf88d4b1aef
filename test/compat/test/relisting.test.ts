import { createHost, type Host } from '@mcp-fittings/host';
import { native } from '@mcp-fittings/host/native';
import { sdk as sdkV1 } from '@mcp-fittings/host/sdk';
import { sdk as sdkV2 } from '@mcp-fittings/host/sdk-v2';
import { sse } from '@mcp-fittings/transport-sse';
import { ws } from '@mcp-fittings/transport-ws';
import { expect, it } from 'vitest';
import { TOKEN, wireServers } from './support/wire-servers.js';

const engines = { 'SDK v1': sdkV1, 'SDK v2': sdkV2, native };
const cells = Object.entries(engines).flatMap(([engine, sdk]) =>
  (['sse', 'ws'] as const).map((type) => [engine, type, sdk] as const),
);

const names = (host: Host): readonly string[] => host.tools().map(({ name }) => name);

it.each(cells)('the host of %s lists again when a connection over %s comes back', async (_, type, sdk) => {
  let tools = ['before'];
  await using server = await wireServers[type]({ tools: () => tools });
  await using host = createHost({
    engine: sdk({ name: 'test', version: '1.0.0' }),
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
