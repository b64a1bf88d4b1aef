import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@mcp-fittings/client-core';
import { settlesWithin, systemClock } from '@mcp-fittings/toolbox/timing';
import type { Host } from '@mcp-fittings/host';
import { Registry } from 'prom-client';
import { snapshotOf } from '../catalog/ready-servers.js';
import type { GatewayLoad } from '../contracts/gateway.js';
import type { RequestEvent } from '../contracts/request-event.js';
import { registerMetrics } from './metrics.js';

/** Options of {@link createOperations}. */
export interface OperationsOptions {
  /** Host of the gateway. */
  readonly host: Host;
  /** The gateway, or anything else with its load. Default: none, so that {@link Operations.drain} waits for the whole grace. */
  readonly gateway?: { load(): GatewayLoad } | undefined;
  /** Names of servers without which the gateway is not ready. Default: none. */
  readonly required?: readonly string[] | undefined;
  /** Registry for the metrics, for a program that adds its own. Default: a registry of this object. */
  readonly registry?: Registry | undefined;
  /** Clock of {@link Operations.drain}, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Health, readiness and metrics of a gateway. Serve it on a port that clients do not reach: it asks for no token. It shows names
 * of servers, and nothing of callers.
 */
export interface Operations extends Disposable {
  /** Counts a request. Pass it to the gateway. */
  readonly observe: (event: RequestEvent) => void;
  /** Registry of the metrics. */
  readonly registry: Registry;
  /**
   * Answers `GET` of three paths. `/health/live`: 200. `/health/ready`: 200, or 503 while draining, or while a required server is not
   * connected. `/metrics`: the metrics in the text format of Prometheus. Everything else: 404 or 405.
   * @see https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  fetch(request: Request): Promise<Response>;
  /** As {@link fetch}, for `http.createServer()` of Node.js. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Makes `/health/ready` answer 503 from now on, and resolves when no request is in flight or `graceMs` has passed. Then close the
   * gateway.
   */
  drain(options: {
    /** Longest time to wait for requests in flight, in milliseconds. */
    readonly graceMs: number;
    /**
     * Shortest time to wait, in milliseconds: load balancers send requests until they have seen that the gateway is not ready.
     * Default 0.
     */
    readonly minMs?: number | undefined;
  }): Promise<{
    /** Requests that are still in flight; closing the gateway withdraws them. `undefined` if no gateway was given. */
    readonly requestsInFlight: number | undefined;
  }>;
  /** Stops listening to the host. */
  [Symbol.dispose](): void;
}

/** Time between two looks at the requests in flight, in milliseconds. */
const POLL_MS = 50;
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * Creates the operations of a gateway.
 * @example
 * const operations = createOperations({ host, gateway, required: ['github'] });
 * http.createServer(operations.listener).listen(9090);
 */
export function createOperations(options: OperationsOptions): Operations {
  const { host, gateway, required = [], clock = systemClock, registry = new Registry() } = options;
  let isDraining = false;
  const load = (): GatewayLoad | undefined => gateway?.load();
  const metrics = registerMetrics({ host, registry, load, isDraining: () => isDraining });

  const respondReady = (): Response => {
    const missing = required.flatMap((name) => {
      const status = snapshotOf(host, name, undefined)?.state.status ?? 'unknown';
      return status === 'connected' ? [] : [{ name, state: status }];
    });
    const isReady = !isDraining && missing.length === 0;
    const status = isDraining ? 'draining' : isReady ? 'ready' : 'waiting for servers';
    return respond(JSON.stringify({ status, missing }), JSON_TYPE, isReady ? 200 : 503);
  };

  const answer = async (method: string, path: string): Promise<Response> => {
    const known = path === '/health/live' || path === '/health/ready' || path === '/metrics';
    if (!known) return respond('Not found.', TEXT_TYPE, 404);
    if (method !== 'GET' && method !== 'HEAD') {
      return respond('Method not allowed.', TEXT_TYPE, 405, { allow: 'GET, HEAD' });
    }
    if (path === '/health/live') return respond(JSON.stringify({ status: 'live' }), JSON_TYPE);
    if (path === '/health/ready') return respondReady();
    return respond(await registry.metrics(), registry.contentType);
  };

  return {
    observe: metrics.observe,
    registry,
    async fetch({ method, url }) {
      const response = await answer(method, new URL(url).pathname);
      return method === 'HEAD' ? new Response(null, response) : response;
    },
    listener: (request, response) => {
      const { method = 'GET', url = '/' } = request;
      // The body of such a request is not needed.
      request.resume();
      answer(method, url.split('?', 1)[0] ?? '/').then(
        async (answered) => {
          response.writeHead(answered.status, Object.fromEntries(answered.headers));
          response.end(method === 'HEAD' ? undefined : await answered.text());
        },
        () => response.writeHead(500, { 'content-type': TEXT_TYPE }).end('The metrics cannot be read.'),
      );
    },
    async drain({ graceMs, minMs = 0 }) {
      isDraining = true;
      const begin = clock.now();
      const never = new Promise<never>(() => undefined);
      const isBusy = (): boolean => load()?.requestsInFlight !== 0;
      for (;;) {
        const passed = clock.now() - begin;
        if (passed >= graceMs || (passed >= minMs && !isBusy())) break;
        await settlesWithin(Math.min(POLL_MS, graceMs - passed), never, clock);
      }
      return { requestsInFlight: load()?.requestsInFlight };
    },
    [Symbol.dispose]: () => metrics[Symbol.dispose](),
  };
}

function respond(
  body: string,
  type: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
