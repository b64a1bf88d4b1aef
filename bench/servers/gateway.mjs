/**
 * The gateway in front of the server of `process.argv[2]`, which lists so many tools, with or without a policy, and else with what it has
 * by default; its callers send no token.
 */
import { createServer } from 'node:http';
import { createCallbackRouter, createGateway } from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';

const callbacks = createCallbackRouter();
const host = createHost({
  name: 'bench',
  version: '1.0.0',
  transports: [http()],
  callbacks: callbacks.hostCallbacks,
});
const [upstream, tools, hasPolicy] = process.argv.slice(2);
const [neutral] = await host.connect({ neutral: { url: `${upstream}/json?${tools}` } });
if (neutral.state.status !== 'connected') throw neutral.state.error ?? new Error(neutral.state.status);
const access = { authenticate: async () => ({ caller: { id: 'bench' } }) };
const policy =
  hasPolicy === 'true' ? createToolPolicy({ servers: { neutral: { writePermission: 'allow' } } }) : undefined;
const gateway = createGateway(host, { callbacks, access, policy });
const server = createServer(gateway.listener);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
process.on('message', () => process.send(process.cpuUsage()));
