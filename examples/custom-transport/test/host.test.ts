import { describe, expect, it } from 'vitest';
import { createHost } from '@mcp-fittings/host';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { unix } from '../src/index.js';
import { listen } from './support/listen.js';

describe('a third-party transport', () => {
  it('serves a config entry by its type', async () => {
    const listening = await listen((socket) => {
      const server = new McpServer({ name: 'greeter', version: '1.0.0' });
      server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
      void server.connect(new StdioServerTransport(socket, socket));
    });
    await using host = createHost({
      name: 'test',
      version: '1.0.0',
      transports: [unix()],
    });
    const [snapshot] = await host.connect({ greeter: { type: 'unix', path: listening.path } });
    expect(snapshot?.state.status).toBe('connected');
    const result = await host.callTool({ server: 'greeter', tool: 'greet' });
    expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
    await host.close();
    await listening.close();
  });
});
