/**
 * Calls under random faults, over every transport, through a gateway, and with tasks. What the host says of a call (`delivery`) is
 * compared with what the server wrote down. `npm run chaos -- [calls] [seed] [wire]`; fails if one call is reported
 * untruthfully, is carried out twice, never settles, or outlives its server.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createHost } from '@mcp-fittings/host';
import { judge } from './judge.mjs';
import { runTasks } from './tasks.mjs';
import { openWorld } from './worlds.mjs';

const WORKERS = 12;
const CALL_MS = 3_000;
const UNSETTLED_MS = 60_000;
/** The time limit of a call whose server ends while its question is open, which has to end long before. */
const QUESTION_MS = 300_000;
/** The person takes this long. Revision 2026-07-28 cannot withdraw a question: its client learns of the end when it answers. */
const ANSWER_MS = 3_000;
/** From this many calls of a wire on, its server is away once for longer than a host waits. */
const AWAY_FROM_CALLS = 2_000;
const AWAY_MS = 45_000;
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
/** Questions to the person, and one that is open when the server ends. */
const QUESTIONS = ['ask', 'ask', 'ask-die'];
const WIRES = {
  stdio: { faults: DEATHS },
  inprocess: { faults: DEATHS },
  http: { faults: [...DEATHS, ...STATUSES, ...STATUSES, ...STATUSES] },
  sse: { faults: [...DEATHS, ...STATUSES, ...STATUSES, ...STATUSES] },
  ws: { faults: DEATHS },
  'gateway-stdio': { faults: [...DEATHS, ...QUESTIONS] },
  'gateway-http': { faults: [...DEATHS, ...STATUSES, ...QUESTIONS] },
};

const [total = '20000', seed = '1', only] = process.argv.slice(2);
const names = [...Object.keys(WIRES), 'tasks'].filter((wire) => only === undefined || wire === only);
const perRun = Math.ceil(Number(total) / names.length);
process.on('unhandledRejection', (error) => {
  console.error('unhandled rejection:', error);
  process.exitCode = 1;
});

const sum = { calls: 0, untruthful: 0, unsettled: 0, twice: 0 };
for (const wire of names) {
  const random = randomFrom(`${seed} ${wire}`);
  const result = await (wire === 'tasks' ? runTasks(perRun, random) : run(wire, perRun, random));
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
  const world = await openWorld(wire, (items) => pick(random, items));
  const host = createHost({
    name: 'chaos',
    version: '1.0.0',
    transports: world.transports,
    callbacks: { elicit: answer },
    limits: { connectMs: 10_000 },
  });
  host.on('error', () => undefined);
  await host.connect({ chaos: world.entry });
  const told = new Map();
  let next = 0;
  let faults = 0;
  /** `undefined`: it is there. A server that was away is reached again, without anyone who starts it. */
  let away;
  let reached = true;
  const goAway = async () => {
    faults++;
    away = world.away(AWAY_MS);
    await away;
    away = undefined;
    reached = false;
  };
  const worker = async () => {
    while (next < calls || away !== undefined) {
      if (next === Math.floor(calls / 2) && calls >= AWAY_FROM_CALLS && world.away !== undefined)
        void goAway();
      const id = `${wire}-${next++}`;
      const hasFault = random() < 0.002 * WIRES[wire].faults.length;
      const fault = hasFault ? pick(random, WIRES[wire].faults) : 'none';
      const ms = random() < 0.5 ? 0 : Math.floor(random() * 20);
      if (hasFault) faults++;
      if (random() < 0.006) faults += world.disturb();
      const outcome = await outcomeOf(host, { id, ms, fault });
      told.set(id, outcome);
      if (outcome.kind === 'ok') reached = true;
      // As a caller does: what failed is not followed by the next call in the same instant.
      else await wait(away === undefined ? 20 + random() * 100 : 1000);
      // A server that failed for good is started by its user.
      if (host.server('chaos').state.status === 'failed') await host.start('chaos').catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  if (!reached) told.set('after the server was back', { kind: 'unsettled' });
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
  const timeoutMs = args.fault === 'ask-die' ? QUESTION_MS : CALL_MS;
  const call = host.callTool({ server: 'chaos', tool: 'mark' }, args, { timeoutMs }).then(
    (result) => ({ kind: result.isError === true ? 'tool-error' : 'ok' }),
    (error) => ({ kind: error.delivery ?? 'no-delivery', code: error.code, message: error.message }),
  );
  const late = new AbortController();
  const unsettled = wait(UNSETTLED_MS, { kind: 'unsettled' }, late);
  const outcome = await Promise.race([call, unsettled.catch(() => undefined)]);
  late.abort();
  return { ...outcome, fault: args.fault };
}

/** The person answers at once, except the question whose server is about to end. */
function answer({ message }, { signal }) {
  return wait(message === 'ask-die' ? ANSWER_MS : 0, { action: 'accept', content: {} }, { signal });
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
