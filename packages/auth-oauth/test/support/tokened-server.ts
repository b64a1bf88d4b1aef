import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** A request that came with a token. */
export interface TokenedRequest {
  readonly token: string;
  /** The server that it is for. */
  readonly url: string;
  readonly body: string;
}

/** MCP servers of the official SDK, one at each path, that require a token as in RFC 9728. */
export interface TokenedServer extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  /** All header names and values, paths, and bodies, that it has received. */
  readonly received: string[];
}

export interface TokenedServerOptions<Person> {
  /** Issuer in the metadata. */
  readonly issuer: () => string;
  /** Resolves with whose the token is; with undefined, it is refused. */
  readonly personOf: (request: TokenedRequest) => Promise<Person | undefined>;
  /** Returns the text of the tool `whoami`. Default: the person as JSON. */
  readonly whoami?: (person: Person) => string;
  /** Adds more tools. */
  readonly addTools?: (mcp: McpServer, person: Person) => void;
}

/** It takes longer to make than a request takes, and each request has a server of its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const METADATA = '/.well-known/oauth-protected-resource';

export async function startTokenedServer<Person>(
  options: TokenedServerOptions<Person>,
): Promise<TokenedServer> {
  const { issuer, personOf, whoami = JSON.stringify, addTools } = options;
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const received: string[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push([...request.rawHeaders, request.url, body].join('\n'));
    const { url: path = '' } = request;
    if (path.startsWith(METADATA)) {
      const resource = origin + path.slice(METADATA.length);
      const document = { resource, authorization_servers: [issuer()], scopes_supported: ['tools'] };
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify(document));
    }
    const token = request.headers.authorization?.split(' ')[1];
    const person = token === undefined ? undefined : await personOf({ token, url: origin + path, body });
    if (person === undefined) {
      const challenge = `Bearer resource_metadata="${origin}${METADATA}${path}"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const mcp = new McpServer({ name: 'tokened', version: '1.0.0' }, { jsonSchemaValidator });
    addTools?.(mcp, person);
    mcp.registerTool('whoami', { description: 'Who you are' }, () => ({
      content: [{ type: 'text', text: whoami(person) }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await mcp.connect(transport);
    response.on('close', () => void mcp.close());
    await transport.handleRequest(request, response, JSON.parse(body));
  }
  http.on('request', (request: IncomingMessage, response: ServerResponse) => void serve(request, response));
  return {
    origin,
    url: `${origin}/mcp`,
    received,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}
