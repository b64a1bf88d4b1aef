/** Makes the calls that are traced, each in a state in which it was made before, and writes their phases as JSON. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBearerProvider, oauth } from '../../packages/auth-oauth/dist/index.js';
import { createServerApprovals, layouts, loadConfig } from '../../packages/config/dist/index.js';
import { bearerToken, createGateway } from '../../packages/gateway/dist/index.js';
import { createHost } from '../../packages/host/dist/index.js';
import { memoryStore } from '../../packages/store-file/dist/index.js';
import { createToolPolicy, createTools } from '../../packages/tools/dist/index.js';
import { http } from '../../packages/transport-http/dist/index.js';
import { stdio } from '../../packages/transport-stdio/dist/index.js';
import { answer, startProtectedServer } from './protected-server.mjs';
import { countWork, traceWork } from './tracer.mjs';

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

async function traceWithToken(prepare, trace = traceWork) {
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
    return trace(work);
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

async function traceStdio() {
  const server = `const answer = ${String(answer)}; require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined) console.log(JSON.stringify(answer(message)));
  })`;
  const host = createHost({ name: 'trace', version: '1.0.0', transports: [stdio()] });
  try {
    await host.connect({ [NAME]: { command: process.execPath, args: ['-e', server] } });
    const call = () => host.callTool({ server: NAME, tool: 'echo' }, { text: 'hello' });
    await call();
    return await countWork(call);
  } finally {
    await host.close();
  }
}

/** A client of a gateway over HTTP calls a tool of a server over HTTP, from the request that arrives to the response that leaves. */
const traceGateway = () =>
  traceWithToken((_, host) => {
    const token = randomBytes(32).toString('base64url');
    const gateway = createGateway(host, { access: bearerToken(token) });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const post = async (message) => {
      const request = { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) };
      const response = await gateway.fetch(new Request('http://localhost/mcp', request));
      headers['mcp-session-id'] ??= response.headers.get('mcp-session-id');
      return response.text();
    };
    let opened;
    return async () => {
      opened ??= (async () => {
        const clientInfo = { name: 'trace', version: '1.0.0' };
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
        await post({ id: 0, method: 'initialize', params });
        await post({ method: 'notifications/initialized' });
      })();
      await opened;
      const params = { name: `${NAME}__echo`, arguments: { text: 'hello' } };
      const reply = await post({ id: 1, method: 'tools/call', params });
      if (!reply.includes('"hello"')) throw new Error(`The gateway answered: ${reply}`);
    };
  }, countWork);

/** A project with one server, which is approved. */
async function traceLoadConfig() {
  const place = await mkdtemp(join(tmpdir(), 'trace-'));
  const cwd = join(place, 'project');
  process.env.HOME = join(place, 'home');
  try {
    await mkdir(join(cwd, '.git'), { recursive: true });
    await mkdir(process.env.HOME);
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { notes: { command: 'notes' } } }));
    const approvals = createServerApprovals({ approve: async () => 'once' });
    const load = async () => {
      const { servers } = await loadConfig({ layout: layouts.mcpJson, cwd, approvals });
      if (servers.notes === undefined) throw new Error('The server of the project is missing.');
    };
    await load();
    return await countWork(load);
  } finally {
    await rm(place, { recursive: true });
  }
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

/** The gateway comes last, because it looks for changes of lists later. */
const calls = [traceCall, traceRefresh, traceRun, traceStdio, traceLoadConfig, traceGateway];
const phases = [];
for (const trace of calls) phases.push(await trace());
console.log(JSON.stringify(phases));
