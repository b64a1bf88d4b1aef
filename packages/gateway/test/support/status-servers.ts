import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { createHost, type Host, type HostOptions } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { stdio } from '@mcp-fittings/transport-stdio';
import { Server } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { Caller } from '../../src/contracts/caller.js';
import type { RequestEvent } from '../../src/contracts/request-event.js';

/** Entry of a server in this process. */
export const IN_PROCESS: ServerConfig = { type: 'sdk' };

/** A server with these tools. A text is the answer; an error is the error of the protocol that the call gets. */
export function toolServer(
  tools: Readonly<Record<string, string | Error | (() => Promise<string>)>>,
  info = { name: 'tool-server', version: '1.2.3' },
): Server {
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const answer = tools[params.name] ?? '';
    if (answer instanceof Error) throw answer;
    return { content: [{ type: 'text', text: typeof answer === 'string' ? answer : await answer() }] };
  });
  return server;
}

/** A host with servers in this process, and whatever else `entries` start. Closed after the test. */
export async function hostOf(
  servers: Readonly<Record<string, () => Server>>,
  entries: Readonly<Record<string, ServerConfig>> = {},
  options: Partial<HostOptions> = {},
): Promise<Host> {
  const host = createHost({
    name: 'gateway-test',
    version: '1.0.0',
    transports: [inprocess({ servers }), stdio(), http()],
    defaults: { reconnect: { maxAttempts: 0 } },
    ...options,
  });
  onTestFinished(() => host.close());
  const own = Object.fromEntries(Object.keys(servers).map((name) => [name, IN_PROCESS]));
  await host.connect({ ...own, ...entries });
  return host;
}

/** Calls a tool as the gateway does, and reports the call. */
export async function callTool(
  host: Host,
  observe: (event: RequestEvent) => void,
  caller: Caller,
  ref: { readonly server: string; readonly tool: string },
): Promise<void> {
  const begin = performance.now();
  const error = await host.callTool(ref, {}, { principal: caller.principal }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error !== undefined && !(error instanceof FittingsError)) throw error;
  const durationMs = performance.now() - begin;
  observe({ caller, ...ref, method: 'tools/call', target: ref.tool, durationMs, error });
}

/** Listens on loopback until the test ends, and returns the origin. */
export async function serve(server: HttpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** URL of a server that demands a sign-in. */
export async function guardedUrl(): Promise<string> {
  const refuse = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  });
  return `${await serve(refuse)}/mcp`;
}
