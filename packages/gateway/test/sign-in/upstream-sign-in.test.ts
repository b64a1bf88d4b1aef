import { describe, expect, it, vi } from 'vitest';
import {
  browserSignIn,
  createUpstreamSignIn,
  gatewayInteraction,
  type OutboundFetch,
} from '@mcp-fittings/gateway';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createBrowser, type ShownPage } from './support/browser.js';
import { startSigningIn, type SigningIn } from './support/signing-in.js';

vi.setConfig({ testTimeout: 60_000 });
const settled = (work: Promise<void>): Promise<unknown> =>
  Promise.race([
    work.then(
      () => 'completed',
      (error: unknown) => error,
    ),
    Promise.resolve('waiting'),
  ]);

/** Nothing about the person or server, no script, nothing that can be framed or kept. */
function expectSafe({ html, headers }: ShownPage): void {
  expect(html).not.toMatch(/<script|javascript:|<img|<iframe/i);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
}

describe('a caller signs in to a server at a page of the gateway', () => {
  it('proves whose browser it is, goes to the server, and the host can use it', async () => {
    await using world = await startSigningIn();
    await expect(world.whoami('ann')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    expect(page.url).toMatch(new RegExp(`^${world.origin}/sign-in/[\\w-]{43}$`));
    expect(page.url).not.toContain(page.elicitationId);
    const browser = createBrowser('ann');
    const shown = await browser.open(page.url);
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.html).toContain('You are signed in to one');
    expect(shown.html).toContain('You can close this page');
    expectSafe(shown);
    expect(shown.url.pathname).toBe('/oauth/callback');
    // First the issuer of the caller, then the authorization server of the server.
    const origins = [...new Set(browser.visited.map(({ origin }) => origin))];
    expect(origins).toEqual([world.origin, world.issuer, world.upstream.origin]);
    await page.completed;
    expect(await world.whoami('ann')).toContain('you are ann');
    await expect(world.whoami('bob')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    // A reload shows how it ended, and starts nothing.
    expect((await browser.open(page.url)).html).toContain('You are signed in to one');
  });

  it('opens one page for a caller and a server, and ends the other pages of the person', async () => {
    await using world = await startSigningIn();
    const ann = world.callerOf('ann');
    const page = await world.pages.open(ann, 'one');
    expect(await world.pages.open(ann, 'one')).toBe(page);
    const other = await world.pages.open(ann, 'two');
    const elsewhere = await world.pages.open({ ...ann, id: 'another program' }, 'one');
    expect(new Set([page.url, other.url, elsewhere.url]).size).toBe(3);
    await createBrowser('ann').open(page.url);
    await elsewhere.completed;
    expect(await settled(other.completed)).toBe('waiting');
  });

  it('works below a path of the public URL', async () => {
    await using world = await startSigningIn({ path: '/tools' });
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    expect(page.url).toContain(`${world.origin}/tools/sign-in/`);
    expect((await createBrowser('ann').open(page.url)).html).toContain('You are signed in to one');
  });

  it('tells the caller why it failed', async () => {
    await using world = await startSigningIn();
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    const browser = createBrowser('ann');
    const atServer = await browser.open(page.url, {
      until: ({ origin }) => origin === world.upstream.origin,
    });
    const state = atServer.url.searchParams.get('state') ?? '';
    const refusal = new URLSearchParams({ error: 'access_denied', state, iss: world.upstream.origin });
    const shown = await browser.open(`${world.origin}/oauth/callback?${refusal.toString()}`);
    expect(shown.html).toContain('The sign-in to one failed');
    expectSafe(shown);
    await expect(page.completed).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    // The next attempt has a new page.
    expect((await world.pages.open(world.callerOf('ann'), 'one')).url).not.toBe(page.url);
  });

  it('says so if the issuer does not answer, and can be reloaded', async () => {
    let down = true;
    const fetch: OutboundFetch = async (url, init) => {
      if (down) throw new Error('down');
      return globalThis.fetch(url, { ...init, body: init.body ?? null });
    };
    const clock = createManualClock({ now: Date.now() });
    await using world = await startSigningIn({}, (issuer) =>
      browserSignIn({ issuer, clientId: 'gateway-pages', fetch, clock }),
    );
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    const browser = createBrowser('ann');
    const shown = await browser.open(page.url);
    expect(shown).toMatchObject({ status: 502 });
    expectSafe(shown);
    down = false;
    await clock.advance(5000);
    expect((await browser.open(page.url)).html).toContain('You are signed in to one');
  });

  it('compares the names that the program gives to people', async () => {
    await using world = await startSigningIn({}, (issuer) =>
      browserSignIn({ issuer, clientId: 'gateway-pages', principalOf: ({ sub }) => `staff-${sub}` }),
    );
    const page = await world.pages.open({ id: 'program of ann', principal: 'staff-ann' }, 'one');
    expect((await createBrowser('bob').open(page.url)).status).toBe(403);
    expect((await createBrowser('ann').open(page.url)).html).toContain('You are signed in to one');
    const other = await world.pages.open(world.callerOf('bob'), 'one');
    expect((await createBrowser('bob').open(other.url)).status).toBe(403);
  });

  it('ends after its life, and with the gateway', async () => {
    const clock = createManualClock();
    await using world = await startSigningIn({ clock });
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    const browser = createBrowser('ann');
    await browser.open(page.url, { until: ({ origin }) => origin === world.upstream.origin });
    await clock.advance(600_000);
    await expect(page.completed).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(await browser.open(page.url)).toMatchObject({ status: 404 });
    const next = await world.pages.open(world.callerOf('ann'), 'one');
    await world.pages.close();
    await expect(next.completed).rejects.toMatchObject({ code: 'ABORTED' });
    expect(clock.pending).toBe(0);
  });

  it('bounds the pages of one caller and of all', async () => {
    const interaction = gatewayInteraction({ publicUrl: 'http://127.0.0.1:1' });
    const host = { signIn: async () => undefined };
    const limits = { perCaller: 2, all: 3 };
    await using pages = createUpstreamSignIn({ host, interaction, browser: 'unverified', limits });
    const open = (id: string, server: string) => pages.open({ id, principal: id }, server);
    await open('ann', 'one');
    await open('ann', 'two');
    await expect(open('ann', 'three')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await open('bob', 'one');
    await expect(open('eve', 'one')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(() => createUpstreamSignIn({ host, interaction, browser: 'unverified' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it.each(['http://gateway.example', 'https://gateway.example/?x', 'https://me@gateway.example', 'gateway'])(
    'refuses the public URL %s',
    (publicUrl) => {
      expect(() => gatewayInteraction({ publicUrl })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    },
  );

  it('refuses sign-ins that no caller has opened a page for', async () => {
    await using world = await startSigningIn();
    const { principal } = world.callerOf('ann');
    await expect(world.whoami('ann')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await expect(world.host.signIn('one', { principal })).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await expect(world.pages.open({ id: 'bearer' }, 'one')).rejects.toMatchObject({ code: 'AUTH_FAILED' });
  });
});

describe('a sign-in belongs to the browser of its caller', () => {
  /** Ann's page, and her browser at the page of the server's authorization server. */
  async function annAtServer(world: SigningIn) {
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    const browser = createBrowser('ann');
    const { url } = await browser.open(page.url, { until: ({ origin }) => origin === world.upstream.origin });
    return { page, browser, url };
  }

  it('refuses a person who was sent the page of someone else', async () => {
    await using world = await startSigningIn();
    const page = await world.pages.open(world.callerOf('eve'), 'one');
    const victim = createBrowser('ann');
    const shown = await victim.open(page.url);
    expect(shown).toMatchObject({ status: 403 });
    expect(shown.html).toContain('You are signed in as another person');
    expect(shown.html).not.toMatch(/\b(?:eve|ann|one)\b/);
    expectSafe(shown);
    expect(victim.visited.map(({ origin }) => origin)).not.toContain(world.upstream.origin);
    expect(await settled(page.completed)).toBe('waiting');
    expect(world.servers.seen).toEqual([]);
    // The page is still good for its owner.
    expect((await createBrowser('eve').open(page.url)).html).toContain('You are signed in');
  });

  it('refuses a redirect of the issuer in another browser', async () => {
    await using world = await startSigningIn();
    const page = await world.pages.open(world.callerOf('eve'), 'one');
    const eve = createBrowser('eve');
    const isReturn = ({ pathname }: URL): boolean => pathname === '/sign-in/callback';
    const { url } = await eve.open(page.url, { until: isReturn });
    const victim = createBrowser('ann');
    await victim.open(page.url);
    expect(await victim.open(url)).toMatchObject({ status: 403 });
    expect(victim.visited.map(({ origin }) => origin)).not.toContain(world.upstream.origin);
    expect(await settled(page.completed)).toBe('waiting');
    // It counted once.
    expect(await eve.open(url)).toMatchObject({ status: 404 });
  });

  it('refuses a redirect of the server in another browser, with another state, and twice', async () => {
    await using world = await startSigningIn();
    const { page, browser, url } = await annAtServer(world);
    const back = await browser.open(url, { until: ({ origin }) => origin === world.origin });
    for (const stranger of [createBrowser('eve'), createBrowser('ann')]) {
      expect(await stranger.open(back.url)).toMatchObject({ status: 403 });
    }
    const changed = new URL(back.url);
    changed.searchParams.set('state', 'another');
    expect(await browser.open(changed)).toMatchObject({ status: 404 });
    changed.searchParams.delete('state');
    expect(await browser.open(changed)).toMatchObject({ status: 404 });
    const doubled = new URL(`${back.url.href}&state=another`);
    expect(await browser.open(doubled)).toMatchObject({ status: 404 });
    expect(await settled(page.completed)).toBe('waiting');
    expect((await browser.open(back.url)).html).toContain('You are signed in to one');
    expect(await browser.open(back.url)).toMatchObject({ status: 404 });
  });

  it('does not continue in the first browser after the person has proved another one', async () => {
    await using world = await startSigningIn();
    const { page, browser, url } = await annAtServer(world);
    const back = await browser.open(url, { until: ({ origin }) => origin === world.origin });
    const phone = createBrowser('ann');
    await phone.open(page.url, { until: ({ origin }) => origin === world.upstream.origin });
    expect(await browser.open(back.url)).toMatchObject({ status: 403 });
  });

  it('starts nothing for a prefetch, a script or a frame, and refuses other methods', async () => {
    await using world = await startSigningIn();
    const { url } = await world.pages.open(world.callerOf('ann'), 'one');
    const send = async (init: RequestInit) => (await world.pages.respond(new Request(url, init)))?.status;
    expect(await send({ headers: { 'sec-purpose': 'prefetch' } })).toBe(403);
    expect(await send({ headers: { 'sec-fetch-mode': 'cors' } })).toBe(403);
    expect(await send({ headers: { 'sec-fetch-dest': 'iframe' } })).toBe(403);
    expect(await send({ method: 'DELETE' })).toBe(405);
    expect(await send({ method: 'POST' })).toBe(405);
    expect(await world.pages.respond(new Request(`${world.origin}/mcp`))).toBeUndefined();
    expect((await world.pages.respond(new Request(`${world.origin}/sign-in/guess`)))?.status).toBe(404);
  });

  it('without a check, continues only after a confirmation in the same browser', async () => {
    await using world = await startSigningIn({ browser: 'unverified', describe: () => '<b>Ann</b>' });
    const page = await world.pages.open(world.callerOf('ann'), 'one');
    const browser = createBrowser('ann');
    const shown = await browser.open(page.url);
    expect(shown.html).toContain('Continue only if this is you');
    expect(shown.html).toContain('&lt;b&gt;Ann&lt;/b&gt;');
    expectSafe(shown);
    expect(String(shown.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/);
    expect(world.upstream.requests).toEqual([]);
    // The link of a page in another browser, and a made-up one.
    const stranger = createBrowser('eve');
    expect(await stranger.follow(shown)).toMatchObject({ status: 403 });
    expect(await browser.follow(shown, (parameters) => parameters.set('confirmation', 'x'))).toMatchObject({
      status: 403,
    });
    const own = await stranger.open(page.url);
    const atServer = await browser.follow(shown, undefined, ({ origin }) => origin === world.upstream.origin);
    // The first browser that confirms keeps the page.
    expect(await stranger.follow(own)).toMatchObject({ status: 403 });
    expect((await browser.open(atServer.url)).html).toContain('You are signed in to one');
    await page.completed;
  });

  it('marks its cookies as secure where it can', async () => {
    const interaction = gatewayInteraction({ publicUrl: 'https://gateway.example' });
    const host = { signIn: async () => undefined };
    await using pages = createUpstreamSignIn({ host, interaction, browser: 'unverified' });
    const { url } = await pages.open({ id: 'ann' }, 'one');
    const response = await pages.respond(new Request(url));
    expect(response?.headers.get('set-cookie')).toMatch(
      /^__Host-mcp-sign-in-\w{16}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
  });
});
