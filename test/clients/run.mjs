/**
 * `node test/clients/run.mjs`: programs that speak MCP, through the gateway in front of `server-everything`: both SDKs' clients, mcporter,
 * mcp-remote, the official inspector and our own host. Each lists tools, calls one and reads its result, at `/mcp` and at
 * `/mcp/everything`. Prints a line for each, and fails if one of them fails.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bearerToken, createCallbackRouter, createGateway } from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const here = import.meta.dirname;
const run = promisify(execFile);
const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
// The inspector and mcporter need a newer Node.js than we do.
const node24 = join(here, '../conformance/node_modules/node/bin/node');
const node = existsSync(node24) ? node24 : process.execPath;
const bin = (name) => join(here, 'node_modules/.bin', name);
if (!existsSync(bin('mcporter'))) {
  console.error('The programs are not installed: run "npm ci --prefix test/clients".');
  process.exit(2);
}

const TOKEN = randomBytes(32).toString('base64url');
const folder = mkdtempSync(join(tmpdir(), 'clients-'));
const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, MCP_REMOTE_CONFIG_DIR: folder };
const bearer = { Authorization: `Bearer ${TOKEN}` };
const callbacks = createCallbackRouter();
const upstream = createHost({
  name: 'gateway',
  version: '1.0.0',
  transports: [stdio()],
  callbacks: callbacks.hostCallbacks,
});
const [server] = await upstream.connect({ everything: { command: process.execPath, args: [everything] } });
assert.equal(server.state.status, 'connected');
const gateway = createGateway(upstream, { callbacks, access: bearerToken(TOKEN) });
const listening = await gateway.listen({ host: '127.0.0.1', port: 0 });
const origin = listening.url;
const all = { url: new URL('/mcp', origin).href, echo: namedLike('echo') };
const one = { url: new URL('/mcp/everything', origin).href, echo: /^echo$/ };

/** Matches the name of a tool with the prefix of its server. */
function namedLike(tool) {
  return new RegExp(`^everything.*${tool}$`);
}

const clients = {
  'SDK v1 Client': async ({ url, echo }) => {
    const client = new ClientV1({ name: 'clients', version: '1.0.0' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer } }),
    );
    return useClient(client, echo);
  },
  'SDK v2 Client, newest revision': async ({ url, echo }) => {
    const client = new v2.Client(
      { name: 'clients', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(
      new v2.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer } }),
    );
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    return useClient(client, echo);
  },
  'SDK v2 Client, initialize': async ({ url, echo }) => {
    const client = new v2.Client({ name: 'clients', version: '1.0.0' });
    await client.connect(
      new v2.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer } }),
    );
    return useClient(client, echo);
  },
  'our host': async ({ url, echo }) => {
    const host = createHost({ name: 'clients', version: '1.0.0', transports: [http()] });
    try {
      const [snapshot] = await host.connect({ gateway: { url, headers: bearer } });
      assert.equal(snapshot.state.status, 'connected', snapshot.state.error?.message);
      const tools = host.tools();
      const { name } = tools.find((tool) => echo.test(tool.name));
      const result = await host.callTool({ server: 'gateway', tool: name }, { message: 'hello' });
      return { tools: tools.length, result: result.content[0].text };
    } finally {
      await host.close();
    }
  },
  'mcp-remote': async ({ url, echo }) => {
    const client = new ClientV1({ name: 'clients', version: '1.0.0' });
    const args = [
      bin('mcp-remote'),
      url,
      '--allow-http',
      '--header',
      `Authorization:${bearer.Authorization}`,
    ];
    await client.connect(new StdioClientTransport({ command: node, args, env, stderr: 'ignore' }));
    return useClient(client, echo);
  },
  mcporter: async ({ url, echo }) => {
    const config = join(folder, `mcporter-${String(url.length)}.json`);
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { gw: { baseUrl: url, headers: bearer } }, imports: [] }),
    );
    const mcporter = (...args) =>
      run(node, [bin('mcporter'), '--config', config, ...args], { env, cwd: folder });
    const listed = JSON.parse((await mcporter('list', 'gw', '--json')).stdout);
    const { name } = listed.tools.find((tool) => echo.test(tool.name));
    const { stdout } = await mcporter('call', `gw.${name}`, 'message=hello', '--output', 'json');
    return { tools: listed.tools.length, result: JSON.parse(stdout).content[0].text };
  },
  'inspector --cli': async ({ url, echo }) => {
    const inspector = async (...args) => {
      const header = `Authorization: ${bearer.Authorization}`;
      const all = ['--cli', url, '--transport', 'http', '--header', header, ...args];
      const { stdout } = await run(node, [bin('inspector'), ...all], { env, cwd: folder });
      return JSON.parse(stdout);
    };
    const { tools } = await inspector('--method', 'tools/list');
    const { name } = tools.find((tool) => echo.test(tool.name));
    const result = await inspector(
      '--method',
      'tools/call',
      '--tool-name',
      name,
      '--tool-arg',
      'message=hello',
    );
    return { tools: tools.length, result: result.content[0].text };
  },
};

async function useClient(client, echo) {
  try {
    const { tools } = await client.listTools();
    const { name } = tools.find((tool) => echo.test(tool.name));
    const { content } = await client.callTool({ name, arguments: { message: 'hello' } });
    return { tools: tools.length, result: content[0].text };
  } finally {
    await client.close();
  }
}

const wanted = upstream.tools().length;
let failed = 0;
try {
  for (const [name, use] of Object.entries(clients)) {
    for (const mount of [all, one]) {
      const label = `${name}  ${new URL(mount.url).pathname}`;
      try {
        assert.deepEqual(await use(mount), { tools: wanted, result: 'Echo: hello' });
        console.log(`pass  ${label}: ${wanted} tools, echo`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${label}: ${error.message}\n${error.stderr ?? ''}${error.stdout ?? ''}`);
      }
    }
  }
} finally {
  await listening.close?.();
  await gateway.close();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
