import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FittingsError, JSONRPCObject, Transport } from '@mcp-fittings/client-core';
import { linkSignal } from '@mcp-fittings/toolbox/timing';
import {
  clientCapabilities,
  connectionError,
  rpcError,
  timeoutError,
  type Engine,
  type EngineConnectOptions,
  type EngineRequestOptions,
  type EngineSession,
  type FailedRequest,
} from '@mcp-fittings/host/engine';
import { acceptAnything } from '../accept-anything.js';
import { identityOf } from '../handshake-results.js';
import { observeResults, rawOf } from '../raw-results.js';
import { RequestDeadline } from '../request-deadline.js';
import { fromPlainError } from '../sdk-errors.js';
import { createSdkTransport } from '../sdk-transport.js';
import { attachHandlers } from './handlers.js';

/**
 * Creates an engine on `@modelcontextprotocol/sdk` (SDK v1), for revisions 2024-11-05 to 2025-11-25.
 * @see https://modelcontextprotocol.io/specification/2025-11-25
 * @example
 * const host = createHost({ name: 'my-agent', version: '1.0.0', engine: sdkV1(), transports: [stdio()] });
 */
export function sdkV1(): Engine {
  return { specVersion: 1, name: 'sdk-v1', connect };
}

async function connect(inner: Transport, connectOptions: EngineConnectOptions): Promise<EngineSession> {
  const { server, events, signal } = connectOptions;
  const { name, version, title } = connectOptions.client;
  const client = new Client(
    { name, version, ...(title !== undefined && { title }) },
    { capabilities: clientCapabilities(connectOptions), jsonSchemaValidator: acceptAnything },
  );
  attachHandlers(client, connectOptions);
  const transport = createSdkTransport(inner, [
    { failed: (error) => events.error(error) },
    observeResults({ onNotification: ({ method, params }) => events.notification?.(method, params ?? {}) }),
  ]);
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

  const request = async (
    method: string,
    params: JSONRPCObject,
    given: EngineRequestOptions,
  ): Promise<JSONRPCObject> => {
    using deadline = new RequestDeadline(connectOptions.clock, given);
    using attached = transport.attach(given.headers, params);
    try {
      return rawOf(
        await client.request({ method, params: attached.params }, ResultSchema, deadline.sdkOptions),
      );
    } catch (error) {
      const failure = { server, transport, signal: given.signal, what: method };
      throw deadline.hasPassed ? timeoutError(failure, error) : fromSdkError(error, failure);
    }
  };
  return {
    // SDK v1 reports the negotiated revision to the transport only.
    protocolVersion: transport.negotiated ?? 'unknown',
    era: { kind: 'initialize' },
    serverInfo: identityOf(client.getServerVersion()),
    instructions: client.getInstructions(),
    capabilities: { ...client.getServerCapabilities() },
    request,
    async notify(method, params, { headers } = {}) {
      using attached = transport.attach(headers, params);
      try {
        await client.notification({ method, params: attached.params });
      } catch (error) {
        throw fromSdkError(error, { server, transport, what: method });
      }
    },
    close: () => client.close(),
  };
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
  return fromPlainError(error, failed);
}
