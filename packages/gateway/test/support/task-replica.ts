import { createHost, type Interceptor } from '@mcp-fittings/host';
import { tasks, type WithTasksOptions } from '@mcp-fittings/tasks';
import { http } from '@mcp-fittings/transport-http';
import { expect } from 'vitest';
import { type CallbackRouterOptions, createCallbackRouter } from '../../src/callbacks/callback-router.js';
import type { GatewayOptions } from '../../src/contracts/gateway-options.js';
import { createGateway } from '../../src/create-gateway.js';
import { byName } from './test-gateway.js';

const identity = { name: 'test', version: '1' };
export const FAST: WithTasksOptions = { limits: { minPollMs: 1 } };
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

interface Upstream {
  readonly headers?: Readonly<Record<string, string>>;
  readonly intercept?: readonly Interceptor[];
  readonly router?: CallbackRouterOptions;
}

/** A gateway over a server with tasks, whose host polls them where the client does not. */
export async function startReplica(url: string, options: GatewayOptions = {}, upstream: Upstream = {}) {
  const { headers = {}, intercept = [], router } = upstream;
  const callbacks = createCallbackRouter(router);
  const host = createHost({
    ...identity,
    transports: [tasks(http(), FAST)],
    callbacks: callbacks.hostCallbacks,
    intercept,
  });
  await host.connect({ studio: { type: 'http', url, headers } });
  const gateway = createGateway(host, { callbacks, access: byName, ...options });
  const listener = await gateway.listen({ port: 0 });
  return {
    host,
    url: listener.url,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await host.close();
    },
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Sends one request of 2026-07-28 and returns the body of the response. */
export async function post(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { token = 'ann', capabilities = TASKS }: { token?: string; capabilities?: object } = {},
): Promise<Record<string, Record<string, unknown>>> {
  const response = await fetch(url, requestOf(method, params, { token, capabilities }));
  const body: unknown = await response.json();
  return body as Record<string, Record<string, unknown>>;
}

/** Returns one request of 2026-07-28. */
export function requestOf(
  method: string,
  params: Readonly<Record<string, unknown>>,
  { token = 'ann', capabilities = TASKS }: { token?: string; capabilities?: object } = {},
): RequestInit {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': identity,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const name = params['taskId'] ?? params['name'];
  return {
    method: 'POST',
    headers: {
      ...bearer(token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': String(name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}

/** Calls a tool and returns the id of its task. */
export async function create(url: string, name: string, token = 'ann'): Promise<string> {
  const { result } = await post(url, 'tools/call', { name, arguments: {} }, { token });
  expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 60_000, pollIntervalMs: 5 });
  expect(result?.['createdAt']).toBe('2026-07-28T10:00:00Z');
  return String(result?.['taskId']);
}
