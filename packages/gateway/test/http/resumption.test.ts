import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { SharedState } from '@mcp-fittings/client-core';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import type { Sink } from '../../src/contracts/event-stream.js';
import { createMemoryState } from '../../src/state/memory-state.js';
import { ReplicaLink } from '../../src/state/replica-link.js';
import { SharedSessions } from '../../src/state/shared-sessions.js';
import { StreamRelay } from '../../src/state/stream-relay.js';
import { INITIALIZE, SIGNED, startTestGateway, textOf, type TestGateway } from '../support/test-gateway.js';

/** A proxy that can break every connection off, and that goes to another port then if one is given. */
async function startProxy(url: string) {
  const sockets = new Set<Socket>();
  let [sent, received] = ['', ''];
  let port = Number(new URL(url).port);
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    }
    near.on('data', (data) => (sent += data.toString()));
    far.on('data', (data) => (received += data.toString()));
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on TCP.
  const own = server.address() as AddressInfo;
  return {
    /** Everything that clients have sent. */
    get sent() {
      return sent;
    },
    /** Everything that clients have received. */
    get received() {
      return received;
    },
    url: Object.assign(new URL(url), { port: String(own.port) }).href,
    cut(next = url) {
      port = Number(new URL(next).port);
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

const identity = { name: 'test', version: '1' };
const headers = { authorization: 'Bearer ann' };
const reconnectionOptions = {
  initialReconnectionDelay: 5,
  maxReconnectionDelay: 5,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100,
};
interface SessionClient {
  /** Calls the tool `wait`. */
  wait(options: { readonly onprogress?: () => void }): Promise<unknown>;
  close(): Promise<void>;
}

const WAIT = { name: 'wait', arguments: {} };
const ofV2 = (client: Client): SessionClient => ({
  wait: (options) => client.callTool(WAIT, options),
  close: () => client.close(),
});

/** Clients with sessions, over the transports of their SDK and over ours. */
const CLIENTS: Readonly<Record<string, (url: URL) => Promise<SessionClient>>> = {
  async 'SDK v1'(url) {
    const client = new ClientV1(identity);
    await client.connect(new HttpV1(url, { requestInit: { headers }, reconnectionOptions }));
    return {
      wait: (options) => client.callTool(WAIT, undefined, options),
      close: () => client.close(),
    };
  },
  async 'SDK v2'(url) {
    const client = new Client(identity, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers }, reconnectionOptions }),
    );
    return ofV2(client);
  },
  async 'our transport'(url) {
    const client = new Client(identity, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(
      createHttpTransport({ url: url.href, headers, reconnect: { initialMs: 5, maxMs: 5 } }),
    );
    return ofV2(client);
  },
};

/** Replicas that share a memory. */
async function startReplicas(
  state: SharedState = createMemoryState(),
): Promise<readonly [TestGateway, TestGateway]> {
  const start = (): Promise<TestGateway> => {
    const shared = new SharedSessions(state, new ReplicaLink(state, createManualClock()));
    return startTestGateway({ sessions: { shared } });
  };
  return [await start(), await start()];
}

describe.each(Object.keys(CLIENTS))('a client that lost the connection of its call, %s', (kind) => {
  const open = CLIENTS[kind];

  it.each(['after progress', 'after keep-alive'] as const)('gets the answer, %s', async (when) => {
    const clock = createManualClock();
    await using served = await startTestGateway({ clock });
    await using proxy = await startProxy(served.url);
    const client = await open?.(new URL(proxy.url));
    let hasProgress = (): void => undefined;
    const progress = new Promise<void>((resolve) => (hasProgress = resolve));
    const options = when === 'after progress' ? { onprogress: () => hasProgress() } : {};
    const call = client?.wait(options);
    if (when === 'after progress') await progress;
    else {
      await expect.poll(() => served.surface.waiting()).toBe(1);
      // After a while, the response is an event stream.
      await clock.advance(30_000);
      await expect.poll(() => proxy.received).toMatch(/id: (?!s-).+\ndata: \n\n/);
    }
    proxy.cut();
    await expect.poll(() => proxy.sent).toMatch(/last-event-id: (?!s-)/i);
    const { requestsInFlight } = served.gateway.load();
    expect([requestsInFlight, served.surface.waiting(), served.surface.canceled()]).toEqual([1, 1, 0]);
    served.surface.finish();
    expect(textOf(await call)).toBe('waited');
    await client?.close();
  });

  it('gets it from another replica, while that of the call works on', async () => {
    const [one, two] = await startReplicas();
    await using proxy = await startProxy(one.url);
    const client = await open?.(new URL(proxy.url));
    let hasProgress = (): void => undefined;
    const progress = new Promise<void>((resolve) => (hasProgress = resolve));
    const call = client?.wait({ onprogress: () => hasProgress() });
    await progress;
    proxy.cut(two.url);
    await expect.poll(() => proxy.sent).toMatch(/last-event-id: \S+~(?!s-)/i);
    // The replica of the call must not end before its client has the answer.
    expect(one.gateway.load().requestsInFlight).toBe(1);
    one.surface.finish();
    expect(textOf(await call)).toBe('waited');
    expect(one.gateway.load().requestsInFlight).toBe(0);
    expect([one.surface.canceled(), two.surface.waiting()]).toEqual([0, 0]);
    await client?.close();
    await Promise.all([one, two].map((each) => each[Symbol.asyncDispose]()));
  });
});

