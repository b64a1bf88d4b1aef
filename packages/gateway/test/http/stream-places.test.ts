import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { requestOf } from '../support/task-replica.js';
import { type TestGateway, byName, startTestGateway } from '../support/test-gateway.js';

/** Opens an event stream. Node.js cancels the body of a response that nothing refers to, so each is kept. */
async function open(
  served: TestGateway,
  token = 'ann',
  path = '',
  notifications: unknown = { toolsListChanged: true },
) {
  const stop = new AbortController();
  const request = requestOf('subscriptions/listen', { notifications }, { token });
  const response = await fetch(`${served.url}${path}`, { ...request, signal: stop.signal });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return { response, stop, isStream };
}

type Stream = Awaited<ReturnType<typeof open>>;

const ends: readonly (readonly [string, (stream: Stream) => Promise<unknown>])[] = [
  ['the client cancels it', async ({ response }) => response.body?.cancel()],
  ['the client disconnects', async ({ stop }) => stop.abort()],
];

describe('a caller with at most two event streams', () => {
  const max = 2;
  it.each(ends)('has them all, none more, and one again when %s', async (_how, end) => {
    await using served = await startTestGateway({ maxSubscriptions: max });
    const streams: Stream[] = [];
    for (let n = 0; n < max; n++) streams.push(await open(served));
    expect(streams.map(({ isStream }) => isStream)).toEqual(Array.from({ length: max }, () => true));
    const refused = await open(served);
    expect(refused.isStream).toBe(false);
    expect(await refused.response.json()).toMatchObject({
      id: 1,
      error: { code: -32_603, message: `A caller can have ${max} event streams at a time.` },
    });
    // A refused one takes no place, and neither another caller nor another address shares these.
    const others = [await open(served, 'bob'), await open(served, 'ann', '/notes')];
    expect(others.map(({ isStream }) => isStream)).toEqual([true, true]);
    // A place is free again as often as it was taken.
    for (let n = 0; n < max + 2; n++) {
      const [oldest] = streams.splice(0, 1);
      if (oldest !== undefined) await end(oldest);
      streams.push(await untilOpen(served));
      expect((await open(served)).isStream).toBe(false);
    }
  });
});

/** The gateway learns of the end of a stream from its socket. */
async function untilOpen(served: TestGateway): Promise<Stream> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one stream after the other
    const stream = await open(served);
    if (stream.isStream) return stream;
    // oxlint-disable-next-line no-await-in-loop -- one stream after the other
    await stream.response.text();
  }
}

it('a stream that the gateway ends, and one that it refuses, leave their places', async () => {
  const clock = createManualClock();
  let isThere = true;
  await using served = await startTestGateway({
    maxSubscriptions: 1,
    clock,
    access: {
      authenticate: (request) =>
        isThere
          ? byName.authenticate(request)
          : Promise.resolve({ refusal: new Response(null, { status: 401 }) }),
    },
  });
  const malformed = await open(served, 'ann', '', 7);
  expect(malformed.isStream).toBe(false);
  await malformed.response.text();
  const first = await open(served);
  expect(first.isStream).toBe(true);
  isThere = false;
  await clock.advance(30_000);
  await first.response.text();
  isThere = true;
  expect((await untilOpen(served)).isStream).toBe(true);
});
