import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent, fetch as undiciFetch, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFrontDoors } from '../../src/front-doors.js';
import { createTestSurface } from '../support/test-surface.js';
import { INITIALIZE, SIGNED, textOf } from '../support/test-gateway.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-'));
});
afterAll(() => rm(folder, { recursive: true }));

const open = () => {
  const surface = createTestSurface();
  return { surface, gateway: createFrontDoors(surface, () => true, {}) };
};

describe.skipIf(process.platform === 'win32')('a socket of the owner', () => {
  it('serves the owner without a token, in both eras', async () => {
    const { gateway, surface } = open();
    await using _ = gateway;
    const socketPath = join(folder, 'served.sock');
    const listener = await gateway.listen({ socketPath });
    expect(listener).toMatchObject({ address: { socketPath }, url: 'http://localhost/mcp' });
    await using agent = Object.assign(new Agent({ connect: { socketPath } }), {
      async [Symbol.asyncDispose]() {
        await agent.destroy();
      },
    });
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const transport = new StreamableHTTPClientTransport(new URL(listener.url), {
        fetch: ((url: string, init: object) =>
          undiciFetch(url, { ...init, dispatcher: agent })) as unknown as typeof fetch,
      });
      await client.connect(transport);
      expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('owner at all');
      await client.close();
    }
    expect(new Set(surface.connections.map(({ era }) => era))).toEqual(new Set(['legacy', 'modern']));
    // A web page that reaches it through a proxy is not the owner.
    for (const header of [{ origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      const { statusCode, body } = await request(listener.url, {
        method: 'POST',
        headers: { ...SIGNED, ...header },
        body: JSON.stringify(INITIALIZE),
        dispatcher: agent,
      });
      await body.dump();
      expect(statusCode).toBe(403);
    }
  });

  it('is gone after its own close, while the gateway goes on', async () => {
    const { gateway } = open();
    await using _ = gateway;
    const socketPath = join(folder, 'closed.sock');
    const listener = await gateway.listen({ socketPath });
    await listener.close();
    await expect(lstat(socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
    await gateway.listen({ socketPath });
  });

  it('is not left behind by a gateway that is closed while it begins to listen', async () => {
    const { gateway } = open();
    const socketPath = join(folder, 'late.sock');
    const listening = expect(gateway.listen({ socketPath })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
    });
    await gateway.close();
    await listening;
    await expect(lstat(socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
