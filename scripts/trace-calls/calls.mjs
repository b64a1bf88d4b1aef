/** Makes the calls that are traced, each in a state in which it was made before, and writes their phases as JSON. */
import { createBearerProvider, oauth } from '../../packages/auth-oauth/dist/index.js';
import { createHost } from '../../packages/host/dist/index.js';
import { memoryStore } from '../../packages/store-file/dist/index.js';
import { createToolPolicy, createTools } from '../../packages/tools/dist/index.js';
import { http } from '../../packages/transport-http/dist/index.js';
import { startProtectedServer } from './protected-server.mjs';
import { traceWork } from './tracer.mjs';

const NAME = 'traced';

/** What a bearer provider does with a token that is good. */
const traceCall = () => traceWithToken((call) => call);

/** A model calls a tool that runs without a question. */
const traceRun = () =>
  traceWithToken((_, host) => {
    const policy = createToolPolicy({ servers: { [NAME]: { allowedTools: ['echo'] } } });
    const tools = createTools(host, { policy });
    return () => tools.snapshot().run(`mcp__${NAME}__echo`, { text: 'hello' });
  });

async function traceWithToken(prepare) {
  const server = await startProtectedServer();
  const token = 'secret';
  server.accept(token);
  const bearer = {
    specVersion: 1,
    scheme: 'bearer',
    create: ({ config: { url } }) => createBearerProvider({ url, token }),
  };
  return withHost(server, bearer, async (call, host) => {
    const work = prepare(call, host);
    await work();
    return traceWork(work);
  });
}

/** A person has signed in, and one token was refreshed before: where the authorization server is, is known. */
async function traceRefresh() {
  const server = await startProtectedServer();
  const person = {
    begin: async () => ({
      redirectUri: 'http://127.0.0.1:33418/callback',
      authorize: async ({ state }) => new URLSearchParams({ code: 'code', state }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
  const scheme = oauth({ clientName: 'trace', store: memoryStore(), interaction: person });
  return withHost(server, scheme, async (call, host) => {
    await host.signIn(NAME);
    server.refuse();
    await call();
    server.refuse();
    return traceWork(call);
  });
}

async function withHost(server, auth, work) {
  const host = createHost({
    name: 'trace',
    version: '1.0.0',
    transports: [http()],
    auth: [auth],
  });
  try {
    await host.connect({ [NAME]: { url: server.url, oauth: { clientId: 'trace' } } });
    return await work(() => host.callTool({ server: NAME, tool: 'echo' }, { text: 'hello' }), host);
  } finally {
    await host.close();
    server.close();
  }
}

console.log(JSON.stringify([await traceCall(), await traceRefresh(), await traceRun()]));
