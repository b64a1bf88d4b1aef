import type { Clock, SharedState } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../src/state/memory-state.js';
import { ReplicaLink } from '../../src/state/replica-link.js';
import { SharedSessions } from '../../src/state/shared-sessions.js';
import { INITIALIZE, SIGNED, startTestGateway, textOf, type TestGateway } from '../support/test-gateway.js';

const HOUR_MS = 3_600_000;

interface TestReplica extends TestGateway {
  readonly link: ReplicaLink;
}

async function startReplica(state: SharedState, clock: Clock = systemClock): Promise<TestReplica> {
  const link = new ReplicaLink(state, clock);
  const shared = new SharedSessions(state, link);
  const served = await startTestGateway({ clock, sessions: { shared } });
  return { ...served, link, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

/** A client whose requests reach the replica that `choose` names. */
async function connect(choose: (method: string, body: string) => TestReplica, token = 'ann') {
  const client = new ClientV1({ name: 'moving', version: '1' }, { capabilities: { elicitation: {} } });
  const transport = new HttpV1(new URL(choose('POST', '"initialize"').url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: {
      initialReconnectionDelay: 5,
      maxReconnectionDelay: 5,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 100,
    },
    fetch: (_, init) => fetch(choose(init?.method ?? 'GET', String(init?.body ?? '')).url, init),
  });
  await client.connect(transport);
  return { client, session: transport.sessionId ?? '', [Symbol.asyncDispose]: () => client.close() };
}

describe('sessions before 2026-07-28 on replicas behind a balancer without affinity', () => {
  const setup = async () => {
    const state = createMemoryState();
    const [one, two] = [await startReplica(state), await startReplica(state)];
    return {
      state,
      one,
      two,
      async [Symbol.asyncDispose]() {
        await Promise.all([one, two].map((replica) => replica[Symbol.asyncDispose]()));
      },
    };
  };

  it('the answer to an elicitation reaches the replica that asked', async () => {
    await using world = await setup();
    const { one, two } = world;
    // Both replicas ask at the same time, so that their own ids are the same; both answers arrive at one of them.
    let calls = 0;
    await using connected = await connect((_, body) => {
      if (body.includes('"tools/call"')) return calls++ % 2 === 0 ? one : two;
      return body.includes('"result"') ? two : one;
    });
    const { client } = connected;
    let asked = 0;
    let answerAll = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    client.setRequestHandler(ElicitRequestSchema, async () => {
      const turn = ++asked;
      if (turn === 2) answerAll();
      await both;
      return turn === 1 ? { action: 'accept', content: {} } : { action: 'decline' };
    });
    const answers = await Promise.all([1, 2].map(() => client.callTool({ name: 'ask' })));
    expect(answers.map(textOf).toSorted()).toEqual(['accept', 'decline']);
    expect([one, two].map(({ surface }) => surface.connections.length)).toEqual([1, 1]);
  });

  it('the answer to an elicitation is not accepted, and can be sent again, while the replica that asked cannot be reached', async () => {
    const memory = createMemoryState();
    let isAway = false;
    const state: SharedState = {
      ...memory,
      join(receive) {
        const replica = memory.join(receive);
        const away = (): Promise<never> => Promise.reject(new Error('away'));
        return { ...replica, send: (...given) => (isAway ? away() : replica.send(...given)) };
      },
    };
    await using one = await startReplica(state);
    await using two = await startReplica(state);
    let answer = '';
    await using connected = await connect((_, body) => {
      if (!body.includes('"result"')) return one;
      answer = body;
      return two;
    });
    const { client, session } = connected;
    client.setRequestHandler(ElicitRequestSchema, () => {
      isAway = true;
      return { action: 'accept', content: {} };
    });
    const refused: unknown[] = [];
    client.onerror = (error) => void refused.push(error);
    const call = client.callTool({ name: 'ask' });
    await expect.poll(() => refused[0]).toMatchObject({ code: 503 });
    isAway = false;
    expect((await two.post(answer, { 'mcp-session-id': session })).status).toBe(202);
    expect(textOf(await call)).toBe('accept');
  });

  it('a cancellation reaches the replica that works on the request', async () => {
    await using world = await setup();
    const { one, two } = world;
    await using connected = await connect((_, body) => (body.includes('cancelled') ? two : one));
    const { client } = connected;
    const controller = new AbortController();
    const call = client.callTool({ name: 'wait' }, undefined, { signal: controller.signal });
    await expect.poll(() => one.surface.waiting()).toBe(1);
    controller.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect.poll(() => one.surface.canceled()).toBe(1);
  });

  it('log level and subscriptions hold for the replica with the event stream', async () => {
    await using world = await setup();
    const { one, two, state } = world;
    await using connected = await connect((method) => (method === 'GET' ? one : two));
    const { client, session } = connected;
    await expect.poll(() => one.gateway.load().sessions).toBe(1);
    const updated: string[] = [];
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.push(params.uri),
    );
    await client.setLoggingLevel('warning');
    await Promise.all(['a', 'b', 'c'].map((uri) => client.subscribeResource({ uri: `notes://${uri}` })));
    await client.unsubscribeResource({ uri: 'notes://b' });
    await expect.poll(() => one.surface.told.at(-1)).toBe('unsubscribe notes://b');
    expect(one.surface.told).toHaveLength(5);
    const [own] = one.surface.sessions;
    own?.notify('notifications/resources/updated', { uri: 'notes://a' });
    await expect.poll(() => updated).toEqual(['notes://a']);

    // A third replica learns all of it from the record.
    await using three = await startReplica(state);
    const headers = { 'mcp-session-id': session };
    // Requests at the same time create it once.
    const pings = await Promise.all(
      [97, 98, 99].map((id) => three.post({ jsonrpc: '2.0', id, method: 'ping' }, headers)),
    );
    expect(pings.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(three.surface.connections).toHaveLength(1);
    const [restored] = three.surface.sessions;
    expect(restored?.clientInfo).toEqual({ name: 'moving', version: '1' });
    expect(three.surface.told.toSorted()).toEqual([
      'level warning',
      'subscribe notes://a',
      'subscribe notes://c',
    ]);
  });

  it('of changes at two replicas at the same time, none is lost', async () => {
    await using world = await setup();
    const { one, two, state } = world;
    let requests = 0;
    await using connected = await connect(() => (requests++ % 2 === 0 ? one : two));
    const { client, session } = connected;
    const uris = Array.from({ length: 20 }, (_, at) => `notes://${at}`);
    await Promise.all(uris.map((uri) => client.subscribeResource({ uri })));
    const record = await new SharedSessions(state, one.link).get(session);
    expect(record?.subscriptions.toSorted()).toEqual(uris.toSorted());
  });

  it.each([
    [19, 'is kept'],
    [20, 'fails'],
  ])('a change that others were faster than %s times %s', async (times, outcome) => {
    const memory = createMemoryState();
    let late = 0;
    const set: SharedState['set'] = async (key, value, options) =>
      options.version !== undefined && late++ < times ? false : memory.set(key, value, options);
    const state = { ...memory, set };
    const sessions = new SharedSessions(state, new ReplicaLink(state, systemClock));
    await sessions.save({ id: 's', callerId: 'ann', initialize: {}, subscriptions: [] }, HOUR_MS);
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/subscribe',
      params: { uri: 'notes://a' },
    } as const;
    const changed = sessions.change('s', [message], HOUR_MS).then(() => 'is kept');
    expect(await changed.catch(() => 'fails')).toBe(outcome);
    expect((await sessions.get('s'))?.subscriptions).toEqual(outcome === 'is kept' ? ['notes://a'] : []);
  });

  it('a client continues at another replica when its own dies, with its event stream', async () => {
    await using world = await setup();
    const { one, two } = world;
    let to = one;
    await using connected = await connect(() => to);
    const { client } = connected;
    await client.setLoggingLevel('info');
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ann at all');
    to = two;
    // Cuts the event stream; the client reconnects to another replica.
    await one.gateway.close();
    const updated: string[] = [];
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.push(params.uri),
    );
    await expect.poll(() => two.gateway.load().sessions).toBe(1);
    await expect
      .poll(async () => {
        const [own] = two.surface.sessions;
        own?.notify('notifications/resources/updated', { uri: 'notes://a' });
        return updated.length;
      })
      .toBeGreaterThan(0);
    expect(two.surface.told).toEqual(['level info']);
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ann at all');
  });

  it('a session with an open event stream is kept for all replicas, and for no longer than it is in use', async () => {
    const clock = createManualClock();
    const state = createMemoryState({ clock });
    await using one = await startReplica(state, clock);
    await using two = await startReplica(state, clock);
    const session = (await one.post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const headers = { ...SIGNED, 'mcp-session-id': session };
    const statusAt = async (replica: TestReplica): Promise<number> =>
      (await replica.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status;
    const left = new AbortController();
    const stream = await fetch(one.url, { headers, signal: left.signal });
    expect(stream.status).toBe(200);
    for (let hours = 0; hours < 4; hours++) await clock.advance(HOUR_MS);
    expect(await statusAt(two)).toBe(200);
    left.abort();
    await expect
      .poll(async () => {
        await clock.advance(HOUR_MS);
        return [one, two].map(({ gateway }) => gateway.load().sessions);
      })
      .toEqual([0, 0]);
    expect([await statusAt(one), await statusAt(two)]).toEqual([404, 404]);
  });

  it('a session belongs to its caller at every replica, and ends at every replica', async () => {
    await using world = await setup();
    const { one, two } = world;
    await using connected = await connect((method) => (method === 'GET' ? two : one));
    const { session } = connected;
    await expect.poll(() => two.gateway.load().sessions).toBe(1);
    const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'mcp-session-id': session });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const replica of [one, two]) {
      expect((await replica.post(ping, headers('bob'))).status).toBe(404);
      expect((await replica.post(ping, headers('ann'), '/notes')).status).toBe(404);
    }
    const ended = await fetch(one.url, { method: 'DELETE', headers: headers('ann') });
    expect(ended.status).toBe(200);
    await expect.poll(() => two.gateway.load().sessions).toBe(0);
    expect((await two.post(ping, headers('ann'))).status).toBe(404);
  });

  it('a session that was not used ends for every replica', async () => {
    const clock = createManualClock();
    const state = createMemoryState({ clock });
    await using one = await startReplica(state, clock);
    await using two = await startReplica(state, clock);
    const session = (await one.post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    await clock.advance(1_800_000);
    for (const replica of [one, two])
      expect((await replica.post(INITIALIZE, { 'mcp-session-id': session })).status).toBe(404);
  });

  it('messages for the session of another caller, or of none, are dropped', async () => {
    await using world = await setup();
    const { one, two } = world;
    await using connected = await connect(() => one);
    const sessions = new SharedSessions(world.state, two.link);
    const tell = (sessionId: string, callerId: string, ended: boolean) =>
      sessions.tell({ sessionId, callerId, messages: [], ended });
    await tell(connected.session, 'bob', true);
    await tell('unknown', 'ann', true);
    await two.link.announce('session', { sessionId: connected.session, callerId: 'ann', ended: 'maybe' });
    expect(textOf(await connected.client.callTool({ name: 'whoami' }))).toBe('ann at all');
    expect(one.surface.connections).toHaveLength(1);
  });

  it('one request at a time waits for a state that does not answer', async () => {
    const memory = createMemoryState();
    const fail: (() => void)[] = [];
    let isAway = false;
    const hang = () => new Promise<never>((_, reject) => fail.push(() => reject(new Error('away'))));
    const state: SharedState = { ...memory, touch: (...given) => (isAway ? hang() : memory.touch(...given)) };
    const clock = createManualClock();
    await using one = await startReplica(state, clock);
    const session = (await one.post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const ping = () => one.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': session });
    isAway = true;
    for (const round of [1, 2]) {
      const first = ping();
      await expect.poll(() => fail.length).toBe(round);
      if (round > 1) expect((await ping()).status).toBe(200);
      fail.at(-1)?.();
      expect((await first).status).toBe(200);
      await clock.advance(1000);
    }
    expect(fail).toHaveLength(2);
  });

  it('a session that a replica knows continues while the state cannot be reached', async () => {
    const memory = createMemoryState();
    let isAway = false;
    let touches = 0;
    const away = (): Promise<never> => Promise.reject(new Error('redis://user:hunter2@10.0.0.1'));
    const state: SharedState = {
      ...memory,
      get: (...given) => (isAway ? away() : memory.get(...given)),
      set: (...given) => (isAway ? away() : memory.set(...given)),
      touch: (...given) => (isAway ? (touches++, away()) : memory.touch(...given)),
    };
    const clock = createManualClock();
    await using one = await startReplica(state, clock);
    await using two = await startReplica(state);
    await using connected = await connect(() => one);
    isAway = true;
    // It is asked once a second: not every request waits until it is known to be away.
    for (const expected of [1, 1, 2]) {
      expect(textOf(await connected.client.callTool({ name: 'whoami' }))).toBe('ann at all');
      expect(touches).toBe(expected);
      if (expected === 1) await clock.advance(500);
    }
    const headers = { 'mcp-session-id': connected.session };
    const elsewhere = await two.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers);
    expect([elsewhere.status, elsewhere.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await elsewhere.text()).not.toContain('hunter2');
    isAway = false;
    expect((await two.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(200);
  });
});
