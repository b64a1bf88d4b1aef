/**
 * A fleet of gateways under fire: `npm run chaos:fleet -- [seconds] [people] [servers]`. Three replicas behind a round-robin balancer share
 * a Redis. One replica is killed every second, unless it is the
 * only one that has started again, and Redis once. Everyone calls servers with credentials of their own, which expire meanwhile.
 * Each call has a number, which its server writes down with the owner of the token. Fails if a call was carried out twice, was reported
 * untruthfully, never settled, or came with the token of another person, and if a refresh token was refused.
 *
 * `--volatile` runs a Redis that loses everything when it restarts; `--every=5` kills every five seconds, `--peaceful` never.
 */
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { sdkV1 } from '@mcp-fittings/engine-sdk/v1';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { judge } from '../chaos/judge.mjs';
import { startBalancer } from './balancer.mjs';
import { startIssuer } from './issuer.mjs';
import { startRedis } from './redis.mjs';
import { startReplicas } from './replicas.mjs';
import { signInEveryone } from './sign-in.mjs';

const REPLICAS = 3;
const STDIO_SERVERS = 2;
/** Each of them has a process of their own for each stdio server at each replica. */
const STDIO_PEOPLE = 2;
const SERVERS_PER_PERSON = 2;
/** One person in so many has sessions. Each of them is created again, and its event stream reconnects, after each kill. */
const PEOPLE_PER_SESSION_PERSON = 8;
const TOKEN_LIFE_S = 75;
const CALL_MS = 30_000;
const UNSETTLED_MS = 90_000;
const THINK_MS = 10_000;
const CONNECTING_AT_ONCE = 8;

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    volatile: { type: 'boolean', default: false },
    peaceful: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
  },
});
const [seconds, people, servers] = [120, 200, 20].map((usual, at) => Number(positionals[at] ?? usual));
const killMs = Number(flags.every) * 1000;
const began = performance.now();
const say = (text) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);
process.on('unhandledRejection', (error) => {
  console.error('unhandled rejection:', error);
  process.exitCode = 1;
});

const folder = mkdtempSync(join(tmpdir(), 'fittings-fleet-'));
const stdioLedger = join(folder, 'ledger');
writeFileSync(stdioLedger, '');
const redis = await startRedis({ isPersistent: !flags.volatile });
const issuer = await startIssuer();
const upstream = await startUpstream(servers - STDIO_SERVERS);
const entries = { ...httpEntries(), ...stdioEntries() };
writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers: entries }));
const encryptionKey = randomBytes(32).toString('base64');

const everyone = Array.from({ length: people }, (_, at) => personAt(at));
say(`${people} people sign in to ${SERVERS_PER_PERSON} of ${servers - STDIO_SERVERS} servers each`);
await signInEveryone({
  everyone,
  entries,
  redisUrl: redis.url,
  encryptionKey,
  issuer: issuer.issuer,
  upstream,
});

const replicas = await startReplicas(REPLICAS, {
  ISSUER: issuer.issuer,
  REDIS_URL: redis.url,
  ENCRYPTION_KEY: encryptionKey,
  SERVERS_FILE: join(folder, 'servers.json'),
  MAX_CONNECTIONS: '2000',
  REQUESTS_PER_MINUTE: '6000',
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
  get PUBLIC_URL() {
    return `http://127.0.0.1:${balancer.port}`;
  },
});
const balancer = await startBalancer(replicas.ports);
await replicas.start();
const gatewayUrl = `http://127.0.0.1:${balancer.port}/mcp`;
const hosts = await connectEveryone();
say(`${REPLICAS} replicas listen; everyone connects`);
await connectAll();
say(`calls begin, and a replica is killed every ${flags.every} s`);

