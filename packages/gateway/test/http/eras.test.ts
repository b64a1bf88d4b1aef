import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { requestOf } from '../support/task-replica.js';
import { startTestGateway, textOf } from '../support/test-gateway.js';

describe('both protocol eras over HTTP', () => {
  it('serves SDK v1 with a session: calls, progress, elicitation, notifications', async () => {
    await using served = await startTestGateway();
    const client = await served.clientV1();
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
    const changed = vi.fn<() => void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('whoami');
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ann at all');
    const progress: number[] = [];
    const onprogress = (step: { progress: number }): void => void progress.push(step.progress);
    await client.callTool({ name: 'count' }, undefined, { onprogress });
    expect(progress).toEqual([1, 2, 3]);
    expect(textOf(await client.callTool({ name: 'ask' }))).toBe('decline');
    // The client opens its event stream by itself, some time after it has connected.
    await expect
      .poll(async () => {
        for (const session of served.surface.sessions) session.notify('notifications/tools/list_changed', {});
        return changed.mock.calls.length;
      })
      .toBeGreaterThan(0);
  });

  it('serves SDK v2 without a session, with progress and subscriptions/listen', async () => {
    await using served = await startTestGateway();
    const client = await served.clientV2('auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(served.gateway.load().sessions).toBe(0);
    expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ann at all');
    const progress: number[] = [];
    await client.callTool({ name: 'count' }, { onprogress: (step) => void progress.push(step.progress) });
    expect(progress).toEqual([1, 2, 3]);

    const changed = vi.fn<() => void>();
    client.setNotificationHandler('notifications/tools/list_changed', changed);
    const subscription = await client.listen({ toolsListChanged: true });
    expect(served.gateway.load().requestsInFlight).toBe(0);
    served.surface.bus({ id: 'bob' }).publish({ kind: 'tools' });
    served.surface.bus({ id: 'ann' }, { server: 'notes' }).publish({ kind: 'tools' });
    expect(served.surface.bus({ id: 'bob' }).listenerCount).toBe(0);
    served.surface.bus({ id: 'ann' }).publish({ kind: 'tools' });
    await expect.poll(() => changed.mock.calls.length).toBe(1);
    await subscription.close();
    await expect.poll(() => served.surface.bus({ id: 'ann' }).listenerCount).toBe(0);
  });

  it.each(['legacy', 'auto'] as const)('serves one server at its own path, %s', async (era) => {
    await using served = await startTestGateway();
    const notes = await served.clientV2(era, 'bob', '/notes');
    expect(textOf(await notes.callTool({ name: 'whoami' }))).toBe('bob at notes');
    const encoded = await served.clientV2(era, 'bob', `/${encodeURIComponent('a/b ü')}`);
    expect(textOf(await encoded.callTool({ name: 'whoami' }))).toBe('bob at a/b ü');
    await expect(served.clientV2(era, 'bob', '/unknown')).rejects.toThrow('Nothing is served at this path.');
    expect(served.surface.connections.map(({ mount }) => mount.server)).not.toContain('unknown');
  });
});

describe('answers of a client', () => {
  it.each([7, null, 'text', [], { question: 7 }])(
    'that are not an object are refused: %j',
    async (inputResponses) => {
      await using served = await startTestGateway();
      const call = (params: object) =>
        fetch(served.url, requestOf('tools/call', { name: 'whoami', arguments: {}, ...params }));
      expect((await call({})).status).toBe(200);
      const refused = await call({ inputResponses });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32_602 } });
    },
  );
});

describe('calls that no client waits for', () => {
  it.each(['legacy', 'auto'] as const)('cancels the call of a client that cancels, %s', async (era) => {
    await using served = await startTestGateway();
    const client = await served.clientV2(era);
    const stop = new AbortController();
    const call = client.callTool({ name: 'wait' }, { signal: stop.signal });
    await expect.poll(() => served.surface.waiting()).toBe(1);
    expect(served.gateway.load().requestsInFlight).toBe(1);
    stop.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect.poll(() => served.surface.canceled()).toBe(1);
    await expect.poll(() => served.gateway.load().requestsInFlight).toBe(0);
  });

  it.each(['legacy', 'auto'] as const)('cancels the call of a client that is gone, %s', async (era) => {
    await using served = await startTestGateway();
    const client = await served.clientV2(era);
    const call = client.callTool({ name: 'wait' });
    call.catch(() => undefined);
    await expect.poll(() => served.surface.waiting()).toBe(1);
    await client.close();
    await expect(call).rejects.toThrow('Connection closed');
    await expect.poll(() => served.surface.canceled()).toBe(1);
    await expect.poll(() => served.gateway.load().requestsInFlight).toBe(0);
  });

  it.each(['legacy', 'auto'] as const)('answers calls in flight when it is closed, %s', async (era) => {
    await using served = await startTestGateway();
    const client = await served.clientV2(era);
    const call = client.callTool({ name: 'wait' });
    await expect.poll(() => served.surface.waiting()).toBe(1);
    const answer = expect(call).rejects.toMatchObject({ data: { delivery: 'unknown' } });
    await served.gateway.close();
    await answer;
    expect(served.surface.canceled()).toBe(1);
    expect(served.gateway.load()).toEqual({ sessions: 0, requestsInFlight: 0 });
    expect(served.surface.sessions.size).toBe(0);
    await expect(fetch(served.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});
