/**
 * The built site in headless Chromium, and every link and anchor of its pages.
 *   CHROMIUM  the browser; default /usr/bin/chromium
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';

const dist = join(import.meta.dirname, '../dist');
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 780 };
const PAGES = [
  'index.html',
  'guide/getting-started.html',
  'guide/errors.html',
  'packages/host.html',
  'reference/host.html',
  'guide/architecture.html',
];

const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.html') && name !== '404.html',
);

function decode(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

describe('every page', () => {
  const htmlOf = new Map(pages.map((name) => [name, readFileSync(join(dist, name), 'utf8')]));
  const idsOf = new Map(
    [...htmlOf].map(([name, html]) => [
      name,
      new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id))),
    ]),
  );

  it('is there: guide, packages, reference, decisions', () => {
    for (const name of PAGES) assert.ok(htmlOf.has(name), name);
    assert.ok(pages.length > 120, `${pages.length} pages`);
  });

  it('has links only to what exists, down to the heading', () => {
    const dead = [];
    for (const [name, html] of htmlOf) {
      for (const [, raw] of html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) {
        const link = decode(raw);
        if (/^[a-z]+:/i.test(link)) continue;
        const [path, hash = ''] = link.split('#');
        const target =
          path === '' ? name : path.startsWith('/') ? path.slice(1) : normalize(join(dirname(name), path));
        const file =
          target === '' || target.endsWith('/')
            ? `${target}index.html`
            : extname(target) === ''
              ? `${target}.html`
              : target;
        if (!existsSync(join(dist, file))) dead.push(`${name}: ${link}`);
        else if (
          hash !== '' &&
          file.endsWith('.html') &&
          !idsOf.get(normalize(file))?.has(decodeURIComponent(hash))
        )
          dead.push(`${name}: ${link} (no such heading)`);
      }
    }
    assert.deepEqual(dead, []);
  });

  it('loads nothing from another site', () => {
    const foreign = [...htmlOf]
      .filter(([, html]) => /<(?:script|link|img)\b[^>]*\s(?:src|href)="https?:/.test(html))
      .map(([name]) => name);
    assert.deepEqual(foreign, []);
  });
});

describe('in a browser', () => {
  let server;
  let browser;
  let origin;

  before(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://site');
      const file = join(dist, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
      const found = existsSync(file) ? file : join(dist, '404.html');
      response.writeHead(found === file ? 200 : 404, {
        'content-type': TYPES[extname(found)] ?? 'application/octet-stream',
      });
      response.end(readFileSync(found));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${server.address().port}`;
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Runs `look` on a page; an error in its console or a failed request fails the test. */
  async function visit(path, { viewport = WIDE, colorScheme = 'light' }, look) {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`));
    await page.goto(`${origin}/${path}`, { waitUntil: 'networkidle' });
    await look(page);
    assert.deepEqual(errors, []);
    await context.close();
  }

  it('answers what, why, ten lines and what they print on one screen, and has every package below', async () => {
    await visit('index.html', {}, async (page) => {
      assert.match(await page.locator('h1').innerText(), /Connect your agent to MCP servers/);
      for (const part of [
        'h1',
        'h2#why',
        'h2#ten-lines',
        '.landing .language-ts',
        '.landing .language-text',
      ]) {
        const box = await page.locator(part).boundingBox();
        assert.ok(box !== null && box.y + box.height <= WIDE.height, `${part} ends below the screen`);
      }
      assert.ok((await page.locator('.landing pre').allInnerTexts()).join('').includes('createHost('));
      const packages = pages.filter((name) => /^packages\/(?!index)/.test(name)).length;
      assert.equal(await page.locator('.landing .packages p a').count(), packages);
    });
  });

  it('offers a tab for each package manager', async () => {
    await visit('guide/getting-started.html', {}, async (page) => {
      const tabs = page.locator('.vp-code-group').first().locator('label');
      assert.deepEqual(await tabs.allInnerTexts(), ['npm', 'pnpm', 'yarn', 'bun']);
      await tabs.nth(1).click();
      assert.match(
        await page.locator('.vp-code-group .active').first().innerText(),
        /pnpm add @mcp-fittings/,
      );
    });
  });

  it('begins the reference of a package with a sentence, an install line and what people look for', async () => {
    await visit('reference/host.html', {}, async (page) => {
      assert.match(await page.locator('.vp-doc p').first().innerText(), /Connects|Connect/);
      assert.match(await page.locator('.vp-doc pre').first().innerText(), /npm install @mcp-fittings\/host/);
      assert.match(await page.locator('.vp-doc h3').first().innerText(), /createHost/);
    });
  });

  for (const [word, where] of [
    ['AUTH_REQUIRED', /errors/],
    ['createHost', /reference\/host|guide\/host/],
  ]) {
    it(`finds ${word}`, async () => {
      await visit('guide/getting-started.html', {}, async (page) => {
        await page.locator('#local-search button, button.DocSearch').first().click();
        await page.locator('#localsearch-input').fill(word);
        const result = page.locator('#localsearch-list a.result');
        await result.first().waitFor();
        const links = await result.evaluateAll((all) =>
          all.slice(0, 5).map((one) => one.getAttribute('href')),
        );
        assert.ok(
          links.some((link) => where.test(link)),
          links.join(', '),
        );
        await result.first().click();
        await page.waitForURL((url) => !url.pathname.includes('getting-started'));
        await page.getByText(word).first().waitFor();
      });
    });
  }

  for (const path of PAGES) {
    for (const [width, viewport] of [
      ['wide', WIDE],
      ['narrow', NARROW],
    ]) {
      for (const colorScheme of ['light', 'dark']) {
        it(`shows ${path}, ${String(width)} and ${colorScheme}, without a page that scrolls sideways`, async () => {
          await visit(path, { viewport, colorScheme }, async (page) => {
            const { overflow, light, cut } = await page.evaluate(() => {
              const { scrollWidth, clientWidth } = document.documentElement;
              const blocks = [
                ...document.querySelectorAll('div[class*="language-"]:not(.language-text) pre'),
              ];
              const channels = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
              return {
                overflow: scrollWidth - clientWidth,
                light: channels[0] > 127,
                cut: blocks.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
              };
            });
            assert.equal(overflow, 0);
            if (viewport === WIDE) assert.deepEqual(cut, [], 'a block of code is cut');
            assert.equal(light, colorScheme === 'light');
          });
        });
      }
    }
  }

  it('draws the diagrams of the architecture', async () => {
    await visit('guide/architecture.html', {}, (page) => page.locator('pre.mermaid svg').first().waitFor());
  });
});
