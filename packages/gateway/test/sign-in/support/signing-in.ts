import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { oauth } from '@mcp-fittings/auth-oauth';
import {
  browserSignIn,
  createCallbackRouter,
  createUpstreamSignIn,
  gatewayInteraction,
  oauthResource,
  type BrowserCheck,
  type Caller,
  type OAuthResourceOptions,
  type UpstreamSignIn,
  type UpstreamSignInOptions,
} from '@mcp-fittings/gateway';
import { createGateway } from '../../../src/create-gateway.js';
import { createHost, type Host } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import {
  startPersonalServers,
  type PersonalServers,
} from '../../../../auth-oauth/test/support/personal-servers.js';
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../../../auth-oauth/test/support/authorization-server.mjs';
import type { Browser } from './browser.js';
import { startPeopleIssuer } from './people-issuer.js';

/** A gateway for callers of one issuer. Its servers have an authorization server of their own. */
export interface SigningIn extends AsyncDisposable {
  readonly origin: string;
  readonly issuer: string;
  /** Everything that the gateway has sent: heads and bodies. */
  readonly sent: () => string;
  /** Obtains an access token for the gateway in the browser of a person. */
  tokenOf(browser: Browser): Promise<string>;
  readonly host: Host;
  readonly pages: ReturnType<typeof createUpstreamSignIn>;
  readonly servers: PersonalServers;
  /** Authorization server of the servers. */
  readonly upstream: TestAuthorizationServer;
  callerOf(person: string): Caller;
  /** Who the server `one` says that a person is. */
  whoami(person: string): Promise<string>;
}

export async function startSigningIn(
  options: Partial<UpstreamSignInOptions> & {
    /** Path of the public URL. */
    readonly path?: string;
    readonly access?: Partial<OAuthResourceOptions>;
    /** What answers the browser, if not the pages themselves. */
    readonly front?: (
      pages: ReturnType<typeof createUpstreamSignIn>,
      publicUrl: string,
    ) => Pick<UpstreamSignIn, 'respond'>;
  } = {},
  check = (at: string): BrowserCheck => browserSignIn({ issuer: at, clientId: 'gateway-pages' }),
): Promise<SigningIn> {
  const server = await listen();
  const origin = originOf(server);
  const publicUrl = origin + (options.path ?? '');
  const issuer = await startPeopleIssuer({ gateway: publicUrl });
  const servers: PersonalServers = await startPersonalServers(() => upstream);
  const upstream = await startAuthorizationServer({ resource: () => servers.origin });
  const interaction = gatewayInteraction({ publicUrl });
  const callbacks = createCallbackRouter();
  const host = createHost({
    name: 'tests',
    version: '1',
    transports: [http()],
    auth: [oauth({ clientName: 'gateway', store: memoryStore(), interaction })],
    lazy: true,
    callbacks: callbacks.hostCallbacks,
  });
  await host.connect({ one: { url: servers.one }, two: { url: servers.two } });
  const browser = check(issuer.origin);
  const pages = createUpstreamSignIn({ host, interaction, browser, ...options });
  const resource = `${origin}/mcp`;
  const access = oauthResource({ resource, issuers: [issuer.origin], ...options.access });
  const front = options.front?.(pages, publicUrl) ?? pages;
  const signIn = { ...pages, respond: (request: Request) => front.respond(request) };
  const gateway = createGateway(host, { callbacks, access, signIn, limits: { listMs: 500 } });
  const sent: string[] = [];
  server.on('request', (request, response) => {
    record(response, (text) => sent.push(text));
    gateway.listener(request, response);
  });
  const callerOf = (person: string): Caller => {
    const principal = `${encodeURIComponent(issuer.origin)}|${person}`;
    return { id: principal, principal };
  };
  return {
    origin,
    issuer: issuer.origin,
    sent: () => sent.join('\n'),
    async tokenOf(person) {
      const verifier = 'v'.repeat(43);
      const url = new URL(`${issuer.origin}/auth`);
      const redirect = 'http://127.0.0.1:9/done';
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: 'program',
        redirect_uri: redirect,
        scope: 'tools',
        resource,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString();
      const { url: back } = await person.open(url, { until: ({ pathname }) => pathname === '/done' });
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'program',
        redirect_uri: redirect,
        code: back.searchParams.get('code') ?? '',
        code_verifier: verifier,
        resource,
      });
      const response = await fetch(`${issuer.origin}/token`, { method: 'POST', body });
      const token: unknown = await response.json();
      if (typeof token !== 'object' || token === null || !('access_token' in token))
        throw new Error(JSON.stringify(token));
      return String(token.access_token);
    },
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
      await gateway.close();
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

/** Reports the heads and bodies of a response. */
function record(response: ServerResponse, onText: (text: string) => void): void {
  for (const method of ['writeHead', 'write', 'end'] as const) {
    const original: unknown = Reflect.get(response, method);
    if (typeof original !== 'function') throw new Error(`no ${method}`);
    Object.assign(response, {
      [method]: (...args: readonly unknown[]): unknown => {
        for (const each of args) {
          if (each instanceof Uint8Array) onText(Buffer.from(each).toString());
          else onText(typeof each === 'string' ? each : (JSON.stringify(each) ?? ''));
        }
        if (method === 'end') onText(JSON.stringify(response.getHeaders()));
        return Reflect.apply(original, response, args);
      },
    });
  }
}