const call = (name: string, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: { progressToken: id } },
});

async function begin(served: TestGateway, token = 'ann', protocolVersion = '2025-11-25'): Promise<string> {
  const params = { ...INITIALIZE.params, protocolVersion };
  const signed = { authorization: `Bearer ${token}` };
  const response = await served.post({ ...INITIALIZE, params }, signed);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const read = (
  { url }: TestGateway,
  session: string,
  lastEventId?: string,
  { token = 'ann', path = '' } = {},
): Promise<Response> =>
  fetch(`${url}${path}`, {
    headers: {
      ...SIGNED,
      authorization: `Bearer ${token}`,
      'mcp-session-id': session,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  });

interface StreamEvent {
  readonly id: string;
  readonly data: string;
}

/** Reads events of a stream until it ends, or as many as wanted, and then disconnects. */
async function eventsOf({ body }: Response, count = Infinity): Promise<readonly StreamEvent[]> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const parsed = (): StreamEvent[] =>
    Array.from(text.matchAll(/id: (.*)\ndata: (.*)\n\n/g), ([, id = '', data = '']) => ({ id, data }));
  while (parsed().length < count) {
    const part = await reader?.read();
    if (part?.value === undefined) return parsed();
    text += part.value;
  }
  await reader?.cancel();
  return parsed();
}

describe('an event stream with Last-Event-ID', () => {
  it('is read on after each of its events, more than once, by its caller in its session only', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const events = await eventsOf(await served.post(call('count'), { 'mcp-session-id': session }));
    expect(events).toHaveLength(4);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    for (const [index, { id }] of events.slice(0, 3).entries()) {
      const rest = await read(served, session, id);
      expect(rest.headers.get('mcp-session-id')).toBe(session);
      expect(await eventsOf(rest)).toEqual(events.slice(index + 1));
    }
    const [first, last] = [events[0]?.id ?? '', events[3]?.id ?? ''];
    expect((await read(served, session, last)).status).toBe(405);
    const refused = await read(served, session, `${first}1`);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32_000 } }]);
    const stream = first.slice(0, -2);
    for (const id of [
      `${stream}.-1`,
      `${stream}.5`,
      `${stream}.0.5`,
      `${stream}.`,
      stream,
      'x.1',
      'x~y.1',
      '~',
      '.',
    ])
      expect([id, (await read(served, session, id)).status]).toEqual([id, 400]);
    expect((await read(served, await begin(served), first)).status).toBe(400);
    expect((await read(served, await begin(served, 'bob'), first, { token: 'bob' })).status).toBe(400);
    expect((await read(served, session, first, { token: 'bob' })).status).toBe(404);
    expect((await read(served, session, first, { path: '/notes' })).status).toBe(404);
  });

  it('is kept for resumeMs, after which its call is canceled', async () => {
    const clock = createManualClock();
    await using served = await startTestGateway({ clock, keepAliveMs: 0, sessions: { resumeMs: 1000 } });
    const session = await begin(served);
    const post = await served.post(call('wait'), { 'mcp-session-id': session });
    const [event] = await eventsOf(post, 1);
    // Its session and the time to return.
    await expect.poll(() => clock.pending).toBe(2);
    expect(served.gateway.load().requestsInFlight).toBe(1);
    await clock.advance(999);
    expect(served.surface.canceled()).toBe(0);
    const again = await read(served, session, event?.id);
    expect(again.status).toBe(200);
    // While a client reads, the time does not run.
    await clock.advance(5000);
    expect(served.surface.canceled()).toBe(0);
    await again.body?.cancel();
    await expect
      .poll(async () => {
        await clock.advance(100);
        return served.surface.canceled();
      })
      .toBe(1);
    expect(served.gateway.load().requestsInFlight).toBe(0);
    expect((await read(served, session, event?.id)).status).toBe(400);
  });

  it('brings the result of a call that has asked, to the client that answers later', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const headers = { 'mcp-session-id': session };
    const [question] = await eventsOf(await served.post(call('ask'), headers), 1);
    const { id, method } = JSON.parse(question?.data ?? '');
    expect(method).toBe('elicitation/create');
    const rest = await read(served, session, question?.id);
    await served.post({ jsonrpc: '2.0', id, result: { action: 'accept' } }, headers);
    const told = (await eventsOf(rest)).map(({ data }) => data);
    // The first one tells where it goes on, in case that this connection is lost too.
    expect(told).toEqual(['', expect.stringContaining('accept')]);
  });

  it('takes over from a connection that is gone without a sign', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const first = await served.post(call('wait'), { 'mcp-session-id': session });
    const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader();
    const text = (await reader?.read())?.value ?? '';
    const second = await read(served, session, /id: (.*)/.exec(text)?.[1]);
    expect((await reader?.read())?.done).toBe(true);
    served.surface.finish();
    const [place, answer] = await eventsOf(second);
    expect(place?.id).toBe(/id: (.*)/.exec(text)?.[1]);
    expect(answer?.data).toContain('waited');
  });

  it('keeps no more than resumeLength characters, and refuses what is not whole', async () => {
    await using served = await startTestGateway({ sessions: { resumeLength: 300 } });
    const session = await begin(served);
    const events = await eventsOf(await served.post(call('count'), { 'mcp-session-id': session }));
    const statuses = events.map(async ({ id }) => (await read(served, session, id)).status);
    expect(await Promise.all(statuses)).toEqual([400, 200, 200, 405]);
  });

  it('that is too long does not displace the events of other calls', async () => {
    await using served = await startTestGateway({ sessions: { resumeLength: 2000 } });
    const session = await begin(served);
    const events = await eventsOf(await served.post(call('count'), { 'mcp-session-id': session }));
    const stream = await read(served, session);
    const [own] = served.surface.sessions;
    own?.notify('notifications/message', { level: 'info', data: 'x'.repeat(3000) });
    await stream.body?.cancel();
    expect(await eventsOf(await read(served, session, events[0]?.id))).toEqual(events.slice(1));
  });

  it('begins anew if it is empty', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const [first] = await eventsOf(await read(served, session, ''), 1);
    expect(first?.id).toMatch(/^s-/);
  });

  it('keeps the calls of at most 64 clients that are gone', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    for (let id = 1; id <= 65; id += 1)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, so that the last one is over the limit
      await eventsOf(await served.post(call('wait', id), { 'mcp-session-id': session }), 1);
    await expect.poll(() => served.surface.canceled()).toBe(1);
    expect(served.surface.waiting()).toBe(64);
  });

  it('of no request keeps the last 1000 events, and begins again if more were missed', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const [first] = await eventsOf(await read(served, session), 1);
    const [own] = served.surface.sessions;
    const tell = (count: number): void => {
      for (let i = 0; i < count; i += 1) own?.notify('notifications/message', { level: 'info', data: i });
    };
    tell(1000);
    const told = await eventsOf(await read(served, session, first?.id), 1000);
    expect(told.map(({ data }) => JSON.parse(data).params.data)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i),
    );
    tell(1001);
    let anew = await read(served, session, first?.id);
    // The gateway may not know yet that the client has left.
    while (anew.status === 409) anew = await read(served, session, first?.id);
    expect((await eventsOf(anew, 1))[0]?.data).toBe('');
  });

  it('is one of at most 1000 that are kept, of which those that are complete make room', async () => {
    await using served = await startTestGateway({ keepAliveMs: 0 });
    const headers = { 'mcp-session-id': await begin(served) };
    const post = (body: unknown) => {
      const init = { method: 'POST', headers: { ...SIGNED, ...headers }, body: JSON.stringify(body) };
      return served.gateway.fetch(new Request(served.url, init));
    };
    const first = await post(call('wait', 0));
    const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader();
    const id = /id: (.*)/.exec((await reader?.read())?.value ?? '')?.[1];
    const complete = (await eventsOf(await post(call('count', 2000))))[0]?.id;
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 50 }, (_, index) => call('count', 1 + round * 50 + index));
      // oxlint-disable-next-line no-await-in-loop -- fifty at a time
      await Promise.all(calls.map(async (each) => (await post(each)).text()));
    }
    const rest = await read(served, headers['mcp-session-id'], id);
    served.surface.finish();
    expect((await eventsOf(rest)).at(-1)?.data).toContain('waited');
    expect((await read(served, headers['mcp-session-id'], complete)).status).toBe(400);
  });

  it('replays what a session was told while it had no stream', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const [event] = await eventsOf(await read(served, session), 1);
    const [own] = served.surface.sessions;
    await expect.poll(() => served.surface.sessions.size).toBe(1);
    own?.notify('notifications/tools/list_changed', {});
    const again = await eventsOf(await read(served, session, event?.id), 1);
    expect(again.map(({ data }) => JSON.parse(data))).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} },
    ]);
    // Without an id, a new stream begins, and the old one is not continued beside it.
    await expect.poll(async () => (await read(served, session)).status).toBe(200);
    expect((await read(served, session, event?.id)).status).toBe(409);
  });

  it('sends events without data only to clients that read them', async () => {
    await using served = await startTestGateway({ keepAliveMs: 5 });
    const session = await begin(served, 'ann', '2025-06-18');
    const { body } = await served.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } },
      { 'mcp-session-id': session },
    );
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toMatch(/^: keepalive/);
    await reader?.cancel();
    // It cannot return.
    await expect.poll(() => served.surface.canceled()).toBe(1);
  });

  it('ends with its connection if resumeMs is 0', async () => {
    await using served = await startTestGateway({ sessions: { resumeMs: 0 } });
    const session = await begin(served);
    const { body } = await served.post(call('wait'), { 'mcp-session-id': session });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).not.toContain('id: ');
    await reader?.cancel();
    await expect.poll(() => served.surface.canceled()).toBe(1);
  });

  it('ends at another replica if an event may not have reached it', async () => {
    const state = createMemoryState();
    let isLossy = false;
    const lossy: SharedState = {
      ...state,
      join(receive) {
        const replica = state.join(receive);
        const send: typeof replica.send = async (to, message) => {
          if (!isLossy) return replica.send(to, message);
          isLossy = false;
          throw new Error('timed out');
        };
        return { ...replica, send };
      },
    };
    const open = (): ReplicaLink => new ReplicaLink(lossy, createManualClock());
    const [one, two] = [open(), open()];
    let sink: Sink | undefined;
    new StreamRelay(one).serve((_place, begin) => {
      sink = begin();
      return 'resumed';
    });
    const written: string[] = [];
    const ended = new Promise<void>((resolve) => {
      const connection = {
        write: (text: string) => void written.push(text),
        end: resolve,
        destroy: resolve,
        onOver: () => undefined,
      };
      const place = { sessionId: 'a', callerId: 'ann', eventId: 'b' };
      void new StreamRelay(two).resume(one.id, place, connection, () => undefined);
    });
    await expect.poll(() => sink).toBeDefined();
    sink?.write('one');
    await expect.poll(() => written).toEqual(['one']);
    isLossy = true;
    sink?.write('two');
    await expect.poll(() => isLossy).toBe(false);
    sink?.write('three');
    await ended;
    expect(written).toEqual(['one']);
    await Promise.all([one.close(), two.close()]);
  });

  it('is refused to another caller at another replica, and when its replica has ended', async () => {
    const state = createMemoryState();
    const [one, two] = await startReplicas(state);
    const fail = (): void => expect.unreachable();
    const session = await begin(one);
    const [event] = await eventsOf(await one.post(call('wait'), { 'mcp-session-id': session }), 1);
    const other = await read(two, session, event?.id, { token: 'bob' });
    expect(other.status).toBe(404);
    expect((await read(two, session, event?.id?.replace('.1', '.7'))).status).toBe(400);
    const link = new ReplicaLink(state, createManualClock());
    const replica = event?.id.split('~')[0] ?? '';
    const sink = { write: fail, end: fail, destroy: fail, onOver: () => undefined };
    const place = { sessionId: session, callerId: 'bob', eventId: event?.id ?? '' };
    expect(await new StreamRelay(link).resume(replica, place, sink, fail)).toBe('unknown');
    await link.close();
    await one[Symbol.asyncDispose]();
    expect((await read(two, session, event?.id)).status).toBe(400);
    await two[Symbol.asyncDispose]();
  });
});
