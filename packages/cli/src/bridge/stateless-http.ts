import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { PerRequestHTTPServerTransport, type classifyInboundRequest } from '@modelcontextprotocol/server';
import { CommandError } from '../output/hints.js';
import { errorResponse } from './error-responses.js';
import { type Forwarder, createForwarder } from './forwarder.js';
import type { OpenUpstream, Upstream } from './upstream.js';

/** A request or notification of revision 2026-07-28, as the SDK classifies it. */
export type ModernRoute = Extract<ReturnType<typeof classifyInboundRequest>, { kind: 'modern' }>;

/** The client closed the connection before there was a response. */
const GONE = 499;

/**
 * Forwards one message of a client without a session over the shared connection, and returns its answers as the HTTP
 * response. If the client closes the response, the request is cancelled.
 */
export async function serveStatelessRequest(
  shared: SharedConnection,
  route: ModernRoute,
  request: Request,
  logger: Logger | undefined,
): Promise<Response> {
  let forwarder;
  try {
    forwarder = await shared.forwarder();
  } catch (error) {
    if (route.messageKind === 'request') return Response.json(errorResponse(route.message.id, error));
    logger?.warn('Could not forward a notification.', { code: codeOf(error) });
    return new Response(null, { status: 202 });
  }
  const transport = new PerRequestHTTPServerTransport({ classification: route.classification });
  const { message } = route;
  const id = route.messageKind === 'request' ? route.message.id : undefined;
  const handle = forwarder.join({
    send: (answer, relatedTo = id) =>
      transport.send(answer, relatedTo === undefined ? {} : { relatedRequestId: relatedTo }),
  });
  transport.onmessage = (received) => handle.receive(received);
  transport.onclose = () => handle.leave();
  transport.onerror = (error) => logger?.debug(error.message);
  await transport.start();
  try {
    const response = await transport.handleMessage(message, { request });
    if (id === undefined) await transport.close();
    return response;
  } catch (error) {
    await transport.close();
    if (request.signal.aborted) return new Response(null, { status: GONE });
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof FittingsError ? error.code : undefined;
}

/**
 * One connection for all clients without a session. The first request opens it, and the next one reopens it after it has
 * ended.
 */
export interface SharedConnection {
  /** Rejects with a `FittingsError` if the server cannot be connected. */
  forwarder(): Promise<Forwarder>;
  close(): Promise<void>;
}

export function createSharedConnection(open: OpenUpstream, logger: Logger | undefined): SharedConnection {
  let current: Promise<{ readonly upstream: Upstream; readonly forwarder: Forwarder }> | undefined;
  let live: Upstream | undefined;
  let isClosed = false;

  const connect = async () => {
    const upstream = await open();
    const { transport } = upstream;
    if (isClosed) {
      await transport.close();
      throw new CommandError('TRANSPORT_CLOSED', 'The bridge is closing.', { delivery: 'not-sent' });
    }
    live = upstream;
    transport.onclose = () => {
      if (live === upstream) current = undefined;
      const { closeReason } = transport;
      if (closeReason !== undefined) logger?.warn(closeReason.message, { code: closeReason.code });
    };
    return { upstream, forwarder: createForwarder({ upstream, shared: true, logger }) };
  };

  return {
    async forwarder() {
      // It has ended, but its `onclose` has not run.
      if (live?.transport.closeReason !== undefined) current = live = undefined;
      const opening = (current ??= connect());
      try {
        return (await opening).forwarder;
      } catch (error) {
        if (current === opening) current = undefined;
        throw error;
      }
    },
    async close() {
      isClosed = true;
      const opened = await current?.catch(() => undefined);
      await opened?.upstream.transport.close();
    },
  };
}
