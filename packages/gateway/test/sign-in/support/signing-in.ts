import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { oauth } from '@mcp-fittings/auth-oauth';
import {
  browserSignIn,
  createUpstreamSignIn,
  gatewayInteraction,
  type Caller,
  type UpstreamSignIn,
  type UpstreamSignInOptions,
  type UpstreamSignInPages,
} from '@mcp-fittings/gateway';
import { createHost, type Host } from '@mcp-fittings/host';
import { sdk } from '@mcp-fittings/host/sdk-v2';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import {
  startPersonalServers,
  type PersonalServers,
} from '../../../../../compat/test/support/personal-server.js';
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../../../auth-oauth/test/support/authorization-server.mjs';
import { startPeopleIssuer } from './people-issuer.js';

/** A host with servers that have an authorization server of their own, and the pages of a gateway for it. */
export interface SigningIn extends AsyncDisposable {
  readonly origin: string;
  readonly issuer: string;
  readonly host: Host;
  readonly pages: UpstreamSignInPages;
  readonly servers: PersonalServers;
  /** Authorization server of the servers. */
  readonly upstream: TestAuthorizationServer;
  callerOf(person: string): Caller;
  /** Who the server `one` says that a person is. */
  whoami(person: string): Promise<string>;
}

export async function startSigningIn(
  options: Partial<UpstreamSignInOptions> & {
    readonly path?: string;
    /** What answers the browser, if not the pages themselves. */
    readonly front?: (pages: UpstreamSignInPages, publicUrl: string) => Pick<UpstreamSignIn, 'respond'>;
  } = {},
): Promise<SigningIn> {
  const server = await listen();
  const origin = originOf(server);
  const publicUrl = origin + (options.path ?? '');
  const issuer = await startPeopleIssuer({ gateway: publicUrl });
  const servers: PersonalServers = await startPersonalServers(() => upstream);
  const upstream = await startAuthorizationServer({ resource: () => servers.origin });
  const interaction = gatewayInteraction({ publicUrl });
  const host = createHost({
    engine: sdk({ name: 'tests', version: '1' }),
    transports: [http()],
    auth: [oauth({ clientName: 'gateway', store: memoryStore(), interaction })],
    lazy: true,
  });
  await host.connect({ one: { url: servers.one }, two: { url: servers.two } });
  const browser = browserSignIn({ issuer: issuer.origin, clientId: 'gateway-pages' });
  const pages = createUpstreamSignIn({ host, interaction, browser, ...options });
  const front = options.front?.(pages, publicUrl) ?? pages;
  server.on('request', async (request: IncomingMessage, response) => {
    const answer = (await front.respond(toRequest(request, origin))) ?? new Response(null, { status: 404 });
    for (const [name, value] of answer.headers) response.appendHeader(name, value);
    response.writeHead(answer.status).end(await answer.text());
  });
  const callerOf = (person: string): Caller => {
    const principal = `${encodeURIComponent(issuer.origin)}|${person}`;
    return { id: principal, principal };
  };
  return {
    origin,
    issuer: issuer.origin,
    host,
    pages,
    servers,
    upstream,
    callerOf,
    async whoami(person) {
      const { principal } = callerOf(person);
      const call = { server: 'one', tool: 'whoami' };
      return JSON.stringify(await host.callTool(call, { as: person }, { principal }));
    },
    async [Symbol.asyncDispose]() {
      await pages.close();
      await host.close();
      server.close();
      server.closeAllConnections();
      for (const each of [upstream, servers, issuer]) await each[Symbol.asyncDispose]();
    },
  };
}

export async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address !== 'object') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function toRequest(incoming: IncomingMessage, origin: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const { method = 'GET', url = '/' } = incoming;
  if (method === 'GET') return new Request(origin + url, { headers });
  const init = { method, headers, body: Readable.toWeb(incoming), duplex: 'half' };
  return new Request(origin + url, init as RequestInit); // `duplex` is not in the types of the DOM
}