const told = new Map();
const wrongAnswers = [];
const deadline = performance.now() + seconds * 1000;
let calls = 0;
/** Kills that were left out, because one replica alone had started again. */
let spared = 0;
const disturbing = disturb();
await Promise.all(everyone.map(work));
await disturbing;
say('all calls have settled');
await Promise.all(hosts.map((host) => host.close()));
replicas.close();
const { ledger, counts } = await (await fetch(`${upstream.origin}/ledger`)).json();
const lines = readFileSync(stdioLedger, 'utf8').split('\n').filter(Boolean);
ledger.push(...lines.map((line) => JSON.parse(line)));
await report(ledger, counts);
await finish();

function personAt(at) {
  const name = `p${String(at).padStart(3, '0')}`;
  const usesStdio = at < STDIO_PEOPLE;
  const count = servers - STDIO_SERVERS;
  const own = Array.from({ length: Math.min(SERVERS_PER_PERSON, count) }, (_, turn) =>
    serverName((at + turn * 7) % count),
  );
  const stdioOwn = Array.from({ length: usesStdio ? STDIO_SERVERS : 0 }, (_, turn) => `local${turn}`);
  return {
    name,
    engine: at % PEOPLE_PER_SESSION_PERSON === 0 ? 'sdk-v1' : 'own',
    servers: [...new Set(own)],
    uses: [...new Set(own), ...stdioOwn],
  };
}

function serverName(at) {
  return `s${String(at).padStart(2, '0')}`;
}

function httpEntries() {
  const names = Array.from({ length: servers - STDIO_SERVERS }, (_, at) => serverName(at));
  return Object.fromEntries(
    names.map((name) => [
      name,
      { type: 'http', url: `${upstream.origin}/${name}`, oauth: { clientId: 'gateway' } },
    ]),
  );
}

function stdioEntries() {
  const program = fileURLToPath(new URL('stdio-server.mjs', import.meta.url));
  const names = Array.from({ length: STDIO_SERVERS }, (_, at) => `local${at}`);
  return Object.fromEntries(
    names.map((name) => [name, { command: process.execPath, args: [program, name, stdioLedger] }]),
  );
}

