import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { JSONRPCMessage, TransportError } from '@mcp-fittings/client-core';
import {
  createChannelClient,
  serveChannel,
  type ConnectableServer,
  type ControlChannel,
} from '@mcp-fittings/transport-inprocess';
import { describe, expect, it, vi } from 'vitest';
import { memoryChannel } from './support/memory-channel.js';
import { makeClientV1, makeClientV2 } from './support/sdk-clients.js';
import { makeServerV1, makeServerV2 } from './support/sdk-servers.mjs';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const initialize = (id: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});

describe('createChannelClient', () => {
  it('carries several servers over one channel and keeps them apart', async () => {
    const wire = memoryChannel();
    const served = serveChannel(wire.far, {
      servers: { vscode: makeServerV1, jetbrains: () => makeServerV2() },
    });
    const client = createChannelClient(wire.near);
    const [one, two] = [makeClientV1(), makeClientV2('legacy')];
    await Promise.all([one.connect(client.transport('vscode')), two.connect(client.transport('jetbrains'))]);
    // Both SDKs count their requests from zero: the ids are the same.
    const results = await Promise.all([one.call('add', { a: 1, b: 1 }), two.call('add', { a: 2, b: 2 })]);
    expect(results).toMatchObject([{ content: [{ text: '2' }] }, { content: [{ text: '4' }] }]);
    await Promise.all([one.close(), two.close()]);
    await served.close();
  });

  it('is subscribed only while a connection is open', async () => {
    const wire = memoryChannel();
    const client = createChannelClient(wire.near);
    const [a, b] = [client.transport('a'), client.transport('b')];
    expect(wire.near.listeners).toBe(0);
    await Promise.all([a.start(), b.start()]);
    expect(wire.near.listeners).toBe(1);
    await a.close();
    expect(wire.near.listeners).toBe(1);
    await b.close();
    expect(wire.near.listeners).toBe(0);
  });

  it('rejects a second connection to a server until the first has ended', async () => {
    const client = createChannelClient(memoryChannel().near);
    const first = client.transport('a');
    await first.start();
    await expect(client.transport('a').start()).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      server: 'a',
    });
    await first.close();
    const third = client.transport('a');
    await third.start();
    await third.close();
  });

  it('tells the channel that it closed, unless the other side closed first', async () => {
    const wire = memoryChannel();
    const client = createChannelClient(wire.near);
    const mine = client.transport('mine');
    await mine.start();
    await mine.close();
    expect(wire.near.closedNames).toEqual(['mine']);
    const theirs = client.transport('theirs');
    await theirs.start();
    const ended = new Promise<void>((resolve) => {
      theirs.onclose = resolve;
    });
    wire.far.closed('theirs');
    await ended;
    expect(theirs.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(wire.near.closedNames).toEqual(['mine']);
  });

  it('drops hostile input: wrong names, malformed messages, unexpected responses', async () => {
    const wire = memoryChannel();
    const transport = createChannelClient(wire.near).transport('a');
    const heard: JSONRPCMessage[] = [];
    transport.onmessage = (message) => void heard.push(message);
    await transport.start();
    const pending = transport.send({ jsonrpc: '2.0', id: 1, method: 'x' });
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    for (const name of [undefined, null, 7, {}, [], ['a'], Symbol('a'), 'b', 'A', 'a ', '__proto__']) {
      wire.near.hear(name, answer);
    }
    for (const value of [
      undefined,
      null,
      7,
      'x',
      [],
      {},
      { ...answer, id: '01' },
      { ...answer, id: [1] },
      { id: 2 },
    ]) {
      wire.near.hear('a', value);
    }
    await turn();
    expect(heard).toEqual([]);
    wire.near.hear('a', answer);
    await pending;
    expect(heard).toEqual([answer]);
    await transport.close();
  });

  it('a channel that throws fails that one message, with a typed error and its cause', async () => {
    const cause = new Error('port is gone');
    const channel: ControlChannel = {
      send: () => {
        throw cause;
      },
      subscribe: () => () => undefined,
    };
    const transport = createChannelClient(channel).transport('a');
    await transport.start();
    const failed = { code: 'CALLBACK_FAILED', delivery: 'unknown', cause };
    await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject(failed);
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'x' })).rejects.toMatchObject(failed);
    await transport.close();
  });

  it('a channel that cannot be subscribed to fails start(), and the next start may succeed', async () => {
    let broken = true;
    const channel: ControlChannel = {
      send: () => undefined,
      subscribe: () => {
        if (broken) throw new Error('not yet');
        return () => undefined;
      },
    };
    const client = createChannelClient(channel);
    await expect(client.transport('a').start()).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    broken = false;
    const transport = client.transport('a');
    await transport.start();
    await transport.close();
  });
});

