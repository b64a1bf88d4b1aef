/** A connection of one contender to a server of its own, called in the same way for every contender. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { answer } from '../servers/answer.mjs';
import { floor } from '../contenders/floor.mjs';
import { ours } from '../contenders/ours.mjs';
import { newClient, sdk1, sdk2 } from '../contenders/sdks.mjs';

const CONTENDERS = { floor, ours, sdk1, sdk2 };
const PATHS = {
  http: '/json',
  'http-sse': '/sse',
  sse: '/legacy',
  ws: '/',
  idle: '/idle',
};
const STDIO_SERVER = fileURLToPath(new URL('../servers/stdio.mjs', import.meta.url));
const HTTP_SERVER = fileURLToPath(new URL('../servers/http.mjs', import.meta.url));

/** Starts the neutral HTTP server in a process of its own, which calls itself `warmCalls` times first; it ends with this one. */
export async function startHttpServer(listeners = 1, warmCalls = 0) {
  const server = fork(HTTP_SERVER, [String(listeners), String(warmCalls)], { execArgv: [] });
  const ports = await new Promise((resolve) => server.once('message', resolve));
  server.channel?.unref();
  server.unref();
  return { ports, stop: () => server.kill() };
}

function urlOf(port, wire) {
  return `${wire === 'ws' ? 'ws' : 'http'}://127.0.0.1:${port}${PATHS[wire]}`;
}

/**
 * An unstarted transport of a contender. In-process ones come as a pair, whose other end is served here.
 * @param serverCalls a server on stdio has answered so many calls of its own before it sends a notification.
 */
export async function makeTransport(contender, wire, port, serverCalls = 0) {
  const make = CONTENDERS[contender][wire === 'idle' ? 'http' : wire];
  if (wire === 'stdio') return make({ command: process.execPath, args: [STDIO_SERVER, String(serverCalls)] });
  if (wire !== 'inprocess') return make({ url: urlOf(port, wire) });
  const [near, far] = await make();
  await serveHere(far);
  return near;
}

/** Answers what comes to this end of a pair, with objects. */
async function serveHere(transport) {
  transport.onmessage = (message) => {
    answer(message, (text) => void transport.send(JSON.parse(text)));
  };
  await transport.start();
}

/** @returns a connection with `call(name, arguments)`. */
export async function connect({ contender, wire, client, host, port, serverCalls }) {
  if (host) return connectHost(wire, client, port);
  const transport = await makeTransport(contender, wire, port, serverCalls);
  if (client === undefined) {
    const connection = callRaw(transport);
    await transport.start();
    return connection;
  }
  const engine = await newClient(client);
  await engine.connect(transport);
  return {
    call: (name, given) => engine.callTool({ name, arguments: given }),
    close: () => engine.close(),
  };
}

/** JSON-RPC without an engine: the same few lines for every transport. */
function callRaw(transport) {
  const waiting = new Map();
  let nextId = 0;
  let notified = 0;
  let onNotified = () => undefined;
  transport.onmessage = (message) => {
    if (message.method !== undefined) {
      notified++;
      onNotified();
      return;
    }
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    caller.resolve(message.result);
  };
  return {
    call(name, given) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        const params = { name, arguments: given, _meta: { progressToken: id } };
        transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params }).catch(reject);
      });
    },
    get notified() {
      return notified;
    },
    /** Resolves once there was a notification. */
    untilNotified() {
      return notified > 0 ? undefined : new Promise((resolve) => (onNotified = resolve));
    },
    close: () => transport.close(),
  };
}

async function connectHost(wire, client, port) {
  const { createHost } = await import('@mcp-fittings/host');
  const plugin = {
    specVersion: 1,
    type: wire,
    schema: { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } },
    create: () => transport,
  };
  const transport = await makeTransport('ours', wire, port);
  const host = createHost({ name: 'bench', version: '1.0.0', transports: [plugin] });
  await host.connect({ neutral: { type: wire } });
  return {
    call: (tool, given) => host.callTool({ server: 'neutral', tool }, given),
    close: () => host.close(),
  };
}
