import { inspect } from 'node:util';
import { createHttpTransport, http } from '@mcp-fittings/transport-http/fetch';
import { afterEach, expect, it, vi } from 'vitest';
import { scriptedServer } from './support/scripted-server.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const URL_OF_SERVER = 'https://mcp.example.com/mcp?key=secret-0123456789';

afterEach(() => vi.restoreAllMocks());

/** What a message fails with. */
async function failureOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const transport = createHttpTransport({ url });
  await transport.start();
  const failure = await transport.send(PING, { headers }).catch((error: unknown) => error);
  await transport.close();
  return failure;
}

it('refuses what only Node.js can do, instead of leaving it out', () => {
  const withProxy = { url: URL_OF_SERVER, network: { proxy: 'http://proxy.example' } };
  expect(() => createHttpTransport(withProxy)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  const { schema } = http();
  for (const more of [{ proxy: 'none' }, { ca: 'x' }, { allowAddresses: [] }, { connectTimeout: 1 }])
    expect(schema['~standard'].validate({ url: URL_OF_SERVER, ...more })).toMatchObject({
      issues: [{ message: expect.stringContaining('cannot be set') }],
    });
});

it('says that it does not know what happened, where the platform does not say it', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  const failure = await failureOf(URL_OF_SERVER);
  expect(failure).toMatchObject({
    code: 'CONNECTION_LOST',
    delivery: 'unknown',
    hint: expect.stringContaining('CORS'),
  });
  expect(String(failure)).not.toContain('secret');
});

it('follows no redirect whose target a browser hides', async () => {
  const hidden = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(hidden);
  expect(await failureOf(URL_OF_SERVER)).toMatchObject({ code: 'REDIRECT_REFUSED', delivery: 'rejected' });
});

it('refuses a header that the platform refuses, without its value', async () => {
  await using server = await scriptedServer();
  const failure = await failureOf(server.url, { 'x-key': 'secret-0123456789-\u{1f511}' });
  expect(failure).toMatchObject({ code: 'HEADER_INVALID', delivery: 'not-sent' });
  expect(inspect(failure, { showHidden: true })).not.toContain('secret');
  expect(server.received).toEqual([]);
});

it('ends what is open when it is closed', async () => {
  await using server = await scriptedServer({ on: { ping: () => undefined } });
  const transport = createHttpTransport({ url: server.url });
  await transport.start();
  const sent = transport.send(PING).catch((error: unknown) => error);
  const { ended } = await server.until('ping');
  await transport.close();
  expect(await sent).toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'unknown' });
  await ended;
});
