/** Real servers, each a process on Node, as a program elsewhere would be: what is tried is the client's runtime. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.mjs';

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const SLOW = { name: 'trigger-long-running-operation', arguments: { duration: 30, steps: 2 } };

const WEBSOCKET_TOKEN = 'for this machine only';

/** How each transport reaches its server; `target` is what the client needs to know, as JSON. */
export const SERVERS = {
  stdio: async () => ({
    target: { command: process.execPath, args: [EVERYTHING], slow: SLOW },
    kill: undefined,
  }),
  http: () =>
    remote([EVERYTHING, 'streamableHttp'], (port) => ({
      url: `http://127.0.0.1:${port}/mcp`,
      slow: SLOW,
      // A client reopens a stream that ended for a while; here the server stays away.
      reconnect: { initialMs: 100, maxMs: 500, maxAttempts: 3 },
    })),
  sse: () => remote([EVERYTHING, 'sse'], (port) => ({ url: `http://127.0.0.1:${port}/sse`, slow: SLOW })),
  ws: () =>
    remote([fileURLToPath(new URL('websocket-server.mjs', import.meta.url))], (port) => ({
      url: `ws://127.0.0.1:${port}/`,
      apiKey: WEBSOCKET_TOKEN,
      slow: { name: 'slow', arguments: {} },
    })),
  inprocess: async () => ({ target: {}, kill: undefined }),
};

async function remote(args, targetAt) {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: String(port), TOKEN: WEBSOCKET_TOKEN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let said = '';
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('on port')) resolve();
    });
    child.once('close', () => reject(new Error(`The server ended at once: ${said}`)));
  });
  return {
    target: targetAt(port),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
