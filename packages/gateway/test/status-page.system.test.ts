import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Host } from '@mcp-fittings/host';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../scripts/describe-with.js';
import { HEADLESS_CHROMIUM } from '../../../scripts/headless-chromium.js';
import type { Access } from '../src/contracts/access.js';
import type { Caller } from '../src/contracts/caller.js';
import { createGateway } from '../src/index.js';
import { attributeNames, elementNames, hasScrollbar, poorContrast } from './support/page-checks.js';
import { guardedUrl, hostOf, IN_PROCESS, serve, toolServer } from './support/status-servers.js';

const ARTIFACTS = join(import.meta.dirname, '../../../artifacts');
const missing = [HEADLESS_CHROMIUM.executablePath].filter((path) => !existsSync(path));
const TOKEN = 'token-0123456789';
const CALLER: Caller = { id: 'ann' };
const WIDE = { width: 1400, height: 900 };
const NARROW = { width: 360, height: 780 };

const access: Access = {
  authenticate: async (request) =>
    request.headers.get('authorization') === `Bearer ${TOKEN}`
      ? { caller: CALLER }
      : { refusal: new Response('No.', { status: 401, headers: { 'www-authenticate': 'Bearer' } }) },
};

describeWith({ missing, packages: 'chromium' }, 'the status page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch(HEADLESS_CHROMIUM);
    mkdirSync(ARTIFACTS, { recursive: true });
  });
  afterAll(() => browser?.close());

  /** Serves a host with a gateway, and opens its page in a browser. */
  async function open(host: Host, options: BrowserContextOptions = { viewport: WIDE }) {
    const gateway = createGateway(host, { access, status: { version: '0.1.0' } });
    const server = createServer(gateway.listener);
    const origin = await serve(server);
    const context = await browser.newContext(options);
    const page = await context.newPage();
    onTestFinished(async () => {
      await context.close();
      await gateway.close();
    });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // The form is the page of a 401, which the console reports.
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(origin);
    const signIn = async () => {
      await page.getByLabel('Access token').fill(TOKEN);
      await page.getByRole('button', { name: 'Show the status' }).click();
      await page.locator('#servers tbody tr').first().waitFor();
    };
    const call = async (mount: string, name: string) => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const url = new URL(`/mcp/${encodeURIComponent(mount)}`, origin);
      const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      // Some of the tools fail, which is what the page shows.
      await client.callTool({ name, arguments: {} }).catch(() => undefined);
      await client.close();
    };
    return { page, origin, complaints, signIn, call, context };
  }

  /** Servers in all states that a user meets. */
  async function fleet(): Promise<Host> {
    return hostOf(
      {
        github: () =>
          toolServer(
            { search: 'found', create_issue: new Error('Validation failed: the repository is archived.') },
            { name: 'github-mcp-server', version: '0.19.1' },
          ),
        filesystem: () =>
          toolServer(
            { read: 'text', write: 'ok', list: 'a' },
            { name: 'secure-filesystem-server', version: '0.2.0' },
          ),
        aServerWithAVeryLongNameThatSomebodyHasChosenInAConfigurationWithoutAnySpace: () => toolServer({}),
      },
      {
        mail: { type: 'http', url: await guardedUrl() },
        broken: {
          command: process.execPath,
          args: ['-e', 'console.error("Cannot find module"); process.exit(3)'],
        },
        later: { ...IN_PROCESS, command: 'x', lazy: true, type: 'stdio' },
        archive: { command: 'never', disabled: true },
      },
    );
  }

  it('signs in with the form, shows the servers, and signs out', async () => {
    const { page, signIn, complaints, context, origin } = await open(await fleet());
    expect(await page.title()).toBe('Sign in to the gateway');
    await page.getByLabel('Access token').fill('wrong');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toBe('The gateway does not accept this token.');
    await signIn();
    expect(await page.getByRole('rowheader').allInnerTexts()).toHaveLength(7);
    expect(await page.getByRole('row', { name: /^mail/ }).innerText()).toContain('Needs sign-in');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(
      await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).toBe('{}');
    await page.reload();
    await page.locator('#servers tbody tr').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    expect((await page.request.get(`${origin}/status`)).status()).toBe(401);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['light', WIDE],
    ['dark', WIDE],
    ['light', NARROW],
    ['dark', NARROW],
  ] as const)('is readable and fits: %s, %o', async (colorScheme, viewport) => {
    const { page, signIn, call, complaints } = await open(await fleet(), { colorScheme, viewport });
    const name = `status-${colorScheme}-${viewport.width}`;
    await page.screenshot({ path: join(ARTIFACTS, `${name}-sign-in.png`) });
    expect(await hasScrollbar(page)).toBe(false);
    expect(await poorContrast(page)).toEqual([]);
    await signIn();
    for (let n = 0; n < 12; n++) await call('github', n % 5 === 0 ? 'create_issue' : 'search');
    for (let n = 0; n < 5; n++) await call('filesystem', 'read');
    await expect.poll(() => page.getByRole('row', { name: /^filesystem/ }).innerText()).toMatch(/\b5\b/);
    await expect.poll(() => page.locator('#errors tbody tr').count()).toBeGreaterThan(2);
    await page.screenshot({ path: join(ARTIFACTS, `${name}.png`), fullPage: true });
    expect(await hasScrollbar(page)).toBe(false);
    expect(await poorContrast(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('has the semantics of tables and a live region, and does not tell a state by color alone', async () => {
    const host = await fleet();
    const { page, signIn } = await open(host, { viewport: NARROW });
    await signIn();
    expect(await page.getByRole('table', { name: 'Servers' }).count()).toBe(1);
    expect(await page.getByRole('columnheader').allTextContents()).toContain('State');
    expect(await page.locator('.badge').allInnerTexts()).toEqual([
      'Connected',
      'Connected',
      'Connected',
      'Needs sign-in',
      'Failed',
      'Not connected',
      'Disabled',
    ]);
    const announcement = page.locator('[aria-live="polite"]');
    expect(await announcement.innerText()).toBe('');
    await host.stop('github');
    await expect.poll(() => announcement.textContent()).toBe('github: Not connected');
    const names = await page
      .locator('svg[role="img"]')
      .evaluateAll((all) => all.map((svg) => svg.getAttribute('aria-label')));
    expect(names[0]).toBe('Distribution of latency: No requests yet');
  });

  it('shows what happens without a reload, and connects again', async () => {
    const host = await fleet();
    const { page, signIn, call, context } = await open(host);
    await signIn();
    const row = page.getByRole('row', { name: /^github/ });
    await expect.poll(() => page.locator('#live-text').innerText()).toBe('Live');
    await row.evaluate((element) => element.setAttribute('data-same', 'yes'));
    await call('github', 'search');
    await expect.poll(() => row.locator('rect.some').count()).toBe(1);
    await host.stop('github');
    await expect.poll(() => row.innerText()).toContain('Not connected');
    await host.connect({ added: { command: 'never', disabled: true } });
    await host.remove('broken');
    await expect
      .poll(() => page.getByRole('rowheader').allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining('added')]));
    expect(await page.getByRole('rowheader', { name: 'broken' }).count()).toBe(0);
    // The same element, so that the selection and the place of the reader stay.
    expect(await row.getAttribute('data-same')).toBe('yes');
    await context.setOffline(true);
    await expect.poll(() => page.locator('#live-text').innerText()).toBe('Connection lost. Trying again');
    await context.setOffline(false);
    await expect.poll(() => page.locator('#live-text').innerText()).toBe('Live');
  });

  it('no text of a server becomes an element, runs, or changes its direction; no secret is shown', async () => {
    const secret = 'sk-live-0123456789abcdef';
    const marks = [
      '<script>document.title="owned"</script>',
      '<img src=x onerror="document.title=\'owned\'">',
      '</style></title></script><svg onload=alert(1)>',
      '"><iframe srcdoc="<script>parent.document.title=1</script>">',
      'javascript:alert(1)',
      '\u202eesrever\u2066\u200f',
      `leaked ${secret}`,
    ];
    const hostile = marks.join(' ');
    const name = '<img src=x onerror=alert(1)>\u202e';
    const script = `process.stderr.write(process.env.API_TOKEN + ' <script>alert(1)</script>'); process.exit(3)`;
    const host = await hostOf(
      {
        [name]: () => toolServer({ '<b>bold</b>': new Error(hostile) }, { name: hostile, version: hostile }),
      },
      {
        '</table><script>alert(2)</script>': {
          command: process.execPath,
          args: ['-e', script],
          env: { API_TOKEN: secret },
        },
        remote: {
          type: 'http',
          url: 'http://127.0.0.1:9/mcp',
          headers: { authorization: `Bearer ${secret}` },
        },
      },
    );
    const { page, signIn, call, complaints, origin } = await open(host);
    const received: string[] = [];
    page.on('response', (response) => {
      void response.text().then(
        (text) => received.push(text),
        () => undefined,
      );
    });
    await signIn();
    await page.evaluate(
      'document.addEventListener("securitypolicyviolation", () => console.error("violation"))',
    );
    await call(name, '<b>bold</b>');
    await expect.poll(() => page.locator('#errors').innerText()).toContain('<b>bold</b>');
    await page.screenshot({ path: join(ARTIFACTS, 'status-hostile.png'), fullPage: true });

    expect(complaints).toEqual([]);
    expect(await page.title()).toBe('Gateway status');
    const elements = await elementNames(page);
    expect(
      elements.filter((element) => ['img', 'iframe', 'b', 'style', 'object', 'a'].includes(element)),
    ).toEqual([]);
    expect(await page.locator('script').count()).toBe(1);
    const attributes = await attributeNames(page);
    expect(
      attributes.filter(
        (attribute) => attribute.startsWith('on') || attribute === 'srcdoc' || attribute === 'style',
      ),
    ).toEqual([]);
    const text = await page.locator('body').innerText();
    expect(text).not.toMatch(/[\u202e\u2066\u200f]/);
    expect(text).toContain('\\u{202e}');
    expect(text).toContain('<script>document.title="owned"</script>');

    const headers = { authorization: `Bearer ${TOKEN}` };
    const json = await (await fetch(`${origin}/status`, { headers })).text();
    // The hostile server in this process has no entry with this secret, so it can say it: only the rest is ours.
    const ours = (given: string) => given.replaceAll(`leaked ${secret}`, '');
    for (const shown of [json, await page.content(), ...received]) {
      expect(ours(shown)).not.toContain(secret);
      expect(shown).not.toContain(TOKEN);
    }
    expect(json).toContain('"failed"');
  });

  it('without JavaScript it says where the status is', async () => {
    const { page } = await open(await fleet(), { javaScriptEnabled: false, viewport: NARROW });
    await page.getByLabel('Access token').fill(TOKEN);
    await page.getByRole('button', { name: 'Show the status' }).click();
    expect(await page.locator('noscript').innerText()).toContain('The status as JSON');
    await page.getByRole('link', { name: 'The status as JSON' }).click();
    await expect.poll(() => page.locator('body').innerText()).toContain('"github"');
  });
});
