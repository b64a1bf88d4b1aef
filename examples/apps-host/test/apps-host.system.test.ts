import { createServer } from 'node:http';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { appsExtension, createApps, type AppsOptions } from '@mcp-fittings/apps';
import { createHost } from '@mcp-fittings/host';
import { createTools } from '@mcp-fittings/tools';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { stdio } from '@mcp-fittings/transport-stdio';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../scripts/describe-with.js';
import { HEADLESS_CHROMIUM } from '../../../scripts/headless-chromium.js';
import { startAppsPage } from '../src/apps-page.js';
import { exampleServer } from '../src/servers.js';
import { hostileServer, type Reached } from './support/hostile-server.js';

const SERVERS = join(import.meta.dirname, '../servers/node_modules');
const ARTIFACTS = join(import.meta.dirname, '../../../artifacts');
const missing = [HEADLESS_CHROMIUM.executablePath, SERVERS].filter((path) => !existsSync(path));

describeWith(
  { missing, packages: 'chromium; npm ci --prefix examples/apps-host/servers' },
  'an app in Chromium',
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch(HEADLESS_CHROMIUM);
      mkdirSync(ARTIFACTS, { recursive: true });
    });
    afterAll(() => browser?.close());

    /** Calls the tool of a server, and opens its app in a page. */
    async function open(
      server: string,
      tool: string,
      options: AppsOptions = {},
      reached: Reached = { origin: '' },
    ) {
      const host = createHost({
        name: 'apps-host',
        version: '1.0.0',
        extensions: appsExtension(),
        transports: [stdio(), inprocess({ servers: { hostile: () => hostileServer(reached) } })],
      });
      const apps = createApps(host, options);
      const pages = await startAppsPage();
      const page = await browser.newPage({ viewport: { width: 1_000, height: 900 } });
      onTestFinished(async () => {
        await page.close();
        await pages[Symbol.asyncDispose]();
        await apps.close();
        await host.close();
      });
      const violations: string[] = [];
      page.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) violations.push(message.text());
      });
      await host.connect({ [server]: server === 'hostile' ? { type: 'sdk' } : exampleServer(server) });
      const result = await host.callTool({ server, tool });
      const app = await apps.app({ server, tool });
      const view = await pages.show(app, { args: {}, result });
      await page.goto(view.url.href);
      return { host, app, view, page, result, violations, frame: await innerFrame(page) };
    }

    it('the app of server-basic-vanillajs shows a result and calls its tool after the user agreed', async () => {
      const questions: string[] = [];
      const links: string[] = [];
      const { page, frame, result, view } = await open('basic-vanillajs', 'get-time', {
        confirm: async ({ text }) => {
          questions.push(text);
          return questions.length === 1 ? 'once' : 'cancel';
        },
        openLink: async ({ url }) => links.push(url.href) > 0,
      });
      const time = frame.locator('#server-time');
      const first = (result.structuredContent as { readonly time: string }).time;
      await expect.poll(() => time.innerText()).toBe(first);
      await page.screenshot({ path: join(ARTIFACTS, 'apps-host.png') });

      await frame.click('#get-time-btn');
      await expect.poll(() => time.innerText()).toMatch(/^\d{4}-.*Z$/);
      await expect.poll(() => time.innerText()).not.toBe(first);
      expect(questions[0]).toContain('"get-time" of the server "basic-vanillajs"');
      await frame.click('#get-time-btn');
      await expect.poll(() => time.innerText()).toBe('[ERROR]');

      await frame.click('#open-link-btn');
      await expect.poll(() => links).toEqual(['https://modelcontextprotocol.io/']);
      const teardown = vi.spyOn(view.bridge, 'teardownResource');
      await view.close();
      await expect(teardown.mock.results[0]?.value).resolves.toEqual({});
      expect((await fetch(view.url)).status).toBe(404);
    }, 60_000);

    it('the app of server-system-monitor polls a tool that the model does not see', async () => {
      const called: string[] = [];
      const { host, frame } = await open('system-monitor', 'get-system-info', {
        confirm: async ({ tool }) => {
          called.push(tool.ref.tool);
          return 'always-tool';
        },
      });
      await expect.poll(() => called, { timeout: 20_000 }).toEqual(['poll-system-stats']);
      await using tools = createTools(host);
      expect(tools.snapshot().tools.map(({ ref }) => ref.tool)).toEqual(['get-system-info']);
      expect(await frame.locator('canvas').count()).toBeGreaterThan(0);
    }, 60_000);

    it('the app of server-budget-allocator draws its chart under the restrictive policy', async () => {
      const { frame, app, violations } = await open('budget-allocator', 'get-budget-data');
      await expect.poll(() => frame.locator('canvas').count()).toBeGreaterThan(0);
      await expect.poll(() => frame.locator('body').innerText()).toContain('$');
      expect(app.csp).toEqual({});
      expect(violations).toEqual([]);
    }, 60_000);

    it('a hostile app reaches what it declared, and nothing else', async () => {
      const hits: string[] = [];
      const listener = createServer((request, response) => {
        hits.push(request.url ?? '');
        response.writeHead(200, { 'access-control-allow-origin': '*' }).end('reached');
      }).listen(0, '127.0.0.1');
      await once(listener, 'listening');
      onTestFinished(() => {
        listener.close();
        listener.closeAllConnections();
      });
      const address = listener.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const reached = { origin: `http://127.0.0.1:${port}` };
      const { page, frame, view, app, violations } = await open(
        'hostile',
        'show',
        { localDomains: true },
        reached,
      );
      expect(app.refused.length).toBeGreaterThan(0);

      const other = `http://localhost:${port}`;
      expect(await attempt(frame, `fetch('${reached.origin}/declared').then((r) => r.text())`)).toBe(
        'reached',
      );
      expect(await attempt(frame, `fetch('${other}/undeclared')`)).toContain('failed');
      expect(await attempt(frame, `import('${reached.origin}/script')`)).toContain('failed');
      expect(
        await attempt(
          frame,
          `new Promise((ok, no) => { const i = new Image(); i.onload = ok; i.onerror = () => no('x'); i.src = '${other}/image'; })`,
        ),
      ).toContain('failed');
      expect(await attempt(frame, `eval('1')`)).toContain('failed');
      expect(await attempt(frame, 'parent.document.title')).toContain('failed');
      expect(await attempt(frame, 'top.document.title')).toContain('failed');
      expect(await attempt(frame, 'String(localStorage.length)')).toContain('failed');
      expect(
        await attempt(frame, `fetch('${view.url.href}/messages', { method: 'POST', body: '{}' })`),
      ).toContain('failed');
      await frame.evaluate(
        `parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html: 'replaced' } }, '*')`,
      );
      await frame.evaluate(`top.location = '${other}/top'`).catch(() => undefined);
      await frame.evaluate(`location.href = '${other}/leave'`).catch(() => undefined);
      await expect.poll(() => violations.join('\n')).toMatch(/frame-src|Framing/);
      expect(page.url()).toBe(view.url.href);
      expect(hits).toEqual(['/declared']);
    }, 60_000);
  },
);

/** The frame of the app: below the page of the host and the sandbox. */
async function innerFrame(page: Page): Promise<Frame> {
  const find = (): Frame | undefined =>
    page.frames().find((frame) => frame.parentFrame()?.parentFrame() === page.mainFrame());
  await expect.poll(() => find() !== undefined).toBe(true);
  const frame = find();
  if (frame === undefined) throw new Error('the app has no frame');
  await frame.waitForLoadState();
  return frame;
}

/** Runs code in the app. Returns its result as text, or `failed: …`. */
async function attempt(frame: Frame, code: string): Promise<string> {
  return frame.evaluate(
    // In a timer of the document: what the debugger evaluates itself is exempt from parts of the policy.
    `new Promise((done) => setTimeout(async () => {
      try { done(String(await (${code}))); } catch (error) { done('failed: ' + error); }
    }))`,
  );
}
