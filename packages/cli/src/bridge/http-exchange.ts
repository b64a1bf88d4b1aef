import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { PerRequestHTTPServerTransport, type classifyInboundRequest } from '@modelcontextprotocol/server';
import { errorAnswer } from './error-answer.js';
import type { SharedUpstream } from './shared-upstream.js';

/** A request or a notification of the revision 2026-07-28, as the SDK reads it. */
export type ModernRoute = Extract<ReturnType<typeof classifyInboundRequest>, { kind: 'modern' }>;

/** The client ended the connection before there was an answer: nobody will read this. */
const GONE = 499;

/**
 * One message of a client without session: it goes to the connection that all of them share, and the answer comes back on
 * the response. When the client ends the response, the request is cancelled.
 */
export async function serveExchange(
  shared: SharedUpstream,
  route: ModernRoute,
  request: Request,
  logger: Logger | undefined,
): Promise<Response> {
  let forwarder;
  try {
    forwarder = await shared.forwarder();
  } catch (error) {
    if (route.messageKind === 'request') return Response.json(errorAnswer(route.message.id, error));
    logger?.warn('Could not forward a notification.', { code: codeOf(error) });
    return new Response(null, { status: 202 });
  }
  const transport = new PerRequestHTTPServerTransport({ classification: route.classification });
  const { message } = route;
  const id = route.messageKind === 'request' ? route.message.id : undefined;
  const forwarding = forwarder.join({
    send: (answer, relatedTo = id) =>
      transport.send(answer, relatedTo === undefined ? {} : { relatedRequestId: relatedTo }),
  });
  transport.onmessage = (received) => forwarding.receive(received);
  transport.onclose = () => forwarding.leave();
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
