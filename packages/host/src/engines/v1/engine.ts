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
import { acceptAnything, clientCapabilities, type SdkOptions } from '../shared/sdk-options.js';
import { observeResults, rawOf } from '../shared/raw-results.js';
import { createRequestDeadline } from '../shared/request-deadline.js';
import {
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  type FailedRequest,
} from '../shared/request-errors.js';
import { createSession, withMeta } from '../shared/session.js';
import { attachHandlers } from './handlers.js';

/**
 * Creates a protocol engine on `@modelcontextprotocol/sdk` (v1), for revisions 2024-11-05 to 2025-11-25.
 * @see https://modelcontextprotocol.io/specification/2025-11-25
 */
export function sdk(options: SdkOptions): Engine {
  return {
    specVersion: 1,
    name: 'sdk',
    connect: (transport, connectOptions) => connect(options, transport, connectOptions),
  };
}

async function connect(
  options: SdkOptions,
  transport: Transport,
  connectOptions: EngineConnectOptions,
): Promise<EngineSession> {
  const { server, events, signal } = connectOptions;
  const client = new Client(
    {
      name: options.name,
      version: options.version,
      ...(options.title !== undefined && { title: options.title }),
    },
    {
      capabilities: clientCapabilities(options, connectOptions.callbacks),
      jsonSchemaValidator: acceptAnything,
    },
  );
  attachHandlers(client, connectOptions);
  let version: string | undefined;
  connectOptions.observe(
    observeResults({ onNotification: ({ method, params }) => events.notification?.(method, params ?? {}) }),
  );
  // SDK v1 reports the negotiated revision to the transport only.
  connectOptions.observe({ negotiated: (negotiated) => (version = negotiated) });
  client.onerror = (error) => events.error(error);
  try {
    // SDK v1 never removes its listener from a signal.
    using own = linkSignal(signal);
    await client.connect(transport, { timeout: connectOptions.timeoutMs, signal: own.signal });
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
    const deadline = createRequestDeadline(connectOptions.clock, given);
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

// Typed as numbers, because an McpError may carry any code that the server sent.
const REQUEST_TIMEOUT: number = ErrorCode.RequestTimeout;
const CONNECTION_CLOSED: number = ErrorCode.ConnectionClosed;

/** Converts an error of SDK v1, which marks its own errors with JSON-RPC codes too. */
function fromSdkError(error: unknown, failed: FailedRequest): FittingsError {
  if (failed.signal?.aborted !== true && error instanceof McpError) {
    if (error.code === REQUEST_TIMEOUT) return timeoutError(failed, error);
    if (error.code === CONNECTION_CLOSED) return connectionError(failed, 'unknown', error);
    return rpcError(failed, error.code, error.message.replace(/^MCP error -?\d+: /, ''), error);
  }
  return otherError(failed, error, 'PROTOCOL_VIOLATION');
}
