import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createBearerProvider } from '@mcp-fittings/auth-oauth';
import type { AuthPlugin } from '@mcp-fittings/client-core';
import {
  createGateway,
  createUpstreamSignIn,
  gatewayInteraction,
  type AccessRequest,
  type Caller,
} from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { expect, it } from 'vitest';
import { startPersonalServers } from '../../../auth-oauth/test/support/personal-servers.js';

/** Has a token for every person without asking, as `xaa()` with `subjectToken`. */
const silent: AuthPlugin = {
  specVersion: 1,
  scheme: 'silent',
  separatesPrincipals: true,
  create: ({ config, principal = 'none' }) =>
    createBearerProvider({ url: String(config['url']), token: () => `token-of-${principal}` }),
};

it('opens no page if the host has credentials for the person', async () => {
  await using servers = await startPersonalServers(() => ({
    origin: 'http://127.0.0.1:9',
    find: async (token) => ({ scope: '', accountId: token.replace('token-of-', '') }),
  }));
  await using host = createHost({
    name: 'tests',
    version: '1',
    transports: [http()],
    auth: [silent],
    lazy: true,
  });
  await host.connect({ one: { url: servers.one } });
  const interaction = gatewayInteraction({ publicUrl: 'http://127.0.0.1:9' });
  const pages = createUpstreamSignIn({ host, interaction, browser: 'unverified' });
  const opened: string[] = [];
  const signIn = {
    open: (caller: Caller, server: string) => {
      opened.push(server);
      return pages.open(caller, server);
    },
    respond: (request: Request) => pages.respond(request),
  };
  const personOf = ({ headers }: AccessRequest): Caller => {
    const principal = headers.get('x-person') ?? 'none';
    return { id: principal, principal };
  };
  await using gateway = createGateway(host, { trustedCaller: personOf, signIn });
  for (const person of ['ann', 'bob']) {
    const client = new Client({ name: 'tests', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp/one'), {
      fetch: (url, init) => gateway.fetch(new Request(url, init)),
      requestInit: { headers: { 'x-person': person } },
    });
    await client.connect(transport);
    const result = await client.callTool({ name: 'whoami', arguments: { as: person } });
    expect(JSON.stringify(result)).toContain(`you are ${person}`);
    await client.close();
  }
  expect(opened).toEqual([]);
  await pages.close();
});
