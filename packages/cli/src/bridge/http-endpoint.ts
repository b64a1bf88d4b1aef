import { isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { classifyInboundRequest, isJsonContentType } from '@modelcontextprotocol/server';
import { HTTP_REFUSALS, refusal } from './error-responses.js';
import { type HttpSessionsOptions, createHttpSessions } from './http-sessions.js';
import { createSharedConnection, serveStatelessRequest } from './stateless-http.js';

/** Serves Streamable HTTP of both protocol eras. */
export interface HttpEndpoint {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Creates the endpoint. The SDK classifies requests by era and does the HTTP part; messages are the server's own. Which
 * era works is therefore up to the server: one that knows only `initialize` refuses `server/discover`.
 */
export function createHttpEndpoint(options: HttpSessionsOptions): HttpEndpoint {
  const { open, logger } = options;
  const sessions = createHttpSessions(options);
  const shared = createSharedConnection(open, logger);

  return {
    async fetch(request) {
      const { method, headers } = request;
      if (method !== 'POST') return sessions.handle(request, undefined);
      if (!isJsonContentType(headers.get('content-type'))) {
        return refusal(415, HTTP_REFUSALS.general, 'The content type must be application/json.');
      }
      let body: unknown;
      try {
        body = await request.json();
      } catch {
        return refusal(400, RPC_CODES.parseError, 'The body is not valid JSON.');
      }
      const route = classifyInboundRequest({
        httpMethod: method,
        body,
        ...field('protocolVersionHeader', headers.get('mcp-protocol-version')),
        ...field('mcpMethodHeader', headers.get('mcp-method')),
        ...field('mcpNameHeader', headers.get('mcp-name')),
      });
      if (route.kind === 'legacy') return sessions.handle(request, body);
      if (route.kind === 'modern') return serveStatelessRequest(shared, route, request, logger);
      const { httpStatus, code, message, data } = route;
      const id = isRecord(body) ? (body['id'] ?? null) : null;
      return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status: httpStatus });
    },
    async close() {
      await Promise.all([sessions.close(), shared.close()]);
    },
  };
}

function field<Name extends string>(name: Name, value: string | null): Partial<Record<Name, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key widens to string
  return value === null ? {} : ({ [name]: value } as Partial<Record<Name, string>>);
}
