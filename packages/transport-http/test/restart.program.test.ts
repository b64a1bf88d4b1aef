import { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { everythingServer } from '../../../scripts/everything-server.js';
import { createHttpTransport as createByFetch } from '../src/fetch.js';
import { createHttpTransport } from '../src/index.js';
import { type Caller, connect, startCaller } from './support/caller.js';
import { clientV1 } from './support/clients.js';
import { sdkV1Server, sdkV2Server, type RealServer } from './support/real-servers.js';
import { modernParams } from './support/modern.js';
import { when } from './support/turns.js';

interface Outcome {
  readonly index: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Calls without pause over four lanes while the server is restarted several times. */
async function callUnderRestarts(
  server: RealServer,
  call: (index: number) => Promise<unknown>,
  restarts: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const load = { over: false };
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!load.over) {
      const index = next++;
      outcomes.push(
        await call(index).then(
          (result) => ({ index, result }),
          (error: unknown) => ({ index, error }),
        ),
      );
      // A server that is down refuses at once; a busy loop would not help.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const lanes = Array.from({ length: 4 }, lane);
  for (let count = 0; count < restarts; count++) {
    const before = outcomes.length;
    await when(() => outcomes.length > before + 40);
    await server.restart();
  }
  const before = outcomes.length;
  await when(() => outcomes.length > before + 40);
  load.over = true;
  await Promise.all(lanes);
  return outcomes;
}

/** Each failure says what became of the call; where the server kept a record, it agrees, and nothing was done twice. */
function expectTruthful(outcomes: readonly Outcome[], carriedOut: readonly number[] | undefined): void {
  const times = (index: number): number => carriedOut?.filter((each) => each === index).length ?? 0;
  let answered = 0;
  for (const { index, error } of outcomes) {
    if (error === undefined) {
      answered++;
      if (carriedOut !== undefined) expect(times(index)).toBe(1);
      continue;
    }
    expect(error).toBeInstanceOf(FittingsError);
    const { delivery } = error as FittingsError;
    expect(['not-sent', 'rejected', 'unknown']).toContain(delivery);
    if (carriedOut !== undefined) expect(times(index)).toBeLessThanOrEqual(delivery === 'unknown' ? 1 : 0);
  }
  expect(answered).toBeGreaterThan(80);
}

describe.each([
  ['SDK v1, event streams', () => sdkV1Server(), 4, createHttpTransport],
  ['SDK v1, event streams, by fetch', () => sdkV1Server(), 4, createByFetch],
  ['SDK v1, JSON', () => sdkV1Server({ json: true }), 4, createHttpTransport],
  ['server-everything', everythingServer, 2, createHttpTransport],
] as const)('a server that is restarted under load: %s', (name, start, restarts, create) => {
  it('answers every call, or fails it at once with what is true of it', async () => {
    await using server: RealServer = await start();
    const transport = create({ url: server.url });
    let restored = 0;
    transport.onsessionrestored = () => restored++;
    await using caller: Caller = await connect(transport);
    const call = async (index: number): Promise<unknown> => {
      const tool = name === 'server-everything' ? 'get-sum' : 'add';
      const result = await caller.request('tools/call', { name: tool, arguments: { a: index, b: 0.5 } });
      expect(JSON.stringify(result)).toContain(`${index}.5`);
      return result;
    };
    expectTruthful(await callUnderRestarts(server, call, restarts), server.added);
    expect(restored).toBeGreaterThanOrEqual(1);
    expect(restored).toBeLessThanOrEqual(restarts * 2);
    expect(caller.closes).toBe(0);
  });
});

it('a stateless server of SDK v2 that is restarted under load needs no session at all', async () => {
  await using server = await sdkV2Server();
  await using caller = await startCaller(createHttpTransport({ url: server.url }));
  const call = (index: number): Promise<unknown> =>
    caller.request('tools/call', modernParams({ name: 'add', arguments: { a: index, b: 1 } }));
  expectTruthful(await callUnderRestarts(server, call, 4), server.added);
  expect(caller.errors).toEqual([]);
});

it('a client of SDK v1 continues after a restart', async () => {
  await using server = await sdkV1Server();
  const transport = createHttpTransport({ url: server.url });
  await using client = await clientV1.connect(transport);
  const before = transport.sessionId;
  await server.restart();
  expect(await client.call('add', { a: 1, b: 2 })).toBe('3');
  expect(transport.sessionId).not.toBe(before);
});

it('a real server resumes the stream of a call that lost its connection', async () => {
  await using server = await sdkV1Server({ resumable: true });
  await using client = await clientV1.connect(createHttpTransport({ url: server.url }));
  const steps: number[] = [];
  const call = client.call('slow', { ms: 600 }, { onprogress: ({ progress }) => void steps.push(progress) });
  await when(() => steps.length === 1);
  server.dropCalls?.();
  expect(await call).toBe('done');
  expect(steps).toEqual([1, 2, 3]);
});
