/**
 * A round-robin load balancer without affinity. A replica that refuses the connection has received nothing, so that the next one is tried;
 * when a replica dies later, the connection of the client is cut.
 */
import { createServer, request as send } from 'node:http';

const NO_REPLICA_MS = 10_000;
const PAUSE_MS = 50;

/** @param {readonly number[]} ports */
export async function startBalancer(ports) {
  let turn = 0;
  const counts = { requests: 0, cut: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    counts.requests++;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const until = Date.now() + NO_REPLICA_MS;
    for (let tries = 1; Date.now() < until && !response.destroyed; tries++) {
      const outcome = await forward(ports[turn++ % ports.length], request, body, response);
      if (outcome === 'cut') counts.cut++;
      if (outcome !== 'refused') return;
      if (tries % ports.length === 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    counts.refused++;
    response.writeHead(503, { 'retry-after': '1' }).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    counts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @returns {Promise<'refused' | 'cut' | 'ended'>} */
function forward(port, { method, url, headers }, body, response) {
  return new Promise((resolve) => {
    const passed = send({ port, host: '127.0.0.1', method, path: url, headers, agent: false });
    const cut = () => {
      // Not if the client has hung up.
      resolve(response.destroyed ? 'ended' : 'cut');
      response.destroy();
    };
    passed.on('error', (error) => (error.code === 'ECONNREFUSED' ? resolve('refused') : cut()));
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      answer.on('error', cut);
      answer.on('end', () => resolve('ended'));
    });
    const onClose = () => passed.destroy();
    response.once('close', onClose);
    passed.once('close', () => response.off('close', onClose));
    passed.end(body);
  });
}
