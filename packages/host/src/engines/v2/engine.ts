import { Client, LOG_LEVEL_META_KEY, SdkHttpError, type RequestOptions } from '@modelcontextprotocol/client';
import { FittingsError, type ErrorCode } from '@mcp-fittings/client-core';
import type { JSONRPCObject, Transport } from '@mcp-fittings/client-core/transport';
import type { Engine, EngineContext, EngineRequestOptions, EngineSession } from '../../contracts/engine.js';
import type { LogLevel } from '../../contracts/server-requests.js';
import { acceptAnything, clientCapabilities, type SdkOptions } from '../shared/options.js';
import { withOwnSignal } from '../shared/own-signal.js';
import { createRequestDeadline } from '../shared/request-deadline.js';
import { timeoutError } from '../shared/request-errors.js';
import { createSession } from '../shared/session.js';
import { rawOf, tapTransport } from '../shared/tap.js';
import { watchEraProbe } from './era-probe.js';
import { toPrior, toVerdict } from './era.js';
import { fromSdkError } from './errors.js';
import { attachHandlers } from './handlers.js';
import { headerProblem } from './header-annotations.js';
import { createListening, type Listening } from './listening.js';
import { watchRefusals } from './refusals.js';
import { requestOther, requestWith } from './requests.js';

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
  context: EngineContext,
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
  const probe = watchEraProbe(transport);
  tapTransport(transport, {
    onNotification: ({ method, params }) => events.notification?.(method, params ?? {}),
    takes: (message) => probe.takes(message),
  });
  client.onerror = (error) => events.error(error);
  let listening: Listening | undefined;
  const fail = async (error: unknown): Promise<never> => {
    await listening?.close().catch(() => undefined);
    await transport.close();
    // `SdkHttpError` is what the SDK puts in the place of a refusal.
    if (error instanceof SdkHttpError && refusals.last !== undefined) throw refusals.last;
    const failure = fromSdkError(error, { server, transport, signal, what: 'the handshake' });
    throw probe.isUnanswered && REFUSALS.has(failure.code) ? tooSlowForEra(server, failure) : failure;
  };
  const refusals = watchRefusals(transport);

  const prior = toPrior(context.era);
  try {
    await withOwnSignal(signal, (own) =>
      client.connect(transport, {
        timeout: timeoutMs,
        ...(own !== undefined && { signal: own }),
        ...(prior !== undefined && { prior }),
      }),
    );
  } catch (error) {
    return fail(error);
  }
  refusals.stop();
  client.onclose = () => events.closed();

  const capabilities: JSONRPCObject = { ...client.getServerCapabilities() };
  const era = toVerdict(client.getDiscoverResult(), probe.isUnanswered);
  let logLevel: LogLevel | undefined;

  if (era.kind === 'stateless') {
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
  const sent = async (
    method: string,
    given: EngineRequestOptions,
    work: (sdkOptions: RequestOptions) => Promise<JSONRPCObject>,
  ): Promise<JSONRPCObject> => {
    using deadline = createRequestDeadline(clock, given);
    try {
      return await work({ ...deadline.sdkOptions });
    } catch (error) {
      const failure = { server, transport, signal: given.signal, what: method };
      throw deadline.passed ? timeoutError(failure, error) : fromSdkError(error, failure);
    }
  };
  const info = client.getServerVersion();
  const send = requestWith(client);
  return createSession({
    server,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    era,
    serverInfo: info && { name: info.name, version: info.version, title: info.title },
    instructions: client.getInstructions(),
    capabilities,
    unusable:
      era.kind === 'stateless' && !isStdio ? ({ inputSchema }) => headerProblem(inputSchema) : undefined,
    request: async (method, params, given, extras) =>
      rawOf(
        await sent(method, given, (sdkOptions) => send(method, withLogLevel(params), sdkOptions, extras)),
      ),
    requestOther: (method, params, given) =>
      sent(method, given, (sdkOptions) => requestOther(client, method, withLogLevel(params), sdkOptions)),
    instead: listening && {
      subscribe: (uri) => guarded('subscriptions/listen', listening.subscribe(uri)),
      unsubscribe: (uri) => guarded('subscriptions/listen', listening.unsubscribe(uri)),
      setLogLevel: async (level) => {
        logLevel = level;
      },
    },
    notify: (method, params) => guarded(method, client.notification({ method, params })),
    rootsChanged: () => (era.kind === 'stateless' ? Promise.resolve() : client.sendRootsListChanged()),
    async close() {
      await listening?.close().catch(() => undefined);
      await client.close();
    },
  });
}
