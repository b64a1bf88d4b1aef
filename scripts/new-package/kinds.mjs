/** What `npm run new:package` can make. Each kind is a copy of an example that passes its contract suite. */
export const KINDS = {
  transport: {
    example: 'custom-transport',
    /** The word in the example's names that the new name replaces. */
    word: 'unix',
    dependencies: ['client-core', 'toolbox'],
    devDependencies: ['testkit'],
    purpose: (name) => `MCP over ${name}.`,
    usage: ({ folder, camel, pascal }) => `\
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create${pascal}Transport } from '@mcp-fittings/${folder}';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

// A server to talk to; yours is elsewhere.
const place = await mkdtemp(join(tmpdir(), '${folder}-'));
const path = join(place, 'mcp.sock');
const listener = createServer((socket) => {
  const server = new McpServer({ name: 'greeter', version: '1.0.0' });
  server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  void server.connect(new StdioServerTransport(socket, socket));
});
await new Promise<void>((resolve) => listener.listen(path, resolve));

const client = new Client({ name: 'my-agent', version: '1.0.0' });
await client.connect(create${pascal}Transport({ path }));
console.log(await client.callTool({ name: 'greet' }));
await client.close();
listener.close();
await rm(place, { recursive: true });
// In a host: createHost({ name, version, transports: [${camel}()] })`,
    needs: ['@modelcontextprotocol/sdk'],
  },
  auth: {
    example: 'custom-auth',
    word: 'ticket',
    dependencies: ['client-core'],
    devDependencies: ['testkit'],
    purpose: (name) => `Sign-in of MCP hosts with ${name}.`,
    usage: ({ folder, camel, pascal }) => `\
import { create${pascal}Provider } from '@mcp-fittings/${folder}';

const url = new URL('https://server.example/mcp');
const provider = create${pascal}Provider({ url, issue: async () => 'from the issuer' });
console.log(Object.keys(await provider.headers({ url, method: 'POST' }))); // for this origin
console.log(await provider.headers({ url: new URL('https://elsewhere.example/'), method: 'GET' })); // {}
// In a host: createHost({ name, version, transports, auth: [${camel}({ issue })] })`,
    needs: [],
  },
  store: {
    example: 'custom-store',
    word: 'shelf',
    dependencies: ['client-core'],
    devDependencies: ['testkit'],
    purpose: (name) => `Credentials of an MCP host in ${name}.`,
    usage: ({ folder, pascal }) => `\
import { create${pascal}Store } from '@mcp-fittings/${folder}';

// The service's own client goes here.
const texts = new Map<string, string>();
const store = create${pascal}Store({
  client: {
    read: async (name) => texts.get(name),
    write: async (name, written) => void texts.set(name, written),
    remove: async (name) => void texts.delete(name),
  },
});
await store.withLock('https://as.example', () => store.set('https://as.example', { refreshToken: 'r1' }));
console.log(await store.get('https://as.example'));`,
    needs: [],
  },
};
