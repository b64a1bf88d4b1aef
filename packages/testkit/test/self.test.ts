import { describe, expect, it } from 'vitest';
import { transportSuite, type TransportSuiteOptions } from '@mcp-fittings/testkit/transport';
import { collectCases } from './support/collect.js';
import { sharedOptionFlaws } from './support/flaws/shared-option-flaws.js';
import { deliveryFlaws } from './support/flaws/delivery-flaws.js';
import type { Flaw } from './support/flaws/flaw.js';
import { lifeCycleFlaws } from './support/flaws/life-cycle-flaws.js';
import { requestFlaws } from './support/flaws/request-flaws.js';
import {
  ReferenceTransport,
  referenceCapabilities,
  referenceFixture,
} from './support/reference-transport.js';

const flaws = [...lifeCycleFlaws, ...deliveryFlaws, ...requestFlaws, ...sharedOptionFlaws];

function suiteOf(flaw: Omit<Flaw, 'name' | 'fails'> = {}): TransportSuiteOptions {
  return {
    name: 'reference',
    capabilities: { ...referenceCapabilities, ...flaw.capabilities },
    setup: async (options) => referenceFixture(flaw.make, flaw.damage, options),
    setupUnreachable: async (options) => {
      const fixture = referenceFixture(flaw.make, flaw.damage, options);
      if (fixture.transport instanceof ReferenceTransport) fixture.transport.peerExists = false;
      return fixture;
    },
    deadlineMs: 400,
    // What a flaw leaves behind is meant to be left.
    hangMs: 0,
  };
}

describe('a transport that keeps the contract', () => {
  transportSuite({ describe, it }, { ...suiteOf(), deadlineMs: 10_000 });
});

describe('a broken transport fails the case that is about its flaw', () => {
  for (const flaw of flaws) {
    const cases = collectCases(suiteOf(flaw));
    for (const name of flaw.fails) {
      it(`${flaw.name}: ${name}`, async () => {
        const entry = cases.find((candidate) => candidate.name === name);
        expect(entry).toBeDefined();
        await expect(entry?.run()).rejects.toThrow();
      });
    }
  }
});

it('has no case that no flaw can fail', () => {
  const failed = new Set(flaws.flatMap((flaw) => flaw.fails));
  const all = [
    ...collectCases(suiteOf()),
    ...collectCases(suiteOf({ capabilities: { handshake: true, sessionId: true } })),
    ...collectCases(suiteOf({ capabilities: { serializes: false } })),
  ];
  expect(all.map((entry) => entry.name).filter((name) => !failed.has(name))).toEqual([]);
});
