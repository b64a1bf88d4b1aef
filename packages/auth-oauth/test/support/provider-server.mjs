/** An `oidc-provider` on loopback that records its requests. */
import { createServer } from 'node:http';
import { once } from 'node:events';

export async function serveProvider(configure) {
  // It warns about the version of Node and about its defaults.
  for (const method of ['warn', 'info']) {
    const say = console[method];
    console[method] = (text, ...rest) => {
      if (!String(text).includes('oidc-provider')) say.call(console, text, ...rest);
    };
  }
  const { Provider, errors } = await import('oidc-provider');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(origin, configure({ origin, errors }));
  const result = {
    origin,
    server,
    provider,
    errors,
    tokenRequests: [],
    requests: [],
    fault: undefined,
    rewrite: new Map(),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  const callback = provider.callback();
  server.on('request', async (request, response) => {
    const path = request.url.split('?')[0];
    result.requests.push(`${request.method} ${path}`);
    if (path === '/token') {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      // As koa's body parser would leave it.
      const text = Buffer.concat(chunks).toString();
      request.body = Object.fromEntries(new URLSearchParams(text));
      response.on('finish', () =>
        result.tokenRequests.push({
          grant: request.body.grant_type,
          status: response.statusCode,
          body: new URLSearchParams(text),
          headers: request.headers,
        }),
      );
    }
    if (result.fault?.path === path) {
      response.writeHead(result.fault.status, { 'content-type': 'application/json' });
      return response.end(result.fault.body ?? '');
    }
    const rewrite = result.rewrite.get(path);
    if (rewrite !== undefined) {
      const end = response.end.bind(response);
      response.end = (body, ...rest) => {
        const text = JSON.stringify(rewrite(JSON.parse(body)));
        response.setHeader('content-length', Buffer.byteLength(text));
        return end(text, ...rest);
      };
    }
    void callback(request, response);
  });
  return result;
}
