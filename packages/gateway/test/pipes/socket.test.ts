import { createServer } from 'node:net';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
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

  it('has mode 0600, leaves nothing beside it, and is removed at the end', async () => {
    const { gateway } = open();
    const private_ = await mkdtemp(join(folder, 'mode-'));
    const socketPath = join(private_, 'gateway.sock');
    const before = process.umask(0);
    try {
      await gateway.listen({ socketPath });
    } finally {
      process.umask(before);
    }
    expect((await lstat(socketPath)).mode & 0o777).toBe(0o600);
    expect(await readdir(private_)).toEqual(['gateway.sock']);
    await gateway.close();
    expect(await readdir(private_)).toEqual([]);
  });

  it('replaces a socket that a killed process has left', async () => {
    const socketPath = join(folder, 'stale.sock');
    const script = `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect((await lstat(socketPath)).isSocket()).toBe(true);
    const { gateway } = open();
    await using _ = gateway;
    await gateway.listen({ socketPath });
    const agent = new Agent({ connect: { socketPath } });
    const { statusCode, body } = await request('http://localhost/mcp', {
      headers: SIGNED,
      dispatcher: agent,
    });
    await body.dump();
    await agent.destroy();
    expect(statusCode).toBe(400);
  });

  it('does not replace a socket on which a process listens, nor a file, nor a link', async () => {
    const socketPath = join(folder, 'taken.sock');
    const other = createServer().listen(socketPath);
    await once(other, 'listening');
    const file = join(folder, 'file.sock');
    await writeFile(file, 'precious');
    const link = join(folder, 'link.sock');
    await symlink(file, link);
    const { gateway } = open();
    await using _ = gateway;
    for (const path of [socketPath, file, link]) {
      await expect(gateway.listen({ socketPath: path })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        hint: expect.any(String),
      });
    }
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('of several processes that start at once, one gets the path', async () => {
    const socketPath = join(folder, 'raced.sock');
    const gateways = Array.from({ length: 8 }, () => open().gateway);
    const started = await Promise.allSettled(gateways.map((gateway) => gateway.listen({ socketPath })));
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const agent = new Agent({ connect: { socketPath } });
    const { body } = await request('http://localhost/mcp', { headers: SIGNED, dispatcher: agent });
    await body.dump();
    await agent.destroy();
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  it('does not remove the socket of another process that has replaced it', async () => {
    const { gateway } = open();
    const socketPath = join(folder, 'replaced.sock');
    await gateway.listen({ socketPath });
    await rm(socketPath);
    const other = createServer().listen(socketPath);
    await once(other, 'listening');
    await gateway.close();
    expect((await lstat(socketPath)).isSocket()).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('refuses a directory in which another user could replace the socket', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared);
    const { gateway } = open();
    await using _ = gateway;
    for (const mode of [0o777, 0o770]) {
      await chmod(shared, mode);
      await expect(gateway.listen({ socketPath: join(shared, 's.sock') })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('Another user'),
      });
      await mkdir(join(shared, 'below'), { recursive: true, mode: 0o700 });
      await expect(gateway.listen({ socketPath: join(shared, 'below', 's.sock') })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      });
    }
    // Like /tmp.
    await chmod(shared, 0o1777);
    await gateway.listen({ socketPath: join(shared, 's.sock') });
  });

  it.each([
    ['a relative path', 'gateway.sock'],
    ['a directory that does not exist', '/nowhere/at/all/gateway.sock'],
  ])('refuses %s', async (_what, socketPath) => {
    const { gateway } = open();
    await using _ = gateway;
    await expect(gateway.listen({ socketPath })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.any(String),
    });
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
});
