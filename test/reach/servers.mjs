/** Real servers, each a process on Node.js, as a program elsewhere would be: what is tried is the client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startGuardedServer } from '../../examples/first-host/dist/guarded-server.js';
import { officialServer } from '../../scripts/bundled.mjs';
import { freePort } from '../../scripts/free-port.mjs';
import { forward } from './forward.mjs';
import { startGuardedEverything } from './guarded-everything.mjs';

const WEBSOCKET_TOKEN = 'for this machine only';
/** Only the proxy knows where it is. */
const BEHIND_PROXY = 'server.invalid';

/** Starts all servers. Resolves with an entry of a configuration for each, and `stop`. */
export async function startServers() {
  const everything = await officialServer('everything');
  const guarded = await startGuardedServer();
  const proxy = await startProxy();
  const [http, sse, ws] = await Promise.all([
    startProgram([everything, 'streamableHttp']),
    startProgram([everything, 'sse']),
    startProgram([join(import.meta.dirname, 'websocket-server.mjs')]),
  ]);
  const guardedEverything = await startGuardedEverything(http.port);
  return {
    entries: {
      stdio: { type: 'stdio', command: process.execPath, args: [everything] },
      http: { type: 'http', url: `http://127.0.0.1:${http.port}/mcp` },
      proxied: {
        type: 'http',
        url: `http://${BEHIND_PROXY}:${http.port}/mcp`,
        proxy: proxy.url,
      },
      sse: { type: 'sse', url: `http://127.0.0.1:${sse.port}/sse` },
      ws: { type: 'ws', url: `ws://127.0.0.1:${ws.port}/`, apiKey: WEBSOCKET_TOKEN },
      guarded: { type: 'http', url: guarded.url },
      guardedEverything: guardedEverything.entry,
    },
    async stop() {
      for (const { child } of [http, sse, ws]) child.kill('SIGKILL');
      proxy.close();
      await guardedEverything.stop();
      await guarded[Symbol.asyncDispose]();
    },
  };
}

async function startProgram(args) {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: String(port), TOKEN: WEBSOCKET_TOKEN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('on port')) resolve();
    });
    child.once('close', () => reject(new Error(`The server ended at once: ${said}`)));
  });
  return { child, port };
}

/** Forwards requests to this machine, whatever host they name. */
async function startProxy() {
  const server = createServer((incoming, reply) => {
    const { port, pathname } = new URL(incoming.url);
    forward(incoming, reply, port, pathname);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
