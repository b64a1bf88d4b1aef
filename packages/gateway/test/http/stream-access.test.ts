import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import type { AccessDecision } from '../../src/contracts/access.js';
import { requestOf } from '../support/task-replica.js';
import { INITIALIZE, SIGNED, type TestGateway, startTestGateway } from '../support/test-gateway.js';

const HALF_A_MINUTE = 30_000;
const ANN = { caller: { id: 'ann', principal: 'ann' } };

interface World extends AsyncDisposable {
  readonly served: TestGateway;
  readonly clock: ManualClock;
  /** How often the access was asked. */
  readonly asked: () => number;
}

async function startWorld(decide: (now: number) => AccessDecision): Promise<World> {
  const clock = createManualClock({ now: 1_800_000_000_000 });
  let asked = 0;
  const access = {
    async authenticate() {
      asked += 1;
      return decide(clock.now());
    },
  };
  const served = await startTestGateway({ access, clock, keepAliveMs: 0 });
  return { served, clock, asked: () => asked, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

const LISTEN = requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } });

/** Opens the event stream of an era, and returns its response. */
const open = {
  async 'GET /mcp'({ served }: World): Promise<Response> {
    const begun = await served.post(INITIALIZE);
    await begun.text();
    const session = begun.headers.get('mcp-session-id') ?? '';
    return fetch(served.url, { headers: { ...SIGNED, 'mcp-session-id': session } });
  },
  'subscriptions/listen': ({ served }: World): Promise<Response> => fetch(served.url, LISTEN),
} as const;

/** Reads until the stream ends. */
function endOf(response: Response): { readonly hasEnded: () => boolean; readonly ended: Promise<void> } {
  let hasEnded = false;
  const ended = response.text().then(() => void (hasEnded = true));
  return { hasEnded: () => hasEnded, ended };
}

const gone = (): AccessDecision => ({ refusal: new Response(null, { status: 401 }) });

describe.each(['GET /mcp', 'subscriptions/listen'] as const)('an event stream, %s', (kind) => {
  it('ends when the decision has expired', async () => {
    let expiresAt = 0;
    await using world = await startWorld((now) => {
      expiresAt ||= now + 90_000;
      return now < expiresAt ? { ...ANN, expiresAt } : gone();
    });
    const stream = await open[kind](world);
    expect(stream.status).toBe(200);
    const { ended, hasEnded } = endOf(stream);
    const asked = world.asked();
    await world.clock.advance(89_999);
    expect([world.asked(), hasEnded()]).toEqual([asked, false]);
    await world.clock.advance(1);
    await ended;
    expect((await open[kind](world)).status).toBe(401);
  });

  it('goes on while the access renews the decision', async () => {
    await using world = await startWorld((now) => ({ ...ANN, expiresAt: now + 60_000 }));
    const { hasEnded } = endOf(await open[kind](world));
    const asked = world.asked();
    await world.clock.advance(300_000);
    expect([world.asked() - asked, hasEnded()]).toEqual([5, false]);
  });

  it.each<readonly [string, () => AccessDecision]>([
    ['has left', gone],
    ['is another one', () => ({ caller: { id: 'bob', principal: 'ann' } })],
    ['acts for another person', () => ({ caller: { id: 'ann', principal: 'bob' } })],
    [
      'cannot be asked for',
      () => {
        throw new Error('The directory is away.');
      },
    ],
    ['was admitted until now', () => ({ ...ANN, expiresAt: 1_800_000_000_000 })],
  ])('ends within half a minute when the caller %s', async (_what, later) => {
    let isThere = true;
    await using world = await startWorld(() => (isThere ? ANN : later()));
    const { ended, hasEnded } = endOf(await open[kind](world));
    await world.clock.advance(HALF_A_MINUTE);
    expect(hasEnded()).toBe(false);
    isThere = false;
    await world.clock.advance(HALF_A_MINUTE - 1);
    expect(hasEnded()).toBe(false);
    await world.clock.advance(1);
    await ended;
    expect(world.served.surface.bus({ id: 'ann' }).listenerCount).toBe(0);
  });

  it('asks no one when the client has closed it, also if its token is valid for years', async () => {
    await using world = await startWorld((now) => ({ ...ANN, expiresAt: now + 100 * 365 * 86_400_000 }));
    const stream = await open[kind](world);
    const asked = world.asked();
    await world.clock.advance(40 * 86_400_000);
    expect(world.asked()).toBe(asked);
    await stream.body?.cancel();
    // The session, and its stream, which may be resumed.
    const idle = kind === 'GET /mcp' ? 2 : 0;
    await expect.poll(() => world.clock.pending).toBe(idle);
  });
});

it('a call outlives the decision, since it was admitted', async () => {
  await using world = await startWorld((now) => ({ ...ANN, expiresAt: now + 10 }));
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait' } };
  const begun = await world.served.post(INITIALIZE);
  await begun.text();
  const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const answer = world.served.post(call, headers);
  await expect.poll(() => world.served.surface.waiting()).toBe(1);
  await world.clock.advance(HALF_A_MINUTE);
  world.served.surface.finish();
  expect(await (await answer).text()).toContain('waited');
});

it.each([Number.NaN, '2027', null])('a decision that expires at %s is refused', async (expiresAt) => {
  await using world = await startWorld(() => ({ ...ANN, expiresAt }) as unknown as AccessDecision);
  expect((await world.served.post(INITIALIZE)).status).toBe(500);
});
