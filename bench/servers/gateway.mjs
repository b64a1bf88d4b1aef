/** The gateway in front of the server of `process.argv[2]`, with what it has by default; its callers send no token. */
import { createServer } from 'node:http';
import { createCallbackRouter, createGateway } from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';

const callbacks = createCallbackRouter();
const host = createHost({
  name: 'bench',
  version: '1.0.0',
  transports: [http()],
  callbacks: callbacks.hostCallbacks,
});
const [neutral] = await host.connect({ neutral: { url: `${process.argv[2]}/json` } });
if (neutral.state.status !== 'connected') throw neutral.state.error ?? new Error(neutral.state.status);
const access = { authenticate: async () => ({ caller: { id: 'bench' } }) };
const gateway = createGateway(host, { callbacks, access });
const server = createServer(gateway.listener);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
process.on('message', () => process.send(process.cpuUsage()));
