// Imported by other processes: a store on the same data. From `dist`, like an installed package.
import { fromIoredis, redisStore } from '@mcp-fittings/store-redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

export async function openClient({ client: kind, port }) {
  if (kind === 'ioredis') {
    const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50, maxRetriesPerRequest: 0 });
    client.on('error', () => {});
    const adapted = fromIoredis(client);
    return { ...adapted, [Symbol.asyncDispose]: async () => client.disconnect() };
  }
  const client = createClient({
    url: `redis://127.0.0.1:${port}`,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: 50 },
  });
  client.on('error', () => {});
  await client.connect();
  return {
    eval: (script, options) => client.eval(script, options),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

export async function openStore(argument) {
  const { client: kind, port, namespace } = JSON.parse(argument);
  const client = await openClient({ client: kind, port });
  return {
    ...redisStore({ client, key, namespace, lock: { staleMs: 1000 } }),
    [Symbol.asyncDispose]: client[Symbol.asyncDispose],
  };
}
