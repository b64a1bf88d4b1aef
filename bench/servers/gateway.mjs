/**
 * The gateway in front of the server of `process.argv[2]`, which lists so many tools, with or without a policy, under one name or more, and
 * else with what it has by default; its callers send no token, and may say who they are. It says what it has used when it is asked: `cpu`
 * or, after a collection of garbage, `memory`.
 */
import { createServer } from 'node:http';
import { createCallbackRouter, createGateway } from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';

const PERSONS = 100_000;
const callbacks = createCallbackRouter();
const host = createHost({
  name: 'bench',
  version: '1.0.0',
  transports: [http()],
  callbacks: callbacks.hostCallbacks,
  limits: { principals: PERSONS },
});
const [upstream, tools, hasPolicy, names = 1] = process.argv.slice(2);
const url = `${upstream}/json?${tools}`;
const others = Array.from({ length: names - 1 }, (_, at) => [`other${at}`, { url }]);
const [neutral] = await host.connect({ neutral: { url }, ...Object.fromEntries(others) });
if (neutral.state.status !== 'connected') throw neutral.state.error ?? new Error(neutral.state.status);
const access = {
  async authenticate({ headers }) {
    const principal = headers.get('x-person') ?? undefined;
    return { caller: { id: principal ?? 'bench', principal } };
  },
};
const policy =
  hasPolicy === 'true' ? createToolPolicy({ servers: { neutral: { writePermission: 'allow' } } }) : undefined;
const gateway = createGateway(host, { callbacks, access, policy, sessions: { max: PERSONS } });
const server = createServer(gateway.listener);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
process.on('message', (what) => {
  if (what === 'cpu') return process.send(process.cpuUsage());
  for (let times = 0; times < 4; times++) gc();
  process.send(process.memoryUsage());
});
