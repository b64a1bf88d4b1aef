import { setImmediate } from 'node:timers/promises';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { INITIALIZE, SIGNED, type TestGateway, startTestGateway } from '../support/test-gateway.js';

/** Begins a session without a client, and returns its id. */
async function begin(served: TestGateway, token = 'ann', path = ''): Promise<string> {
  const response = await served.post(INITIALIZE, { authorization: `Bearer ${token}` }, path);
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const call = (name: string, id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

async function statusOf(
  served: TestGateway,
  session: string,
  token = 'ann',
  path = '',
  body: unknown = call('whoami'),
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': session };
  const response = await served.post(body, headers, path);
  await response.text();
  return response.status;
}

/** Opens the event stream of a session; aborting closes it. */
async function listen(
  served: TestGateway,
  session: string,
): Promise<AsyncDisposable & { readonly response: Response; readonly body: ReadableStream<Uint8Array> }> {
  const stop = new AbortController();
  const response = await fetch(served.url, {
    headers: { ...SIGNED, 'mcp-session-id': session },
    signal: stop.signal,
  });
  const { status, body } = response;
  if (status !== 200 || body === null) throw new Error(`No event stream: ${status}`);
  // Node.js cancels the body of a response that nothing refers to.
  return { response, body, [Symbol.asyncDispose]: async () => stop.abort() };
}

describe('whose session it is', () => {
  it('a session has an id that cannot be guessed', async () => {
    await using served = await startTestGateway();
    const ids = [await begin(served), await begin(served)];
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('does not exist for another caller, nor at another address: the same answer as for an unknown one', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const answerTo = async (token: string, path: string, id: string, method: string): Promise<unknown> => {
      const response = await fetch(`${served.url}${path}`, {
        method,
        headers: { ...SIGNED, authorization: `Bearer ${token}`, 'mcp-session-id': id },
        ...(method === 'POST' && { body: JSON.stringify(call('whoami')) }),
      });
      return [response.status, await response.text()];
    };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const unknown = await answerTo('bob', '', 'unknown', method);
      expect(unknown).toEqual([404, expect.stringContaining('-32001')]);
      expect(await answerTo('bob', '', session, method)).toEqual(unknown);
      expect(await answerTo('ann', '/notes', session, method)).toEqual(unknown);
    }
    expect(await statusOf(served, session)).toBe(200);
  });

  it.each(['POST', 'GET', 'DELETE'])('refuses a revision that it does not know, %s', async (method) => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const headers = { ...SIGNED, 'mcp-session-id': session, 'mcp-protocol-version': '2024-01-01' };
    const body = method === 'POST' ? { body: JSON.stringify(call('whoami')) } : {};
    const response = await fetch(served.url, { method, headers, ...body });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('2024-01-01')]);
    expect(await statusOf(served, session)).toBe(200);
  });

  it('a token of fewer permissions has no more in a session that another token began', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const ask = async (token: string, name: string, id: number): Promise<string> => {
      const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': session };
      return (await served.post(call(name, id), headers)).text();
    };
    expect(await ask('ann-restricted', 'whoami', 1)).toContain('restricted');
    expect(await ask('ann', 'whoami', 2)).not.toContain('restricted');
    // Another token is used while the server still decides about the call of the first.
    const restricted = ask('ann-restricted', 'allowed-later', 3);
    await expect.poll(() => served.surface.waiting()).toBe(1);
    const allowed = ask('ann', 'allowed-later', 4);
    await expect.poll(() => served.surface.waiting()).toBe(2);
    served.surface.finish();
    expect(await restricted).toContain('restricted');
    expect(await allowed).toContain('allowed');
  });

  it('refuses a request whose id is in flight in the session', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const first = statusOf(served, session, 'ann', '', call('wait'));
    await expect.poll(() => served.surface.waiting()).toBe(1);
    expect(await statusOf(served, session)).toBe(400);
    expect(await statusOf(served, session, 'ann', '', call('whoami', 2))).toBe(200);
    served.surface.finish();
    expect(await first).toBe(200);
    expect(await statusOf(served, session)).toBe(200);
  });

  it('closes the response to a request that the client cancels', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const waiting = served
      .post(call('wait', 7), { 'mcp-session-id': session })
      .then((response) => response.text());
    await expect.poll(() => served.surface.waiting()).toBe(1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect(await statusOf(served, session, 'ann', '', cancel)).toBe(202);
    expect(await waiting).not.toContain('"id":7');
    expect(served.surface.canceled()).toBe(1);
  });
});

