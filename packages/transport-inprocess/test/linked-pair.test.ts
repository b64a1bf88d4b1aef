import type { JSONRPCMessage, JSONRPCNotification, Transport } from '@mcp-fittings/client-core';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { describe, expect, it, vi } from 'vitest';

function note(params: Record<string, unknown> = {}): JSONRPCNotification {
  return { jsonrpc: '2.0', method: 'notifications/x', params };
}

async function openPair(
  clone = false,
): Promise<{ client: Transport; server: Transport; heard: JSONRPCMessage[] }> {
  const [client, server] = createLinkedPair({ clone });
  const heard: JSONRPCMessage[] = [];
  server.onmessage = (message) => void heard.push(message);
  await Promise.all([client.start(), server.start()]);
  return { client, server, heard };
}

describe('createLinkedPair', () => {
  it('delivers in one asynchronous hop, never inside send()', async () => {
    const { client, heard } = await openPair();
    void client.send(note());
    expect(heard).toHaveLength(0);
    await Promise.resolve();
    expect(heard).toHaveLength(1);
  });

  it('shares the objects by default: nothing is copied', async () => {
    const { client, heard } = await openPair();
    const message = note({ large: 'x' });
    await client.send(message);
    expect(heard[0]).toBe(message);
  });

  it('with clone, copies at the time of send(): later changes do not leak', async () => {
    const { client, heard } = await openPair(true);
    const message = note({ list: [1] });
    const sent = client.send(message);
    message.params = { list: [2] };
    await sent;
    expect(heard).toEqual([note({ list: [1] })]);
  });

  it('rejects a message that structuredClone cannot copy, and stays open', async () => {
    const { client, heard } = await openPair(true);
    await expect(client.send(note({ f: () => 1 }))).rejects.toMatchObject({
      code: 'MESSAGE_UNSERIALIZABLE',
      delivery: 'not-sent',
      cause: expect.objectContaining({ name: 'DataCloneError' }),
    });
    await client.send(note({ n: 1 }));
    expect(heard).toEqual([note({ n: 1 })]);
  });

  it('keeps messages that are sent before the other side has started', async () => {
    const [client, server] = createLinkedPair();
    const heard: JSONRPCMessage[] = [];
    server.onmessage = (message) => void heard.push(message);
    await client.start();
    await client.send(note({ n: 1 }));
    await client.send(note({ n: 2 }));
    await server.start();
    await client.send(note({ n: 3 }));
    expect(heard).toEqual([note({ n: 1 }), note({ n: 2 }), note({ n: 3 })]);
  });

  it('lets a handler answer messages that arrived before its side had started', async () => {
    const [client, server] = createLinkedPair();
    const answers: JSONRPCMessage[] = [];
    client.onmessage = (message) => void answers.push(message);
    server.onmessage = (message) => {
      if ('id' in message) void server.send({ jsonrpc: '2.0', id: message.id ?? 0, result: {} });
    };
    await client.start();
    const sent = client.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await server.start();
    await sent;
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('delivers what was sent before close(), then ends the other side', async () => {
    const { client, server, heard } = await openPair();
    const ended = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    void client.send(note({ n: 1 }));
    void client.send(note({ n: 2 }));
    await client.close();
    await ended;
    expect(heard).toHaveLength(2);
    expect(server.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(client.closeReason).toBeUndefined();
    await expect(server.send(note())).rejects.toMatchObject({ delivery: 'not-sent' });
  });

  it('rejects send() at once when the other side is closed, also before it is notified', async () => {
    const { client, server } = await openPair();
    void server.close();
    await Promise.resolve();
    await expect(client.send(note())).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'not-sent',
    });
  });

  it('leaves timers and sockets their turn while both sides answer each other endlessly', async () => {
    const { client, server } = await openPair();
    let bounces = 0;
    let over = false;
    server.onmessage = (message) => {
      if (!over) void server.send(message);
    };
    client.onmessage = (message) => {
      bounces++;
      if (!over) void client.send(message);
    };
    await client.send(note());
    await new Promise((resolve) => setTimeout(resolve, 0));
    over = true;
    expect(bounces).toBeGreaterThan(100);
  });

  it('does so also in a test that has stopped the clock', async () => {
    const stopped = vi.spyOn(performance, 'now').mockReturnValue(1);
    const { client, server } = await openPair();
    let bounces = 0;
    let hadTurn = false;
    const over = new Promise<void>((resolve) => {
      server.onmessage = (message) => {
        if (!hadTurn && bounces < 1_000_000) void server.send(message);
        else resolve();
      };
      client.onmessage = (message) => {
        bounces++;
        void client.send(message);
      };
    });
    setImmediate(() => {
      hadTurn = true;
    });
    await client.send(note());
    await over;
    stopped.mockRestore();
    expect(bounces).toBeGreaterThan(100);
    expect(bounces).toBeLessThan(1_000_000);
  });
});
