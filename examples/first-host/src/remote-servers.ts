import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { clockServer } from './clock-server.js';
import { program } from './program.js';

/** Servers that would run elsewhere; here they run on this machine while the example runs. */
export interface RemoteServers extends AsyncDisposable {
  readonly entries: Record<string, ServerConfig>;
}

export async function startRemoteServers(): Promise<RemoteServers> {
  const http = await startEverything('streamableHttp');
  const sse = await startEverything('sse');
  const ws = await startClockOverWebSocket();
  return {
    entries: {
      'remote-http': { url: `http://127.0.0.1:${http.port}/mcp` },
      'remote-sse': { type: 'sse', url: `http://127.0.0.1:${sse.port}/sse` },
      'remote-ws': { type: 'ws', url: `ws://127.0.0.1:${ws.port}`, apiKey: ws.token },
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([stop(http.child), stop(sse.child), ws.close()]);
    },
  };
}

async function startEverything(
  mode: 'streamableHttp' | 'sse',
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program('@modelcontextprotocol/server-everything'), mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Read until the end: a server whose stderr is not read blocks or exits.
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => chunk.includes('on port') && resolve());
  });
  return { child, port };
}

async function startClockOverWebSocket(): Promise<{ port: number; token: string; close(): Promise<void> }> {
  const token = crypto.randomUUID();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = createWebSocketServer({
    server,
    token,
    onConnection: (transport) => clockServer().connect(transport),
  });
  return {
    port: portOf(server.address()),
    token,
    async close() {
      await sockets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not a TCP address');
  return address.port;
}
