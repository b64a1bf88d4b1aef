import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpClient } from '../src/index.js';
import { request } from './support/request.js';

it('close() resolves when every socket is closed, idle or in use', async () => {
  const sockets: Socket[] = [];
  const onConnected = (message: unknown): void => {
    // The documentation of undici describes the message.
    sockets.push((message as { socket: Socket }).socket);
  };
  channel('undici:client:connected').subscribe(onConnected);
  onTestFinished(() => {
    channel('undici:client:connected').unsubscribe(onConnected);
  });
  const server = createServer((request, response) => {
    if (request.url === '/held') response.write('a part');
    else response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A TCP server has an address object.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createHttpClient({ url: origin });
  const get = (path: string) => request(client, { url: new URL(path, origin), method: 'GET' });
  await Promise.all([get('/'), get('/'), get('/')]);
  const held = get('/held').catch((error: unknown) => error);
  await once(server, 'request');
  await client.close();
  expect(sockets).toHaveLength(3);
  expect(sockets.map(({ closed }) => closed)).toEqual([true, true, true]);
  expect(await held).toBeInstanceOf(Error);
  await new Promise((resolve) => server.close(resolve));
});