describe('how many sessions there are, and how long', () => {
  it('DELETE ends a session', async () => {
    await using served = await startTestGateway();
    const session = await begin(served);
    const headers = { ...SIGNED, 'mcp-session-id': session };
    expect((await fetch(served.url, { method: 'DELETE', headers })).status).toBe(200);
    expect(await statusOf(served, session)).toBe(404);
    expect(served.gateway.load().sessions).toBe(0);
    expect(served.surface.sessions.size).toBe(0);
  });

  it('an idle session ends; one that is used, has a call or an event stream does not', async () => {
    const clock = createManualClock();
    await using served = await startTestGateway({ clock, keepAliveMs: 0, sessions: { idleMs: 1000 } });
    const [idle, used, listening, calling] = [
      await begin(served),
      await begin(served),
      await begin(served),
      await begin(served),
    ];
    await using stream = await listen(served, listening);
    const waiting = statusOf(served, calling, 'ann', '', call('wait'));
    await expect.poll(() => served.surface.waiting()).toBe(1);
    await clock.advance(600);
    expect(await statusOf(served, used)).toBe(200);
    await clock.advance(600);
    expect(served.gateway.load().sessions).toBe(3);
    expect(await statusOf(served, idle)).toBe(404);
    served.surface.finish();
    await waiting;
    await clock.advance(5000);
    expect(served.gateway.load().sessions).toBe(1);
    await stream[Symbol.asyncDispose]();
    await expect.poll(() => served.surface.sessions.size).toBe(1);
    await expect
      .poll(async () => {
        await clock.advance(1000);
        return served.gateway.load().sessions;
      })
      .toBe(0);
    expect(served.surface.sessions.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('a session is idle from the end of its event stream', async () => {
    const clock = createManualClock();
    await using served = await startTestGateway({ clock, keepAliveMs: 0, sessions: { idleMs: 1000 } });
    const headers = { ...SIGNED, 'mcp-session-id': await begin(served) };
    const left = new AbortController();
    await served.gateway.fetch(new Request('http://localhost/mcp', { headers, signal: left.signal }));
    await clock.advance(990);
    left.abort();
    await setImmediate();
    await clock.advance(990);
    expect(served.gateway.load().sessions).toBe(1);
    await clock.advance(10);
    expect(served.gateway.load().sessions).toBe(0);
  });

  it('at the limit of a caller, the longest idle session of this caller ends', async () => {
    await using served = await startTestGateway({ sessions: { maxPerCaller: 2 } });
    const bobs = await begin(served, 'bob');
    const [first, second] = [await begin(served), await begin(served)];
    expect(await statusOf(served, first)).toBe(200);
    const third = await begin(served);
    expect(await statusOf(served, second)).toBe(404);
    for (const session of [first, third]) expect(await statusOf(served, session)).toBe(200);
    expect(await statusOf(served, bobs, 'bob')).toBe(200);
  });

  it('at the limit of all, an idle one ends; if all are in use, a new one is refused', async () => {
    await using served = await startTestGateway({ sessions: { max: 2 } });
    const bobs = await begin(served, 'bob');
    const anns = await begin(served);
    await begin(served);
    expect(await statusOf(served, anns)).toBe(404);
    expect(await statusOf(served, bobs, 'bob')).toBe(200);
    await using one = await listen(served, await begin(served));
    await using two = await listen(served, await begin(served));
    const refused = await served.post(INITIALIZE);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await refused.json()).toMatchObject({ error: { code: -32_000 } });
    await Promise.all([one, two].map((stream) => stream[Symbol.asyncDispose]()));
    await expect.poll(async () => (await served.post(INITIALIZE)).status).toBe(200);
  });

  it('sessions that begin at the same time do not exceed the limit', async () => {
    await using served = await startTestGateway({ sessions: { max: 3 } });
    const init = { method: 'POST', headers: SIGNED, body: JSON.stringify(INITIALIZE) };
    const begins = Array.from({ length: 20 }, () => served.gateway.fetch(new Request(served.url, init)));
    for (const response of await Promise.all(begins)) await response.text();
    expect(served.gateway.load().sessions).toBeLessThanOrEqual(3);
    expect(served.surface.sessions.size).toBe(served.gateway.load().sessions);
  });

  it('an event stream says that it is alive', async () => {
    await using served = await startTestGateway({ keepAliveMs: 5 });
    await using stream = await listen(served, await begin(served));
    const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
    let received = '';
    while (!received.includes('\n\n: ')) received += (await reader.read()).value ?? '';
    expect(received).toMatch(/^event: message\nid: .+\ndata: \n\n: keepalive/);
    await reader.cancel();
  });

  it('ends the response of a client that does not read, and the call with it', async () => {
    await using served = await startTestGateway({ maxUnreadBytes: 100_000 });
    const session = await begin(served);
    await using stream = await listen(served, session);
    const [own] = served.surface.sessions;
    const data = 'x'.repeat(50_000);
    let sent = 0;
    // The buffers of the socket take some megabytes first.
    await expect
      .poll(async () => {
        for (let i = 0; i < 50; i += 1) own?.notify('notifications/message', { level: 'emergency', data });
        sent += 50;
        const again = await fetch(served.url, { headers: { ...SIGNED, 'mcp-session-id': session } });
        await again.body?.cancel();
        return again.status;
      })
      .toBe(200);
    expect(sent).toBeGreaterThan(0);
    await stream.body.cancel().catch(() => undefined);
  });
});
