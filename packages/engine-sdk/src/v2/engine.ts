import { LOG_LEVEL_META_KEY, SdkHttpError, type ClientCapabilities } from '@modelcontextprotocol/client';
import { FittingsError, type JSONRPCObject, type Transport } from '@mcp-fittings/client-core';
import { linkSignal } from '@mcp-fittings/toolbox/timing';
import type { LogLevel } from '@mcp-fittings/host';
import {
  clientCapabilities,
  headerAnnotationProblem,
  isEraUnknown,
  isLocal,
  Listening,
  probeTimeoutMs,
  timeoutError,
  tooSlowForEra,
  withDelivery,
  type Engine,
  type EngineConnectOptions,
  type EngineRequestOptions,
  type EngineSession,
  type ProtocolEra,
} from '@mcp-fittings/host/engine';
import { acceptAnything } from '../accept-anything.js';
import { identityOf } from '../handshake-results.js';
import { observeResults, rawOf } from '../raw-results.js';
import { RequestDeadline } from '../request-deadline.js';
import { createSdkTransport } from '../sdk-transport.js';
import { ContextualClient } from './contextual-client.js';
import { fromSdkError } from './errors.js';
import { attachHandlers } from './handlers.js';
import { observeEraProbe, toEra, toPrior } from './protocol-era.js';
import { LEAST_RESULTS, send } from './requests.js';

/**
 * Creates an engine on `@modelcontextprotocol/client` (SDK v2), for revisions 2024-11-05 to 2025-11-25 and the stateless
 * 2026-07-28. Finds out for each server which of them it speaks.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 * @example
 * const host = createHost({ name: 'my-agent', version: '1.0.0', engine: sdkV2(), transports: [stdio()] });
 */
export function sdkV2(): Engine {
  return { specVersion: 1, name: 'sdk-v2', connect };
}

async function connect(inner: Transport, connectOptions: EngineConnectOptions): Promise<EngineSession> {
  const { server, events, signal, timeoutMs, clock } = connectOptions;
  const { name, version, title } = connectOptions.client;
  const isStdio = isLocal(inner);
  const client = new ContextualClient(
    { name, version, ...(title !== undefined && { title }) },
    {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- settings of extensions are JSON, which the SDK has a type for
      capabilities: clientCapabilities(connectOptions) as ClientCapabilities,
      jsonSchemaValidator: acceptAnything,
      versionNegotiation: {
        mode: 'auto',
        ...(isStdio && { probe: { timeoutMs: probeTimeoutMs(timeoutMs) } }),
      },
    },
  );
  attachHandlers(client, connectOptions);
  const probe = observeEraProbe();
  let era: ProtocolEra | undefined;
  /** Last error of the transport while the SDK probed for the era. */
  let refusal: FittingsError | undefined;
  const transport = createSdkTransport(inner, [
    probe,
    observeResults({
      onNotification: ({ method, params }) => events.notification?.(method, params ?? {}),
      leastResults: () => (era?.kind === 'stateless' ? LEAST_RESULTS : undefined),
    }),
    {
      failed: (error) => events.error(error),
      sendFailed(_message, error) {
        if (era === undefined && error instanceof FittingsError) refusal = error;
      },
    },
  ]);
  client.onerror = (error) => events.error(error);
  let listening: Listening | undefined;
  const fail = async (error: unknown): Promise<never> => {
    await listening?.close().catch(() => undefined);
    await transport.close();
    // For a refused probe the SDK throws its own error and drops the transport's, which says more: whether a retry is
    // worthwhile, for example.
    if (error instanceof SdkHttpError && refusal !== undefined) throw refusal;
    const failure = fromSdkError(error, { server, transport, signal, what: 'the handshake' });
    throw probe.isUnanswered && isEraUnknown(failure) ? tooSlowForEra(server, failure) : failure;
  };

  const prior = toPrior(connectOptions.era);
  try {
    // A signal that lives only as long as the handshake, because the SDK leaves listeners on it.
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
    listening = new Listening({
      listen: (filter) => client.listen(filter, { timeout: timeoutMs }),
      capabilities,
      clock,
      events,
      onError: (error) =>
        events.error(fromSdkError(error, { server, transport, what: 'subscriptions/listen' })),
    });
    await listening.open();
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
  const request = async (
    method: string,
    params: JSONRPCObject,
    given: EngineRequestOptions,
  ): Promise<JSONRPCObject> => {
    using deadline = new RequestDeadline(clock, given);
    using attached = transport.attach(given.headers, withLogLevel(params));
    const sdkOptions =
      found.kind === 'stateless'
        ? client.inThisContext(deadline.sdkOptions, given.call)
        : deadline.sdkOptions;
    try {
      const sent = { method, params: attached.params, definition: given.definition };
      return rawOf(await send(client, found, sent, sdkOptions));
    } catch (error) {
      const failure = { server, transport, signal: given.signal, what: method };
      throw deadline.hasPassed
        ? timeoutError(failure, error)
        : withDelivery(failure, fromSdkError(error, failure));
    }
  };
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    era: found,
    serverInfo: identityOf(client.getServerVersion()),
    instructions: client.getInstructions(),
    capabilities,
    ...(found.kind === 'stateless' &&
      !isStdio && { unusable: ({ inputSchema }) => headerAnnotationProblem(inputSchema) }),
    request,
    ...(listening !== undefined && {
      subscribe: (uri) => guarded('subscriptions/listen', listening.subscribe(uri)),
      unsubscribe: (uri) => guarded('subscriptions/listen', listening.unsubscribe(uri)),
      async setLogLevel(level) {
        logLevel = level;
      },
    }),
    async notify(method, params, { headers } = {}) {
      using attached = transport.attach(headers, params);
      await guarded(method, client.notification({ method, params: attached.params }));
    },
    async close() {
      await listening?.close().catch(() => undefined);
      await client.close();
    },
  };
}
