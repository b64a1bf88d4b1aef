import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { expect, it } from 'vitest';
import { createSseTransport } from '../src/index.js';
import { request as ping } from './support/session.js';

it.skipIf(process.platform === 'win32')('a server on a Unix socket gets messages there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sse-socket-'));
  const path = join(folder, 'sse.sock');
  let stream: ServerResponse | undefined;
  const listener = createServer((request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write(`event: endpoint\ndata: ${String(request.url)}/messages\n\n`);
      return;
    }
    request.resume();
    response.writeHead(202).end();
    const result = { jsonrpc: '2.0', id: 1, result: { at: request.url } };
    stream?.write(`event: message\ndata: ${JSON.stringify(result)}\n\n`);
  }).listen(path);
  await once(listener, 'listening');

  const transport = createSseTransport({ url: `unix://${path}#/sse` });
  const received: JSONRPCMessage[] = [];
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  await transport.send(ping(1));
  expect(received).toMatchObject([{ id: 1, result: { at: '/sse/messages' } }]);
  expect(transport.describe?.()).toMatchObject({ url: `unix://${path}` });
  await transport.close();

  listener.close();
  listener.closeAllConnections();
  await rm(folder, { recursive: true });
});
