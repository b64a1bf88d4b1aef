import { expect, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { tokenStoreSuite } from '@mcp-fittings/testkit/token-store';
import { transportSuite } from '@mcp-fittings/testkit/transport';

const never = (): Promise<never> => Promise.reject(new Error('no case is run'));

it('no title begins with the id of a requirement: those who use the kit do not know them', () => {
  const titles: string[] = [];
  const runner = {
    describe: (name: string, define: () => void) => {
      titles.push(name);
      define();
    },
    it: (name: string) => void titles.push(name),
  };
  transportSuite(runner, {
    name: 'transport',
    capabilities: { backPressure: true, sessionId: true, signal: true, serverName: true, garbage: ['x'] },
    setup: never,
    setupUnreachable: never,
  });
  tokenStoreSuite(runner, {
    name: 'store',
    capabilities: { shared: true, processes: true, losesLocks: true, maxValueBytes: 100 },
    setup: never,
  });
  authProviderSuite(runner, {
    name: 'provider',
    capabilities: { signsIn: true, renews: true, signsOut: true },
    setup: never,
  });

  expect(titles.length).toBeGreaterThan(100);
  expect(titles.filter((title) => /\b[A-Z]{1,3}-?\d+\b/.test(title))).toEqual([]);
});
