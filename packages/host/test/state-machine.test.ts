import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AuthPlugin,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
  TransportError,
} from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { ConnectionState } from '@mcp-fittings/host';
import { rounds } from '../../../scripts/rounds.js';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';

/** What the outside world does to one server of a host. */
const actions = fc.constantFrom(
  'connect',
  'start',
  'stop',
  'restart',
  'disable',
  'enable',
  'drop',
  'call',
  'sign in',
  'sign out',
  'one second',
  'a minute',
  'refuse',
  'accept',
  'demand sign-in',
  'break',
) satisfies fc.Arbitrary<string>;

type Action = typeof actions extends fc.Arbitrary<infer T> ? T : never;

async function play(sequence: readonly Action[]): Promise<void> {
  const clock = createManualClock();
  let mood: 'accept' | 'refuse' | 'demand sign-in' | 'break' = 'accept';
  let signedIn = false;
  const provider: AuthProvider = {
    headers: async () => ({}),
    onChallenge: async () => 'retry',
    signIn: async () => void (signedIn = true),
    signOut: async () => void (signedIn = false),
  };
  const auth: AuthPlugin = { specVersion: 1, scheme: 'fake', create: () => provider };
  const servers = testServers(() => {
    if (mood === 'refuse') throw new TransportError('CONNECTION_REFUSED', 'refused');
    if (mood === 'break') throw new FittingsError('CONFIG_INVALID', 'broken');
    if (mood === 'demand sign-in' && !signedIn) throw new AuthRequiredError('sign in');
    return calculator();
  });
  const host = testHost([servers.plugin], { auth: [auth], clock, random: () => 0.5 });

  let last: ConnectionState = { status: 'disconnected', reason: 'not started' };
  let disabled = false;
  let connectedWhileDisabled = false;
  host.on('state', ({ state, previous }) => {
    expect(previous).toEqual(last);
    expect(host.server('calc').state).toEqual(state);
    if (disabled && (state.status === 'connected' || state.status === 'connecting'))
      connectedWhileDisabled = true;
    last = state;
  });

  const settled: Promise<unknown>[] = [];
  let settlements = 0;
  const watch = (work: Promise<unknown>): void => {
    settled.push(
      work.then(
        () => settlements++,
        (error: unknown) => {
          expect(error).toBeInstanceOf(FittingsError);
          settlements++;
        },
      ),
    );
  };

  await host.connect({ calc: { type: 'test', reconnect: { maxAttempts: 2, delayMs: 500 } } });
  for (const action of sequence) {
    if (action === 'connect')
      watch(host.connect({ calc: { type: 'test', reconnect: { maxAttempts: 2, delayMs: 500 } } }));
    else if (action === 'start') watch(host.start('calc'));
    else if (action === 'stop') watch(host.stop('calc'));
    else if (action === 'restart') watch(host.restart('calc'));
    else if (action === 'disable') {
      disabled = true;
      watch(host.disable('calc'));
    } else if (action === 'enable') {
      disabled = false;
      host.enable('calc');
    } else if (action === 'drop') watch(servers.drop());
    else if (action === 'call') watch(host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 1 }));
    else if (action === 'sign in') watch(host.signIn('calc'));
    else if (action === 'sign out') watch(host.signOut('calc'));
    else if (action === 'one second') await clock.advance(1000);
    else if (action === 'a minute') await clock.advance(60_000);
    else mood = action;
    // Sometimes the machine finds the time to react before the next thing happens.
    if (sequence.length % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  await host.close();
  await Promise.all(settled);
  expect(settlements).toBe(settled.length);
  expect(servers.mostOpen).toBeLessThanOrEqual(1);
  expect(connectedWhileDisabled).toBe(false);
  expect(servers.open).toBe(0);
  expect(clock.pending).toBe(0);
  expect(['disconnected', 'disabled']).toContain(host.server('calc').state.status);
}

describe('any sequence of events', () => {
  it('never has two transports, settles every call once, and never connects what is disabled', async () => {
    await fc.assert(fc.asyncProperty(fc.array(actions, { maxLength: 25 }), play), { numRuns: rounds(300) });
  });
});
