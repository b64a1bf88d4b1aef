import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCObject, Transport } from '@mcp-fittings/client-core/transport';
import type { Engine, EngineContext, EngineRequestOptions, EngineSession } from '../../contracts/engine.js';
import { acceptAnything, clientCapabilities, type SdkOptions } from '../shared/options.js';
import { withOwnSignal } from '../shared/own-signal.js';
import { createRequestDeadline } from '../shared/request-deadline.js';
import { timeoutError } from '../shared/request-errors.js';
import { createSession } from '../shared/session.js';
import { rawOf, tapTransport } from '../shared/tap.js';
import { fromSdkError } from './errors.js';
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
  context: EngineContext,
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
  tapTransport(transport, {
    onNotification: ({ method, params }) => events.notification?.(method, params ?? {}),
  });
  const version = spyProtocolVersion(transport);
  client.onerror = (error) => events.error(error);
  try {
    await withOwnSignal(signal, (own) =>
      client.connect(transport, { timeout: context.timeoutMs, ...(own !== undefined && { signal: own }) }),
    );
  } catch (error) {
    await transport.close();
    throw fromSdkError(error, { server, transport, signal, what: 'the handshake' });
  }
  client.onclose = () => events.closed();

  const info = client.getServerVersion();
  const sent = async (
    method: string,
    params: JSONRPCObject,
    given: EngineRequestOptions,
  ): Promise<JSONRPCObject> => {
    using deadline = createRequestDeadline(context.clock, given);
    try {
      return await client.request({ method, params }, ResultSchema, { ...deadline.sdkOptions });
    } catch (error) {
      const failure = { server, transport, signal: given.signal, what: method };
      throw deadline.passed ? timeoutError(failure, error) : fromSdkError(error, failure);
    }
  };
  return createSession({
    server,
    protocolVersion: version() ?? 'unknown',
    era: { kind: 'initialize' },
    serverInfo: info && { name: info.name, version: info.version, title: info.title },
    instructions: client.getInstructions(),
    capabilities: { ...client.getServerCapabilities() },
    request: async (method, params, given) => rawOf(await sent(method, params, given)),
    requestOther: sent,
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

/** SDK v1 tells the negotiated revision to the transport and to nobody else. */
function spyProtocolVersion(transport: Transport): () => string | undefined {
  const told = transport.setProtocolVersion?.bind(transport);
  let version: string | undefined;
  transport.setProtocolVersion = (negotiated) => {
    version = negotiated;
    told?.(negotiated);
  };
  return () => version;
}
