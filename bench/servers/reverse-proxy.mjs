/** What the gateway is compared with: passes each request on to the server of `process.argv[2]`, and its response back, unread. */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(process.argv[2], { connections: 64 });

const server = createServer((request, response) => {
  const { method, url: path, headers } = request;
  const passedOn = { ...headers };
  for (const name of ['host', 'connection', 'transfer-encoding']) delete passedOn[name];
  const body = method === 'POST' ? request : undefined;
  pool.stream(
    { path, method, headers: passedOn, body },
    ({ statusCode, headers: received }) => {
      const { connection: _connection, 'transfer-encoding': _encoding, ...kept } = received;
      return response.writeHead(statusCode, kept);
    },
    (error) => {
      if (error !== null) response.destroy(error);
    },
  );
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
process.on('message', () => process.send(process.cpuUsage()));
