/** What a chaos run disturbs: servers that die and come back, behind a proxy that cuts, and behind a gateway. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bearerToken, createCallbackRouter, createGateway } from '@mcp-fittings/gateway';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import { createFaultyProxy } from './faulty-proxy.mjs';
import { createMarkServer } from './server.mjs';

const SERVER = join(import.meta.dirname, 'server.mjs');
const TOKEN = 'a-token-that-is-long-enough-for-a-gateway';

/**
 * Opens the servers of a wire.
 * @param {string} wire a transport, or `gateway-` and the transport behind the gateway
 * @param {<T>(items: readonly T[]) => T} pick chooses what happens
 * @returns how a host reaches them; `disturb()`, which returns how many faults it made; `away(ms)`; the ledger
 */
export async function openWorld(wire, pick) {
  if (wire === 'inprocess') return openInProcess();
  const folder = mkdtempSync(join(tmpdir(), 'fittings-chaos-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const [kind, inner] = wire.split('-');
  const servers =
    inner === undefined ? await openServers(kind, ledger, pick) : await openServers(inner, ledger, pick);
  const world = inner === undefined ? servers : await openGateway(servers);
  return {
    ...world,
    executed: () => countLines(readFileSync(ledger, 'utf8')),
    async close() {
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openInProcess() {
  const counts = new Map();
  const record = (id) => void counts.set(id, (counts.get(id) ?? 0) + 1);
  const servers = {
    chaos: () => {
      const server = createMarkServer(record, () => void server.close());
      return server;
    },
  };
  const transports = [inprocess({ servers })];
  return {
    transports,
    entry: { type: 'sdk' },
    disturb: () => 0,
    executed: () => counts,
    close: () => undefined,
  };
}

async function openServers(wire, ledger, pick) {
  if (wire === 'stdio') {
    const entry = { command: process.execPath, args: [SERVER, 'stdio', '0', ledger] };
    return { transports: [stdio()], entry, disturb: () => 0, close: () => undefined };
  }
  const server = await superviseServer(wire, ledger);
  const proxy = await createFaultyProxy(() => server.port);
  const url = `${wire === 'ws' ? 'ws' : 'http'}://127.0.0.1:${proxy.port}/mcp`;
  return {
    transports: [http(), sse(), ws()],
    entry: { type: wire, url, ...(wire === 'ws' && { apiKey: TOKEN }) },
    disturb() {
      pick([() => proxy.cut(), () => proxy.stall(100), () => proxy.refuse(100), () => server.kill()])();
      return 1;
    },
    async away(ms) {
      proxy.refuse(ms);
      proxy.cut();
      await wait(ms);
    },
    close() {
      server.close();
      proxy.close();
    },
  };
}

/** A gateway before these servers, which its clients reach at the address of the server. */
async function openGateway({ transports, entry, disturb, away, close }) {
  const callbacks = createCallbackRouter();
  const host = createHost({
    name: 'gateway',
    version: '1.0.0',
    transports,
    callbacks: callbacks.hostCallbacks,
    limits: { connectMs: 10_000 },
  });
  host.on('error', () => undefined);
  await host.connect({ chaos: entry });
  const gateway = createGateway(host, { callbacks, access: bearerToken(TOKEN) });
  const { url } = await gateway.listen({ port: 0 });
  return {
    transports: [http()],
    entry: { type: 'http', url: `${url}/chaos`, headers: { authorization: `Bearer ${TOKEN}` } },
    disturb,
    away,
    async close() {
      await gateway.close();
      await host.close();
      await close();
    },
  };
}

/** A server process that is started again, on the same port, whenever it ends. */
async function superviseServer(wire, ledger) {
  let child;
  let port = 0;
  let isClosed = false;
  const start = () =>
    new Promise((resolve) => {
      child = spawn(process.execPath, [SERVER, wire, String(port), ledger], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.once('data', (chunk) => resolve((port = Number(chunk))));
      child.once('exit', () => void (isClosed || start()));
    });
  await start();
  return {
    get port() {
      return port;
    },
    kill: () => child.kill('SIGKILL'),
    close() {
      isClosed = true;
      child.kill('SIGKILL');
    },
  };
}

function countLines(text) {
  const counts = new Map();
  for (const line of text.split('\n')) if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
