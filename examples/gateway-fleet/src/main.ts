/** One replica of a gateway. Start as many as you like behind any load balancer: everything that they share is in Redis. */
import { createServer } from 'node:http';
import { oauth } from '@mcp-fittings/auth-oauth';
import type { Logger } from '@mcp-fittings/client-core';
import {
  browserSignIn,
  createCallbackRouter,
  createGateway,
  createUpstreamSignIn,
  gatewayInteraction,
  oauthResource,
} from '@mcp-fittings/gateway';
import { createOperations } from '@mcp-fittings/gateway/operations';
import { createHost } from '@mcp-fittings/host';
import { redisCache, redisSharedState, redisStore } from '@mcp-fittings/store-redis';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { createClient } from 'redis';
import { readSettings } from './settings.js';

const settings = await readSettings(process.env);
const { publicUrl, issuer, port, operationsPort, host: address } = settings;
const logger: Logger = { debug: () => undefined, info: log('info'), warn: log('warn'), error: log('error') };

const redis = createClient({
  url: settings.redisUrl,
  disableOfflineQueue: true,
  socket: { reconnectStrategy: 100 },
});
redis.on('error', () => undefined); // the store and the state report errors
void redis.connect();

const key = () => ({ id: 'one', bytes: settings.encryptionKey });
const shared = { client: redis, key };
const store = redisStore({ ...shared, namespace: 'gateway:tokens' });
const interaction = gatewayInteraction({ publicUrl });
const callbacks = createCallbackRouter();
const host = createHost({
  name: 'gateway-fleet',
  version: '1.0.0',
  transports: [http(), stdio()],
  auth: [oauth({ clientName: 'Gateway', store, interaction })],
  cache: redisCache({ ...shared, namespace: 'gateway:lists' }),
  callbacks: callbacks.hostCallbacks,
  lazy: true, // each person has connections of their own
  limits: { principals: settings.maxConnections },
  logger,
});
await host.connect(settings.servers);

const signIn = createUpstreamSignIn({
  host,
  interaction,
  browser: browserSignIn({ issuer, clientId: 'gateway-pages' }),
  logger,
});
const operations = createOperations({ host, gateway: { load: () => gateway.load() } });
const gateway = createGateway(host, {
  callbacks,
  access: oauthResource({ resource: `${publicUrl}/mcp`, issuers: [issuer], scopes: { all: '*' }, logger }),
  signIn,
  allowedHosts: [new URL(publicUrl).host],
  state: redisSharedState({ ...shared, namespace: 'gateway:state' }),
  rateLimits: [{ per: 'principal+server', requests: settings.requestsPerMinute, intervalMs: 60_000 }],
  observe: operations.observe,
  logger,
});
const listener = await gateway.listen({ port, host: address });
const operationsServer = createServer(operations.listener).listen(operationsPort, address);
console.log(`Listening at ${listener.url}.`);

/** Longer than it takes a load balancer to see that this replica is not ready. */
const DRAIN = { minMs: 5000, graceMs: 25_000 };

process.once('SIGTERM', async () => {
  await operations.drain(DRAIN);
  await gateway.close();
  await signIn.close();
  operations[Symbol.dispose]();
  operationsServer.close();
  await host.close();
  redis.destroy();
});

/** One line of JSON for each message. */
function log(level: string): Logger['info'] {
  return (message, fields) => console.error(JSON.stringify({ level, message, ...fields }));
}
