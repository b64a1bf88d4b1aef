import { ERROR_CODES, type FittingsError } from '@mcp-fittings/client-core';
import type { ConnectionStatus, Host } from '@mcp-fittings/host';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GatewayLoad } from '../contracts/gateway.js';
import type { RequestEvent } from '../contracts/request-event.js';
import { snapshotOf } from '../catalog/ready-servers.js';
import { LATENCY_BOUNDS_MS } from '../status/latency.js';

/** Servers that have time series of their own. Those beyond it share one, so that servers that come and go do not fill the memory. */
const MAX_SERVERS = 1000;
/** People whose sign-ins are counted at once. */
const MAX_SIGN_INS = 10_000;
/** Label of what is not known, or too much. */
const OTHER = '_other';

/** Methods of the revisions of MCP that a gateway passes on. A client could send any other text. */
const METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/call',
  'tools/list',
]);

const STATES: readonly ConnectionStatus[] = [
  'connected',
  'connecting',
  'disabled',
  'disconnected',
  'disconnecting',
  'failed',
  'needs-auth',
  'pending',
];

/** Dependencies of the metrics. */
export interface MetricsOptions {
  readonly host: Host;
  readonly registry: Registry;
  readonly load: () => GatewayLoad | undefined;
  readonly isDraining: () => boolean;
}

/** Registers the metrics of a gateway, and counts its requests. Dispose of it to stop listening to the host. */
export function registerMetrics(
  options: MetricsOptions,
): Disposable & { readonly observe: (event: RequestEvent) => void } {
  const { host, registry, load, isDraining } = options;
  const registers = [registry];
  const known = new Set<string>();

  /** The name of a server that the host has, or has had. */
  const serverLabel = (server: string): string => {
    if (known.has(server)) return server;
    if (known.size >= MAX_SERVERS || snapshotOf(host, server, undefined) === undefined) return OTHER;
    known.add(server);
    return server;
  };

  const requests = new Counter({
    name: 'mcp_gateway_requests_total',
    help: 'Requests that were passed on to a server and have ended, by outcome: ok, or the code of the error.',
    labelNames: ['server', 'method', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'mcp_gateway_request_duration_seconds',
    help: 'Time from a request to its end.',
    labelNames: ['server', 'method'],
    buckets: LATENCY_BOUNDS_MS.map((ms) => ms / 1000),
    registers,
  });
  const reconnects = new Counter({
    name: 'mcp_gateway_reconnects_total',
    help: 'Connections to servers that were lost and made again.',
    labelNames: ['server'],
    registers,
  });
  const errors = new Counter({
    name: 'mcp_gateway_server_errors_total',
    help: 'Errors of connections to servers that no request reports, by code.',
    labelNames: ['server', 'code'],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number | undefined): void =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          const value = read();
          if (value === undefined) this.remove();
          else this.set(value);
        },
      }),
    );
  gauge('mcp_gateway_sessions', 'Sessions of clients.', () => load()?.sessions);
  gauge('mcp_gateway_requests_in_flight', 'Requests that have not ended.', () => load()?.requestsInFlight);
  gauge('mcp_gateway_draining', 'Whether the gateway is about to end.', () => Number(isDraining()));
  registry.registerMetric(
    new Gauge({
      name: 'mcp_gateway_server_state',
      help: "State of the host's own connection to a server: 1 for the present state, 0 for the others.",
      labelNames: ['server', 'state'],
      registers: [],
      collect() {
        // A server that was removed has no state.
        this.reset();
        for (const { name, state } of host.servers()) {
          const server = serverLabel(name);
          if (server === OTHER) continue;
          for (const status of STATES) this.set({ server, state: status }, Number(status === state.status));
        }
      },
    }),
  );
  const signIns = watchSignIns(host);
  registry.registerMetric(
    new Gauge({
      name: 'mcp_gateway_sign_ins_needed',
      help: 'Connections that wait for a person to sign in, those for people included.',
      labelNames: ['server'],
      registers: [],
      collect() {
        this.reset();
        for (const { name } of host.servers()) this.set({ server: serverLabel(name) }, 0);
        for (const server of signIns.servers()) this.inc({ server: serverLabel(server) });
      },
    }),
  );

  const listeners = [
    signIns,
    host.on('reconnected', ({ server }) => reconnects.inc({ server: serverLabel(server) })),
    host.on('error', ({ server, error }) => errors.inc({ server: serverLabel(server), code: codeOf(error) })),
    host.on('reconnectFailed', ({ server, error }) =>
      errors.inc({ server: serverLabel(server), code: codeOf(error) }),
    ),
  ];
  return {
    observe({ server, method, durationMs, error }) {
      const labels = { server: serverLabel(server), method: METHODS.has(method) ? method : OTHER };
      requests.inc({ ...labels, outcome: error === undefined ? 'ok' : codeOf(error) });
      durations.observe(labels, durationMs / 1000);
    },
    [Symbol.dispose]() {
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}

/** Keeps which connections wait for a sign-in: one for each person. */
function watchSignIns(host: Host): Disposable & { servers(): Iterable<string> } {
  const waiting = new Map<string, string>();
  const note = (server: string, principal: string | undefined, status: ConnectionStatus): void => {
    const key = JSON.stringify([server, principal]);
    if (status !== 'needs-auth') waiting.delete(key);
    else if (waiting.size < MAX_SIGN_INS) waiting.set(key, server);
  };
  for (const { name, state } of host.servers()) note(name, undefined, state.status);
  const listener = host.on('state', ({ server, principal, state }) => note(server, principal, state.status));
  return {
    // A connection that is forgotten is `disconnected` first.
    servers: () => waiting.values(),
    [Symbol.dispose]: () => listener[Symbol.dispose](),
  };
}

function codeOf({ code }: FittingsError): string {
  // An error of another version of client-core can have a code that this one does not know.
  return Object.hasOwn(ERROR_CODES, code) ? code : OTHER;
}
