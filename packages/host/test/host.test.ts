import { describe, expect, it } from 'vitest';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { createHost } from '@mcp-fittings/host';
import { testServers, type TestServer } from './support/in-process.js';

const identity = { name: 'test-host', version: '1.0.0' };

function calculator(): TestServer {
  const server = new McpServer({ name: 'calculator', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return { connect: (transport) => server.connect(transport as never) };
}

describe('a host', () => {
  it('connects, lists, calls and closes', async () => {
    const servers = testServers(calculator);
    await using host = createHost({ ...identity, transports: [servers.plugin] });
    const [snapshot] = await host.connect({ calculator: { type: 'test' } });
    expect(snapshot?.state).toMatchObject({
      status: 'connected',
      connection: { serverInfo: { name: 'calculator' } },
    });
    expect(host.tools()).toMatchObject([{ server: 'calculator', name: 'add' }]);
    const result = await host.callTool({ server: 'calculator', tool: 'add' }, { a: 2, b: 3 });
    expect(result.content).toEqual([{ type: 'text', text: '5' }]);
    await host.close();
    expect(servers.open).toBe(0);
  });
});
