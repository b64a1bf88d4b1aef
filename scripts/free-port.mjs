import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port where nothing listens.
 *
 * It lies below what any system gives to a listener at port 0 or to a client (32768 on Linux, 49152 elsewhere): there,
 * another process of the same machine could get it before the server that it is for.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port);
    const listens = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!listens) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
