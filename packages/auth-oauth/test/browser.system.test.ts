import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loopback } from '@mcp-fittings/auth-oauth';
import { describeWith } from '../../../scripts/describe-with.js';
import { HEADLESS_CHROMIUM } from '../../../scripts/headless-chromium.js';
import { createWorld } from './support/world.js';

const ARTIFACTS = join(import.meta.dirname, '../../../artifacts');

const missing = [HEADLESS_CHROMIUM.executablePath].filter((path) => !existsSync(path));

describeWith({ missing, packages: 'chromium' }, 'O2 in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch(HEADLESS_CHROMIUM);
    mkdirSync(ARTIFACTS, { recursive: true });
  });
  afterAll(() => browser?.close());

  it('signs in, and shows a page that says so', async () => {
    await using world = await createWorld();
    const page = await browser.newPage({ viewport: { width: 900, height: 620 } });
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text());
    });
    const open = async (url: URL): Promise<void> => {
      await page.goto(url.href);
      await page.fill('[name=login]', 'person');
      await page.fill('[name=password]', 'word');
      await page.click('button[type=submit]');
      await page.click('button[type=submit]', { noWaitAfter: true });
    };
    expect((await world.use(world.provider({ interaction: loopback({ open }) }))).status).toBe(200);
    await page.waitForSelector('h1:has-text("You are signed in")');
    await page.screenshot({ path: join(ARTIFACTS, 'sign-in.png') });
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).borderRadius')).not.toBe(
      '0px',
    );
    expect(violations).toEqual([]);
    await page.close();
  }, 60_000);

  it('a page of another site reaches the listener, and changes nothing', async () => {
    const session = await loopback({ open: async () => undefined }).begin({
      server: '<script>alert(1)</script>',
    });
    const answer = session.authorize({ url: new URL('https://as.example/'), state: 'the-state' });
    const evil = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>evil</title>');
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const address = evil.address();
    const page = await browser.newPage();
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await page.goto(`http://localhost:${typeof address === 'object' ? address?.port : ''}/`);
    // Even if it knew the state: no script, image, frame, form or beacon gets through.
    const target = `${session.redirectUri}?code=evil&state=the-state`;
    await page.evaluate(`(async (target) => {
      const load = (tag) => new Promise((done) => {
        const element = document.createElement(tag);
        element.onload = element.onerror = done;
        element.src = target;
        document.body.append(element);
      });
      await fetch(target, { mode: 'no-cors' }).catch(() => {});
      await fetch(target, { mode: 'no-cors', method: 'POST' }).catch(() => {});
      await Promise.all(['img', 'iframe', 'script'].map(load));
      navigator.sendBeacon(target, 'x');
    })(${JSON.stringify(target)})`);
    const form = `<form method="post" action="${target}"><button>x</button></form>`;
    await page.setContent(form);
    await page.click('button');
    await page.waitForSelector('h1:has-text("not for you")');

    const good = await browser.newPage();
    const shown = good.goto(
      `${session.redirectUri}?error=${encodeURIComponent('<script>alert(1)</script>')}&state=the-state`,
    );
    const parameters = await answer;
    expect(parameters.get('code')).toBeNull();
    await session.finish?.('failure');
    await shown;
    expect(await good.textContent('h1')).toContain('Sign-in failed');
    await good.screenshot({ path: join(ARTIFACTS, 'sign-in-failed.png') });
    expect(await good.locator('script').count()).toBe(0);
    expect(dialogs).toBe(0);
    await session[Symbol.asyncDispose]();
    evil.close();
    evil.closeAllConnections();
    await Promise.all([page.close(), good.close()]);
  }, 60_000);
});
