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
  const broken = flaws.flatMap((flaw) => {
    const cases = collectCases(suiteOf(flaw));
    return flaw.fails.map((name) => ({
      flaw,
      name,
      entry: cases.find((candidate) => candidate.name === name),
    }));
  });
  // Most wait for the deadline. What looks at the handles of the process, or keeps its event loop busy, is alone.
  const isAlone = (name: string): boolean => /handle open|without a pause/.test(name);
  const define = (one: (typeof broken)[number], test: typeof it.concurrent): void =>
    test(`${one.flaw.name}: ${one.name}`, async () => {
      expect(one.entry).toBeDefined();
      await expect(one.entry?.run()).rejects.toThrow();
    });

  describe('with others', () => {
    for (const one of broken) if (!isAlone(one.name)) define(one, it.concurrent);
  });
  describe('alone', () => {
    for (const one of broken) if (isAlone(one.name)) define(one, it);
  });
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
