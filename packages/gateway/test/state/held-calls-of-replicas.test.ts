import { createHost } from '@mcp-fittings/host';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import type { Logger, SharedState } from '@mcp-fittings/client-core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { createCallbackRouter } from '../../src/callbacks/callback-router.js';
import type { Caller } from '../../src/contracts/caller.js';
import { createMemoryState } from '../../src/state/memory-state.js';
import { ReplicaLink } from '../../src/state/replica-link.js';
import { createFrontDoors } from '../../src/front-doors.js';
import { createSurface } from '../../src/surface/create-surface.js';
import { text, toyServer } from '../core/support.js';
import { requestOf } from '../support/task-replica.js';

const identity = { name: 'test', version: '1' };
const form = { type: 'object' as const, properties: { who: { type: 'string' as const } } };

/** A server that asks once, or twice with progress in between, and counts how often each of its tools was carried out. */
const asking = (carriedOut: string[], ended: string[]) => () =>
  toyServer({
    tools: [{ name: 'once' }, { name: 'twice' }, { name: 'forever' }, { name: 'fails' }],
    async call({ tool }, { mcpReq }, server) {
      carriedOut.push(String(tool));
      const ask = () => server.elicitInput({ mode: 'form', message: 'Who?', requestedSchema: form });
      const first = await ask();
      if (tool === 'fails') throw new Error('no such person');
      if (tool === 'forever') {
        await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
        ended.push(tool);
      }
      if (tool !== 'twice') return text(JSON.stringify(first.content));
      const { progressToken } = mcpReq._meta ?? {};
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 41 } });
      }
      const second = await ask();
      return text(JSON.stringify([first.content, second.content]));
    },
  });

async function startReplica(state: SharedState, clock: ManualClock, logger?: Logger) {
  const [carriedOut, ended]: [string[], string[]] = [[], []];
  const callbacks = createCallbackRouter();
  const host = createHost({
    ...identity,
    transports: [inprocess({ servers: { asking: asking(carriedOut, ended) } })],
    callbacks: callbacks.hostCallbacks,
  });
  await host.connect({ asking: { type: 'sdk' } });
  const replicas = new ReplicaLink(state, clock, logger);
  const surface = createSurface({ host, callbacks, replicas, logger });
  let requests = 0;
  return {
    carriedOut,
    ended,
    replicas,
    get requests() {
      return requests;
    },
    fetch(caller: Caller, request: Request): Promise<Response> {
      requests++;
      return createFrontDoors(surface, () => true, { trustedCaller: caller }).fetch(request);
    },
    async [Symbol.asyncDispose]() {
      await surface.close();
      await replicas.close();
      await host.close();
    },
  };
}

type Replica = Awaited<ReturnType<typeof startReplica>>;

async function connect(
  caller: Caller,
  choose: (body: string) => Replica,
  beforeAnswer: (requestState: string) => Promise<void> = async () => undefined,
) {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(identity, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  let asked = 0;
  let state = '';
  client.setRequestHandler('elicitation/create', async () => {
    await beforeAnswer(state);
    return { action: 'accept', content: { who: `${caller.id} ${++asked}` } };
  });
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const { status, headers, body } = await choose(String(init?.body ?? '')).fetch(caller, request);
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        state = /"requestState":"([^"]+)"/.exec(new TextDecoder().decode(chunk))?.[1] ?? state;
        controller.enqueue(chunk);
      },
    });
    return new Response(body?.pipeThrough(watch), { status, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return client;
}

describe('a call of 2026-07-28 that is answered at another replica', () => {
  const setup = async () => {
    const clock = createManualClock();
    const state = createMemoryState({ clock });
    const [one, two] = [await startReplica(state, clock), await startReplica(state, clock)];
    return {
      clock,
      one,
      two,
      /** Calls begin at one replica, and continue at another. */
      elsewhere: (body: string) => (body.includes('requestState') ? two : one),
      async [Symbol.asyncDispose]() {
        await one[Symbol.asyncDispose]();
        await two[Symbol.asyncDispose]();
      },
    };
  };

  it('continues where it waits, is carried out once, and its result comes back', async () => {
    await using world = await setup();
    const { one, two } = world;
    const client = await connect({ id: 'ann' }, world.elsewhere);
    const result = await client.callTool({ name: 'asking__once', arguments: {} });
    expect(JSON.stringify(result.content)).toContain('ann 1');
    expect([one.carriedOut, two.carriedOut]).toEqual([['once'], []]);
    expect(two.requests).toBe(1);
    await client.close();
  });

  it('may ask again, and reports progress to the replica where its client waits', async () => {
    await using world = await setup();
    const client = await connect({ id: 'ann' }, world.elsewhere);
    const progress: number[] = [];
    const result = await client.callTool(
      { name: 'asking__twice', arguments: {} },
      { onprogress: (report) => void progress.push(report.progress) },
    );
    expect(JSON.stringify(result.content)).toContain('ann 2');
    expect(progress).toContain(41);
    expect(world.two.requests).toBe(2);
    await client.close();
  });

  it('keeps the error of the server', async () => {
    await using world = await setup();
    const client = await connect({ id: 'ann' }, world.elsewhere);
    const call = client.callTool({ name: 'asking__fails', arguments: {} });
    await expect(call).rejects.toThrow('no such person');
    await client.close();
  });

  it('is given up at its replica when the client cancels', async () => {
    await using world = await setup();
    const { one, two, elsewhere } = world;
    const client = await connect({ id: 'ann' }, elsewhere);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'asking__forever', arguments: {} }, { signal: cancel.signal });
    await expect.poll(() => two.requests).toBe(1);
    cancel.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect.poll(() => one.ended).toEqual(['forever']);
    await client.close();
  });

  it('is unknown when its replica has ended: the server may have carried it out', async () => {
    await using world = await setup();
    const { one, two } = world;
    const client = await connect({ id: 'ann' }, (body) => {
      if (!body.includes('requestState')) return one;
      void one.replicas.close();
      return two;
    });
    const call = client.callTool({ name: 'asking__once', arguments: {} });
    await expect(call).rejects.toMatchObject({
      data: { code: 'CONNECTION_LOST', delivery: 'unknown' },
    });
    expect(one.carriedOut).toEqual(['once']);
    await client.close();
  });

  it('does not continue for another caller, nor for other parameters', async () => {
    await using world = await setup();
    const { two, elsewhere } = world;
    const [ann, bob] = [{ id: 'ann' }, { id: 'bob' }];
    const stolen: unknown[] = [];
    const steal = async (caller: Caller, name: string, requestState: string): Promise<void> => {
      const params = { name, arguments: {}, requestState, inputResponses: {} };
      const request = new Request('http://localhost/mcp', requestOf('tools/call', params));
      stolen.push(await (await two.fetch(caller, request)).text());
    };
    const client = await connect(ann, elsewhere, async (state) => {
      await steal(bob, 'asking__once', state);
      await steal(ann, 'asking__twice', state);
    });
    const result = await client.callTool({ name: 'asking__once', arguments: {} });
    expect(JSON.stringify(result.content)).toContain('ann 1');
    expect(stolen).toEqual([
      expect.stringContaining('Invalid or expired requestState'),
      expect.stringContaining('Invalid or expired requestState'),
    ]);
    await client.close();
  });
});
