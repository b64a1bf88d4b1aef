import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { parseListenAddress } from '../src/bridge/listen-address.js';
import { untilDead } from '../../transport-stdio/test/support/processes.js';
import { bridge, DUAL_SERVER, textOf, TOKEN, upstreamTo } from './support/upstreams.js';

describe('where it listens', () => {
  it.each([
    ['8080', { host: '127.0.0.1', port: 8080 }],
    ['0.0.0.0:1', { host: '0.0.0.0', port: 1 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['unix:/run/user/1000/b.sock', { socketPath: '/run/user/1000/b.sock' }],
  ])('%s', (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
  });

  it.each(['', 'unix:', 'unix:b.sock', 'here', '127.0.0.1', '1:', '65536', '-1', '1e3'])(
    'not at "%s"',
    (text) => {
      expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ code: 'ARGUMENTS_INVALID' }));
    },
  );
});

describe('a stdio server over WebSocket', () => {
  it('serves each client by a process of its own, and ends it with the connection', async () => {
    const { url } = await bridge();
    const connect = async (): Promise<ClientV1> => {
      const client = new ClientV1({ name: 'test', version: '1' });
      await client.connect(createWebSocketTransport({ url, apiKey: TOKEN }));
      return client;
    };
    const [one, two] = await Promise.all([connect(), connect()]);
    const pids = await Promise.all(
      [one, two].map(async (client) => Number(textOf(await client.callTool({ name: 'pid', arguments: {} })))),
    );
    expect(pids[0]).not.toBe(pids[1]);
    await one.close();
    await untilDead(pids[0] ?? 0);
    expect(textOf(await two.callTool({ name: 'add', arguments: { a: 2, b: 2 } }))).toBe('4');
    await expect(two.callTool({ name: 'die', arguments: {} })).rejects.toThrow('exited with code 3');
    expect(textOf(await two.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
    await two.close();
  });

  it('tries again when the client does, where the server could not be started', async () => {
    let config: { type: string; command: string; args?: string[] } = {
      type: 'stdio',
      command: 'no-such-command',
    };
    const { url } = await bridge({ open: () => upstreamTo({ config })() });
    const client = createWebSocketTransport({ url, apiKey: TOKEN });
    const seen: unknown[] = [];
    client.onmessage = (message) => void seen.push(message);
    await client.start();
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const initialize = (id: number) => client.send({ jsonrpc: '2.0', id, method: 'initialize', params });
    await initialize(1);
    config = { type: 'stdio', command: process.execPath, args: [DUAL_SERVER] };
    await initialize(2);
    expect(seen).toMatchObject([
      { id: 1, error: { data: { code: 'COMMAND_NOT_FOUND' } } },
      { id: 2, result: { serverInfo: { name: 'dual legacy' } } },
    ]);
    await client.close();
  });

  it('refuses a client without the token', async () => {
    const { url } = await bridge();
    const stranger = createWebSocketTransport({ url });
    await expect(stranger.start()).rejects.toMatchObject({ kind: 'auth' });
  });

  it('listens beyond this machine only under the names that clients use', async () => {
    const address = { host: '0.0.0.0', port: 0 };
    await expect(bridge({ address })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(bridge({ address, allowedHosts: ['bridge.example'] })).resolves.toBeDefined();
  });

  it('says that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(bridge({ address: { host: '127.0.0.1', port } })).rejects.toThrow(
      `The bridge cannot listen on 127.0.0.1:${port}.`,
    );
    other.close();
  });
});

describe('a Unix socket', () => {
  const folderOf = async (mode: number): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'fittings-socket-'));
    await chmod(folder, mode);
    return folder;
  };

  it.each([
    ['others', 0o707],
    ['a group', 0o770],
  ])('is not created in a folder that %s can change, or below one', async (_who, mode) => {
    const folder = await folderOf(mode);
    const inner = join(folder, 'inner');
    await mkdir(inner, { mode: 0o700 });
    for (const path of [join(folder, 's'), join(inner, 's')]) {
      await expect(bridge({ address: { socketPath: path } })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('Another user could replace the socket'),
      });
    }
    await rm(folder, { recursive: true });
  });

  it('is removed with the bridge, and replaces one on which nothing listens', async () => {
    const folder = await folderOf(0o700);
    const socketPath = join(folder, 's');
    const killed = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    await once(killed, 'close');
    expect((await stat(socketPath)).isSocket()).toBe(true);
    const served = await bridge({ address: { socketPath } });
    // As an entry names it.
    expect(served.url).toBe(`unix://${socketPath}#/mcp`);
    await expect(bridge({ address: { socketPath } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    await served.close();
    await expect(stat(socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
    await rm(folder, { recursive: true });
  });
});
