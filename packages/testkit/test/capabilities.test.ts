import { describe, expect, it } from 'vitest';
import type { TransportCapabilities } from '@mcp-fittings/testkit/transport';
import { collectCases } from './support/collect.js';
import { referenceFixture } from './support/reference-transport.js';

const namesFor = (capabilities: TransportCapabilities, unreachable = false): Set<string> =>
  new Set(
    collectCases({
      name: 'any',
      capabilities,
      setup: async () => referenceFixture(),
      ...(unreachable && { setupUnreachable: async () => referenceFixture() }),
    }).map((entry) => entry.name),
  );

const missing = (capabilities: TransportCapabilities): string[] => {
  const names = namesFor(capabilities);
  return [...namesFor({})].filter((name) => !names.has(name));
};

describe('capabilities decide which cases exist', () => {
  it('JSON replies over HTTP: one message a request, no more', () => {
    const gone = missing({ peerMessages: false, peerRequests: false, unsolicited: false });
    expect(gone).toContain('keeps the order of messages from the peer, the response last');
    expect(gone).toContain('carries requests of the peer and their responses');
    expect(gone).toContain('delivers messages that belong to no request');
    expect(gone).not.toContain('keeps the order of sent messages');
  });

  it('a wire without a connection to lose', () => {
    expect(missing({ peerDeath: 'request' })).toEqual([
      'calls onclose once when the peer dies, with closeReason set before',
      'notices its end while a caller retries without a pause',
    ]);
    expect(missing({ peerDeath: 'nothing' })).toHaveLength(5);
  });

  it('shared objects instead of JSON, no large messages', () => {
    expect(missing({ serializes: false })).toEqual([
      'rejects a message that JSON cannot represent, with delivery not-sent',
    ]);
    expect(missing({ largeMessageLength: 0 })).toEqual(['carries a large message both ways, unchanged']);
  });

  it('adds cases for what only some wires have', () => {
    const more = [...namesFor({ backPressure: true, sessionId: true, garbage: ['x'] }, true)];
    const plain = namesFor({});
    expect(more.filter((name) => !plain.has(name))).toEqual([
      'sends no request whose abort it reports as not-sent, while the peer does not read',
      'distinguishes requests that were not sent yet from those that were',
      'survives input that is not JSON',
      'delays send() while the peer does not read, and loses nothing',
      'has the session id of the server after initialize',
      'fails in start() or in the first send() with a typed error, and can be closed',
    ]);
  });

  it('adds cases for options that only some transports take', () => {
    const plain = namesFor({});
    const more = [...namesFor({ signal: true, serverName: true })].filter((name) => !plain.has(name));
    expect(more).toEqual([
      'rejects start() with ABORTED if its signal is aborted already, and sets closeReason',
      'rejects start() with ABORTED when its signal is aborted meanwhile, and sets closeReason',
      'closes when its signal is aborted: it calls onclose first, then open requests fail with ABORTED',
      'names the server in every error',
    ]);
  });

  it('never has two cases of one name', () => {
    const all = collectCases({
      name: 'any',
      capabilities: { backPressure: true, sessionId: true, garbage: ['x'] },
      setup: async () => referenceFixture(),
    }).map((entry) => entry.name);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('a suite', () => {
  it('frees the fixture also when a case fails', async () => {
    let freed = 0;
    const [first] = collectCases({
      name: 'any',
      capabilities: {},
      setup: async () => {
        const fixture = referenceFixture(undefined, (transport) => {
          transport.start = () => Promise.reject(new Error('broken on purpose'));
        });
        return { ...fixture, teardown: async () => void freed++ };
      },
    });
    await expect(first?.run()).rejects.toThrow('broken on purpose');
    expect(freed).toBe(1);
  });

  it('kills the peer by a message if the fixture cannot', async () => {
    const name = 'calls onclose once when the peer dies, with closeReason set before';
    const entry = collectCases({
      name: 'any',
      capabilities: {},
      setup: async () => {
        const { transport, teardown } = referenceFixture();
        return { transport, teardown };
      },
    }).find((candidate) => candidate.name === name);
    expect(entry).toBeDefined();
    await entry?.run();
  });
});
