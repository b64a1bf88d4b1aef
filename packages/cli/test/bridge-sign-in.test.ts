import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthProvider, TokenStore } from '@mcp-fittings/client-core';
import { createOAuthProvider, type Interaction } from '@mcp-fittings/auth-oauth';
import { fileStore } from '@mcp-fittings/store-file';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '@modelcontextprotocol/client';
import { scripted } from '../../auth-oauth/test/support/world.js';
import { createBridgeSignIn } from '../src/bridge/sign-in.js';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { startProtectedServer, type ProtectedServer } from './support/protected-server.js';
import { bridge, TOKEN, upstreamTo } from './support/upstreams.js';

let server: ProtectedServer;
let folder: string;

beforeEach(async () => {
  server = await startProtectedServer();
  folder = await mkdtemp(join(tmpdir(), 'fittings-sign-in-'));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** One bridge, as a process of its own would be: nothing is shared but the file of the store. */
function instance(pages: URL[], interaction: Interaction = counting(pages)) {
  const store = fileStore({ path: folder, consent: () => true });
  const provider = createOAuthProvider({
    url: server.url,
    server: 'protected',
    store,
    clientName: 'test',
    interaction,
  });
  return { open: openWith(provider, store, provider) };
}

function openWith(auth: AuthProvider, store: TokenStore, provider?: AuthProvider) {
  const config = { type: 'http', url: server.url };
  const loginCommand = 'fittings login protected';
  const { signal } = new AbortController();
  const signIn = createBridgeSignIn({ server: 'protected', config, provider, store, loginCommand, signal });
  return upstreamTo({ server: 'protected', config, auth, signIn });
}

/** A person, and the pages that were opened for them. */
function counting(pages: URL[]): Interaction {
  const person = scripted();
  return {
    async begin(options) {
      const session = await person.begin(options);
      return {
        ...session,
        async authorize(request) {
          pages.push(request.url);
          return session.authorize(request);
        },
        [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
      };
    },
  };
}

async function callThrough(open: ReturnType<typeof upstreamTo>): Promise<string> {
  const { url } = await bridge({ open });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(createWebSocketTransport({ url, apiKey: TOKEN }));
  const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  await client.close();
  return JSON.stringify(content);
}

describe('signing in from a bridge', () => {
  it('opens one page, however many bridges there are', async () => {
    const pages: URL[] = [];
    const instances = Array.from({ length: 4 }, () => instance(pages));
    const answers = await Promise.all(instances.map(({ open }) => callThrough(open)));
    expect(answers).toEqual(instances.map(() => '[{"type":"text","text":"3"}]'));
    expect(pages).toHaveLength(1);
    expect(server.shown.size).toBe(1);
  });

  it('lets the next one try when a person gave up', async () => {
    const pages: URL[] = [];
    const declined: Interaction = {
      begin: () => Promise.reject(new Error('The window was closed.')),
    };
    await expect(callThrough(instance(pages, declined).open)).rejects.toThrow(
      'The bridge could not forward the request.',
    );
    expect(await callThrough(instance(pages).open)).toContain('3');
    expect(pages).toHaveLength(1);
  });

  it('without a person the error says how to sign in, and keeps the challenge as its cause', async () => {
    const store = fileStore({ path: folder, consent: () => true });
    const provider = createOAuthProvider({ url: server.url, server: 'protected', store, clientName: 'test' });
    const upstream = await openWith(provider, store)();
    const sent = upstream.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    });
    const error = await sent.catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: 'AUTH_REQUIRED',
      hint: expect.stringContaining('fittings login protected'),
      cause: { challenge: { status: 401 } },
    });
    await upstream.transport.close();
  });
});
