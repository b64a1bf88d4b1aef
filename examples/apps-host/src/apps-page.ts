import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toAppResult, type App } from '@mcp-fittings/apps';
import type { ToolResult } from '@mcp-fittings/host';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { hostPage, sandboxPage, type Page } from './pages.js';
import { PageTransport } from './page-transport.js';

/** The call of a tool whose result an app shows. */
export interface ShownCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
}

/** An app in a page of its own. */
export interface View extends AsyncDisposable {
  /** URL of the page. Keep it secret: a page that knows it can act as the app. */
  readonly url: URL;
  readonly bridge: AppBridge;
  /** Asks the app to save what it has to, and closes it. */
  close(): Promise<void>;
}

/** Shows apps in a browser. */
export interface AppsPage extends AsyncDisposable {
  show(app: App, call: ShownCall): Promise<View>;
}

interface Shown {
  readonly app: App;
  readonly transport: PageTransport;
  readonly stream: { current: ServerResponse | undefined };
}

/** Largest message of an app, in bytes. */
const MAX_MESSAGE_BYTES = 1_048_576;
/** How long an app may take to save what it has to, in milliseconds. */
const TEARDOWN_MS = 2_000;
/** Without `allow-same-origin`, apps share no storage, and cannot reach the document of the sandbox. */
const VIEW_SANDBOX = 'allow-scripts allow-forms';

/** Starts two listeners on loopback: one for pages of the host, one for sandboxes. Ports make them different origins. */
export async function startAppsPage(): Promise<AppsPage> {
  const views = new Map<string, Shown>();
  const pages = await listen((request, response) => answerPage(request, response));
  const sandboxes = await listen((request, response) => {
    const shown = views.get(request.url?.slice(1) ?? '');
    if (shown === undefined || request.method !== 'GET') return end(response, 404);
    const { contentSecurityPolicy, allow } = shown.app;
    sendPage(response, sandboxPage({ contentSecurityPolicy, allow, hostOrigin: pages.origin }));
  });

  async function answerPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = '', part, ...others] = request.url?.split('/') ?? [];
    const shown = views.get(id);
    if (shown === undefined || others.length > 0) return end(response, 404);
    const { app, transport, stream } = shown;
    if (part === undefined && request.method === 'GET') {
      const title = `${app.tool.server}: ${app.tool.tool}`;
      const sandboxUrl = new URL(`/${id}`, sandboxes.origin);
      return sendPage(
        response,
        hostPage({ title, sandboxUrl, allow: app.allow, border: app.prefersBorder !== false }),
      );
    }
    if (part !== 'messages') return end(response, 404);
    if (request.method === 'GET') {
      if (stream.current !== undefined) return end(response, 409);
      stream.current = response;
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      transport.connectPage((message) => response.write(`data: ${JSON.stringify(message)}\n\n`));
      return response.flushHeaders();
    }
    if (request.method !== 'POST' || request.headers.origin !== pages.origin) return end(response, 403);
    const body = await readBody(request);
    end(response, body !== undefined && transport.receive(body) ? 204 : 400);
  }

  return {
    async show(app, { args, result }) {
      const id = randomUUID();
      const transport = new PageTransport();
      const bridge = new AppBridge(null, { name: 'apps-host', version: '1.0.0' }, app.hostCapabilities);
      bridge.oncalltool = app.handlers.oncalltool;
      bridge.onreadresource = app.handlers.onreadresource;
      bridge.onopenlink = app.handlers.onopenlink;
      bridge.onsandboxready = () => {
        void bridge.sendSandboxResourceReady({ ...app.sandboxResource, sandbox: VIEW_SANDBOX });
      };
      const initialized = new Promise<void>((resolve) => {
        bridge.oninitialized = () => resolve();
      });
      void initialized
        .then(() => bridge.sendToolInput({ arguments: { ...args } }))
        .then(() => bridge.sendToolResult(toAppResult(result)));
      await bridge.connect(transport);
      const shown: Shown = { app, transport, stream: { current: undefined } };
      views.set(id, shown);
      const view: View = {
        url: new URL(`/${id}`, pages.origin),
        bridge,
        async close() {
          // Without an answer, the app is not there any more.
          if (shown.stream.current !== undefined) {
            await bridge.teardownResource({}, { timeout: TEARDOWN_MS }).catch(() => undefined);
          }
          views.delete(id);
          app.close();
          await bridge.close();
          shown.stream.current?.end();
        },
        [Symbol.asyncDispose]: () => view.close(),
      };
      return view;
    },
    async [Symbol.asyncDispose]() {
      for (const { app, stream } of views.values()) {
        app.close();
        stream.current?.end();
      }
      views.clear();
      for (const { server } of [pages, sandboxes]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** Listens on loopback. A request for another host name is from a page that had its name resolved to this machine. */
async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<{ readonly server: Server; readonly origin: string }> {
  let authority = '';
  const server = createServer((request, response) => {
    if (request.headers.host !== authority) return end(response, 403);
    Promise.resolve(answer(request, response)).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  authority = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return { server, origin: `http://${authority}` };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read and dropped: a connection that ends early takes the response with it.
    if (size <= MAX_MESSAGE_BYTES) chunks.push(chunk);
  }
  return size <= MAX_MESSAGE_BYTES ? Buffer.concat(chunks).toString() : undefined;
}

function sendPage(response: ServerResponse, { html, headers }: Page): void {
  response.writeHead(200, headers).end(html);
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
