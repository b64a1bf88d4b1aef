/**
 * An MCP server on loopback that wants a token, with its authorization server: as little of both as a sign-in, a call and a
 * refresh need.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

const METADATA = '/.well-known/oauth-protected-resource/mcp';

/** @returns its `url`, `accept(token)`, `refuse()` to accept none until the next one is issued, and `close()`. */
export async function startProtectedServer() {
  let good = '';
  let issued = 0;

  const issue = () => {
    issued++;
    good = `access-${issued}`;
    return {
      access_token: good,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: `refresh-${issued}`,
      scope: 'tools',
    };
  };
  const documents = () => ({
    [METADATA]: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['tools'] },
    '/.well-known/oauth-authorization-server': {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    },
  });
  const call = async (request, json) => {
    const message = JSON.parse(await textOf(request));
    if (request.headers.authorization !== `Bearer ${good}`) {
      return json(401, {}, { 'www-authenticate': `Bearer resource_metadata="${origin}${METADATA}"` });
    }
    return message.id === undefined ? json(202) : json(200, answer(message));
  };

  const http = createServer(async (request, response) => {
    const json = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    };
    if (request.url === '/mcp') return request.method === 'POST' ? call(request, json) : json(405, {});
    if (request.url === '/token') {
      await textOf(request);
      return json(200, issue());
    }
    const document = documents()[request.url];
    return document === undefined ? json(404, {}) : json(200, document);
  });
  // A socket that closes between two calls would be opened anew, with functions of ours that look the host up.
  http.keepAliveTimeout = 60_000;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${http.address().port}`;

  return {
    url: `${origin}/mcp`,
    accept(token) {
      good = token;
    },
    refuse() {
      good = 'none';
    },
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** Returns the response to a request. Has no name from outside, because a server in a process of its own gets its text. */
export function answer({ id, method, params }) {
  const echo = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
  const result = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'traced', version: '1.0.0' },
    },
    'tools/list': { tools: [echo] },
    'tools/call': { content: [{ type: 'text', text: params?.arguments?.text }] },
  }[method];
  if (result !== undefined) return { jsonrpc: '2.0', id, result };
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
}

async function textOf(request) {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
