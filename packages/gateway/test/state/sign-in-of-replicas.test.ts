import { createUpstreamSignIn, gatewayInteraction } from '@mcp-fittings/gateway';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { expect, it, vi } from 'vitest';
import { createMemoryState } from '../../src/state/memory-state.js';
import { ReplicaLink } from '../../src/state/replica-link.js';
import { shareSignIn } from '../../src/state/shared-sign-in.js';
import { createBrowser } from '../sign-in/support/browser.js';
import { startSigningIn, type SigningIn } from '../sign-in/support/signing-in.js';

vi.setConfig({ testTimeout: 60_000 });

/** The pages are of one replica, and each request of a browser reaches another one. */
async function startReplicas(): Promise<SigningIn> {
  const state = createMemoryState();
  const [near, far, third] = [0, 1, 2].map(() => new ReplicaLink(state, systemClock));
  if (near === undefined || far === undefined || third === undefined) throw new Error('no replicas');
  const pagesOf = (publicUrl: string): ReturnType<typeof createUpstreamSignIn> => {
    const host = { signIn: () => Promise.reject(new Error('This replica has no page.')) };
    const interaction = gatewayInteraction({ publicUrl });
    return createUpstreamSignIn({ host, interaction, browser: 'unverified' });
  };
  return startSigningIn({
    front(pages, publicUrl) {
      shareSignIn(pages, near);
      shareSignIn(pagesOf(publicUrl), third);
      return shareSignIn(pagesOf(publicUrl), far);
    },
  });
}

it('a person signs in at a page of one replica, whichever replica the browser reaches', async () => {
  await using world = await startReplicas();
  const page = await world.pages.open(world.callerOf('ann'), 'one');
  const shown = await createBrowser('ann').open(page.url);
  expect(shown.status).toBe(200);
  expect(shown.html).toContain('You are signed in to one');
  await page.completed;
  expect(await world.whoami('ann')).toContain('you are ann');
});

it('a page of another replica is for the browser of its caller only', async () => {
  await using world = await startReplicas();
  const page = await world.pages.open(world.callerOf('ann'), 'one');
  const bob = await createBrowser('bob').open(page.url);
  expect(bob.status).toBe(403);
  await expect(world.whoami('ann')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  const unknown = await createBrowser('ann').open(`${world.origin}/sign-in/unknown`);
  expect(unknown.status).toBe(404);
});