async function startUpstream(count) {
  const program = fileURLToPath(new URL('upstream.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, String(count), String(TOKEN_LIFE_S)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(Number(chunk))));
  return { origin: `http://127.0.0.1:${port}`, close: () => child.kill() };
}

/** Some people use SDK v1, which has sessions, the others 2026-07-28. Each has one entry for each server that they use. */
async function connectEveryone() {
  const made = {};
  for (const [name, engine] of Object.entries({ 'sdk-v1': sdkV1(), own: undefined })) {
    made[name] = createHost({
      name: 'person',
      version: '1.0.0',
      engine,
      transports: [http()],
      lazy: true,
      limits: { connectMs: 20_000 },
    });
    made[name].on('error', () => undefined);
  }
  for (const person of everyone) {
    const token = await issuer.sign(person.name, gatewayUrl);
    const headers = { authorization: `Bearer ${token}` };
    person.host = made[person.engine];
    await person.host.connect(
      Object.fromEntries(
        person.uses.map((name) => [
          `${person.name}-${name}`,
          { type: 'http', url: `${gatewayUrl}/${name}`, headers },
        ]),
      ),
    );
  }
  return Object.values(made);
}

async function connectAll() {
  const todo = everyone.flatMap(({ name, host, uses }) =>
    uses.map((server) => ({ host, name: `${name}-${server}` })),
  );
  const connect = async () => {
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      await next.host.start(next.name).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connect));
}

async function work(person) {
  await sleep(Math.random() * THINK_MS);
  for (let turn = 0; performance.now() < deadline; turn++) {
    const server = person.uses[turn % person.uses.length];
    const number = `${person.name}-${turn}`;
    calls++;
    told.set(number, { ...(await outcomeOf(person, server, number)), fault: server, engine: person.engine });
    await sleep(THINK_MS * (0.5 + Math.random()));
  }
}

async function outcomeOf(person, server, number) {
  const args = { number, as: person.name };
  const name = `${person.name}-${server}`;
  const call = person.host.callTool({ server: name, tool: 'mark' }, args, { timeoutMs: CALL_MS }).then(
    ({ content, isError }) => {
      const [{ text } = {}] = content;
      if (isError !== true && text !== `${number} for ${person.name}`)
        wrongAnswers.push(`${number}: ${text}`);
      return { kind: isError === true ? 'tool-error' : 'ok' };
    },
    (error) => ({ kind: error.delivery ?? 'no-delivery', code: error.code, message: error.message }),
  );
  const late = new AbortController();
  const unsettled = sleep(UNSETTLED_MS, { kind: 'unsettled' }, { signal: late.signal }).catch(
    () => undefined,
  );
  const start = performance.now();
  const outcome = await Promise.race([call, unsettled]);
  const ms = performance.now() - start;
  late.abort();
  // As a user does: a server that failed for good is started again.
  if (outcome.kind !== 'ok' && person.host.server(name).state.status === 'failed') {
    await person.host.start(name).catch(() => undefined);
  }
  return { ...outcome, ms };
}

async function disturb() {
  if (flags.peaceful) return;
  const restartAt = Math.floor((seconds * 1000) / killMs / 2);
  for (let second = 1; performance.now() + killMs < deadline; second++) {
    await sleep(killMs);
    if (!replicas.kill()) spared++;
    if (second !== restartAt) continue;
    await redis.restart();
    say('Redis was killed and started again');
  }
}

async function report(ledger, counts) {
  const executed = new Map();
  for (const [, number] of ledger) executed.set(number, (executed.get(number) ?? 0) + 1);
  const crossings = ledger.filter(([, , owner, as]) => owner !== as);
  const { untruthful, unsettled, twice, outcomes, examples } = judge(told, executed);
  const orphans = [...executed.keys()].filter((number) => !told.has(number)).length;
  const rows = [
    ['calls', calls],
    ...Object.entries(outcomes)
      .toSorted(([, a], [, b]) => b - a)
      .map(([kind, count]) => [`  ${kind}`, count]),
    ...['ok', 'unknown'].map((kind) => [`median time of ${kind}, ms`, medianOf(kind)]),
    ['replicas killed', replicas.notes.starts - REPLICAS],
    ['kills left out: one replica alone listened', spared],
    ['replicas that ended by themselves', replicas.notes.exits],
    ['connections cut by kills', balancer.counts.cut],
    ['refreshes of tokens', counts.refreshes],
    ['refreshes whose answer was lost with a replica', counts.lostAnswers],
    ['carried out twice', twice],
    ['reported untruthfully', untruthful + orphans],
    ['never settled', unsettled],
    ['tokens or answers of another person', crossings.length + wrongAnswers.length],
    ['invalid_grant', counts.invalidGrant],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(52)} ${String(value).padStart(7)}`);
  for (const example of [...examples, ...wrongAnswers.slice(0, 5)]) console.log(`  ${example}`);
  const causes = new Map();
  for (const { kind, code, engine, message } of told.values()) {
    if (kind === 'ok') continue;
    const text = `${engine} ${kind} ${code}: ${String(message)
      .replace(/p\d{3}-\w+/g, '…')
      .slice(0, 140)}`;
    causes.set(text, (causes.get(text) ?? 0) + 1);
  }
  const sorted = (map) => [...map].toSorted(([, a], [, b]) => b - a).slice(0, 12);
  for (const [text, count] of sorted(causes)) console.log(`  ${String(count).padStart(5)} ${text}`);
  for (const [text, count] of sorted(replicas.notes.lines))
    console.log(`  ${String(count).padStart(5)} log: ${text.slice(0, 160)}`);
  const wrong = twice + untruthful + orphans + unsettled + crossings.length + wrongAnswers.length;
  // A Redis that forgets also forgets who signed in.
  const ended = counts.invalidGrant + replicas.notes.exits;
  const nothing = outcomes.ok === undefined ? 1 : 0;
  process.exitCode = wrong + (flags.volatile ? 0 : ended) + nothing > 0 ? 1 : 0;
}

function medianOf(kind) {
  const times = [...told.values()].filter((each) => each.kind === kind).map(({ ms }) => ms);
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
}

async function finish() {
  balancer.close();
  issuer.close();
  upstream.close();
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
