import { permits } from '../catalog/exposure.js';
import type { Clock, FittingsError } from '@mcp-fittings/client-core';
import type { ConnectionState, Host, ServerSnapshot } from '@mcp-fittings/host';
import type { Caller, Mount } from '../contracts/caller.js';
import type { GatewayStatus, ShownServer } from './gateway-status.js';
import { LATENCY_BOUNDS_MS } from './latency.js';
import type { RequestLog } from './request-log.js';
import { type EntryRedactor, shownMessage, shownName } from './shown-text.js';

export interface StatusSource {
  readonly host: Host;
  readonly serves: (caller: Caller, mount: Mount) => boolean;
  readonly log: RequestLog;
  readonly clock: Clock;
  readonly redact: EntryRedactor;
  readonly version: string | undefined;
  /** Time when the gateway was created, in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Returns what a caller sees of the gateway at this moment. */
export function createStatus(options: StatusSource, caller: Caller): GatewayStatus {
  const { host, serves, log, clock, version, createdAt } = options;
  const { principal } = caller;
  const allowed = host.servers({ principal }).filter(({ name }) => serves(caller, { server: name }));
  const names = new Set(allowed.map(({ name }) => shownName(name)));
  const tools = countAllowedTools(host, caller);
  return {
    version,
    at: clock.now(),
    uptimeMs: Math.max(0, clock.now() - createdAt),
    latencyBoundsMs: LATENCY_BOUNDS_MS,
    servers: allowed.map((snapshot) => serverStatus(options, caller, snapshot, tools)),
    errors: log.errors(caller).filter(({ server }) => names.has(server)),
  };
}

/** Returns the number of tools by server for a caller who may not use all of them. */
function countAllowedTools(host: Host, caller: Caller): ReadonlyMap<string, number> | undefined {
  const { principal } = caller;
  if (caller.allows === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const { server, name } of host.tools({ principal })) {
    if (permits(caller, server, name, 'tool')) counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  return counts;
}

function serverStatus(
  { log, redact }: StatusSource,
  caller: Caller,
  { name, type, state, counts, entry }: ServerSnapshot,
  tools: ReadonlyMap<string, number> | undefined,
): ShownServer {
  const clean = (text: string): string => shownMessage(redact(entry, text));
  const { serverInfo, protocolVersion } = state.status === 'connected' ? state.connection : {};
  const program = serverInfo && `${serverInfo.name} ${serverInfo.version}`;
  return {
    name: shownName(name),
    type: type && shownName(type),
    program: program && shownName(redact(entry, program)),
    protocolVersion: protocolVersion && shownName(protocolVersion),
    state: stateStatus(state, clean),
    counts: { ...counts, tools: tools === undefined ? counts.tools : (tools.get(name) ?? 0) },
    requests: log.requests(caller, name),
  };
}

function stateStatus(state: ConnectionState, clean: (text: string) => string): ShownServer['state'] {
  const { status } = state;
  const because = (error: FittingsError | undefined): Partial<ShownServer['state']> =>
    error === undefined
      ? {}
      : { code: error.code, reason: clean(error.message), hint: error.hint && clean(error.hint) };
  switch (status) {
    case 'connected':
      return { status, since: state.since };
    case 'connecting':
      return { status, reason: `Attempt ${state.attempt} of ${state.maxAttempts}: ${state.phase}.` };
    case 'pending':
      return { status, retryAt: state.retryAt, ...because(state.error) };
    case 'failed':
      return { status, ...because(state.error) };
    case 'needs-auth':
      // Not the message of the server: what it says about a token is not for this page.
      return { status, code: state.error.code, reason: 'A person has to sign in to this server.' };
    case 'disconnected':
      return { status, reason: DISCONNECTED[state.reason] };
    default:
      return { status };
  }
}

const DISCONNECTED = {
  'not started': 'It is connected when it is first used.',
  stopped: 'It was stopped.',
  idle: 'It was unused, and is connected when it is used again.',
} as const;