describe('serveChannel', () => {
  const serve = (options: Partial<Parameters<typeof serveChannel>[1]> = {}) => {
    const wire = memoryChannel();
    const errors: TransportError[] = [];
    const server = serveChannel(wire.far, {
      servers: { a: () => makeServerV1() },
      onError: (error) => void errors.push(error),
      ...options,
    });
    return { wire, errors, server };
  };

  it('creates a server at the first request, not for leftovers of an earlier connection', async () => {
    const make = vi.fn(() => makeServerV1());
    const { wire, server } = serve({ servers: { a: make } });
    wire.far.hear('a', { jsonrpc: '2.0', method: 'notifications/initialized' });
    wire.far.hear('a', { jsonrpc: '2.0', id: 3, result: {} });
    expect(make).not.toHaveBeenCalled();
    wire.far.hear('a', initialize(0));
    expect(make).toHaveBeenCalledOnce();
    await server.close();
  });

  it('answers requests for an unknown server with an error', async () => {
    const { wire, server } = serve();
    for (const name of ['b', '__proto__', 'constructor']) wire.far.hear(name, initialize(1));
    await turn();
    const error = { code: -32600, message: 'There is no server of this name.' };
    expect(wire.far.sent).toEqual(
      ['b', '__proto__', 'constructor'].map((name) => [name, { jsonrpc: '2.0', id: 1, error }]),
    );
    await server.close();
  });

  it('drops hostile input', async () => {
    const { wire, server } = serve();
    for (const name of [undefined, null, 7, {}, ['a']]) wire.far.hear(name, initialize(1));
    for (const value of [undefined, null, 7, 'x', [], {}, { jsonrpc: '2.0', id: {}, method: 'initialize' }]) {
      wire.far.hear('a', value);
    }
    await turn();
    expect(wire.far.sent).toEqual([]);
    await server.close();
  });

  it('creates the server anew when a client initializes again, without reporting the end of the old one', async () => {
    const closed: number[] = [];
    let made = 0;
    const { wire, server } = serve({
      servers: {
        a: () => {
          const number = ++made;
          const real = makeServerV1();
          return {
            connect: (side) => real.connect(side),
            async close() {
              closed.push(number);
              await real.close();
            },
          };
        },
      },
    });
    for (const id of [0, 7]) {
      wire.far.hear('a', initialize(id));
      await turn();
      await turn();
    }
    expect(made).toBe(2);
    expect(closed).toEqual([1]);
    expect(wire.far.closedNames).toEqual([]);
    expect(wire.far.sent).toMatchObject([
      ['a', { id: 0, result: {} }],
      ['a', { id: 7, result: {} }],
    ]);
    await server.close();
    expect(closed).toEqual([1, 2]);
    expect(wire.far.closedNames).toEqual(['a']);
  });

  it('tells the client when a server closes itself, and creates a new one for the next client', async () => {
    const log: string[] = [];
    let made: ReturnType<typeof makeServerV1> | undefined;
    const { wire, server } = serve({
      servers: {
        a: () => {
          const real = makeServerV1();
          made = real;
          return {
            connect: (side) => real.connect(side),
            async close() {
              log.push('close');
              await real.close();
            },
          };
        },
      },
    });
    const client = createChannelClient(wire.near);
    for (const round of [1, 2]) {
      // Its first request is a probe, no initialize.
      const [connection, transport] = [makeClientV2('auto'), client.transport('a')];
      await connection.connect(transport);
      await made?.close();
      await turn();
      expect(transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
      expect(log).toHaveLength(round);
      expect(wire.far.closedNames).toHaveLength(round);
    }
    await server.close();
  });

  it('uses one server for a server/discover probe and the initialize that follows', async () => {
    const make = vi.fn(() => makeServerV2());
    const { wire, server } = serve({ servers: { a: make } });
    const client = makeClientV2('auto');
    await client.connect(createChannelClient(wire.near).transport('a'));
    expect(make).toHaveBeenCalledOnce();
    await client.close();
    await server.close();
  });

  it('ends a connection when the client closes it, also while its server is being created', async () => {
    const log: string[] = [];
    let finish: (server: ConnectableServer) => void = () => undefined;
    const { wire, server, errors } = serve({
      servers: { a: () => new Promise((resolve) => (finish = resolve)) },
    });
    wire.far.hear('a', initialize(0));
    wire.near.closed('a');
    finish({
      connect: async () => void log.push('connect'),
      close: async () => void log.push('close'),
    });
    await turn();
    expect(log).toEqual(['close']);
    expect(wire.far.sent).toEqual([]);
    expect(errors).toEqual([]);
    await server.close();
  });

  it('answers every waiting request when the server cannot be created, and tries again for the next client', async () => {
    let broken = true;
    const { wire, server, errors } = serve({
      servers: {
        a: async () => {
          if (broken) throw new Error('secret path /home/x');
          return makeServerV1();
        },
      },
    });
    wire.far.hear('a', initialize(0));
    wire.far.hear('a', { jsonrpc: '2.0', id: 'two', method: 'ping' });
    wire.far.hear('a', { jsonrpc: '2.0', method: 'notifications/x' });
    await turn();
    const error = { code: -32603, message: 'The server could not be started.' };
    expect(wire.far.sent).toEqual([
      ['a', { jsonrpc: '2.0', id: 0, error }],
      ['a', { jsonrpc: '2.0', id: 'two', error }],
    ]);
    expect(errors).toMatchObject([{ code: 'CALLBACK_FAILED', server: 'a' }]);
    broken = false;
    wire.far.hear('a', initialize(5));
    await turn();
    await turn();
    expect(wire.far.sent[2]).toMatchObject(['a', { id: 5, result: {} }]);
    await server.close();
  });

  it('gives up on a server that never starts, and bounds the messages that wait for it', async () => {
    const clock = createManualClock();
    const { wire, server, errors } = serve({
      clock,
      startTimeoutMs: 1000,
      servers: { a: () => new Promise<never>(() => undefined) },
    });
    wire.far.hear('a', initialize(0));
    for (let id = 1; id < 1500; id++) wire.far.hear('a', { jsonrpc: '2.0', id, method: 'ping' });
    await turn();
    expect(wire.far.sent).toHaveLength(1500 - 1024);
    await clock.advance(1000);
    expect(wire.far.sent).toHaveLength(1500);
    expect(errors).toMatchObject([{ code: 'TIMEOUT' }]);
    expect(clock.pending).toBe(0);
    await server.close();
  });

  it('ends all connections when the channel is gone', async () => {
    const wire = memoryChannel();
    const server = serveChannel(wire.far, { servers: { a: () => makeServerV1(), b: () => makeServerV1() } });
    const client = createChannelClient(wire.near);
    const transports = [client.transport('a'), client.transport('b')];
    const connections = transports.map(() => makeClientV1());
    await Promise.all(connections.map((connection, index) => connection.connect(transports[index]!)));
    wire.break();
    await turn();
    await turn();
    for (const transport of transports)
      expect(transport.closeReason).toMatchObject({ code: 'CONNECTION_LOST' });
    await server.close();
    expect(wire.far.closedNames).toEqual([]);
  });

  it('unsubscribes when it is closed', async () => {
    const { wire, server } = serve();
    expect(wire.far.listeners).toBe(1);
    await server[Symbol.asyncDispose]();
    expect(wire.far.listeners).toBe(0);
  });
});
