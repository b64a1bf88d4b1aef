import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as undici from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createSocketPool, type SocketPool } from '../src/http/routes.js';

const leave: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of leave.splice(0).toReversed()) await step();
});

/** A server that counts its sockets; `held` answers are for the test to give. */
async function serve(port = 0) {
  const held: ServerResponse[] = [];
  let sockets = 0;
  const server: Server = createServer((request, response) => {
    if (request.url === '/held') held.push(response);
    else if (request.url === '/last') response.setHeader('connection', 'close').end('last');
    else response.end('done');
  });
  server.on('connection', () => sockets++);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  leave.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${address.port}`, held, sockets: () => sockets };
}

function poolTo(origin: string): SocketPool {
  const pool = createSocketPool(undici, origin, undici.buildConnector({}));
  leave.push(() => pool.destroy());
  return pool;
}

function get(pool: SocketPool, origin: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const sockets = pool.take();
    sockets.dispatch(
      { origin, path, method: 'GET' },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, chunk) => void (text += chunk.toString()),
        onResponseEnd: () => {
          sockets.release();
          resolve(text);
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

describe('the sockets to one origin', () => {
  it('are used again, and no more of them than are needed at once', async () => {
    const { origin, held, sockets } = await serve();
    const pool = poolTo(origin);
    for (let times = 0; times < 5; times++) await get(pool, origin, '/');
    expect(sockets()).toBe(1);
    const waiting = [1, 2, 3].map(() => get(pool, origin, '/held'));
    while (held.length < 3) await new Promise(setImmediate);
    expect(sockets()).toBe(3);
    for (const response of held) response.end('at last');
    expect(await Promise.all(waiting)).toEqual(['at last', 'at last', 'at last']);
    await Promise.all([1, 2, 3].map(() => get(pool, origin, '/')));
    expect(sockets()).toBe(3);
  });

  it('come back after a refused connection', async () => {
    const { origin } = await serve();
    for (const step of leave.splice(0)) await step();
    const pool = poolTo(origin);
    await expect(get(pool, origin, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await serve(Number(new URL(origin).port));
    expect(await get(pool, origin, '/')).toBe('done');
  });

  it('serve a short call while a long one holds its socket, whatever was on them before', async () => {
    const { origin, held } = await serve();
    const pool = poolTo(origin);
    await Promise.all([get(pool, origin, '/'), get(pool, origin, '/')]);
    const long = get(pool, origin, '/held');
    while (held.length === 0) await new Promise(setImmediate);
    for (let times = 0; times < 20; times++) {
      await Promise.all([1, 2, 3].map(() => get(pool, origin, '/')));
    }
    held[0]?.end('at last');
    expect(await long).toBe('at last');
  });

  it('are opened again where the server ends each with its answer, also for who asks at once', async () => {
    const { origin, sockets } = await serve();
    const pool = poolTo(origin);
    for (let times = 0; times < 10; times++) expect(await get(pool, origin, '/last')).toBe('last');
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(pool, origin, '/last')));
    expect(answers).toEqual(Array(10).fill('last'));
    expect(await get(pool, origin, '/')).toBe('done');
    expect(sockets()).toBe(21);
  });

  it('are not lost to a request that cannot be sent', async () => {
    const { origin, sockets } = await serve();
    const pool = poolTo(origin);
    await get(pool, origin, '/');
    await expect(get(pool, origin, 'no path')).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
    expect(await get(pool, origin, '/')).toBe('done');
    expect(sockets()).toBe(1);
  });

  it('end with the pool, which then refuses', async () => {
    const { origin, held } = await serve();
    const pool = poolTo(origin);
    const waiting = get(pool, origin, '/held');
    while (held.length === 0) await new Promise(setImmediate);
    const ended = expect(waiting).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
    await pool.destroy();
    await ended;
    expect(() => pool.take()).toThrow(expect.objectContaining({ code: 'UND_ERR_DESTROYED' }));
  });
});
