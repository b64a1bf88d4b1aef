import { expect, it } from 'vitest';
import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { WireTransport } from './support/wire-transport.js';

const note = (index: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/x',
  params: { index },
});

it('delivers messages that arrive during start() once it is open, so that a handler can answer at once', async () => {
  const transport = new WireTransport();
  const sent: Promise<void>[] = [];
  transport.onmessage = (message) => {
    if ('id' in message) sent.push(transport.send({ jsonrpc: '2.0', id: message.id ?? 0, result: {} }));
  };
  transport.whenOpening = async () => {
    transport.hear({ jsonrpc: '2.0', id: 'early', method: 'ping' });
    await Promise.resolve();
    expect(sent).toHaveLength(0);
  };
  await transport.start();
  await Promise.all(sent);
  expect(transport.written).toEqual([{ jsonrpc: '2.0', id: 'early', result: {} }]);
});

it('keeps the order, and a bounded number', async () => {
  const transport = new WireTransport();
  const heard: unknown[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => heard.push(message);
  transport.onerror = (error) => errors.push(error);
  transport.whenOpening = async () => {
    for (let index = 0; index < 1500; index++) transport.hear(note(index));
  };
  await transport.start();
  transport.hear(note(-1));
  expect(heard).toEqual([...Array.from({ length: 1024 }, (_, index) => note(index)), note(-1)]);
  expect(errors).toMatchObject([
    { code: 'PROTOCOL_VIOLATION', details: { times: 1 } },
    { code: 'PROTOCOL_VIOLATION', details: { times: 10 } },
    { code: 'PROTOCOL_VIOLATION', details: { times: 100 } },
  ]);
});

it('forgets them when the start fails', async () => {
  const transport = new WireTransport();
  const heard: unknown[] = [];
  transport.onmessage = (message) => heard.push(message);
  transport.whenOpening = async () => {
    transport.hear(note(1));
    throw new Error('no');
  };
  await expect(transport.start()).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
  expect(heard).toEqual([]);
});
