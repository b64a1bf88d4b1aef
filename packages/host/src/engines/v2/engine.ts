import { Client, LOG_LEVEL_META_KEY, SdkHttpError } from '@modelcontextprotocol/client';
import { FittingsError, type ErrorCode } from '@mcp-fittings/client-core';
import { linkSignal } from '@mcp-fittings/client-core/timing';
import type { JSONRPCObject, Transport } from '@mcp-fittings/client-core/transport';
import type {
  Engine,
  EngineConnectOptions,
  EngineRequestOptions,
  EngineSession,
  ProtocolEra,
} from '../../contracts/engine.js';
import type { LogLevel } from '../../contracts/server-requests.js';
import type { RequestExtras } from '../shared/methods.js';
import { acceptAnything, clientCapabilities, type SdkOptions } from '../shared/options.js';
import { observeResults, rawOf } from '../shared/raw-results.js';
import { createRequestDeadline } from '../shared/request-deadline.js';
import { timeoutError } from '../shared/request-errors.js';
import { createSession, withMeta } from '../shared/session.js';
import { fromSdkError } from './errors.js';
import { attachHandlers } from './handlers.js';
import { headerProblem } from './header-annotations.js';
import { createListening, type Listening } from './listening.js';
import { observeEraProbe, toEra, toPrior } from './protocol-era.js';
import { createSend, LEAST_RESULTS } from './requests.js';

/**
 * The share of the time for connecting that a local server has to answer the probe. It may need most of it to start; the
 * rest is for the handshake of the older era. Our own stdio transport answers for a server that is up and stays silent.
 */
const PROBE_SHARE_ON_STDIO = 2 / 3;

/**
 * The protocol engine on `@modelcontextprotocol/client` (SDK v2): revisions 2024-11-05 to 2025-11-25 and the stateless
 * 2026-07-28, found out per server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export function sdk(options: SdkOptions): Engine {
  return {
    specVersion: 1,
    name: 'sdk-v2',
    connect: (transport, context) => connect(options, transport, context),
  };
}

/** How a server refuses a handshake of another era than its own. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['RPC_ERROR', 'VERSION_UNSUPPORTED']);

/** It was asked for the older handshake because it was silent: it may speak the newer one, and answer next time. */
function tooSlowForEra(server: string, cause: FittingsError): FittingsError {
  return new FittingsError(
    'TIMEOUT',
    `"${server}" did not say in time which protocol revision it speaks: ${cause.message}`,
    { server, cause, hint: 'Raise connectTimeout if the server needs long to start.' },
  );
}

async function connect(
  options: SdkOptions,
  transport: Transport,
  context: EngineConnectOptions,
): Promise<EngineSession> {
  const { server, events, signal, timeoutMs, clock } = context;
  const isStdio = 'stderr' in transport && 'pid' in transport;
  const client = new Client(
    {
      name: options.name,
      version: options.version,
      ...(options.title !== undefined && { title: options.title }),
    },
    {
      capabilities: clientCapabilities(options, context.callbacks),
      jsonSchemaValidator: acceptAnything,
      versionNegotiation: {
        mode: 'auto',
        ...(isStdio && { probe: { timeoutMs: Math.ceil(timeoutMs * PROBE_SHARE_ON_STDIO) } }),
      },
    },
  );
  attachHandlers(client, context);
  const probe = observeEraProbe();
  context.observe(probe);
  let era: ProtocolEra | undefined;
  context.observe(
    observeResults({
      onNotification: ({ method, params }) => events.notification?.(method, params ?? {}),
      leastResults: () => (era?.kind === 'stateless' ? LEAST_RESULTS : undefined),
    }),
  );
  /** What the transport refused last while the SDK looked for the era. */
  let refusal: FittingsError | undefined;
  context.observe({
    sendFailed(_message, error) {
      if (era === undefined && error instanceof FittingsError) refusal = error;
    },
  });
  client.onerror = (error) => events.error(error);
  let listening: Listening | undefined;
  const fail = async (error: unknown): Promise<never> => {
    await listening?.close().catch(() => undefined);
    await transport.close();
    // The SDK makes an error of its own out of a refused probe and drops the transport's, which says more: whether it is
    // worth another attempt, for example.
    if (error instanceof SdkHttpError && refusal !== undefined) throw refusal;
    const failure = fromSdkError(error, { server, transport, signal, what: 'the handshake' });
    throw probe.isUnanswered && REFUSALS.has(failure.code) ? tooSlowForEra(server, failure) : failure;
  };

  const prior = toPrior(context.era);
  try {
    // A signal that lives no longer than the handshake, whatever the SDK leaves on it.
    using own = linkSignal(signal);
    await client.connect(transport, {
      timeout: timeoutMs,
      signal: own.signal,
      ...(prior !== undefined && { prior }),
    });
  } catch (error) {
    return fail(error);
  }
  client.onclose = () => events.closed();

  const capabilities: JSONRPCObject = { ...client.getServerCapabilities() };
  const found = toEra(client.getDiscoverResult(), probe.isUnanswered);
  era = found;
  let logLevel: LogLevel | undefined;

  if (found.kind === 'stateless') {
    listening = createListening(client, {
      capabilities,
      clock,
      timeoutMs,
      onError: (error) =>
        events.error(fromSdkError(error, { server, transport, what: 'subscriptions/listen' })),
      onGap: (uris) => {
        for (const kind of ['tools', 'prompts', 'resources'] as const) events.listChanged(kind);
        for (const uri of uris) events.resourceUpdated(uri);
      },
    });
    // A server that refuses to be listened to is still a server: its lists just age.
    await listening
      .open()
      .catch((error: unknown) =>
        events.error(fromSdkError(error, { server, transport, what: 'subscriptions/listen' })),
      );
  }

  const guarded = async (what: string, work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      throw fromSdkError(error, { server, transport, what });
    }
  };
  const withLogLevel = (params: JSONRPCObject): JSONRPCObject =>
    logLevel === undefined
      ? params
      : { ...params, _meta: { ...params._meta, [LOG_LEVEL_META_KEY]: logLevel } };
  const send = createSend(client, found);
  const request = async (
    method: string,
    params: JSONRPCObject,
    given: EngineRequestOptions,
    extras?: RequestExtras,
  ): Promise<JSONRPCObject> => {
    const deadline = createRequestDeadline(clock, given);
    try {
      return rawOf(await send(method, withLogLevel(withMeta(params, given)), deadline.sdkOptions, extras));
    } catch (error) {
      const failure = { server, transport, signal: given.signal, what: method };
      throw deadline.passed ? timeoutError(failure, error) : fromSdkError(error, failure);
    } finally {
      deadline.end();
    }
  };
  const info = client.getServerVersion();
  return createSession({
    server,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    era: found,
    serverInfo: info && { name: info.name, version: info.version, title: info.title },
    instructions: client.getInstructions(),
    capabilities,
    unusable:
      found.kind === 'stateless' && !isStdio ? ({ inputSchema }) => headerProblem(inputSchema) : undefined,
    request,
    overrides: listening && {
      subscribe: (uri) => guarded('subscriptions/listen', listening.subscribe(uri)),
      unsubscribe: (uri) => guarded('subscriptions/listen', listening.unsubscribe(uri)),
      setLogLevel: async (level) => {
        logLevel = level;
      },
    },
    notify: (method, params) => guarded(method, client.notification({ method, params })),
    rootsChanged: () => (found.kind === 'stateless' ? Promise.resolve() : client.sendRootsListChanged()),
    async close() {
      await listening?.close().catch(() => undefined);
      await client.close();
    },
  });
}
