import { request } from 'node:http';
import { once } from 'node:events';
import { appsExtension, createApps } from '@mcp-fittings/apps';
import { createHost } from '@mcp-fittings/host';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { expect, it, onTestFinished } from 'vitest';
import { startAppsPage } from '../src/apps-page.js';
import { hostileServer } from './support/hostile-server.js';

/** The page of an app, its sandbox, and what both need. */
async function open() {
  const host = createHost({
    name: 'apps-host',
    version: '1.0.0',
    extensions: appsExtension(),
    transports: [inprocess({ servers: { hostile: () => hostileServer({ origin: 'https://a.example' }) } })],
  });
  await host.connect({ hostile: { type: 'sdk' } });
  const apps = createApps(host);
  const pages = await startAppsPage();
  onTestFinished(async () => {
    await pages[Symbol.asyncDispose]();
    await apps.close();
    await host.close();
  });
  const app = await apps.app({ server: 'hostile', tool: 'show' });
  const view = await pages.show(app, { args: {}, result: { content: [] } });
  const page = await fetch(view.url);
  const html = await page.text();
  const sandboxUrl = new URL(/<iframe[^>]* src="([^"]+)"/.exec(html)?.[1] ?? '');
  const messages = `${view.url.href}/messages`;
  const post = async (body: string, origin = view.url.origin): Promise<number> =>
    (await fetch(messages, { method: 'POST', body, headers: { origin } })).status;
  return { app, view, page, html, sandboxUrl, messages, post };
}

it('the sandbox is on another origin, and has the policy of the app', async () => {
  const { app, view, page, html, sandboxUrl } = await open();
  expect(sandboxUrl.origin).not.toBe(view.url.origin);
  const { headers } = await fetch(sandboxUrl);
  expect(headers.get('content-security-policy')).toBe(
    `${app.contentSecurityPolicy}; frame-ancestors ${view.url.origin}`,
  );
  expect(app.contentSecurityPolicy).toContain('connect-src https://a.example;');
  expect(page.headers.get('content-security-policy')).toContain(`frame-src ${sandboxUrl.origin};`);
  expect(html).toContain('allow="camera"');
});

it('only the page of the host passes messages on', async () => {
  const { view, sandboxUrl, messages, post } = await open();
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(await post(message)).toBe(204);
  expect(await post(message, sandboxUrl.origin)).toBe(403);
  expect(await post(message, 'null')).toBe(403);
  for (const body of ['', 'x', '7', '{}', `"${'a'.repeat(2 ** 21)}"`]) expect(await post(body)).toBe(400);
  for (const path of [
    '/',
    '/other',
    '/other/messages',
    `${view.url.pathname}/x`,
    `${view.url.pathname}/messages/x`,
  ]) {
    expect((await fetch(new URL(path, view.url))).status, path).toBe(404);
  }
  const cancel = new AbortController();
  const stream = await fetch(messages, { signal: cancel.signal });
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect((await fetch(messages)).status).toBe(409);
  cancel.abort();
});

it('a name that leads to this machine reaches neither listener', async () => {
  const { view, sandboxUrl } = await open();
  for (const url of [view.url, sandboxUrl]) {
    const asked = request(url, { headers: { host: `evil.example:${url.port}` } }).end();
    const [response] = (await once(asked, 'response')) as [{ readonly statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(403);
  }
});
