import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import {
  UnauthorizedError as UnauthorizedV1,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitationCompleteNotificationSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createBrowser, type Browser } from '../sign-in/support/browser.js';
import { startSigningIn } from '../sign-in/support/signing-in.js';

const identity = { name: 'program', version: '1' };

/** The OAuth of an official SDK, with a browser. `answer` is what the browser was sent back with. */
function sdkOAuth(
  browser: Browser,
): OAuthClientProvider & { readonly asked: URL[]; readonly answer: () => URLSearchParams } {
  const kept: { client?: never; tokens?: never; verifier?: string; answer?: URLSearchParams } = {};
  const asked: URL[] = [];
  const redirectUrl = 'http://127.0.0.1:9/done';
  return {
    asked,
    answer: () => kept.answer ?? new URLSearchParams(),
    redirectUrl,
    clientMetadata: {
      client_name: 'program',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? '',
    async redirectToAuthorization(url) {
      asked.push(url);
      const { url: back } = await browser.open(url, { until: ({ pathname }) => pathname === '/done' });
      kept.answer = back.searchParams;
    },
  };
}

const textOf = (result: unknown): string => JSON.stringify(result);

describe('official clients find their way with nothing but the address', () => {
  it('SDK v1: from a 401 to a call, and from a call to a sign-in at the server', async () => {
    await using world = await startSigningIn({ access: { scopes: { tools: '*' } } });
    const browser = createBrowser('ann');
    const authProvider = sdkOAuth(browser);
    const address = new URL(`${world.origin}/mcp/one`);
    const client = new ClientV1(identity, { capabilities: { elicitation: { url: {} } } });
    const first = new HttpV1(address, { authProvider });
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedV1);
    expect(authProvider.asked[0]?.searchParams.get('resource')).toBe(`${world.origin}/mcp/one`);
    expect(authProvider.asked[0]?.searchParams.get('scope')).toBe('tools');
    await first.finishAuth(authProvider.answer().get('code') ?? '');
    await client.connect(new HttpV1(address, { authProvider }));
    const completed = new Promise<string>((resolve) =>
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) =>
        resolve(params.elicitationId),
      ),
    );
    const call = { name: 'whoami', arguments: { as: 'ann' } };
    const refusal: unknown = await client.callTool(call).catch((error: unknown) => error);
    if (!(refusal instanceof UrlElicitationRequiredError)) throw refusal;
    const [page] = refusal.elicitations;
    expect((await browser.open(page?.url ?? '')).html).toContain('You are signed in to one');
    expect(await completed).toBe(page?.elicitationId);
    expect(textOf(await client.callTool(call))).toContain('you are ann');
    await client.close();
  });

  it('SDK v2, 2026-07-28: the sign-in at the server is part of the call', async () => {
    await using world = await startSigningIn({ access: { scopes: { tools: '*' } } });
    const browser = createBrowser('ann');
    const authProvider = sdkOAuth(browser);
    const address = new URL(`${world.origin}/mcp/one`);
    const shown: string[] = [];
    const client = new Client(identity, {
      versionNegotiation: { mode: 'auto' },
      capabilities: { elicitation: { url: {} } },
    });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode !== 'url') throw new Error('not a page');
      shown.push((await browser.open(params.url)).html);
      return { action: 'accept' };
    });
    const first = new StreamableHTTPClientTransport(address, { authProvider });
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    await first.finishAuth(authProvider.answer());
    await client.connect(new StreamableHTTPClientTransport(address, { authProvider }));
    const result = await client.callTool({ name: 'whoami', arguments: { as: 'ann' } });
    expect(textOf(result)).toContain('you are ann');
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain('You are signed in to one');
    await client.close();
  });
});
