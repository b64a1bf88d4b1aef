import { FittingsError, type Transport } from '@mcp-fittings/client-core';
import { META } from '@mcp-fittings/toolbox/messages';
import type { Engine, EngineConnectOptions, EngineSession } from '../contracts/engine.js';
import type { LogLevel } from '../contracts/server-requests.js';
import { isLocal } from '../engine/era.js';
import { headerAnnotationProblem } from '../engine/header-annotations.js';
import { Listening } from '../engine/listening.js';
import { connectionError, otherError } from '../engine/request-errors.js';
import { clientCapabilities } from '../engine/client-capabilities.js';
import { Connection } from './connection.js';
import { shakeHands, type ClientDeclaration, type Handshake } from './handshake.js';
import { requestWithInput } from './input-required.js';
import { ListenStreams } from './listen-streams.js';
import { dispatchNotification } from './notifications.js';
import { ParameterHeaders } from './parameter-headers.js';
import { Answers, ServerRequests } from './server-requests.js';

/**
 * Creates the protocol engine of a host without the option `engine`, for revisions 2024-11-05 to 2025-11-25, and the stateless 2026-07-28.
 * Finds out for each server which of them it speaks. For programs that use an engine without a host.
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export function native(): Engine {
  return { specVersion: 1, name: 'native', connect };
}

async function connect(transport: Transport, connectOptions: EngineConnectOptions): Promise<EngineSession> {
  const { server, events, callbacks, clock, signal, timeoutMs, era } = connectOptions;
  const answers = new Answers(server, callbacks);
  const serverRequests = new ServerRequests({
    server,
    answers,
    respond: (message) => connection.respond(message),
  });
  let isEstablished = false;
  let streams: ListenStreams | undefined;
  const connection: Connection = new Connection({
    server,
    transport,
    clock,
    events: {
      request(id, method, params) {
        // A stateless server asks inside of results, and gets no responses.
        if (connection.envelope === undefined) serverRequests.receive(id, method, params);
        else events.error(unexpectedRequest(server));
      },
      notification(method, params) {
        if (streams?.receive(method, params) === true) return;
        if (method === 'notifications/cancelled')
          serverRequests.cancel(params['requestId'], params['reason']);
        else dispatchNotification(server, events, method, params);
      },
      error: (error) => events.error(error),
      closed() {
        if (isEstablished) events.closed();
        serverRequests.end(() =>
          connectionError({ server, transport, what: 'a request of the server' }, 'unknown'),
        );
      },
    },
  });

  let handshake: Handshake;
  try {
    await transport.start();
    const client = declarationOf(connectOptions);
    handshake = await shakeHands({ server, transport, connection, client, signal, timeoutMs, era });
    if (connection.isClosed) throw connectionError({ server, transport, what: 'the handshake' }, 'unknown');
  } catch (error) {
    await transport.close();
    throw otherError({ server, transport, signal, what: 'the handshake' }, error, 'PROTOCOL_VIOLATION');
  }
  isEstablished = true;
  if (handshake.era.kind === 'initialize') {
    return {
      ...handshake,
      request: connection.request.bind(connection),
      notify: connection.notify.bind(connection),
      close: () => transport.close(),
    };
  }
  streams = new ListenStreams({ server, transport, connection, clock, timeoutMs });
  return createStatelessSession({ handshake, connection, transport, connectOptions, answers, streams });
}

function declarationOf(options: EngineConnectOptions): ClientDeclaration {
  const { name, version, title } = options.client;
  return {
    capabilities: { ...clientCapabilities(options) },
    clientInfo: { name, version, ...(title !== undefined && { title }) },
  };
}

function unexpectedRequest(server: string): FittingsError {
  const text = `The server "${server}" sent a request, which its protocol revision does not allow.`;
  return new FittingsError('PROTOCOL_VIOLATION', text, { server });
}

interface StatelessSessionOptions {
  readonly handshake: Handshake;
  readonly connection: Connection;
  readonly transport: Transport;
  readonly connectOptions: EngineConnectOptions;
  readonly answers: Answers;
  readonly streams: ListenStreams;
}

/** Creates the session of a server of revision 2026-07-28, and subscribes to its changes. */
async function createStatelessSession(options: StatelessSessionOptions): Promise<EngineSession> {
  const { handshake, connection, transport, connectOptions, answers, streams } = options;
  const { server, events, clock } = connectOptions;
  const { capabilities } = handshake;
  const listening = new Listening({
    listen: (filter) => streams.open(filter),
    capabilities,
    clock,
    events,
    onError(error) {
      const failed = { server, transport, what: 'subscriptions/listen' };
      events.error(otherError(failed, error, 'PROTOCOL_VIOLATION'));
    },
  });
  await listening.open();

  let logLevel: LogLevel | undefined;
  const parameterHeaders = new ParameterHeaders();
  return {
    ...handshake,
    ...(!isLocal(transport) && { unusable: ({ inputSchema }) => headerAnnotationProblem(inputSchema) }),
    request(method, params, given) {
      const { _meta: meta } = params;
      const repeated = parameterHeaders.of(given.definition, params['arguments']);
      return requestWithInput(
        logLevel === undefined ? params : { ...params, _meta: { ...meta, [META.logLevel]: logLevel } },
        repeated === undefined ? given : { ...given, headers: { ...given.headers, ...repeated } },
        {
          failed: { server, transport, signal: given.signal, what: method },
          clock,
          answers,
          send: (sent, sendOptions) => connection.request(method, sent, sendOptions),
        },
      );
    },
    notify: connection.notify.bind(connection),
    subscribe: (uri) => listening.subscribe(uri),
    unsubscribe: (uri) => listening.unsubscribe(uri),
    async setLogLevel(level) {
      logLevel = level;
    },
    async close() {
      await listening.close().catch(() => undefined);
      await transport.close();
    },
  };
}
