import { createKitPeer, type KitWire } from '@mcp-fittings/testkit/peer';
import { expect, it } from 'vitest';

interface Written {
  readonly value: unknown;
  readonly route: Parameters<KitWire['send']>[1];
}

function peerWithLog(): {
  ask: (method: string, params?: object, id?: unknown) => Written[];
  hear: (value: unknown) => Written[];
} {
  const log: Written[] = [];
  const peer = createKitPeer({ send: (value, route) => void log.push({ value, route }) });
  const hear = (value: unknown): Written[] => {
    peer.receive(value);
    return log.splice(0);
  };
  return { hear, ask: (method, params = {}, id = 7) => hear({ jsonrpc: '2.0', id, method, params }) };
}

const result = (value: object, id: unknown = 7): Written => ({
  value: { jsonrpc: '2.0', id, result: value },
  route: { relatedRequestId: id as number },
});

it('answers initialize in the version it is asked for, and ping', () => {
  const { ask } = peerWithLog();
  expect(ask('initialize', { protocolVersion: '2025-06-18' })).toEqual([
    result({
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'kit-peer', version: '1.0.0' },
    }),
  ]);
  expect(ask('ping')).toEqual([result({})]);
});

it('refuses the probe of the newer era, and names of members of Object', () => {
  const { ask } = peerWithLog();
  for (const method of ['server/discover', 'constructor', '__proto__', 'toString']) {
    expect(ask(method)).toMatchObject([{ value: { id: 7, error: { code: -32601 } } }]);
  }
});

it('says of each message which request it belongs to', () => {
  const { ask, hear } = peerWithLog();
  const routes = (written: Written[]): unknown[] => written.map(({ route }) => route.relatedRequestId);
  expect(routes(ask('kit/emit', { count: 2 }))).toEqual([7, 7, 7]);
  expect(routes(ask('kit/announce', { count: 2 }))).toEqual([7, undefined, undefined]);
  expect(routes(ask('kit/ask'))).toEqual([7]);
  expect(hear({ jsonrpc: '2.0', id: 'kit-ask-1', result: { ok: true } })).toEqual([
    result({ answer: { ok: true } }),
  ]);
});

it('ignores invalid messages and unexpected responses', () => {
  const { hear } = peerWithLog();
  for (const value of [
    null,
    7,
    [],
    {},
    { jsonrpc: '2.0' },
    { jsonrpc: '2.0', id: 'kit-ask-1', result: {} },
  ]) {
    expect(hear(value)).toEqual([]);
  }
});
