import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FittingsError } from '@mcp-fittings/client-core';
import { linkSignal } from '@mcp-fittings/client-core/timing';
import type { JSONRPCObject, Transport } from '@mcp-fittings/client-core/transport';
import type {
  Engine,
  EngineConnectOptions,
  EngineRequestOptions,
  EngineSession,
} from '../../contracts/engine.js';
import { acceptAnything, clientCapabilities, type SdkOptions } from '../shared/options.js';
import { observeResults, rawOf } from '../shared/raw-results.js';
import { createRequestDeadline } from '../shared/request-deadline.js';
import {
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  type FailureOptions,
} from '../shared/request-errors.js';
import { createSession, withMeta } from '../shared/session.js';
import { attachHandlers } from './handlers.js';

/**
 * The protocol engine on `@modelcontextprotocol/sdk` (v1): revisions 2024-11-05 to 2025-11-25.
 * @see https://modelcontextprotocol.io/specification/2025-11-25
 */
export function sdk(options: SdkOptions): Engine {
  return {
    specVersion: 1,
    name: 'sdk',
    connect: (transport, context) => connect(options, transport, context),
  };
}

async function connect(
  options: SdkOptions,
  transport: Transport,
  context: EngineConnectOptions,
): Promise<EngineSession> {
  const { server, events, signal } = context;
  const client = new Client(
    {
      name: options.name,
      version: options.version,
      ...(options.title !== undefined && { title: options.title }),
    },
    { capabilities: clientCapabilities(options, context.callbacks), jsonSchemaValidator: acceptAnything },
  );
  attachHandlers(client, context);
  let version: string | undefined;
  context.observe(
    observeResults({ onNotification: ({ method, params }) => events.notification?.(method, params ?? {}) }),
  );
  // SDK v1 tells the negotiated revision to the transport only.
  context.observe({ negotiated: (negotiated) => (version = negotiated) });
  client.onerror = (error) => events.error(error);
  try {
    // SDK v1 never takes its listener off a signal.
    using own = linkSignal(signal);
    await client.connect(transport, { timeout: context.timeoutMs, signal: own.signal });
  } catch (error) {
    await transport.close();
    throw fromSdkError(error, { server, transport, signal, what: 'the handshake' });
  }
  client.onclose = () => events.closed();

  const info = client.getServerVersion();
  const request = async (
    method: string,
    params: JSONRPCObject,
    given: EngineRequestOptions,
  ): Promise<JSONRPCObject> => {
    const deadline = createRequestDeadline(context.clock, given);
    try {
      return rawOf(
        await client.request({ method, params: withMeta(params, given) }, ResultSchema, deadline.sdkOptions),
      );
    } catch (error) {
      const failure = { server, transport, signal: given.signal, what: method };
      throw deadline.passed ? timeoutError(failure, error) : fromSdkError(error, failure);
    } finally {
      deadline.end();
    }
  };
  return createSession({
    server,
    protocolVersion: version ?? 'unknown',
    era: { kind: 'initialize' },
    serverInfo: info && { name: info.name, version: info.version, title: info.title },
    instructions: client.getInstructions(),
    capabilities: { ...client.getServerCapabilities() },
    request,
    async notify(method, params) {
      try {
        await client.notification({ method, params });
      } catch (error) {
        throw fromSdkError(error, { server, transport, what: method });
      }
    },
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  });
}

// As plain numbers: an McpError may carry any number of the wire.
const REQUEST_TIMEOUT: number = ErrorCode.RequestTimeout;
const CONNECTION_CLOSED: number = ErrorCode.ConnectionClosed;

/** What SDK v1 rejected with, as ours. It marks its own errors with the numeric codes of the wire. */
function fromSdkError(error: unknown, context: FailureOptions): FittingsError {
  if (context.signal?.aborted !== true && error instanceof McpError) {
    if (error.code === REQUEST_TIMEOUT) return timeoutError(context, error);
    if (error.code === CONNECTION_CLOSED) return connectionError(context, 'unknown', error);
    return rpcError(context, error.code, error.message.replace(/^MCP error -?\d+: /, ''), error);
  }
  if (error instanceof Error && error.message === 'Not connected')
    return connectionError(context, 'not-sent', error);
  return otherError(context, error, 'PROTOCOL_VIOLATION');
}
