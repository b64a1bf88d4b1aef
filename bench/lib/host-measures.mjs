/** A host with many servers of both kinds: when its first tool is there, and when all servers are connected. */
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startHttpServer } from './connection.mjs';
import { snapshot, waitedBetween } from './waiting.mjs';

const STDIO_SERVER = fileURLToPath(new URL('../servers/stdio.mjs', import.meta.url));
const WARM_CACHE = fileURLToPath(new URL('./warm-cache.mjs', import.meta.url));

export const HOST_MEASURES = {
  /**
   * Milliseconds until all servers are connected and their tools listed; `first` of ours is when the first tool of the cache
   * is listed. Both begin when `createHost` has been imported. The cache was filled by another process.
   *
   * They say themselves how long they waited, while the programs that they started still run: once these have ended, it is unknown
   * how much CPU they used.
   */
  async hostStart(task) {
    const { ports } = await startHttpServer(task.http);
    const servers = serversOf(task.stdio, ports);
    return task.contender === 'floor' ? bareStart(servers, task.concurrency) : hostStart(servers);
  },
};

/** Kinds take turns, so that a limit on how many connect at a time does not leave one of them for last. */
function serversOf(stdio, ports) {
  const programs = Array.from({ length: stdio }, (_, index) => [
    `program${index}`,
    { command: process.execPath, args: [STDIO_SERVER] },
  ]);
  const remote = ports.map((port, index) => [`remote${index}`, { url: `http://127.0.0.1:${port}/json` }]);
  const all = [];
  while (programs.length + remote.length > 0) all.push(...programs.splice(0, 2), ...remote.splice(0, 3));
  return Object.fromEntries(all);
}

async function hostStart(servers) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-cache-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  await new Promise((resolve, reject) => {
    const warming = fork(WARM_CACHE, [folder, JSON.stringify(servers)], { execArgv: [] });
    warming.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`Warming ended with ${code}.`)),
    );
  });
  const { openHost } = await import('./many-servers-host.mjs');
  return async () => {
    const before = snapshot(process.pid);
    const cpu = process.cpuUsage();
    const started = performance.now();
    const host = openHost(folder);
    const connecting = host.connect(servers);
    while (host.tools().length === 0) await sleep(1);
    const first = performance.now() - started;
    const firstCpu = process.cpuUsage(cpu);
    const snapshots = await connecting;
    const value = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const shares = waitedBetween(before, snapshot(process.pid), { serial: false });
    const failed = snapshots.filter(
      ({ state, counts }) => state.status !== 'connected' || counts.tools === 0,
    );
    if (failed.length > 0) throw new Error(`${failed.length} servers did not connect.`);
    await host.close();
    const firstMs = (firstCpu.user + firstCpu.system) / 1000;
    return { ...shares, value, cpu: (user + system) / 1000, first, firstCpu: firstMs };
  };
}

/** The same with `spawn`, `undici.request` and JSON, so many at a time. */
async function bareStart(servers, concurrency) {
  return async () => {
    const before = snapshot(process.pid);
    const cpu = process.cpuUsage();
    const started = performance.now();
    const { request } = await import('undici');
    const waiting = Object.values(servers);
    const children = [];
    const worker = async () => {
      for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
        const send = server.url === undefined ? startProgram(server, children) : postTo(request, server.url);
        await handshake(send);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    const value = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const shares = waitedBetween(before, snapshot(process.pid), { serial: false });
    for (const child of children) child.kill();
    return { ...shares, value, cpu: (user + system) / 1000 };
  };
}

const PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

async function handshake(send) {
  await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: PARAMS });
  const initialized = send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { result } = await send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  await initialized;
  if (result.tools.length === 0) throw new Error('A server has no tools.');
}

function startProgram({ command, args }, children) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  let rest = '';
  let answered;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) answered(JSON.parse(line));
  });
  return (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    if (message.id === undefined) return undefined;
    return new Promise((resolve) => (answered = resolve));
  };
}

function postTo(request, url) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return async (message) => {
    const { body } = await request(url, { method: 'POST', headers, body: JSON.stringify(message) });
    return message.id === undefined ? body.dump() : body.json();
  };
}
