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
    expect(gone).toContain('keeps the order of what the peer sends, the answer last');
    expect(gone).toContain('carries requests of the peer and their answers');
    expect(gone).toContain('delivers what belongs to no request');
    expect(gone).not.toContain('keeps the order of what is sent');
  });

  it('a wire without a connection to lose', () => {
    expect(missing({ peerDeath: 'request' })).toEqual([
      'calls onclose once when the peer dies, with closeReason set before',
      'notices its end although a caller sends again without a pause',
    ]);
    expect(missing({ peerDeath: 'nothing' })).toHaveLength(5);
  });

  it('shared objects instead of JSON, no large messages', () => {
    expect(missing({ serializes: false })).toEqual(['refuses a message that JSON can not hold, not-sent']);
    expect(missing({ largeMessageLength: 0 })).toEqual(['carries a large message both ways, unchanged']);
  });

  it('adds cases for what only some wires have', () => {
    const more = [...namesFor({ backPressure: true, sessionId: true, garbage: ['x'] }, true)];
    const plain = namesFor({});
    expect(more.filter((name) => !plain.has(name))).toEqual([
      'fails in start(), or in the first send, with a typed error, and can be closed',
      'tells requests that still waited on this side from those that were sent',
      'survives what is not even JSON',
      'holds send() back while the peer does not read, and loses nothing',
      'has the sessionId of the server after initialize',
    ]);
  });

  it('adds cases for options that only some transports take', () => {
    const plain = namesFor({});
    const more = [...namesFor({ signal: true, serverName: true })].filter((name) => !plain.has(name));
    expect(more).toEqual([
      'rejects start() with ABORTED when its signal was aborted before, and says so in closeReason',
      'rejects start() with ABORTED when its signal is aborted meanwhile, and says so in closeReason',
      'closes when its signal is aborted: onclose runs first, then open requests fail with ABORTED',
      'names its server in every error',
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

  it('kills the peer by a message where the fixture can not', async () => {
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
