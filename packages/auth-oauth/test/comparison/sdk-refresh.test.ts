import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientProvider as ProviderV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { answer } from '../support/ending-world.js';
import { createWorld, type World } from '../support/world.js';

/** The experiment of single-flight.test.ts with the OAuth of the SDKs, for comparison. */
describe('comparison: twenty calls at once on a dead token with a strictly rotating server', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
    world.resource.answer = answer;
    await world.use(world.provider());
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const refreshes = (status: number): number =>
    world.as.tokenRequests.filter((each) => each.grant === 'refresh_token' && each.status === status).length;

  /** The provider from the documentation of both SDKs, with the tokens of the sign-in. */
  async function documented() {
    const record = await world.store.get(`oauth\n${world.resource.url}`);
    interface Tokens {
      readonly access_token: string;
      readonly refresh_token?: string;
      readonly token_type: string;
    }
    let tokens: Tokens | undefined = {
      access_token: String(record?.['accessToken']),
      refresh_token: String(record?.['refreshToken']),
      token_type: 'Bearer',
    };
    const asked = { times: 0 };
    const provider = {
      redirectUrl: 'http://127.0.0.1:33418/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:33418/callback'] },
      clientInformation: () => ({ client_id: String(record?.['clientId']) }),
      tokens: () => tokens,
      saveTokens(saved: Tokens) {
        tokens = saved;
      },
      invalidateCredentials(what: string) {
        if (what === 'all' || what === 'tokens') tokens = undefined;
      },
      redirectToAuthorization: () => void asked.times++,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => 'verifier',
    } satisfies OAuthClientProvider & ProviderV1;
    return { provider, asked };
  }

  const twenty = async (ping: () => Promise<unknown>): Promise<number> => {
    for (const value of world.resource.seen) world.resource.dead.add(value?.split(' ')[1] ?? '');
    const ended = await Promise.allSettled(Array.from({ length: 20 }, ping));
    return ended.filter(({ status }) => status === 'fulfilled').length;
  };

  it('SDK v2 refreshes for each call, loses calls, and wants the person to sign in again', async () => {
    const { provider, asked } = await documented();
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(world.resource.url), { authProvider: provider }),
    );
    expect(await twenty(() => client.ping())).toBeLessThan(20);
    expect(refreshes(400)).toBeGreaterThan(0);
    expect(asked.times).toBeGreaterThan(0);
    await client.close();
  });

  it('SDK v1 does the same', async () => {
    const { provider, asked } = await documented();
    const client = new ClientV1({ name: 'c', version: '1' });
    await client.connect(new TransportV1(new URL(world.resource.url), { authProvider: provider }));
    expect(await twenty(() => client.ping())).toBeLessThan(20);
    expect(refreshes(400)).toBeGreaterThan(0);
    expect(asked.times).toBeGreaterThan(0);
    await client.close();
  });
});
