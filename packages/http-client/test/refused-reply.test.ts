import { createLifetime } from '@mcp-fittings/toolbox/timing';
import { expect, it } from 'vitest';
import { createHttpClient } from '../src/index.js';
import { startHttp } from './support/http-server.js';

const BOUND = 65_536;

it.each([
  ['all of 64 KiB', BOUND, BOUND],
  ['64 KiB of more', BOUND + 1, BOUND],
])('a refusal is read as text: %s', async (_, sent, read) => {
  await using server = await startHttp((_request, response) => {
    response.writeHead(503).end('x'.repeat(sent));
  });
  await using network = createHttpClient({ url: server.origin, server: 'one' });
  const request = { url: new URL(server.origin), method: 'GET' } as const;
  const reply = await network.send(request, createLifetime(), () => undefined);
  expect(reply).toMatchObject({ accepted: false, head: { status: 503 }, text: 'x'.repeat(read) });
});
