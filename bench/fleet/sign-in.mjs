/** Signs everyone in to their servers, as the pages of the gateway would: the credentials are in Redis when the replicas start. */
import { oauth } from '@mcp-fittings/auth-oauth';
import { createHost } from '@mcp-fittings/host';
import { redisStore } from '@mcp-fittings/store-redis';
import { http } from '@mcp-fittings/transport-http';
import { createClient } from 'redis';

const AT_A_TIME = 8;

export async function signInEveryone({ everyone, entries, redisUrl, encryptionKey, issuer, upstream }) {
  const client = createClient({ url: redisUrl });
  client.on('error', () => undefined);
  await client.connect();
  const bytes = Buffer.from(encryptionKey, 'base64');
  const store = redisStore({ client, key: () => ({ id: 'one', bytes }), namespace: 'gateway:tokens' });
  const names = new Map(everyone.map(({ name }) => [principalOf(issuer, name), name]));
  const interaction = {
    begin: async ({ principal }) => ({
      redirectUri: 'http://127.0.0.1:33418/callback',
      async authorize({ url, state }) {
        const page = new URL(url);
        page.searchParams.set('person', names.get(principal));
        const { code } = await (await fetch(page)).json();
        return new URLSearchParams({ code, state, iss: upstream.origin });
      },
      async [Symbol.asyncDispose]() {},
    }),
  };
  const host = createHost({
    name: 'gateway-fleet',
    version: '1.0.0',
    transports: [http()],
    auth: [oauth({ clientName: 'Gateway', store, interaction })],
    lazy: true,
    limits: { principals: 100 },
  });
  host.on('error', () => undefined);
  await host.connect(Object.fromEntries(Object.entries(entries).filter(([, { type }]) => type === 'http')));
  const todo = everyone.flatMap(({ name, servers }) =>
    servers.map((server) => ({ server, principal: principalOf(issuer, name) })),
  );
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
        const { server, principal } = next;
        await host.signIn(server, { principal });
        await host.stop(server, { principal });
      }
    }),
  );
  await host.close();
  client.destroy();
}

/** As `oauthResource()` names the person of a token. */
function principalOf(issuer, name) {
  return `${encodeURIComponent(issuer)}|${encodeURIComponent(name)}`;
}
