/**
 * `npm run bench -- capacity`: what one replica of a gateway carries, and how many replicas so many people need. `--write` puts the tables
 * into docs/fleet.md. `--persons=N`, default 1000.
 */
import { availableParallelism, cpus } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { startHttpServer } from './lib/connection.mjs';
import { Client, GATEWAY_CALLS, PROGRAMS, startProgram } from './lib/gateway-calls.mjs';
import { median } from './lib/statistics.mjs';

const PAGE = new URL('../docs/fleet.md', import.meta.url);
const MARKS = ['<!-- capacity -->', '<!-- /capacity -->'];
const MIB = 1024 * 1024;
const PERSONS = Number(process.argv.find((each) => each.startsWith('--persons='))?.slice(10) ?? 1000);
const CALLS = 24_000;
const WARM_CALLS = 3000;
const MORE_SERVERS = 3;
const AT_ONCE = 32;
const ROUNDS = 7;
const ECHO = {
  name: 'neutral__echo',
  arguments: { text: 'Sixty-four bytes of text are about what a small tool gives back.' },
};

/** What the model assumes of people who work with agents, and of a replica. */
const MODEL = {
  /** Of all people, how many have a session at the busiest time. */
  present: 0.2,
  /** Calls of each of them in a minute. */
  callsPerMinute: 6,
  /** Servers that each of them has used within `limits.principalIdleMs`. */
  servers: 3,
  /** Of a core, how much calls may use: the rest is for bursts, and for the people of a replica that has failed. */
  busy: 0.4,
  /** Memory of a replica, in MiB. */
  memory: 1024,
};

export async function capacity() {
  const memory = await measureMemory();
  const cpu = { one: await cpuOfCall(1), many: await cpuOfCall(64) };
  const tables = [figures(memory, cpu), replicas(memory, cpu)].join('\n\n');
  console.log(tables);
  if (!process.argv.includes('--write')) return;
  const [before, rest] = readFileSync(PAGE, 'utf8').split(MARKS[0]);
  const where = `Node.js ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}.`;
  writeFileSync(
    PAGE,
    `${before}${MARKS[0]}\n\n${tables}\n\n${where}\n\n${MARKS[1]}${rest.split(MARKS[1])[1]}`,
  );
}

/** Resident memory of a gateway as people come, and as calls go, in MiB. */
async function measureMemory() {
  const one = await memoryOfPerson(1);
  const more = await memoryOfPerson(1 + MORE_SERVERS);
  return {
    ...one,
    server: (more.person - one.person) / MORE_SERVERS,
    ...(await inGateway(1, async ({ memory, connect }) => {
      const client = await connect({});
      await inTurns(WARM_CALLS, () => client.call(ECHO));
      const warm = await memory();
      await inTurns(CALLS, () => client.call(ECHO));
      return { warm, afterCalls: await memory() };
    })),
  };
}

/** Memory without callers, and of a person with an idle session, who has called each of so many servers. */
function memoryOfPerson(servers) {
  return inGateway(servers, async ({ memory, connect }) => {
    const start = await memory();
    const warm = await connect({});
    await inTurns(WARM_CALLS, () => warm.call(ECHO));
    const before = await memory();
    const others = Array.from({ length: servers - 1 }, (_, at) => ({ ...ECHO, name: `other${at}__echo` }));
    await inTurns(PERSONS, async (at) => {
      const client = await connect({ 'x-person': `person-${at}` });
      for (const call of [ECHO, ...others]) await client.call(call);
    });
    return { start, person: ((await memory()) - before) / PERSONS };
  });
}

async function inGateway(servers, work) {
  const { ports, stop } = await startHttpServer();
  const given = [`http://127.0.0.1:${ports[0]}`, '2', 'false', String(servers)];
  const gateway = await startProgram(PROGRAMS.ours, given, ['--expose-gc']);
  const pool = new Pool(`http://127.0.0.1:${gateway.port}`, { connections: AT_ONCE });
  try {
    return await work({
      connect: (headers) => new Client(pool, '/mcp', headers).initialize(),
      async memory() {
        await pause(2000);
        return (await gateway.memory()).rss / MIB;
      },
    });
  } finally {
    await pool.destroy();
    gateway.stop();
    stop();
  }
}

/** Runs work so many times, a few at once. Resolves with the results in order. */
async function inTurns(count, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const at = next++;
      results[at] = await work(at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Microseconds of CPU of the gateway for one call. */
async function cpuOfCall(inFlight) {
  const round = await GATEWAY_CALLS.gatewayCalls({ contender: 'ours', inFlight, warmMs: 5000 });
  const values = [];
  for (let turn = 0; turn < ROUNDS; turn++) values.push((await round()).value);
  round.stop();
  return median(values);
}

const kb = (mib) => `${Math.round(mib * 1024)} KB`;
const whole = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');

function figures({ start, warm, person, server, afterCalls }, { one, many }) {
  return [
    '| one replica | measured |',
    '| --- | --: |',
    `| CPU of a call, one at a time | ${Math.round(one)} µs |`,
    `| CPU of a call, 64 at a time | ${Math.round(many)} µs |`,
    `| calls a second that one core carries out | ${whole(1e6 / many)} |`,
    `| memory before the first call | ${Math.round(start)} MiB |`,
    `| memory after ${whole(WARM_CALLS)} calls | ${Math.round(warm)} MiB |`,
    `| memory after ${whole(CALLS)} more | ${Math.round(afterCalls)} MiB |`,
    `| memory of a person with an idle session and a connection to one server | ${kb(person)} |`,
    `| memory of each further server that a person uses | ${kb(server)} |`,
  ].join('\n');
}

function replicas({ warm, person, server }, { many }) {
  const { present, callsPerMinute, servers, busy, memory } = MODEL;
  const rows = [1000, 10_000, 100_000].map((people) => {
    const here = people * present;
    const calls = (here * callsPerMinute) / 60;
    const cores = (calls * many) / 1e6 / busy;
    const mib = here * (person + (servers - 1) * server);
    const needed = Math.max(cores, mib / (memory - warm));
    const first = cores > mib / (memory - warm) ? 'CPU' : 'memory';
    // One more, so that one can fail or be replaced.
    return `| ${whole(people)} | ${whole(here)} | ${whole(calls)} | ${cores.toFixed(1)} | ${whole(mib)} MiB | ${Math.ceil(needed) + 1} | ${first} |`;
  });
  return [
    '| people | present | calls a second | cores | memory of their connections | replicas | what is used up first |',
    '| --: | --: | --: | --: | --: | --: | --- |',
    ...rows,
  ].join('\n');
}
