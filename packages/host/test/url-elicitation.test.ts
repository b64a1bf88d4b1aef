import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FittingsError } from '@mcp-fittings/client-core';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import type { HostCallbacks } from '@mcp-fittings/host';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';

/** How long the host waits for a completion after the answer of the user. */
const COMPLETION_MS = 3000;

const page = (elicitationId: string) => ({
  mode: 'url' as const,
  elicitationId,
  url: `https://pay.example/${elicitationId}`,
  message: `Visit ${elicitationId}`,
});

/** A server with the tool `buy`, which is refused until each of its pages is done. */
function shop(ids: readonly string[], refusals = 1) {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  let calls = 0;
  server.registerTool('buy', {}, () => {
    calls++;
    if (calls <= refusals) throw new UrlElicitationRequiredError(ids.map(page));
    return { content: [{ type: 'text', text: 'bought' }] };
  });
  return {
    server,
    calls: () => calls,
    done: (elicitationId: string) =>
      server.server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId } }),
  };
}

describe('-32042', () => {
  async function connected(ids: readonly string[], callbacks: HostCallbacks, refusals = 1) {
    const store = shop(ids, refusals);
    const clock = createManualClock();
    const host = testHost([testServers(() => store.server).plugin], { callbacks, clock });
    onTestFinished(() => host.close());
    await host.connect({ shop: { type: 'test' } });
    const buy = (signal?: AbortSignal) => host.callTool({ server: 'shop', tool: 'buy' }, {}, { signal });
    return { clock, store, buy };
  }
  const bought = { content: [{ type: 'text', text: 'bought' }] };
  /** Resolves when the host waits for the server to report the completion of a page. */
  const waitsForCompletion = (clock: ManualClock): Promise<unknown> =>
    vi.waitUntil(() => clock.nextIn === COMPLETION_MS, { timeout: 20_000, interval: 1 });

  it('asks for each page, waits for its completion, and sends the call again', async () => {
    const asked: unknown[] = [];
    const { store, buy } = await connected(['one', 'two'], {
      elicit: async (request, { calls }) => {
        if (request.mode !== 'url') throw new Error('not a page');
        asked.push([request.url, request.elicitationId, calls]);
        setTimeout(() => void store.done(request.elicitationId ?? ''), 5);
        return { action: 'accept' };
      },
    });
    expect(await buy()).toMatchObject(bought);
    expect(asked.map((each) => (each as unknown[])[0])).toEqual([
      'https://pay.example/one',
      'https://pay.example/two',
    ]);
    expect(store.calls()).toBe(2);
  });

  it('withdraws the question when the server reports completion', async () => {
    let told: AbortSignal | undefined;
    const { store, buy } = await connected(['one'], {
      elicit: (_request, { signal }) => {
        told = signal;
        setTimeout(() => void store.done('one'), 5);
        return new Promise(() => undefined);
      },
    });
    expect(await buy()).toMatchObject(bought);
    expect(told?.aborted).toBe(true);
  });

  it('continues without a completion report shortly after the answer of the user', async () => {
    const { clock, buy } = await connected(['one'], { elicit: async () => ({ action: 'accept' }) });
    const call = buy();
    await waitsForCompletion(clock);
    await clock.advance(COMPLETION_MS);
    expect(await call).toMatchObject(bought);
  });

  it('is not sent again after decline, cancel, or a callback that fails', async () => {
    const answers = [
      async () => ({ action: 'decline' }) as const,
      async () => ({ action: 'cancel' }) as const,
      async () => {
        throw new Error('no window');
      },
    ];
    for (const elicit of answers) {
      const { store, buy } = await connected(['one'], { elicit });
      await expect(buy()).rejects.toMatchObject({
        code: 'RPC_ERROR',
        delivery: 'rejected',
        details: { rpcCode: -32042 },
      });
      expect(store.calls()).toBe(1);
    }
  });

  it('a server that keeps refusing is called twice, and the user is asked once', async () => {
    let asked = 0;
    const { store, clock, buy } = await connected(
      ['one'],
      {
        elicit: async () => {
          asked++;
          return { action: 'accept' };
        },
      },
      1000,
    );
    const failure = expect(buy()).rejects.toMatchObject({
      code: 'RPC_ERROR',
      delivery: 'rejected',
      details: { rpcCode: -32042 },
      hint: expect.stringContaining('Call the tool again'),
      // A gateway passes the pages on.
      cause: { data: { elicitations: [{ elicitationId: 'one' }] } },
    });
    await waitsForCompletion(clock);
    await clock.advance(COMPLETION_MS);
    await failure;
    expect([store.calls(), asked]).toEqual([2, 1]);
  });

  it('two calls that need the same page share one question', async () => {
    let asked = 0;
    const { store, buy } = await connected(
      ['one'],
      {
        elicit: async () => {
          asked++;
          setTimeout(() => void store.done('one'), 10);
          return { action: 'accept' };
        },
      },
      2,
    );
    await Promise.all([buy(), buy()]);
    expect([store.calls(), asked]).toEqual([4, 1]);
  });

  it('a caller that aborts withdraws the question', async () => {
    let told: AbortSignal | undefined;
    let asked = (): void => undefined;
    const shown = new Promise<void>((resolve) => (asked = resolve));
    const { buy } = await connected(['one'], {
      elicit: (_request, { signal }) => {
        told = signal;
        asked();
        return new Promise(() => undefined);
      },
    });
    const given = new AbortController();
    const failure = expect(buy(given.signal)).rejects.toMatchObject({
      code: 'ABORTED',
      delivery: 'rejected',
    });
    await shown;
    given.abort();
    await failure;
    expect(told?.aborted).toBe(true);
  });

  it.each([
    ['8 pages are', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 8],
    ['more are not', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], 0],
    ['texts of 8192 characters are', ['a'.repeat(8192 - 'https://pay.example/'.length)], 1],
    ['longer ones are not', ['a', 'a'.repeat(8193 - 'https://pay.example/'.length)], 0],
  ])('the user is asked about the pages of a refusal within limits: %s', async (_, ids, questions) => {
    let asked = 0;
    const { store, buy } = await connected(ids, {
      elicit: async () => {
        asked++;
        await Promise.all(ids.map(async (id) => store.done(id)));
        return { action: 'accept' };
      },
    });
    const outcome = await buy().then(
      () => 'bought',
      (error: FittingsError) => error.details['rpcCode'],
    );
    expect([asked, outcome]).toEqual([questions, questions === 0 ? -32042 : 'bought']);
  });

  it.each([
    [{}, undefined],
    [{ elicit: async () => ({ action: 'accept' }) as const }, { form: {}, url: {} }],
    [
      { elicit: async () => ({ action: 'accept' }) as const, elicitationModes: ['form'] as const },
      { form: {} },
    ],
    [
      { elicit: async () => ({ action: 'accept' }) as const, elicitationModes: ['url'] as const },
      { url: {} },
    ],
  ])('callbacks %j declare the elicitation %j', async (callbacks, declared) => {
    const { store, buy } = await connected(['one'], callbacks);
    expect(store.server.server.getClientCapabilities()?.elicitation).toEqual(declared);
    if (declared === undefined || !('url' in declared)) {
      await expect(buy()).rejects.toMatchObject({ details: { rpcCode: -32042 } });
      expect(store.calls()).toBe(1);
    }
  });
});

describe('the context of a callback', () => {
  it('tells a callback which calls are in flight, and when there are none', async () => {
    const server = new McpServer({ name: 'asking', version: '1.0.0' });
    const ask = () =>
      server.server.elicitInput({ message: 'Who?', requestedSchema: { type: 'object', properties: {} } });
    server.registerTool('ask', {}, async () => {
      await ask();
      return { content: [] };
    });
    const seen: unknown[] = [];
    await using host = testHost([testServers(() => server).plugin], {
      callbacks: {
        elicit: async (_request, { calls }) => {
          seen.push(calls);
          return { action: 'decline' };
        },
        sample: async (_params, { calls }) => {
          seen.push(calls);
          return { model: 'm', role: 'assistant', content: { type: 'text', text: 'x' } };
        },
        roots: async ({ calls }) => {
          seen.push(calls);
          return [];
        },
      },
    });
    await host.connect({ asking: { type: 'test' } });
    await host.callTool({ server: 'asking', tool: 'ask' });
    await ask();
    await server.server.createMessage({ messages: [], maxTokens: 1 });
    await server.server.listRoots();
    expect(seen).toEqual([[{ method: 'tools/call', target: 'ask' }], [], [], []]);
  });
});
