/**
 * Calls under random faults, over every transport. What the host says of a call (`delivery`) is compared
 * with what the server wrote down. `npm run chaos -- [calls] [seed] [wire]`; fails if one call is reported untruthfully,
 * is carried out twice, or never settles.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import { createFaultyProxy } from './faulty-proxy.mjs';
import { judge } from './judge.mjs';
import { createMarkServer } from './server.mjs';

const SERVER = join(import.meta.dirname, 'server.mjs');
const WORKERS = 12;
const CALL_MS = 3_000;
const UNSETTLED_MS = 60_000;
/** What ends the server, for all calls under way. */
const DEATHS = ['die-before', 'die-after', 'die-late'];
/** What happens to one call. */
const STATUSES = [
  '503-after',
  '502-after',
  '500-after',
  '503-before',
  '429-before',
  'cut-before',
  'cut-after',
];
const WIRES = {
  stdio: { faults: DEATHS },
  inprocess: { faults: DEATHS },
  http: { faults: [...DEATHS, ...STATUSES, ...STATUSES, ...STATUSES] },
  sse: { faults: [...DEATHS, ...STATUSES, ...STATUSES, ...STATUSES] },
  ws: { faults: DEATHS },
};

const [total = '20000', seed = '1', only] = process.argv.slice(2);
const names = Object.keys(WIRES).filter((wire) => only === undefined || wire === only);
const perRun = Math.ceil(Number(total) / names.length);
process.on('unhandledRejection', (error) => {
  console.error('unhandled rejection:', error);
  process.exitCode = 1;
});

const sum = { calls: 0, untruthful: 0, unsettled: 0, twice: 0 };
for (const wire of names) {
  const result = await run(wire, perRun, randomFrom(`${seed} ${wire}`));
  console.log(`${wire.padEnd(14)} ${describe(result)}`);
  for (const name of Object.keys(sum)) sum[name] += result[name];
}
console.log(
  `${sum.calls} calls: ${sum.untruthful} untruthful, ${sum.unsettled} unsettled, ${sum.twice} executed twice`,
);
const isWrong = sum.untruthful + sum.unsettled + sum.twice > 0;
process.exit(isWrong || process.exitCode ? 1 : 0);

function describe({ calls, faults, outcomes, examples, seconds }) {
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${outcome} ${count}`);
  const lines = [
    `${calls} calls, ${faults} faults in ${seconds} s: ${counts.toSorted().join(', ')}`,
    ...examples,
  ];
  return lines.join('\n    ');
}

async function run(wire, calls, random) {
  const started = performance.now();
  const world = await open(wire, random);
  const host = createHost({
    name: 'chaos',
    version: '1.0.0',
    transports: world.transports,
    limits: { connectMs: 10_000 },
  });
  host.on('error', () => undefined);
  await host.connect({ chaos: world.entry });
  const told = new Map();
  let next = 0;
  let faults = 0;
  const worker = async () => {
    while (next < calls) {
      const id = `${wire}-${next++}`;
      const hasFault = random() < 0.002 * WIRES[wire].faults.length;
      const fault = hasFault ? pick(random, WIRES[wire].faults) : 'none';
      const ms = random() < 0.5 ? 0 : Math.floor(random() * 20);
      if (hasFault) faults++;
      if (random() < 0.006) faults += world.disturb();
      const outcome = await outcomeOf(host, { id, ms, fault });
      told.set(id, outcome);
      // As a caller does: what failed is not followed by the next call in the same instant.
      if (outcome.kind !== 'ok') await new Promise((resolve) => setTimeout(resolve, 20 + random() * 100));
      // A server that failed for good is started by its user.
      if (host.server('chaos').state.status === 'failed') await host.start('chaos').catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  await host.close();
  const executed = world.executed();
  await world.close();
  return {
    ...judge(told, executed),
    calls,
    faults,
    seconds: Math.round((performance.now() - started) / 1000),
  };
}

async function outcomeOf(host, args) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'unsettled' }), UNSETTLED_MS);
  });
  const call = host.callTool({ server: 'chaos', tool: 'mark' }, args, { timeoutMs: CALL_MS }).then(
    (result) => ({ kind: result.isError === true ? 'tool-error' : 'ok' }),
    (error) => ({ kind: error.delivery ?? 'no-delivery', code: error.code, message: error.message }),
  );
  const outcome = await Promise.race([call, late]);
  clearTimeout(timer);
  return { ...outcome, fault: args.fault };
}

/** What is disturbed, the ledger, and how the host reaches it. */
async function open(wire, random) {
  const folder = mkdtempSync(join(tmpdir(), 'fittings-chaos-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const executed = () => countLines(readFileSync(ledger, 'utf8'));
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  if (wire === 'stdio') {
    const entry = { command: process.execPath, args: [SERVER, 'stdio', '0', ledger] };
    return { transports: [stdio()], entry, disturb: () => 0, executed, close: cleanUp };
  }
  if (wire === 'inprocess') return openInProcess(cleanUp);
  const server = await superviseServer(wire, ledger);
  const proxy = await createFaultyProxy(() => server.port);
  const url = `${wire === 'ws' ? 'ws' : 'http'}://127.0.0.1:${proxy.port}/mcp`;
  const entry = { type: wire, url, ...(wire === 'ws' && { apiKey: 'a-token-of-enough-length' }) };
  const disturb = () => {
    pick(random, [() => proxy.cut(), () => proxy.stall(100), () => proxy.refuse(100), () => server.kill()])();
    return 1;
  };
  const close = () => {
    server.close();
    proxy.close();
    cleanUp();
  };
  return { transports: [http(), sse(), ws()], entry, disturb, executed, close };
}

function openInProcess(cleanUp) {
  const counts = new Map();
  const record = (id) => void counts.set(id, (counts.get(id) ?? 0) + 1);
  const servers = {
    chaos: () => {
      const server = createMarkServer(record, () => void server.close());
      return server;
    },
  };
  const transports = [inprocess({ servers })];
  return { transports, entry: { type: 'sdk' }, disturb: () => 0, executed: () => counts, close: cleanUp };
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

function pick(random, items) {
  return items[Math.floor(random() * items.length)];
}

/** Mulberry32, seeded by a text: the same run again. */
function randomFrom(text) {
  let state = [...text].reduce(
    (hash, character) => Math.imul(hash ^ character.charCodeAt(0), 16777619),
    2166136261,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
