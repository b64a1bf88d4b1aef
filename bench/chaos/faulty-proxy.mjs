/** A TCP proxy on a fixed port whose connections can be cut, stalled or refused. */
import { connect, createServer } from 'node:net';

/** @param {() => number} upstreamPort */
export async function createFaultyProxy(upstreamPort) {
  const pairs = new Set();
  let refusing = false;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (refusing) return client.resetAndDestroy();
    const upstream = connect(upstreamPort(), '127.0.0.1');
    const pair = [client, upstream];
    pairs.add(pair);
    upstream.on('error', () => client.resetAndDestroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      pairs.delete(pair);
      client.destroy();
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    /** Ends every connection with a reset. */
    cut() {
      for (const [client, upstream] of pairs) {
        client.resetAndDestroy();
        upstream.resetAndDestroy();
      }
    },
    /** No answer comes through for a while, then the connections end. */
    stall(ms) {
      const stalled = [...pairs];
      for (const [client, upstream] of stalled) upstream.unpipe(client);
      setTimeout(() => stalled.forEach(([client]) => client.resetAndDestroy()), ms).unref();
    },
    /** Refuses new connections for a while. */
    refuse(ms) {
      refusing = true;
      setTimeout(() => (refusing = false), ms).unref();
    },
    close() {
      server.close();
      this.cut();
    },
  };
}
